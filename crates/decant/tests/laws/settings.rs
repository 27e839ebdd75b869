//! Settings that change from one request to the next.

use crate::checks::Checked;
use crate::support::render;
use crate::support::walk::Walk;
use decant::config::{Config, Timing};
use proptest::prelude::*;

type Change = fn(&mut Config);

/// Every way of changing the settings, all of them at every point.
fn changes() -> Vec<(&'static str, Change)> {
    vec![
        ("off", |config| config.enabled = false),
        ("tools", |config| config.protected_tools.push("read".to_owned())),
        ("paths", |config| config.protected_paths.push("**".to_owned())),
        ("paths gone", |config| config.protected_paths.clear()),
        ("no blocks", |config| config.chain_compression.enabled = false),
        ("window", |config| config.chain_compression.rolling_window = 0),
        ("purge live", |config| config.purge_errors.timing = Timing::Live),
        ("no purge", |config| config.purge_errors.enabled = false),
        ("cooldown", |config| config.purge_errors.cooldown_turns = 0),
        ("strip live", |config| config.thinking_strip.boundary = Timing::Live),
        ("strip nearly all", |config| {
            config.thinking_strip.boundary = Timing::Live;
            config.thinking_strip.keep_last_turns = 1;
        }),
        ("no strip", |config| config.thinking_strip.enabled = false),
        ("grace", |config| config.recovery_grace_turns = 0),
        ("small", |config| config.min_batch_chars = 0),
        ("spill", |config| config.spill_threshold = Some(10)),
        ("no dedup", |config| config.dedup_by_content_hash = false),
    ]
}

/// Where other settings make another request, [`decant::session::Session::mark_epoch`] has the epoch; and once that is
/// written, none is asked for any more.
pub fn marked(walk: &mut Walk<'_>, points: &[usize]) -> Checked {
    // The last point has all decisions; two before it have other windows.
    for &at in points.iter().rev().step_by(7).take(3).collect::<Vec<_>>().into_iter().rev() {
        walk.go(at);
        let before = walk.point();
        let config = walk.session.config().clone();
        for (name, change) in changes() {
            let mut changed = config.clone();
            change(&mut changed);
            walk.session.set_config(changed);
            let mark = walk.session.mark_epoch();
            let after = render(&mut walk.session, &before.messages);
            prop_assert!(
                mark.is_some() || after.out == before.rendered.out,
                "{} changes the request at {} and is no epoch",
                name,
                at
            );
        }
        walk.session.set_config(config);
    }
    Ok(())
}
