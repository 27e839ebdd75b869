//! Each law as a check of a session at some of its points.

use crate::alignment::{Became, align};
use crate::support::judge::{Pairing, pairings, same_on_wire};
use crate::support::walk::{Point, Walk};
use crate::support::{World, load, render, role};
use decant::capture::entries::Entries;
use decant::capture::source::Source;
use decant::json::{Value, stringify};
use decant::ledger::EPOCH_TYPE;
use decant::ledger::epoch::Epoch;
use decant::render::apply::apply;
use decant::render::plan::{Act, Plan};
use decant::session::Session;
use decant::transcript::head::Head;
use decant::transcript::read_head::message_head;
use decant::transcript::{Projected, SessionEntry};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

pub type Checked = Result<(), TestCaseError>;
pub type Check = fn(&mut Walk<'_>, &[usize]) -> Checked;

/// Everything a session says of itself.
pub fn state(session: &Session) -> String {
    let ledger = session.ledger();
    let records: Vec<String> = ledger
        .records()
        .iter()
        .map(|record| {
            let (tool, entry) = (session.name(record.tool), session.name(record.entry));
            format!("{:?} {:?} {tool} {entry} {:?}", record.reference, record.at, record.turn)
        })
        .collect();
    format!(
        "{:?} {:?} {:?} {} {} {:?} {:?}",
        session.leaf(),
        session.pending(),
        ledger.stats(),
        ledger.epochs().len(),
        ledger.next_ref(),
        ledger.last_mark(),
        records
    )
}

/// A plan with its texts in the place of their numbers: a session that grew numbers them in another order than one that
/// was loaded.
pub fn spelled(plan: &Plan, session: &Session) -> String {
    let spell = |text: u32| session.forms().texts().get(text as usize).map_or("?", String::as_str);
    let edits = plan.edits.iter().map(|edit| match edit.act {
        Act::Insert { text } | Act::Extend { text } | Act::Replace { text } | Act::Append { text } => {
            format!("{} {:?} {}\n", edit.index, std::mem::discriminant(&edit.act), spell(text))
        }
        Act::Arguments { call, text } => format!("{} arguments {call} {}\n", edit.index, spell(text)),
        Act::Quote { .. } | Act::DropThinking | Act::CutIds | Act::Drop => format!("{edit:?}\n"),
    });
    edits.chain([plan.prefix_time.to_string()]).collect()
}

/// The same entries and messages make the same plan, and messages that were rendered pass a second time.
pub fn pure(walk: &mut Walk<'_>, points: &[usize]) -> Checked {
    for &at in points {
        walk.go(at);
        let point = walk.point();
        let again = render(&mut walk.session, &point.messages);
        prop_assert_eq!(&point.rendered.plan, &again.plan);
        prop_assert_eq!(&point.rendered.out, &again.out);
        prop_assert_eq!(&point.messages, &crate::support::messages(point.entries));
        // But for the first message's time, by which it is known; it says that history changed. A stub with a summary in
        // it is longer than the stub alone, so it is made anew: the same bytes.
        let mut once = point.rendered.out.clone();
        if let (Some(sent), Some(message)) = (once.first_mut(), point.messages.first())
            && let (Some(sent), Some(time)) = (sent.as_object_mut(), message.get("timestamp"))
        {
            sent.insert("timestamp", time.clone());
        }
        if has_twins(&point, &once) {
            continue;
        }
        let twice = render(&mut walk.session, &once).out;
        prop_assert_eq!(twice.len(), point.rendered.out.len(), "rendered twice");
        for (index, (twice, once)) in twice.iter().zip(&point.rendered.out).enumerate() {
            prop_assert!(same_on_wire(twice, once), "message {} rendered twice: {}", index, stringify(twice));
        }
    }
    Ok(())
}

/// Whether two messages of the session, or one and a text that was put in, are known by the same role, time and call id,
/// which happens where the clock stands still: pi hands out all of them in order, a rendered request does not.
fn has_twins(point: &Point<'_>, rendered: &[Value]) -> bool {
    let key = |message: &Value| {
        let field = |key: &str| message.get(key).map(stringify);
        (role(message).to_owned(), field("timestamp"), field("toolCallId"))
    };
    let keys: std::collections::BTreeSet<_> = point.messages.iter().map(key).collect();
    let sent: std::collections::BTreeSet<_> = rendered.iter().map(key).collect();
    keys.len() < point.messages.len() || sent.len() < rendered.len()
}

/// Each request begins with all of the one before, save where an epoch, an edit or a compaction came in between; then
/// with all that stands before what they touch.
pub fn prefix_stable(walk: &mut Walk<'_>, points: &[usize]) -> Checked {
    let mut before: Option<(Point<'_>, Vec<String>)> = None;
    for &at in points {
        walk.go(at);
        let point = walk.point();
        let texts = walk.session.forms().texts().to_vec();
        if let Some((last, last_texts)) = &before {
            let added = &point.entries[last.entries.len()..];
            if added.iter().any(changes_projection) {
                let common = untouched(&last.messages, &point.messages, added, walk);
                let prefix = |point: &Point<'_>, texts: &[String]| {
                    let plan = &point.rendered.plan;
                    let edits = plan.edits.iter().filter(|edit| (edit.index as usize) < common).copied().collect();
                    let plan = Plan { edits, prefix_time: plan.prefix_time };
                    apply(&plan, texts, &point.messages[..common])
                };
                begins_with(&prefix(&point, &texts), &prefix(last, last_texts))?;
            } else if !newest_was_old(last, &walk.session) {
                begins_with(&point.rendered.out, &last.rendered.out)?;
            }
        }
        before = Some((point, texts));
    }
    Ok(())
}

/// Whether the newest assistant message had its thinking only since all newer ones were edited away or hidden (law 8).
fn newest_was_old(point: &Point<'_>, session: &Session) -> bool {
    is_old(newest(&point.projected, &point.rendered.plan).as_deref(), session)
}

/// The entry of the newest assistant message that goes out.
pub fn newest(projected: &[Projected<'_>], plan: &Plan) -> Option<String> {
    let dropped = |index: usize| plan.edits.iter().any(|edit| edit.index as usize == index && edit.act == Act::Drop);
    let mut assistants = (0..projected.len()).rev().filter(|&index| role(&projected[index].message) == "assistant");
    assistants.find(|&index| !dropped(index)).map(|index| projected[index].entry.id.to_string())
}

/// Whether this entry stands before the place from which on thinking is kept.
pub fn is_old(entry: Option<&str>, session: &Session) -> bool {
    let place = entry.and_then(|entry| session.place(entry));
    place.is_some() && place < session.ledger().thinking_before()
}

pub fn begins_with(now: &[Value], before: &[Value]) -> Checked {
    prop_assert!(now.len() >= before.len(), "{} messages, then {}", before.len(), now.len());
    for (at, (now, before)) in now.iter().zip(before).enumerate() {
        prop_assert!(same_on_wire(now, before), "message {at} was\n{}\nis\n{}", stringify(before), stringify(now));
    }
    Ok(())
}

/// Whether an entry may change what was sent before it.
fn changes_projection(entry: &SessionEntry) -> bool {
    let custom = entry.value.get("customType").and_then(Value::as_str);
    matches!(entry.kind(), "compaction" | "context_edit")
        || custom.is_some_and(|custom| custom.starts_with("context-prune-"))
}

/// The entries that an epoch speaks of.
fn touched(epoch: &Epoch) -> Vec<String> {
    let results = epoch.batches.iter().flat_map(|batch| &batch.results).map(|result| &result.entry);
    let blocks = epoch.blocks.iter().map(|block| &block.start);
    results.chain(blocks).chain(epoch.purges.iter().map(|purge| &purge.assistant)).cloned().collect()
}

/// How many first messages nothing that was added speaks of: they end with the prompt before the first touched one.
fn untouched(before: &[Value], now: &[Value], added: &[SessionEntry], walk: &Walk<'_>) -> usize {
    let mut common = before.iter().zip(now).take_while(|(a, b)| a == b).count();
    // The first message tells the time of the last epoch, and the original's entries speak of any earlier result.
    for entry in added.iter().filter(|entry| changes_projection(entry)) {
        match entry.value.get("customType").and_then(Value::as_str) {
            Some(EPOCH_TYPE) => {
                let epoch = entry.value.get("data").and_then(Epoch::read);
                let entries: Vec<String> = epoch.as_ref().map_or_else(Vec::new, touched);
                if epoch.is_some_and(|epoch| epoch.thinking_before.is_some()) {
                    common = 0;
                }
                let places = crate::support::projected(&walk.entries[..walk.at]);
                let first = places.iter().position(|one| entries.contains(&one.entry.id.to_string()));
                common = common.min(first.unwrap_or(common));
            }
            Some(_) => common = 0,
            None => {}
        }
    }
    // A summary speaks of the results of one prompt at the most: what is edited among them can move it.
    while common > 0 && common < before.len() && role(&before[common - 1]) != "user" {
        common -= 1;
    }
    common.min(now.len()).min(before.len())
}

/// Every result that goes out answers a call of its turn and every call that was answered is; of the results that did so
/// before, none is missing but with its call, in a block.
pub fn paired(walk: &mut Walk<'_>, points: &[usize]) -> Checked {
    for &at in points {
        walk.go(at);
        let point = walk.point();
        let alignment = align(&point, &walk.session)?;
        let sent = pairings(&point.rendered.out);
        prop_assert!(!sent.contains(&Pairing::Orphan), "an orphan goes out: {:?}", sent);
        let mut call_is_hidden = false;
        for (index, one) in alignment.messages.iter().enumerate() {
            let dropped = one.became == Became::Dropped;
            match point.pairings[index] {
                Pairing::Orphan => prop_assert!(dropped, "message {}", index),
                Pairing::Answer => prop_assert_eq!(dropped, call_is_hidden, "message {}", index),
                Pairing::NotAResult => {
                    prop_assert!(
                        !matches!(one.became, Became::Stub(_)) && one.appended.is_empty(),
                        "message {}",
                        index
                    );
                }
            }
            match role(&point.messages[index]) {
                "assistant" => call_is_hidden = dropped,
                "toolResult" | "custom" => {}
                _ => prop_assert!(!dropped, "message {} is nobody's to drop", index),
            }
        }
        let orphans = point.pairings.iter().filter(|one| **one == Pairing::Orphan).count();
        let blocks = walk.session.sizes().blocks;
        prop_assert!(blocks > 0 || walk.session.sizes().dropped as usize == orphans);
    }
    Ok(())
}

/// A message's thinking goes whole or stays whole, and the newest assistant message keeps its own.
pub fn thinking_whole(walk: &mut Walk<'_>, points: &[usize]) -> Checked {
    for &at in points {
        walk.go(at);
        let point = walk.point();
        // That thinking which goes goes whole is what `align` checks.
        let alignment = align(&point, &walk.session)?;
        let newest = point.messages.iter().rposition(|message| role(message) == "assistant");
        if let Some(one) = newest.map(|index| &alignment.messages[index]) {
            prop_assert!(!one.no_thinking, "the newest assistant message lost its thinking");
        }
    }
    Ok(())
}

/// Every message is matched to the entry it came from, however often ids and times repeat.
pub fn occurrence(walk: &mut Walk<'_>, points: &[usize]) -> Checked {
    for &at in points {
        walk.go(at);
        let point = walk.point();
        let mut window = decant::transcript::window::Window::default();
        for message in &point.messages {
            let head = message_head(message, walk.session.symbols());
            window.push(decant::transcript::window::Seen::Head(head), walk.session.branch());
        }
        for (index, one) in point.projected.iter().enumerate() {
            let place = window.places()[index].map(|place| &walk.entries[place as usize].id);
            // The summary of a compaction and its checkpoint stand before entries that came earlier.
            if one.entry.kind() == "compaction" {
                prop_assert!(role(&one.message) != "compactionSummary" || place.is_none());
            } else if role(&one.message) == "system" {
                prop_assert_eq!(place, None);
            } else {
                prop_assert_eq!(place, Some(&one.entry.id), "message {}: {}", index, stringify(&one.message));
            }
        }
    }
    Ok(())
}

/// A running session is what loading its branch gives, and a request read on from the last one is that request.
pub fn branch_truth(walk: &mut Walk<'_>, points: &[usize]) -> Checked {
    for &at in points {
        walk.go(at);
        let live = walk.read_on();
        let sizes = walk.session.sizes();
        let mut loaded = load(&walk.entries[..at], &walk.config);
        let fresh = render(&mut loaded, &crate::support::messages(&walk.entries[..at]));
        prop_assert_eq!(spelled(&live.plan, &walk.session), spelled(&fresh.plan, &loaded), "at {}", at);
        prop_assert_eq!(&live.out, &fresh.out, "at {}", at);
        prop_assert_eq!(sizes, loaded.sizes(), "at {}", at);
        prop_assert_eq!(state(&walk.session), state(&loaded), "at {}", at);
    }
    Ok(())
}

/// A stub is shorter than its result, a summary with its stubs shorter than the results it speaks of, and the report
/// counts what goes out.
pub fn never_longer(walk: &mut Walk<'_>, points: &[usize]) -> Checked {
    for &at in points {
        walk.go(at);
        let point = walk.point();
        let sizes = walk.session.sizes();
        let units = |messages: &[Value], session: &mut Session| -> u64 {
            messages.iter().map(|message| message_head(message, session.symbols()).units()).sum()
        };
        prop_assert_eq!(sizes.before, units(&point.messages, &mut walk.session));
        // A quoted output gets a line break between its texts, which a head does not know of.
        let slack = if sizes.blocks > 0 { 16 } else { 0 };
        prop_assert!(sizes.after.abs_diff(units(&point.rendered.out, &mut walk.session)) <= slack, "{:?}", sizes);
        for edit in &point.rendered.plan.edits {
            if let Act::Replace { text } = edit.act {
                let head = message_head(&point.messages[edit.index as usize], walk.session.symbols());
                prop_assert!(u64::from(walk.session.forms().units(text)) < Head::units(&head));
            }
        }
        prop_assert!(sizes.after <= sizes.before, "{:?}", sizes);
    }
    Ok(())
}

/// Lengths are `String.length`, and nothing we write holds half a pair: prompts, stubs, summaries.
pub fn javascripts_text(walk: &mut Walk<'_>, points: &[usize]) -> Checked {
    let Some(&last) = points.last() else { return Ok(()) };
    walk.go(last);
    let point = walk.point();
    for message in &point.messages {
        let head = message_head(message, walk.session.symbols());
        let content = match role(message) {
            "branchSummary" | "compactionSummary" => message.get("summary"),
            _ => message.get("content"),
        };
        prop_assert_eq!(u64::from(head.text_units), wide_text(content));
    }
    let source: Entries<'_> = point.entries.iter().collect();
    let Some(plan) = walk.session.plan_flush("now", &crate::support::model(), &source).cloned() else { return Ok(()) };
    let branch = walk.session.branch();
    let limit = walk.config.summarizer_max_chars_per_result as usize;
    for due in &plan.due {
        let prompt: Vec<u16> = due.prompt.encode_utf16().collect();
        prop_assert!(prompt.len() < 40_000);
        for &pos in &due.batch.results {
            let entry = branch.id(pos).map_or("", |id| walk.session.name(id));
            let text: Vec<u16> = source.text(entry).unwrap_or_default().encode_utf16().collect();
            let shown = if text.len() <= limit { &text[..] } else { &text[..limit / 2] };
            let shown = shown.strip_suffix(&[0xD83E]).or(shown.strip_suffix(&[0xD842])).unwrap_or(shown);
            let shown = String::from_utf16_lossy(shown);
            prop_assert!(due.prompt.contains(&shown), "{:?} is not in the prompt", shown);
        }
    }
    Ok(())
}

fn wide_text(content: Option<&Value>) -> u64 {
    let units = |value: &Value| value.as_text().map_or(0, |text| text.to_string_lossy().encode_utf16().count() as u64);
    match content {
        Some(Value::Array(blocks)) => {
            let texts = blocks.iter().filter(|block| block.get("type").and_then(Value::as_str) == Some("text"));
            texts.filter_map(|block| block.get("text")).map(units).sum()
        }
        Some(text) => units(text),
        None => 0,
    }
}

/// How many sessions had what a law is about.
#[derive(Debug, Default)]
pub struct Counts {
    pub stubs: u32,
    pub messages: u32,
    pub blocks: u32,
    pub drops: u32,
    pub epochs: u32,
    pub original: u32,
    pub spilled: u32,
    pub pending: u32,
    pub compacted: u32,
    pub edited: u32,
    pub repeated: u32,
    pub chains: u32,
    pub purges: u32,
    pub thinking: u32,
}

impl Counts {
    pub fn add(&mut self, world: &World, plan: &Plan) {
        let acts = |wanted: fn(&Act) -> bool| u32::from(plan.edits.iter().any(|edit| wanted(&edit.act)));
        self.stubs += acts(|act| matches!(act, Act::Replace { .. }));
        self.messages += acts(|act| matches!(act, Act::Insert { .. }));
        self.blocks += acts(|act| matches!(act, Act::Append { .. }));
        self.chains += acts(|act| matches!(act, Act::Extend { .. }));
        self.purges += acts(|act| matches!(act, Act::Arguments { .. }));
        self.thinking += acts(|act| matches!(act, Act::DropThinking));
        self.drops += acts(|act| matches!(act, Act::Drop));
        let ledger = world.session.ledger();
        self.epochs += u32::from(ledger.epochs().len() > 1);
        let archives = |wanted: fn(&decant::ledger::record::Archive) -> bool| {
            u32::from(ledger.records().iter().any(|record| wanted(&record.archive)))
        };
        self.original += archives(|archive| matches!(archive, decant::ledger::record::Archive::Inline { .. }));
        self.spilled += archives(|archive| matches!(archive, decant::ledger::record::Archive::Spilled { .. }));
        self.pending += u32::from(world.session.pending().calls > 0);
        let has = |kind: &str| u32::from(world.entries.iter().any(|entry| entry.kind() == kind));
        self.compacted += has("compaction");
        self.edited += has("context_edit");
        let branch = world.session.branch();
        let repeats = |pos: u32| {
            branch.pair(pos).is_some() && branch.head(pos).is_some_and(|head| branch.at_call(head.answers()).len() > 1)
        };
        self.repeated += u32::from((0..branch.len() as u32).any(repeats));
    }

    pub fn least(&self) -> u32 {
        let all = [
            self.stubs,
            self.messages,
            self.blocks,
            self.drops,
            self.epochs,
            self.original,
            self.spilled,
            self.pending,
            self.compacted,
            self.edited,
            self.repeated,
            self.chains,
            self.purges,
            self.thinking,
        ];
        all.into_iter().min().unwrap_or(0)
    }
}
