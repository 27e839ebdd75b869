//! One flush: the batches that are due, their prompts, and the epoch that their summaries make.

use crate::capture::batch::{self, Batch};
use crate::capture::prompt::prompt;
use crate::capture::source::Source;
use crate::config::Config;
use crate::ledger::Ledger;
use crate::ledger::epoch::{BatchResult, Epoch, EpochBatch, Outcome, Placement, Usage};
use crate::text::labels::{self, Labelled};
use crate::text::{stub, units};
use crate::transcript::branch::{Branch, Pos};
use crate::transcript::symbols::{Sym, Symbols};

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
}

/// What the summarizer made of one batch.
#[derive(Clone, Debug)]
pub struct Answer {
    pub text: String,
    /// Tokens and dollars of the call.
    pub usage: Usage,
}

/// Why there is no epoch to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The branch moved away, or the results left the projection.
    Stale,
    /// No summary came back.
    Failed,
}

/// What to say of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Note {
    pub turn: u32,
    pub outcome: Outcome,
    pub calls: u32,
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

/// Where the session stands, for planning and writing.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'a> {
    pub branch: &'a Branch,
    pub ledger: &'a Ledger,
    pub symbols: &'a Symbols,
    pub config: &'a Config,
}

impl Ground<'_> {
    /// Plans a flush of everything that is due; none where nothing is.
    pub fn plan(&self, id: u32, trigger: &str, source: &dyn Source) -> Option<FlushPlan> {
        let mut plan = FlushPlan {
            id,
            leaf: self.branch.leaf()?,
            trigger: trigger.to_owned(),
            due: Vec::new(),
            skipped: Vec::new(),
        };
        let mut next_ref = self.ledger.next_ref();
        for batch in batch::pending(self.branch, self.ledger, self.symbols) {
            let raw_units = batch::text_units(self.branch, &batch);
            if raw_units < u64::from(self.config.min_batch_chars) {
                plan.skipped.push((batch, Outcome::SkippedTrivial));
                continue;
            }
            let refs = (next_ref..).take(batch.results.len()).map(|number| format!("t{number}")).collect();
            next_ref += batch.results.len() as u64;
            let prompt = prompt(&batch, self.branch, self.symbols, source);
            plan.due.push(Due { batch, refs, raw_units, prompt });
        }
        (!plan.due.is_empty() || !plan.skipped.is_empty()).then_some(plan)
    }

    /// Makes the epoch of a plan. `answers` are in the order of `plan.due`; one that is missing leaves its batch as it is,
    /// for the next flush to try again.
    pub fn commit(&self, plan: &FlushPlan, answers: &[Option<Answer>]) -> Committed {
        let mut notes = Vec::new();
        let mut batches: Vec<EpochBatch> = Vec::new();
        let mut usage = Usage::default();
        let (mut removed, mut added, mut fresh) = (0, 0, false);
        if self.branch.pos(plan.leaf).is_none() {
            return Committed { epoch: Err(Reason::Stale), notes };
        }
        for (batch, outcome) in &plan.skipped {
            if self.is_fresh(batch) {
                fresh = true;
                let raw_units = batch::text_units(self.branch, batch);
                notes.push(note(batch, *outcome, raw_units, 0));
                batches.push(self.skipped(batch, *outcome, raw_units));
            }
        }
        for (due, answer) in plan.due.iter().zip(answers) {
            let fresh_batch = self.is_fresh(&due.batch);
            fresh |= fresh_batch;
            let Some(answer) = answer else { continue };
            // The call was paid for, whatever becomes of it.
            usage.input += answer.usage.input;
            usage.output += answer.usage.output;
            usage.cost += answer.usage.cost;
            usage.calls += 1.0;
            if !fresh_batch || answer.text.trim().is_empty() {
                continue;
            }
            let text = self.decorate(due, &answer.text);
            let (out, cost) = self.exchange(due, &text);
            if cost >= out {
                notes.push(note(&due.batch, Outcome::SkippedOversized, due.raw_units, units::len(&text) as u64));
                batches.push(self.skipped(&due.batch, Outcome::SkippedOversized, due.raw_units));
                continue;
            }
            removed += out;
            added += cost;
            notes.push(note(&due.batch, Outcome::Summarized, due.raw_units, units::len(&text) as u64));
            batches.push(self.summarized(due, text));
        }
        if batches.is_empty() {
            return Committed { epoch: Err(if fresh { Reason::Failed } else { Reason::Stale }), notes };
        }
        batches.sort_by_key(|batch| batch.turn);
        let epoch = Epoch {
            reason: "flush".to_owned(),
            trigger: plan.trigger.clone(),
            batches,
            usage: (usage.calls > 0.0).then_some(usage),
            removed_units: removed,
            added_units: added,
        };
        Committed { epoch: Ok(epoch), notes }
    }

    /// Whether the batch can still be taken: its results are in the projection and nobody took them meanwhile.
    fn is_fresh(&self, batch: &Batch) -> bool {
        batch.results.iter().all(|&pos| self.branch.projected(pos) && !self.ledger.attempted(pos))
    }

    fn decorate(&self, due: &Due, summary: &str) -> String {
        let calls: Vec<Labelled<'_>> = due
            .batch
            .results
            .iter()
            .zip(&due.refs)
            .map(|(&pos, reference)| Labelled { tool: self.symbols.name(batch::tool(self.branch, pos)), reference })
            .collect();
        labels::decorate(summary, &calls)
    }

    /// Units that leave the request and units that come, if this text is shown: a result no longer than its stub stays.
    fn exchange(&self, due: &Due, text: &str) -> (u64, u64) {
        let mut out = 0;
        let mut cost = units::len(text) as u64;
        for (&pos, reference) in due.batch.results.iter().zip(&due.refs) {
            let whole = self.branch.head(pos).map_or(0, crate::transcript::head::Head::units);
            let stub = units::len(&stub::summarized(reference)) as u64;
            if whole > stub {
                out += whole;
                cost += stub;
            }
        }
        (out, cost)
    }

    fn summarized(&self, due: &Due, text: String) -> EpochBatch {
        let last = due.batch.results.last().copied().unwrap_or(due.batch.assistant);
        let placement = if self.branch.cycle_closed(last) { Placement::Message } else { Placement::Block };
        let results = due.batch.results.iter().zip(&due.refs);
        EpochBatch {
            turn: due.batch.turn,
            outcome: Outcome::Summarized,
            text: Some(text),
            placement,
            raw_units: due.raw_units,
            results: results.map(|(&pos, reference)| self.result(pos, Some(reference.clone()))).collect(),
        }
    }

    fn skipped(&self, batch: &Batch, outcome: Outcome, raw_units: u64) -> EpochBatch {
        EpochBatch {
            turn: batch.turn,
            outcome,
            text: None,
            placement: Placement::Message,
            raw_units,
            results: batch.results.iter().map(|&pos| self.result(pos, None)).collect(),
        }
    }

    fn result(&self, pos: Pos, reference: Option<String>) -> BatchResult {
        BatchResult {
            entry: self.branch.id(pos).map_or("", |id| self.symbols.name(id)).to_owned(),
            reference,
            tool: self.symbols.name(batch::tool(self.branch, pos)).to_owned(),
        }
    }
}

fn note(batch: &Batch, outcome: Outcome, raw_units: u64, summary_units: u64) -> Note {
    Note { turn: batch.turn, outcome, calls: batch.results.len() as u32, raw_units, summary_units }
}
