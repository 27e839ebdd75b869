//! The same core as in a running session, driven over a path entry by entry: each reply was a request, and what is due
//! after it is flushed as the extension does, at once and with summaries that ask no model.

use super::cache::{Cache, Miss, Sent, UNITS_PER_TOKEN, tokens};
use super::compose::Composer;
use super::follow::{Follow, is_pruners};
use super::models::{Speakers, input_tokens, output_tokens};
use super::options::Options;
use super::pieces::{Sizes, Stack};
use super::summaries::Recorded;
use super::texts::Texts;
use super::totals::{Billed, Totals};
use crate::config::PruneOn;
use crate::epoch::budget::{Budget, Measure};
use crate::json::Value;
use crate::session::Session;
use crate::transcript::SessionEntry;
use crate::transcript::branch::Pos;
use crate::transcript::entry::{Entry, EntryKind};
use crate::transcript::head::{Body, Role};
use crate::transcript::read_head;
use std::ops::Range;

/// One request: all that was sent for an assistant message.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The assistant's entry, by its place on the path; the length of the path where none follows.
    pub path: u32,
    /// How many entries the replayed branch had.
    pub branch: u32,
    pub speaker: u32,
    /// ms since 1970; NaN where the log has none.
    pub timestamp: f64,
    pub off: Side,
    pub on: Side,
    /// Tokens of the reply.
    pub output: f64,
}

/// A request as it goes out with or without pruning.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    pub sent: Sent,
    pub miss: Miss,
    pub sizes: Sizes,
    /// Why what was sent before is not any more, by the place in [`Run::reasons`].
    pub rewrite: Option<u32>,
    /// Dollars, without the reply.
    pub cost: f64,
}

/// A path replayed.
#[derive(Debug, Default)]
pub struct Run {
    pub core: Session,
    /// Where each entry of the path stands on the core's branch.
    pub positions: Vec<Pos>,
    /// What was decided, by the place on the core's branch, which keeps only that something was.
    pub decisions: Vec<(Pos, Value)>,
    pub requests: Vec<Request>,
    /// What a request behind the last entry would carry.
    pub next: Option<Request>,
    pub reasons: Vec<String>,
    pub speakers: Speakers,
    pub off: Totals,
    pub on: Totals,
    /// UTF-16 units of system prompt and tools that every request carried and the log does not hold, as far as its first
    /// bill tells.
    pub unseen: u64,
    pub billed: Billed,
}

impl Run {
    /// Appends an entry to the core's branch; its place.
    pub(super) fn extend(&mut self, entry: Entry) -> Pos {
        let pos = self.core.branch().len() as Pos;
        if let EntryKind::Ours { data, .. } | EntryKind::OursMessage { data, .. } = &entry.kind {
            self.decisions.push((pos, data.clone()));
        }
        self.core.extend([entry]);
        pos
    }

    /// The entries of the core's branch at these places, as they were appended.
    pub(super) fn entries(&self, places: Range<Pos>) -> Vec<Entry> {
        let mut entries = self.core.branch().entries()[places.start as usize..places.end as usize].to_vec();
        let first = self.decisions.partition_point(|(pos, _)| *pos < places.start);
        for (pos, decision) in self.decisions[first..].iter().take_while(|(pos, _)| *pos < places.end) {
            let entry = &mut entries[(*pos - places.start) as usize];
            if let EntryKind::Ours { data, .. } | EntryKind::OursMessage { data, .. } = &mut entry.kind {
                data.clone_from(decision);
            }
        }
        entries
    }
}

/// How many entries are replayed between two reports of progress.
const REPORT_ENTRIES: usize = 256;

/// A turn whose results come in.
#[derive(Debug, Default)]
pub(super) struct Turn {
    pub results: Vec<Pos>,
}

pub(super) struct Driver<'a> {
    pub run: Run,
    pub follow: Follow<'a>,
    pub texts: Texts<'a>,
    pub recorded: Recorded,
    pub options: &'a Options,
    pub on: Composer,
    /// What the summarizer took since the last request.
    pub bill: Totals,
    /// Why the next request differs from the last, on both sides and on the pruned one.
    pub reasons: Vec<String>,
    off: Stack,
    /// How many items the other side holds; none: all are to be read anew.
    off_taken: Option<usize>,
    off_cache: Cache,
    on_cache: Cache,
    turn: Option<Turn>,
    budget: Budget,
    /// The model that answered last.
    pub speaker: u32,
}

/// Replays a path; none where `watch` ends it. `watch` is told how many entries are behind.
pub fn run(follow: Follow<'_>, cwd: &str, options: &Options, watch: &mut dyn FnMut(usize) -> bool) -> Option<Run> {
    let unseen = unseen(follow.path(), cwd, options);
    let mut driver = Driver::new(follow, cwd, options, unseen);
    for at in 0..driver.follow.path().len() {
        if at % REPORT_ENTRIES == 0 && !watch(at) {
            return None;
        }
        driver.step(at);
    }
    driver.end();
    Some(driver.run)
}

/// Tokens beyond which a bill says nothing.
const MOST_UNSEEN: f64 = 1e7;

/// UTF-16 units that the first request with a bill carried beyond its messages: system prompt and tools, which most logs
/// do not hold. Later bills also hold what the estimate of all messages is wrong by.
fn unseen(path: &[&SessionEntry], cwd: &str, options: &Options) -> u64 {
    let bill = |entry: &SessionEntry| {
        let message = entry.value.get("message")?;
        let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
        // One that was cut off has a bill of its own kind, or none yet.
        let whole = text("role") == "assistant" && !matches!(text("stopReason"), "aborted" | "error");
        Some(input_tokens(message)).filter(|&billed| whole && billed > 0.0)
    };
    let first = path.iter().enumerate().find_map(|(at, entry)| Some((at, bill(entry)?)));
    let Some((at, billed)) = first else { return 0 };
    let follow = Follow::new(path[..=at].to_vec(), options.as_recorded);
    let mut driver = Driver::new(follow, cwd, options, 0);
    for at in 0..=at {
        driver.step(at);
    }
    let messages = driver.run.requests.last().map_or(billed, |request| request.off.sent.tokens);
    (billed - messages).clamp(0.0, MOST_UNSEEN) as u64 * UNITS_PER_TOKEN
}

/// What a pruner decided in this session, where one ran and is not simply followed.
fn recorded_session(follow: &Follow<'_>, cwd: &str, options: &Options) -> Option<Session> {
    if options.as_recorded || !follow.path().iter().any(|entry| is_pruners(entry)) {
        return None;
    }
    let mut session = Session::new(options.config.clone(), cwd);
    let entries: Vec<Entry> =
        follow.path().iter().map(|entry| read_head::entry(&entry.value, session.symbols())).collect();
    session.extend(entries);
    Some(session)
}

impl<'a> Driver<'a> {
    /// `unseen`: UTF-16 units that stand before every request and in no log.
    fn new(follow: Follow<'a>, cwd: &str, options: &'a Options, unseen: u64) -> Self {
        let mut run = Run { core: Session::new(options.config.clone(), cwd), unseen, ..Run::default() };
        for message in follow.path().iter().filter_map(|entry| entry.value.get("message")) {
            if message.get("role").and_then(Value::as_str) == Some("assistant") {
                run.speakers.of(message);
            }
        }
        run.speakers.settle(options);
        Self {
            run,
            texts: Texts::new(follow.path()),
            recorded: Recorded::new(recorded_session(&follow, cwd, options)),
            follow,
            options,
            on: Composer::new(unseen),
            bill: Totals::default(),
            reasons: Vec::new(),
            off: Stack::behind(unseen),
            off_taken: Some(0),
            off_cache: Cache::default(),
            on_cache: Cache::default(),
            turn: None,
            budget: Budget::default(),
            speaker: 0,
        }
    }

    fn step(&mut self, at: usize) {
        let follow_entry = self.follow.path()[at];
        let mut entry = read_head::entry(&follow_entry.value, self.run.core.symbols());
        if !self.options.as_recorded && is_pruners(follow_entry) {
            entry.kind = EntryKind::Other;
        }
        let mut reply = false;
        if let EntryKind::Message(head) = &entry.kind {
            if !matches!(head.body, Body::Result { .. }) && head.role != Role::System {
                self.end_turn();
            }
            if let Body::Assistant { calls, failed } = &head.body {
                let message = follow_entry.value.get("message");
                self.speaker = message.map_or(0, |message| self.run.speakers.of(message));
                let billed = message.map_or(0.0, output_tokens);
                let output = if billed > 0.0 { billed } else { tokens(head.units()) };
                self.run.billed.count(message.map_or(0.0, input_tokens));
                let request = self.request(at as u32, head.timestamp, output);
                self.run.requests.push(request);
                reply = calls.is_empty() && !failed;
                if !calls.is_empty() {
                    self.turn = Some(Turn::default());
                }
            }
        }
        let result = matches!(&entry.kind, EntryKind::Message(head) if matches!(head.body, Body::Result { .. }));
        match &entry.kind {
            EntryKind::Compaction { .. } => self.because("compaction"),
            EntryKind::ContextEdit { .. } => self.because("context edit"),
            EntryKind::Ours { .. } => self.because("pruned, as recorded"),
            _ => {}
        }
        let pos = self.run.extend(entry);
        self.run.positions.push(pos);
        if let Some(turn) = self.turn.as_mut().filter(|_| result) {
            turn.results.push(pos);
        }
        if let Some(same) = self.follow.push(at, &self.run.positions, &mut self.run.core) {
            self.on.forget(same);
            self.off_taken = None;
        }
        if reply && self.options.config.prune_on == PruneOn::AgentMessage {
            self.flush("agent-message");
        }
    }

    fn end(&mut self) {
        self.end_turn();
        // This flush helps a request that was never made: it is shown, but not counted.
        let path = self.follow.path().len() as u32;
        self.run.next = Some(self.request(path, f64::NAN, 0.0));
    }

    /// All results of a turn are in.
    fn end_turn(&mut self) {
        let Some(turn) = self.turn.take().filter(|turn| !turn.results.is_empty()) else { return };
        self.spill(&turn);
        let config = &self.options.config;
        if config.auto_budget_threshold.is_none() && config.budget_turn_delta.is_none() {
            return;
        }
        let window = self.run.speakers.get(self.speaker).map_or(0.0, |one| one.terms.window);
        let estimate = tokens(self.on.estimate(&self.follow, &self.run.core));
        let check = self.budget.check(config, Measure { reported: None, window, estimate, outdated: false });
        if let Some(trigger) = check.due {
            self.flush(trigger.name());
        }
    }

    /// Notes why the next request differs from the last.
    pub fn because(&mut self, reason: &str) {
        if !self.reasons.iter().any(|known| known == reason) {
            self.reasons.push(reason.to_owned());
        }
    }

    fn reason(&mut self, changed: bool) -> Option<u32> {
        if !changed {
            return None;
        }
        let reason = if self.reasons.is_empty() { "settings".to_owned() } else { self.reasons.join(", ") };
        let known = self.run.reasons.iter().position(|known| *known == reason);
        Some(known.unwrap_or_else(|| {
            self.run.reasons.push(reason);
            self.run.reasons.len() - 1
        }) as u32)
    }

    fn request(&mut self, path: u32, timestamp: f64, output: f64) -> Request {
        let before = self.off.len();
        let same_off = self.compose_off();
        if same_off < before {
            self.off_cache.rewritten(same_off);
        }
        let before_on = self.on.stack.len();
        let same_on = self.on.compose(&self.follow, &mut self.run.core);
        if same_on < before_on {
            self.on_cache.rewritten(same_on);
        }
        let speaker = self.speaker;
        let terms = self.run.speakers.get(speaker).map(|one| one.terms);
        let terms = terms.unwrap_or_else(|| self.options.refine(super::terms::terms("", "", ""), None));
        let rewrite_off = self.reason(same_off < before);
        let rewrite_on = self.reason(same_on < before_on);
        self.reasons.clear();
        let side = |cache: &mut Cache, stack: &Stack, rewrite: Option<u32>| {
            let (sent, miss) = cache.request(speaker, &terms.cache, stack, timestamp);
            let prices = &terms.prices;
            let plain = sent.fresh - sent.written;
            let dollars = sent.cached * prices.cache_read + sent.written * prices.cache_write + plain * prices.input;
            Side { sent, miss, sizes: stack.sizes(), rewrite, cost: dollars / 1e6 }
        };
        let off = side(&mut self.off_cache, &self.off, rewrite_off);
        let on = side(&mut self.on_cache, &self.on.stack, rewrite_on);
        if (path as usize) < self.follow.path().len() {
            let reply = output * terms.prices.output / 1e6;
            self.run.off.count(&off, output, reply);
            self.run.on.count(&on, output, reply);
            self.run.on.add_summarizer(&std::mem::take(&mut self.bill));
        }
        let branch = self.run.core.branch().len() as u32;
        Request { path, branch, speaker, timestamp, off, on, output }
    }

    /// Brings the unpruned side up to the window; how many of its pieces are as they were.
    fn compose_off(&mut self) -> usize {
        let before = self.off.len();
        let items = &self.follow.items;
        let shown = |from: usize| (from..items.len()).filter(|&index| !items[index].ours);
        let same = if let Some(taken) = self.off_taken {
            for index in shown(taken) {
                self.off.push(self.follow.piece(index, &self.run.core));
            }
            before
        } else {
            let pieces: Vec<_> = shown(0).map(|index| self.follow.piece(index, &self.run.core)).collect();
            self.off.replace(0, &pieces)
        };
        self.off_taken = Some(items.len());
        same
    }
}
