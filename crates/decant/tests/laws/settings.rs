//! Settings that change from one request to the next.

use crate::checks::{Checked, begins_with, is_old, newest};
use crate::support::outline::outline;
use crate::support::player::play;
use crate::support::script::Script;
use crate::support::walk::Walk;
use crate::support::{World, load, projected, render};
use decant::config::stamp::Stamp;
use decant::config::{Config, Timing};
use decant::json::Value;
use decant::transcript::SessionEntry;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

type Change = fn(&mut Config);

/// Ways of changing the settings.
const CHANGES: [(&str, Change); 16] = [
    ("off", |config| config.enabled = false),
    ("tools", |config| config.protected_tools.push("read".to_owned())),
    ("paths", |config| config.protected_paths.push("**".to_owned())),
    ("paths gone", |config| config.protected_paths.clear()),
    ("no blocks", |config| config.chain_compression.enabled = false),
    ("window", |config| config.chain_compression.rolling_window = 0),
    ("no purge", |config| config.purge_errors.enabled = false),
    ("cooldown", |config| config.purge_errors.cooldown_turns = 0),
    ("no strip", |config| config.thinking_strip.enabled = false),
    ("grace", |config| config.recovery_grace_turns = 0),
    ("small", |config| config.min_batch_chars = 0),
    ("spill", |config| config.spill_threshold = Some(10)),
    ("no dedup", |config| config.dedup_by_content_hash = false),
    ("purge live", |config| config.purge_errors.timing = Timing::Live),
    ("strip live", |config| config.thinking_strip.boundary = Timing::Live),
    ("strip nearly all", |config| {
        config.thinking_strip.boundary = Timing::Live;
        config.thinking_strip.keep_last_turns = 1;
    }),
];

/// How many of them say nothing of what ages live, which is no epoch (law 2).
const STEADY: usize = 13;

/// Where other settings make another request, [`decant::session::Session::mark_epoch`] has the epoch.
pub fn marked(walk: &mut Walk<'_>, points: &[usize]) -> Checked {
    // The last point has all decisions; two before it have other windows.
    for &at in points.iter().rev().step_by(7).take(3).collect::<Vec<_>>().into_iter().rev() {
        walk.go(at);
        let before = walk.point();
        for (name, change) in CHANGES {
            let mut session = load(before.entries, &walk.config);
            let mut changed = walk.config.clone();
            change(&mut changed);
            session.set_config(changed);
            let after = render(&mut session, &before.messages);
            prop_assert!(
                session.mark_epoch().is_some() || after.out == before.rendered.out,
                "{} changes the request at {} and is no epoch",
                name,
                at
            );
        }
    }
    Ok(())
}

/// A session whose settings change as it grows, `restarts`: each time with a new run of pi. A request that does not begin
/// with the one before it has an epoch between them; and none is asked for twice.
pub fn come_and_go(script: &Script, turns: &[usize], restarts: bool) -> Result<(), TestCaseError> {
    let recorded = play(script, false);
    let mut world = World::new(recorded.config.clone());
    let mut last: Option<Last> = None;
    let mut log: Vec<String> = Vec::new();
    for (nth, entry) in recorded.entries.iter().enumerate() {
        // Whoever is off decides nothing.
        if world.config.enabled || reason(entry).is_none() {
            world.push(under(entry, &world.config));
        }
        let turn = turns[nth % turns.len()];
        if turn < STEADY + 3 && nth % 4 == 3 {
            let mut config = recorded.config.clone();
            // The last three are the first settings again.
            if let Some((name, change)) = CHANGES[..STEADY].get(turn) {
                log.push(format!("{nth}: {name}"));
                change(&mut config);
            }
            if restarts {
                world.session = load(&world.entries, &config);
            } else {
                world.session.set_config(config.clone());
            }
            world.config = config;
        }
        // A request is what a reply answers.
        if recorded.entries.get(nth + 1).is_none_or(|next| role(next) != Some("assistant")) {
            continue;
        }
        let request = world.request();
        let before = world.entries.len();
        render(&mut world.session, &request);
        if let Some(mark) = world.session.mark_epoch() {
            world.append_epoch(mark.write());
            prop_assert!(world.session.mark_epoch().is_none(), "asked for twice, {:?}", log);
        }
        let rendered = render(&mut world.session, &request);
        let newest = newest(&projected(&world.entries), &rendered.plan);
        let out = rendered.out;
        // What an earlier run repaired of pi's projection it left no note of.
        let noted = !restarts || world.session.window().orphans() == 0;
        if let Some(last) = &last
            && noted
            && !is_old(last.newest.as_deref(), &world.session)
            && request.starts_with(&last.asked)
            && world.entries[last.entries..].iter().all(|entry| !rewrites(entry))
        {
            begins_with(&out, &last.sent).map_err(|error| {
                TestCaseError::fail(format!("{log:?} at {before}: {error}\n{}", outline(&world.entries)))
            })?;
        }
        last = Some(Last { asked: request, sent: out, entries: world.entries.len(), newest });
    }
    Ok(())
}

struct Last {
    asked: Vec<Value>,
    sent: Vec<Value>,
    /// How many entries there were.
    entries: usize,
    /// The entry of the newest assistant message that went out.
    newest: Option<String>,
}

fn data(entry: &SessionEntry) -> Option<&Value> {
    entry.value.get("data")
}

fn role(entry: &SessionEntry) -> Option<&str> {
    entry.value.get("message")?.get("role")?.as_str()
}

fn reason(entry: &SessionEntry) -> Option<&str> {
    data(entry)?.get("reason")?.as_str()
}

/// Whether what was sent before may look otherwise behind this entry.
fn rewrites(entry: &SessionEntry) -> bool {
    let ours =
        entry.value.get("customType").and_then(Value::as_str).is_some_and(|name| name.starts_with("context-prune-"));
    matches!(entry.kind(), "compaction" | "context_edit") || ours && reason(entry) != Some("spill")
}

/// The entry as a run with these settings would have written it.
fn under(entry: &SessionEntry, config: &Config) -> SessionEntry {
    let mut entry = entry.clone();
    let data = entry.value.as_object_mut().and_then(|object| object.get_mut("data")).and_then(Value::as_object_mut);
    if let Some(data) = data.filter(|data| data.get("settings").is_some()) {
        data.insert("settings", Stamp::of(config).as_str());
    }
    entry
}
