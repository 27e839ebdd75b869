//! One session: the branch, what was decided on it, and the request that is about to go out.

use crate::capture::batch::{self, Batch, Pending};
use crate::capture::source::Source;
use crate::config::Config;
use crate::epoch::flush::{Answer, Committed, FlushPlan, Ground};
use crate::ledger::Ledger;
use crate::recall::query::{Ask, Found};
use crate::render::forms::Forms;
use crate::render::plan::Plan;
use crate::render::{self, Sizes};
use crate::transcript::branch::{Branch, Pos};
use crate::transcript::entry::{Entry, EntryKind};
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

/// All state of one pi session. Decisions change only when an entry is folded (law 6).
#[derive(Debug, Default)]
pub struct Session {
    config: Config,
    symbols: Symbols,
    branch: Branch,
    ledger: Ledger,
    window: Window,
    forms: Forms,
    forms_version: u32,
    plans: Vec<FlushPlan>,
    next_plan: u32,
    sizes: Sizes,
}

impl Session {
    pub fn new(config: Config) -> Self {
        Self { config, ..Self::default() }
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    pub fn set_config(&mut self, config: Config) {
        self.config = config;
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
        self.plans.clear();
        self.rebuild_forms();
    }

    /// Continues the branch. The places whose messages a context edit changed: their heads do not tell what is sent.
    pub fn extend(&mut self, entries: impl IntoIterator<Item = Entry>) -> Vec<Pos> {
        let mut edited = Vec::new();
        let mut decided = false;
        for entry in entries {
            let ours = match &entry.kind {
                EntryKind::Ours { custom_type, timestamp, data } => {
                    Some((custom_type.clone(), *timestamp, data.clone()))
                }
                EntryKind::OursMessage { head, custom_type, data } => {
                    Some((custom_type.clone(), head.timestamp, data.clone()))
                }
                _ => None,
            };
            if let EntryKind::ContextEdit { target, .. } = entry.kind
                && let Some(target) = self.branch.pos(target)
            {
                self.forget_from(target);
                edited.push(target);
            }
            let pos = self.branch.push(entry);
            if let Some((custom_type, timestamp, data)) = ours {
                self.ledger.fold(pos, &custom_type, timestamp, &data, &self.branch, &mut self.symbols);
                decided = true;
            }
        }
        if decided {
            self.rebuild_forms();
        }
        edited
    }

    /// A context edit changes a message without changing how it is known: it must be read again.
    fn forget_from(&mut self, target: Pos) {
        let places = self.window.places();
        let known = places.iter().position(|place| place.is_some_and(|pos| pos >= target)).unwrap_or(places.len());
        self.window.truncate(known, &self.branch);
    }

    fn rebuild_forms(&mut self) {
        self.forms = Forms::new(&self.ledger, &self.symbols);
        self.forms_version = self.forms_version.wrapping_add(1);
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
        let (plan, sizes) = render::render(&self.window, &self.branch, &self.ledger, &self.forms);
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

    /// Sizes of the last render.
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// What a flush would take now.
    pub fn pending(&self) -> Pending {
        batch::size(&self.branch, &self.due())
    }

    fn due(&self) -> Vec<Batch> {
        batch::pending(&self.branch, &self.ledger, &self.symbols)
    }

    /// Takes a finished turn, whose entries were appended: how many of these results wait for a flush, and what waits in
    /// all.
    pub fn capture(&self, results: &[String]) -> (u32, Pending) {
        let due = self.due();
        let places: Vec<_> =
            results.iter().filter_map(|id| self.symbols.find(id)).filter_map(|id| self.branch.pos(id)).collect();
        let waiting = due.iter().flat_map(|batch| &batch.results).filter(|pos| places.contains(pos)).count();
        (waiting as u32, batch::size(&self.branch, &due))
    }

    fn ground(&self) -> Ground<'_> {
        Ground { branch: &self.branch, ledger: &self.ledger, symbols: &self.symbols, config: &self.config }
    }

    /// Plans a flush of all that is due; none where nothing is. Remembered until committed or dropped.
    pub fn plan_flush(&mut self, trigger: &str, source: &dyn Source) -> Option<&FlushPlan> {
        let plan = self.ground().plan(self.next_plan, trigger, source)?;
        self.next_plan += 1;
        self.plans.push(plan);
        self.plans.last()
    }

    /// Makes the epoch of an open plan; the plan is closed whatever comes of it. Nothing else changes: the decision is
    /// taken when the entry is folded.
    pub fn commit_flush(&mut self, id: u32, answers: &[Option<Answer>]) -> Result<Committed, SessionError> {
        let plan = self.drop_flush(id).ok_or(SessionError::UnknownPlan(id))?;
        Ok(self.ground().commit(&plan, answers))
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

    /// The name behind a handle.
    pub fn name(&self, sym: Sym) -> &str {
        self.symbols.name(sym)
    }
}
