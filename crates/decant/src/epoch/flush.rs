//! What one flush would do: which batches need a summary, which do not, and why.

use super::aging::PlannedPurge;
use super::chains::PlannedBlock;
use crate::capture::batch::{self, Batch, Field, Pending};
use crate::capture::prompt::prompt;
use crate::capture::protect::Protection;
use crate::capture::source::Source;
use crate::capture::waiting::Waiting;
use crate::config::Config;
use crate::ledger::Ledger;
use crate::ledger::epoch::{Outcome, Usage};
use crate::order;
use crate::text::hash::content_hash;
use crate::transcript::branch::{Branch, Pos};
use crate::transcript::symbols::{Sym, Symbols};
use rustc_hash::FxHashMap;

/// An output shorter than this, in UTF-16 units, is not worth the stub that would say where it stands.
const SAME_UNITS: u32 = 300;

/// A batch that the summarizer is asked about.
#[derive(Clone, Debug)]
pub struct Due {
    pub batch: Batch,
    /// The short name each result will go by.
    pub refs: Vec<String>,
    /// UTF-16 units of the results' text.
    pub raw_units: u64,
    pub prompt: String,
}

/// A result that says the same as another one.
#[derive(Clone, Debug)]
pub struct Duplicate {
    pub pos: Pos,
    pub reference: String,
    pub original: Original,
}

/// What a duplicate is a duplicate of.
#[derive(Clone, Debug)]
pub enum Original {
    /// An archived record.
    Archived(String),
    /// A result of this flush: number `result` of `due[batch]`.
    Planned { batch: usize, result: usize },
}

/// A flush that was planned and not yet written.
#[derive(Clone, Debug)]
pub struct FlushPlan {
    pub id: u32,
    /// The leaf it was planned on: it may be written only on a branch that goes through it.
    pub leaf: Sym,
    pub trigger: String,
    pub due: Vec<Due>,
    /// Batches not worth a summary, and why.
    pub skipped: Vec<(Batch, Outcome)>,
    pub duplicates: Vec<Duplicate>,
    /// Outputs of the query tool whose grace is over.
    pub recovered: Vec<Pos>,
    pub blocks: Vec<PlannedBlock>,
    pub purges: Vec<PlannedPurge>,
    /// The place before which thinking goes.
    pub thinking: Option<Pos>,
    /// The number of the first ref that the plan has not given away.
    pub next_ref: u64,
}

/// The model that the next request goes to.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// pi-ai's name of the protocol: `anthropic-messages`.
    pub api: String,
    pub id: String,
    /// Its window in tokens; 0 if not known.
    pub window: u32,
}

/// What the summarizer made of one batch.
#[derive(Clone, Debug)]
pub struct Answer {
    pub text: String,
    /// Tokens and dollars of the call.
    pub usage: Usage,
}

/// Content hashes of results, made once each.
pub type Hashes = FxHashMap<Pos, String>;

/// Where the session stands, for planning and writing.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'a> {
    pub branch: &'a Branch,
    pub ledger: &'a Ledger,
    pub symbols: &'a Symbols,
    pub config: &'a Config,
    pub protection: &'a Protection,
    pub waiting: &'a Waiting,
}

impl Ground<'_> {
    /// What capture sees of it.
    pub fn field(&self) -> Field<'_> {
        let blocks = self.config.chain_compression.enabled;
        Field::new(self.branch, self.ledger, self.symbols, self.protection, blocks)
    }

    /// How much is due.
    pub fn pending(&self) -> Pending {
        self.field().pending(self.config.batching_mode, self.waiting.due())
    }

    /// Plans a flush of everything that is due; none where nothing is.
    pub fn plan(
        &self,
        id: u32,
        trigger: &str,
        model: &Model,
        hashes: &mut Hashes,
        source: &dyn Source,
    ) -> Option<FlushPlan> {
        let mut plan = FlushPlan {
            id,
            leaf: self.branch.leaf()?,
            trigger: trigger.to_owned(),
            due: Vec::new(),
            skipped: Vec::new(),
            duplicates: Vec::new(),
            recovered: Vec::new(),
            blocks: Vec::new(),
            purges: Vec::new(),
            thinking: None,
            next_ref: 0,
        };
        let mut planner = Planner { ground: *self, next_ref: self.ledger.next_ref(), seen: FxHashMap::default() };
        for batch in self.field().batches(self.config.batching_mode, self.waiting.due()) {
            planner.take(batch, &mut plan, hashes, source);
        }
        plan.next_ref = planner.next_ref;
        plan.blocks = self.plan_blocks(trigger, model);
        if plan.due.is_empty() && plan.skipped.is_empty() && plan.duplicates.is_empty() && plan.blocks.is_empty() {
            return None;
        }
        // These come along with a rewrite and are no reason for one.
        plan.recovered = self.field().recovered(self.config.recovery_grace_turns);
        plan.purges = self.plan_purges();
        plan.thinking = self.plan_thinking(model);
        Some(plan)
    }

    /// The hash of the result at `pos`, if it is long enough to be known again.
    pub fn hash(&self, pos: Pos, hashes: &mut Hashes, source: &dyn Source) -> Option<String> {
        if let Some(hash) = hashes.get(&pos) {
            return Some(hash.clone());
        }
        let head = self.branch.head(pos)?;
        if !self.config.dedup_by_content_hash || (head.text_units < SAME_UNITS && head.images == 0) {
            return None;
        }
        let tool = self.symbols.name(batch::tool(self.branch, pos));
        let hash = content_hash(tool, self.symbols.name(self.branch.id(pos)?), head.images, source)?;
        hashes.insert(pos, hash.clone());
        Some(hash)
    }
}

struct Planner<'a> {
    ground: Ground<'a>,
    next_ref: u64,
    /// The results of this flush that get a summary, by their hash.
    seen: FxHashMap<String, (usize, usize)>,
}

impl Planner<'_> {
    fn reference(&mut self) -> String {
        self.next_ref += 1;
        format!("t{}", self.next_ref - 1)
    }

    fn take(&mut self, batch: Batch, plan: &mut FlushPlan, hashes: &mut Hashes, source: &dyn Source) {
        let branch = self.ground.branch;
        let mut kept: Vec<Pos> = Vec::new();
        let mut fresh: Vec<(String, usize)> = Vec::new();
        let mut same: Vec<(Pos, Original)> = Vec::new();
        for &pos in &batch.results {
            let hash = self.ground.hash(pos, hashes, source);
            let original = hash.as_deref().and_then(|hash| self.original(hash, plan.due.len(), &fresh));
            if let Some(original) = original {
                same.push((pos, original));
                continue;
            }
            if let Some(hash) = hash {
                fresh.push((hash, kept.len()));
            }
            kept.push(pos);
        }
        let raw_units = batch::text_units(branch, &kept);
        let trivial = raw_units < u64::from(self.ground.config.min_batch_chars);
        if trivial {
            // Nothing of this batch gets a summary, so nothing in it can be the original of anything.
            let (inner, outer): (Vec<_>, Vec<_>) = same.into_iter().partition(
                |(_, original)| matches!(original, Original::Planned { batch, .. } if *batch == plan.due.len()),
            );
            kept.extend(inner.into_iter().map(|(pos, _)| pos));
            order::by_number(&mut kept, |&pos| pos.into());
            same = outer;
            if !kept.is_empty() {
                plan.skipped.push((Batch { results: kept, ..batch }, Outcome::SkippedTrivial));
            }
        } else if !kept.is_empty() {
            let refs: Vec<String> = kept.iter().map(|_| self.reference()).collect();
            self.seen.extend(fresh.into_iter().map(|(hash, result)| (hash, (plan.due.len(), result))));
            let batch = Batch { results: kept, ..batch };
            let limit = self.ground.config.summarizer_max_chars_per_result as usize;
            let prompt = prompt(&batch, branch, self.ground.symbols, limit, source);
            plan.due.push(Due { batch, refs, raw_units, prompt });
        }
        for (pos, original) in same {
            let reference = self.reference();
            plan.duplicates.push(Duplicate { pos, reference, original });
        }
    }

    /// What an output with this hash is a duplicate of: an archived record that the context still tells of, a result of
    /// this flush, or one of the batch under way, which will be `due[next]`.
    fn original(&self, hash: &str, next: usize, fresh: &[(String, usize)]) -> Option<Original> {
        if let Some(record) = self.ground.ledger.original_of(hash, self.ground.branch) {
            return record.reference.clone().map(Original::Archived);
        }
        if let Some(&(batch, result)) = self.seen.get(hash) {
            return Some(Original::Planned { batch, result });
        }
        let here = fresh.iter().find(|(other, _)| other == hash)?;
        Some(Original::Planned { batch: next, result: here.1 })
    }
}
