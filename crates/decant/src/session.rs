//! One session: the branch, what was decided on it, and the request that is about to go out.

use crate::capture::batch::{Pending, is_error};
use crate::capture::protect::Protection;
use crate::capture::source::Source;
use crate::capture::waiting::Waiting;
use crate::config::stamp::Stamp;
use crate::config::{Config, Timing};
use crate::epoch::budget::{Budget, Check, Measure};
use crate::epoch::commit::Committed;
use crate::epoch::flush::{Answer, FlushPlan, Ground, Hashes, Model};
use crate::epoch::spill::{Spill, Written};
use crate::ledger::epoch::Epoch;
use crate::ledger::{EPOCH_TYPE, Ledger};
use crate::recall::query::{Ask, Found};
use crate::render::forms::Forms;
use crate::render::plan::Plan;
use crate::render::{self, Scene, Sizes};
use crate::transcript::branch::{Branch, Pos};
use crate::transcript::entry::{Entry, EntryKind};
use crate::transcript::head::{Head, Role};
use crate::transcript::symbols::{Sym, Symbols};
use crate::transcript::window::{Seen, Window};
use thiserror::Error;

/// What can go wrong when the host asks for something.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SessionError {
    /// The plan was dropped, committed, or never made.
    #[error("flush plan {0} is not open: plan the flush again")]
    UnknownPlan(u32),
}

impl SessionError {
    /// The stable name of the error across the boundary.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownPlan(_) => "unknown-flush-plan",
        }
    }
}

/// Where the context's weight is, in UTF-16 units (condense.md section 17).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// All messages of the projection, as they stand in the session.
    pub units: u64,
    /// Thinking since the last reply without calls.
    pub open_thinking_units: u64,
    /// The largest chain, the open one included.
    pub largest_chain_units: u64,
    /// Results that wait for a flush.
    pub gap_units: u64,
}

/// All state of one pi session. Decisions change only when an entry is folded (law 6).
#[derive(Debug, Default)]
pub struct Session {
    config: Config,
    cwd: String,
    protection: Protection,
    symbols: Symbols,
    branch: Branch,
    ledger: Ledger,
    window: Window,
    forms: Forms,
    forms_version: u32,
    /// How often the forms were made anew, so that no text of before has its id.
    forms_base: u32,
    plans: Vec<FlushPlan>,
    next_plan: u32,
    hashes: Hashes,
    budget: Budget,
    sizes: Sizes,
    waiting: Waiting,
    /// The settings of the next request.
    stamp: Stamp,
    /// Those of the last one that needed no mark, or of the time the branch was read.
    sent_stamp: Stamp,
}

impl Session {
    /// A session without entries in the folder `cwd`, which relative paths stand under.
    pub fn new(config: Config, cwd: &str) -> Self {
        let protection = Protection::new(&config, cwd);
        let stamp = Stamp::of(&config);
        Self { config, cwd: cwd.to_owned(), protection, sent_stamp: stamp.clone(), stamp, ..Self::default() }
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    /// New settings, from the next call on. Whether they change what was sent, [`Self::mark_epoch`] says.
    pub fn set_config(&mut self, config: Config) {
        self.protection = Protection::new(&config, &self.cwd);
        self.stamp = Stamp::of(&config);
        self.config = config;
        self.rebuild_forms();
        self.look_for_due(true);
    }

    /// The table of ids and names; entries and heads must be made with it.
    pub fn symbols(&mut self) -> &mut Symbols {
        &mut self.symbols
    }

    /// Forgets the branch; the next entries are those of another one. Ids keep their handles.
    pub fn clear(&mut self) {
        self.branch = Branch::default();
        self.ledger = Ledger::default();
        self.window = Window::default();
        self.sizes = Sizes::default();
        self.hashes.clear();
        self.budget = Budget::default();
        self.plans.clear();
        self.sent_stamp = self.stamp.clone();
        self.rebuild_forms();
        self.look_for_due(true);
    }

    /// Continues the branch. The places whose messages a context edit changed: their heads do not tell what is sent.
    pub fn extend(&mut self, entries: impl IntoIterator<Item = Entry>) -> Vec<Pos> {
        let mut edited = Vec::new();
        let mut decided = false;
        let mut anew = false;
        let mut reshaped = false;
        for mut entry in entries {
            // The ledger keeps what it reads; the branch would keep all of it a second time.
            let ours = match &mut entry.kind {
                EntryKind::Ours { custom_type, timestamp, data } => {
                    Some((custom_type.clone(), *timestamp, std::mem::take(data)))
                }
                EntryKind::OursMessage { head, custom_type, data } => {
                    Some((custom_type.clone(), head.timestamp, std::mem::take(data)))
                }
                _ => None,
            };
            if let EntryKind::ContextEdit { target, .. } = entry.kind
                && let Some(target) = self.branch.pos(target)
            {
                self.hashes.remove(&target);
                edited.push(target);
            }
            // Live purging makes the mark of a failed call as it comes.
            decided |= self.config.purge_errors.timing == Timing::Live
                && matches!(&entry.kind, EntryKind::Message(head) if is_error(head));
            if matches!(entry.kind, EntryKind::Compaction { .. } | EntryKind::ContextEdit { .. }) {
                // The next request is not the last one and more. An edit changes a message without changing how it is
                // known, and where the clock stands still other messages can look like those that are gone.
                self.window.truncate(0, &self.branch);
                reshaped = true;
            }
            let pos = self.branch.push(entry);
            if let Some((custom_type, timestamp, data)) = ours {
                // What the original wrote can speak of records that are there already.
                anew |= *custom_type != *EPOCH_TYPE;
                self.ledger.fold(pos, &custom_type, timestamp, &data, &self.branch, &mut self.symbols);
                decided = true;
            }
        }
        if anew {
            self.rebuild_forms();
        } else if decided {
            let Self { ledger, branch, symbols, protection, config, .. } = self;
            self.forms.grow(ledger, branch, symbols, protection, config);
            self.forms_version = self.forms_version.wrapping_add(1);
        }
        self.look_for_due(reshaped);
        edited
    }

    /// Brings [`Self::waiting`] up to date: all of it, or with what was appended.
    fn look_for_due(&mut self, anew: bool) {
        let mut waiting = if anew { Waiting::default() } else { std::mem::take(&mut self.waiting) };
        waiting.extend(self.ground().field());
        self.waiting = waiting;
    }

    fn rebuild_forms(&mut self) {
        self.forms = Forms::new(&self.ledger, &self.branch, &self.symbols, &self.protection, &self.config);
        self.forms_version = self.forms_version.wrapping_add(1);
        self.forms_base = self.forms_base.wrapping_add(1);
    }

    /// The id of the last entry.
    pub fn leaf(&self) -> Option<&str> {
        self.branch.leaf().map(|id| self.symbols.name(id))
    }

    pub fn branch(&self) -> &Branch {
        &self.branch
    }

    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The messages of the last request.
    pub fn window(&self) -> &Window {
        &self.window
    }

    /// How many messages of the last request are still known.
    pub fn window_len(&self) -> usize {
        self.window.len()
    }

    /// The first place of the branch where the message behind the first `known` can stand.
    pub fn next_place(&self, known: usize) -> Pos {
        self.window.next_place(known).max(self.branch.kept_from())
    }

    /// Keeps the first `known` messages of the last request, takes `tail` as the rest.
    pub fn read_window(&mut self, known: usize, tail: impl IntoIterator<Item = Seen>) {
        self.window.truncate(known, &self.branch);
        for seen in tail {
            self.window.push(seen, &self.branch);
        }
    }

    /// What becomes of the messages of the window; none where they go out as they are.
    pub fn render(&mut self) -> Option<Plan> {
        if !self.config.enabled {
            self.sizes = Sizes::default();
            return None;
        }
        let (plan, sizes) = render::render(Scene {
            window: &self.window,
            branch: &self.branch,
            ledger: &self.ledger,
            symbols: &self.symbols,
            config: &self.config,
            forms: &self.forms,
        });
        self.sizes = sizes;
        (!plan.is_empty()).then_some(plan)
    }

    /// The forms, with the texts that plans name, valid until [`Self::forms_version`] changes.
    pub fn forms(&self) -> &Forms {
        &self.forms
    }

    /// Changes whenever [`Self::forms`] do.
    pub fn forms_version(&self) -> u32 {
        self.forms_version
    }

    /// Changes whenever the texts of before lose their ids.
    pub fn forms_base(&self) -> u32 {
        self.forms_base
    }

    /// Sizes of the last render.
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// What a flush would take now.
    pub fn pending(&self) -> Pending {
        self.ground().pending()
    }

    /// Takes a finished turn, whose entries were appended: how many of these results wait for a flush, what waits in all,
    /// and which are to be put into files before they are sent.
    pub fn capture(&mut self, results: &[String], source: &dyn Source) -> (u32, Pending, Vec<Spill>) {
        let places: Vec<Pos> =
            results.iter().filter_map(|id| self.symbols.find(id)).filter_map(|id| self.branch.pos(id)).collect();
        let mut hashes = std::mem::take(&mut self.hashes);
        let ground = self.ground();
        let due: Vec<Pos> = places.iter().copied().filter(|&pos| self.waiting.holds(pos)).collect();
        for &pos in &due {
            ground.hash(pos, &mut hashes, source);
        }
        let spills = ground.spills(&due, &mut hashes, source);
        let pending = ground.pending();
        self.hashes = hashes;
        (due.len() as u32, pending, spills)
    }

    /// The epoch of results that were put into files; none where there is nothing to write.
    pub fn commit_spill(&self, files: &[Written], source: &dyn Source) -> Option<Epoch> {
        self.ground().commit_spill(files, &self.hashes, source)
    }

    /// Whether the context is full enough for a flush, from what the host reports at the end of a turn.
    pub fn check_budget(&mut self, reported: Option<f64>, window: f64) -> Check {
        let rewritten = self.ledger.last_mark().map(|mark| mark.pos) > self.branch.last_reply();
        let measure = Measure {
            reported,
            window,
            estimate: self.estimate() as f64 / 4.0,
            outdated: rewritten || self.branch.edited_since_reply(),
        };
        self.budget.check(&self.config, measure)
    }

    /// UTF-16 units of what the next request carries of the branch, in the forms it will have.
    pub fn estimate(&self) -> u64 {
        let mut window = Window::default();
        for pos in self.branch.kept_from()..self.branch.len() as Pos {
            if self.branch.head(pos).is_some() && self.branch.projected(pos) {
                window.push(Seen::Entry(pos), &self.branch);
            }
        }
        if !self.config.enabled {
            return window.units();
        }
        render::render(Scene {
            window: &window,
            branch: &self.branch,
            ledger: &self.ledger,
            symbols: &self.symbols,
            config: &self.config,
            forms: &self.forms,
        })
        .1
        .after
    }

    /// Where the context's weight is. From the heads alone: the original serializes the whole branch for it.
    pub fn metrics(&self) -> Metrics {
        let mut metrics = Metrics { gap_units: self.pending().units, ..Metrics::default() };
        let mut chain = 0;
        for pos in self.branch.kept_from()..self.branch.len() as Pos {
            let Some(head) = self.branch.head(pos).filter(|_| self.branch.projected(pos)) else { continue };
            metrics.units += head.units();
            if head.role == Role::User {
                chain = 0;
            }
            chain += head.units();
            metrics.largest_chain_units = metrics.largest_chain_units.max(chain);
            metrics.open_thinking_units += u64::from(head.thinking_units);
            if head.role == Role::Assistant && head.calls().is_empty() {
                metrics.open_thinking_units = 0;
            }
        }
        metrics
    }

    /// Why the next request may change what was sent before it, without a flush: its settings are not those that the branch
    /// says, nor, where it says none, those of the last request. A change taken back before a request changes nothing.
    /// `adopted`: the original pruned here, and what it sent is not what we send.
    pub fn change(&self) -> Option<&'static str> {
        match self.ledger.stamp() {
            Some(stamp) => stamp.reason(&self.stamp),
            None if self.config.enabled && self.ledger.last_mark().is_some() => Some("adopted"),
            None => self.sent_stamp.reason(&self.stamp),
        }
    }

    /// The epoch that says so, with the request in [`Self::window`]; none where nothing in it had or has a form. To be asked
    /// before each request.
    pub fn mark_epoch(&mut self) -> Option<Epoch> {
        let reason = self.change()?;
        let before = self.ledger.stamp().unwrap_or(&self.sent_stamp);
        let epoch = self.ground().mark(&self.window, before, &self.stamp, reason);
        if epoch.is_none() {
            self.sent_stamp = self.stamp.clone();
        }
        epoch
    }

    /// Protected tools and patterns that met no call of this branch.
    pub fn protected_unmatched(&self) -> Vec<String> {
        let heads = self.branch.entries().iter().filter_map(|entry| match &entry.kind {
            EntryKind::Message(head) => Some(head),
            _ => None,
        });
        let calls = heads.flat_map(Head::calls);
        self.protection.unmatched(&calls.map(|call| (self.symbols.name(call.tool), self.symbols.name(call.path))))
    }

    fn ground(&self) -> Ground<'_> {
        Ground {
            branch: &self.branch,
            ledger: &self.ledger,
            symbols: &self.symbols,
            config: &self.config,
            protection: &self.protection,
            waiting: &self.waiting,
        }
    }

    /// Plans a flush of all that is due; none where nothing is. Remembered until committed or dropped.
    pub fn plan_flush(&mut self, trigger: &str, model: &Model, source: &dyn Source) -> Option<&FlushPlan> {
        let mut hashes = std::mem::take(&mut self.hashes);
        let plan = self.ground().plan(self.next_plan, trigger, model, &mut hashes, source);
        self.hashes = hashes;
        self.next_plan += 1;
        self.plans.push(plan?);
        self.plans.last()
    }

    /// Makes the epoch of an open plan; the plan is closed whatever comes of it. Nothing else changes: the decision is
    /// taken when the entry is folded.
    pub fn commit_flush(
        &mut self,
        id: u32,
        answers: &[Option<Answer>],
        fusions: &[Option<Answer>],
    ) -> Result<Committed, SessionError> {
        let plan = self.drop_flush(id).ok_or(SessionError::UnknownPlan(id))?;
        Ok(self.ground().commit(&plan, answers, fusions, &self.hashes))
    }

    /// Closes a plan.
    pub fn drop_flush(&mut self, id: u32) -> Option<FlushPlan> {
        let at = self.plans.iter().position(|plan| plan.id == id)?;
        Some(self.plans.swap_remove(at))
    }

    /// Answers `context_tree_query`.
    pub fn query(&self, ids: &[String], ask: Ask, source: &dyn Source) -> Vec<Found> {
        self.ground().query(ids, ask, source)
    }

    /// The place of the entry with this id on the branch.
    pub fn place(&self, entry: &str) -> Option<Pos> {
        self.branch.pos(self.symbols.find(entry)?)
    }

    /// The name behind a handle.
    pub fn name(&self, sym: Sym) -> &str {
        self.symbols.name(sym)
    }
}
