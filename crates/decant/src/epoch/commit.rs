//! From summaries to the one entry that a flush writes.

use super::block::ENVELOPE;
use super::flush::{Answer, Due, Duplicate, FlushPlan, Ground, Hashes, Original};
use crate::capture::batch::{self, Batch};
use crate::config::stamp::Stamp;
use crate::ledger::epoch::{BatchResult, Block, Epoch, EpochBatch, Outcome, Placement, Purge, Usage};
use crate::order;
use crate::text::labels::{self, Labelled};
use crate::text::{stub, units};
use crate::transcript::branch::Pos;
use crate::transcript::head::Head;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Why there is no epoch to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The branch moved away, or the results left the projection.
    Stale,
    /// No summary came back.
    Failed,
    /// There was nothing to write after all.
    Empty,
}

/// What to say of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Note {
    pub turn: u32,
    pub outcome: Outcome,
    pub calls: u32,
    /// UTF-16 units of the results' text.
    pub raw_units: u64,
    /// UTF-16 units of the summary; 0 where none was made.
    pub summary_units: u64,
}

/// The end of a flush.
#[derive(Clone, Debug)]
pub struct Committed {
    pub epoch: Result<Epoch, Reason>,
    pub notes: Vec<Note>,
}

impl Ground<'_> {
    /// Makes the epoch of a plan. `answers` are in the order of `plan.due`; one that is missing leaves its batch as it is,
    /// for the next flush to try again. `fusions` are in the order of the blocks that asked for one; one that is missing
    /// leaves the texts side by side.
    pub fn commit(
        &self,
        plan: &FlushPlan,
        answers: &[Option<Answer>],
        fusions: &[Option<Answer>],
        hashes: &Hashes,
    ) -> Committed {
        let plan = &*self.with_free_names(plan);
        let mut draft = Draft {
            ground: *self,
            hashes,
            notes: Vec::new(),
            batches: Vec::new(),
            blocks: Vec::new(),
            purges: Vec::new(),
            fresh: FxHashMap::default(),
            removed: 0,
            added: 0,
        };
        if self.branch.pos(plan.leaf).is_none() {
            return Committed { epoch: Err(Reason::Stale), notes: draft.notes };
        }
        let mut fresh = false;
        for (batch, outcome) in &plan.skipped {
            if draft.is_fresh(&batch.results) {
                draft.skip(batch, *outcome, batch::text_units(self.branch, &batch.results), 0);
            }
        }
        let mut usage = Usage::default();
        let mut summarized = vec![false; plan.due.len()];
        for (index, due) in plan.due.iter().enumerate() {
            let fresh_batch = draft.is_fresh(&due.batch.results);
            fresh |= fresh_batch;
            let Some(answer) = answers.get(index).and_then(Option::as_ref) else { continue };
            // The call was paid for, whatever becomes of it.
            usage.add(&answer.usage);
            if fresh_batch && !answer.text.trim().is_empty() {
                summarized[index] = draft.summarize(due, &answer.text);
            }
        }
        draft.duplicates(plan, &summarized);
        for fusion in fusions.iter().flatten() {
            usage.add(&fusion.usage);
        }
        let fused: Vec<Option<String>> =
            fusions.iter().map(|answer| answer.as_ref().map(|one| one.text.clone())).collect();
        let mut next_ref = plan.next_ref.max(self.ledger.next_ref());
        draft.note_fresh();
        let answered =
            |index: usize| answers.get(index).and_then(Option::as_ref).is_some_and(|one| !one.text.trim().is_empty());
        let failed: Vec<Pos> = (plan.due.iter().enumerate())
            .filter(|(index, _)| !answered(*index))
            .flat_map(|(_, due)| due.batch.results.iter().copied())
            .collect();
        draft.blocks(plan, &fused, &failed, &mut next_ref);
        if draft.batches.is_empty() && draft.blocks.is_empty() {
            let reason = match (plan.due.is_empty(), fresh) {
                (true, _) => Reason::Empty,
                (false, true) => Reason::Failed,
                (false, false) => Reason::Stale,
            };
            return Committed { epoch: Err(reason), notes: draft.notes };
        }
        // These come along with a rewrite and are no reason for one: each by itself would cut the cache at every reply.
        let rewrites = !draft.blocks.is_empty() || draft.batches.iter().any(|batch| batch.outcome.rewrites());
        if rewrites {
            draft.recovered(&plan.recovered);
            draft.purges(plan, &mut next_ref);
        }
        let thinking_before =
            plan.thinking.filter(|&pos| rewrites && self.branch.projected(pos)).and_then(|pos| self.branch.id(pos));
        order::by_number(&mut draft.batches, |batch| batch.turn.into());
        let epoch = Epoch {
            batches: draft.batches,
            blocks: draft.blocks,
            purges: draft.purges,
            thinking_before: thinking_before.map(|id| self.symbols.name(id).to_owned()),
            usage: (usage.calls > 0.0).then_some(usage),
            removed_units: draft.removed,
            added_units: draft.added,
            stamp: Some(Stamp::of(self.config)),
            ..Epoch::new("flush", &plan.trigger)
        };
        Committed { epoch: Ok(epoch), notes: draft.notes }
    }

    /// The plan under names that nothing has: while its summaries were made, a result that was spilled or another flush
    /// may have taken the ones it was planned with.
    fn with_free_names<'p>(&self, plan: &'p FlushPlan) -> Cow<'p, FlushPlan> {
        let planned = plan.due.iter().flat_map(|due| &due.refs);
        let mut planned = planned.chain(plan.duplicates.iter().map(|duplicate| &duplicate.reference));
        let known = |id: &str| self.ledger.blocks().iter().any(|block| block.id == id);
        if !planned.any(|reference| self.ledger.by_ref(reference).next().is_some())
            && !plan.blocks.iter().any(|block| known(&block.id))
        {
            return Cow::Borrowed(plan);
        }
        let mut plan = plan.clone();
        plan.next_ref = self.ledger.next_ref();
        let refs = plan.due.iter_mut().flat_map(|due| &mut due.refs);
        for reference in refs.chain(plan.duplicates.iter_mut().map(|duplicate| &mut duplicate.reference)) {
            *reference = format!("t{}", plan.next_ref);
            plan.next_ref += 1;
        }
        for (block, number) in plan.blocks.iter_mut().zip(self.ledger.next_block()..) {
            block.id = format!("b{number}");
        }
        Cow::Owned(plan)
    }

    /// The turn of the result at `pos`, as an epoch names it.
    pub(super) fn turn(&self, pos: Pos) -> u32 {
        self.branch.turn_of_result(pos).unwrap_or(0)
    }

    /// The result at `pos` as it stands in an epoch.
    pub(super) fn result(&self, pos: Pos, reference: Option<String>) -> BatchResult {
        BatchResult {
            entry: self.branch.id(pos).map_or("", |id| self.symbols.name(id)).to_owned(),
            reference,
            tool: self.symbols.name(batch::tool(self.branch, pos)).to_owned(),
            hash: None,
            same: None,
            file: None,
        }
    }
}

/// An epoch in the making.
pub(super) struct Draft<'a> {
    pub(super) ground: Ground<'a>,
    hashes: &'a Hashes,
    notes: Vec<Note>,
    pub(super) batches: Vec<EpochBatch>,
    pub(super) blocks: Vec<Block>,
    pub(super) purges: Vec<Purge>,
    /// The results that this very epoch archives.
    pub(super) fresh: FxHashMap<Pos, Fresh>,
    /// UTF-16 units that leave the request, and that come in their place.
    pub(super) removed: u64,
    pub(super) added: u64,
}

/// What this epoch decides of a result.
#[derive(Clone, Debug)]
pub(super) struct Fresh {
    /// Its batch, by the place in [`Draft::batches`].
    pub(super) batch: usize,
    pub(super) reference: String,
}

impl Draft<'_> {
    /// Notes which results the batches archive, once all are there.
    fn note_fresh(&mut self) {
        let ground = self.ground;
        for (batch, results) in self.batches.iter().enumerate().map(|(nth, batch)| (nth, &batch.results)) {
            for result in results {
                let place = ground.symbols.find(&result.entry).and_then(|id| ground.branch.pos(id));
                if let (Some(pos), Some(reference)) = (place, result.reference.clone()) {
                    self.fresh.insert(pos, Fresh { batch, reference });
                }
            }
        }
    }

    /// Whether these can still be taken: they are in the projection and nobody took them meanwhile.
    fn is_fresh(&self, results: &[Pos]) -> bool {
        let field = self.ground.field();
        results.iter().all(|&pos| {
            self.ground.branch.projected(pos) && !self.ground.ledger.attempted(pos) && !field.is_protected(pos)
        })
    }

    fn note(&mut self, turn: u32, outcome: Outcome, calls: usize, raw_units: u64, summary_units: u64) {
        self.notes.push(Note { turn, outcome, calls: calls as u32, raw_units, summary_units });
    }

    fn push(&mut self, turn: u32, outcome: Outcome, raw_units: u64, results: Vec<BatchResult>) {
        self.batches.push(EpochBatch { turn, outcome, text: None, placement: Placement::Message, raw_units, results });
    }

    fn skip(&mut self, batch: &Batch, outcome: Outcome, raw_units: u64, summary_units: u64) {
        self.note(batch.turn, outcome, batch.results.len(), raw_units, summary_units);
        let results = batch.results.iter().map(|&pos| self.ground.result(pos, None)).collect();
        self.push(batch.turn, outcome, raw_units, results);
    }

    /// Takes a summary; false where it is no shorter than what it would stand for.
    fn summarize(&mut self, due: &Due, summary: &str) -> bool {
        let branch = self.ground.branch;
        let tool = |pos: Pos| self.ground.symbols.name(batch::tool(branch, pos));
        let calls: Vec<Labelled<'_>> = (due.batch.results.iter().zip(&due.refs))
            .map(|(&pos, reference)| Labelled { tool: tool(pos), reference })
            .collect();
        let text = labels::decorate(summary, &calls);
        let summary_units = units::len(&text) as u64;
        let stubs = due.batch.results.iter().zip(&due.refs).map(|(&pos, reference)| (pos, stub::summarized(reference)));
        let (removed, added) = self.exchange(stubs);
        if added + summary_units + ENVELOPE >= removed {
            self.skip(&due.batch, Outcome::SkippedOversized, due.raw_units, summary_units);
            return false;
        }
        self.removed += removed;
        self.added += added + summary_units;
        self.note(due.batch.turn, Outcome::Summarized, due.batch.results.len(), due.raw_units, summary_units);
        let closed = due.batch.results.last().is_some_and(|&last| branch.cycle_closed(last));
        let results = due.batch.results.iter().zip(&due.refs).map(|(&pos, reference)| BatchResult {
            hash: self.hashes.get(&pos).cloned(),
            ..self.ground.result(pos, Some(reference.clone()))
        });
        self.batches.push(EpochBatch {
            turn: due.batch.turn,
            outcome: Outcome::Summarized,
            text: Some(text),
            placement: if closed { Placement::Message } else { Placement::Block },
            raw_units: due.raw_units,
            results: results.collect(),
        });
        true
    }

    /// Units that leave and units that come where results become these stubs: one no longer than its stub stays.
    fn exchange(&self, stubs: impl Iterator<Item = (Pos, String)>) -> (u64, u64) {
        let mut sum = (0, 0);
        for (pos, stub) in stubs {
            let whole = self.ground.branch.head(pos).map_or(0, Head::units);
            let stub = units::len(&stub) as u64;
            if whole > stub {
                sum = (sum.0 + whole, sum.1 + stub);
            }
        }
        sum
    }

    /// Duplicates whose original is archived or was just summarized; the others wait for the next flush.
    fn duplicates(&mut self, plan: &FlushPlan, summarized: &[bool]) {
        let mut by_turn: BTreeMap<u32, Vec<(&Duplicate, &str)>> = BTreeMap::new();
        for duplicate in &plan.duplicates {
            let original = match &duplicate.original {
                Original::Archived(reference) => reference,
                Original::Planned { batch, result } if summarized[*batch] => &plan.due[*batch].refs[*result],
                Original::Planned { .. } => continue,
            };
            if self.is_fresh(&[duplicate.pos]) {
                by_turn.entry(self.ground.turn(duplicate.pos)).or_default().push((duplicate, original));
            }
        }
        for (turn, duplicates) in by_turn {
            let places: Vec<Pos> = duplicates.iter().map(|(duplicate, _)| duplicate.pos).collect();
            let raw_units = batch::text_units(self.ground.branch, &places);
            let ground = self.ground;
            let stubs = duplicates.iter().map(|(duplicate, original)| {
                let path = ground.branch.call(duplicate.pos).map_or("", |call| ground.symbols.name(call.path));
                let tool = ground.symbols.name(batch::tool(ground.branch, duplicate.pos));
                (duplicate.pos, stub::same(tool, path, &duplicate.reference, original))
            });
            let (removed, added) = self.exchange(stubs);
            self.removed += removed;
            self.added += added;
            self.note(turn, Outcome::SkippedDeduped, duplicates.len(), raw_units, 0);
            let results = duplicates.iter().map(|(duplicate, original)| BatchResult {
                same: Some((*original).to_owned()),
                ..ground.result(duplicate.pos, Some(duplicate.reference.clone()))
            });
            self.push(turn, Outcome::SkippedDeduped, raw_units, results.collect());
        }
    }

    fn recovered(&mut self, places: &[Pos]) {
        for &pos in places {
            let whole = self.ground.branch.head(pos).map_or(0, Head::units);
            let stub = units::len(stub::RECOVERED) as u64;
            if self.is_fresh(&[pos]) && whole > stub {
                self.removed += whole;
                self.added += stub;
                let raw_units = batch::text_units(self.ground.branch, &[pos]);
                self.push(self.ground.turn(pos), Outcome::Recovered, raw_units, vec![self.ground.result(pos, None)]);
            }
        }
    }
}
