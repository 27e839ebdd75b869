//! What we decided on this branch: a pure fold of its entries (laws 5 and 6).
//!
//! Nothing here changes but by folding an entry, so the state of a running session is the state of its file.

pub mod epoch;
mod legacy;
pub mod record;

use crate::config::stamp::Stamp;
use crate::json::Value;
use crate::order;
use crate::text::units;
use crate::transcript::branch::{Branch, Pos};
use crate::transcript::head::Head;
use crate::transcript::symbols::{Sym, Symbols};
use epoch::{BatchResult, Block, Epoch, EpochBatch, Outcome, Placement};
use legacy::Legacy;
use record::{Archive, BlockRecord, Purged, Record, Stats};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Our entry type: one a flush, refs, summary and forms together (design section 6).
pub const EPOCH_TYPE: &str = "context-prune-epoch";

/// A summary that the render shows behind the results it speaks of.
#[derive(Clone, Debug)]
pub struct Summary {
    pub text: String,
    pub placement: Placement,
}

/// An epoch and its entry.
#[derive(Clone, Debug)]
pub struct Folded {
    pub mark: Mark,
    pub epoch: Epoch,
}

/// When sent bytes last changed.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// The place of the epoch's entry.
    pub pos: Pos,
    /// When it was written, ms since 1970.
    pub timestamp: f64,
}

/// All decisions of the branch.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    records: Vec<Record>,
    by_pos: FxHashMap<Pos, usize>,
    by_ref: BTreeMap<String, Vec<usize>>,
    summaries: Vec<Summary>,
    summary_of: FxHashMap<Pos, usize>,
    attempted: FxHashMap<Pos, Outcome>,
    /// Results at or before this place were attempted by the original, whose frontier was a place and nothing more.
    frontier: Option<Pos>,
    last_mark: Option<Mark>,
    stamp: Option<Stamp>,
    epochs: Vec<Folded>,
    /// The first record of each output.
    by_hash: FxHashMap<String, usize>,
    max_ref: u64,
    blocks: Vec<BlockRecord>,
    /// Where shown blocks end, by where they start.
    spans: BTreeMap<Pos, Pos>,
    max_block: u64,
    purged: BTreeMap<Pos, Vec<Purged>>,
    /// Assistants before this place have no thinking any more.
    thinking_before: Option<Pos>,
    stats: Stats,
    legacy: Legacy,
}

impl Ledger {
    /// Takes one `context-prune-*` custom entry at `pos`. What cannot be read changes nothing.
    pub fn fold(
        &mut self,
        pos: Pos,
        custom_type: &str,
        timestamp: f64,
        data: &Value,
        branch: &Branch,
        symbols: &mut Symbols,
    ) {
        match custom_type {
            EPOCH_TYPE => {
                if let Some(epoch) = Epoch::read(data) {
                    self.fold_epoch(Mark { pos, timestamp }, epoch, branch, symbols);
                }
            }
            _ => self.fold_legacy(Mark { pos, timestamp }, custom_type, data, branch, symbols),
        }
    }

    fn fold_epoch(&mut self, mark: Mark, epoch: Epoch, branch: &Branch, symbols: &mut Symbols) {
        if epoch.rewrites() {
            self.last_mark = Some(mark);
        }
        // A spill says under what its own form came; what was sent before it may still wait to be marked.
        if epoch.stamp.is_some() && (epoch.rewrites() || self.stamp.is_none()) {
            self.stamp.clone_from(&epoch.stamp);
        }
        if let Some(usage) = &epoch.usage {
            self.stats.add(usage);
        }
        for batch in &epoch.batches {
            let summary = batch.text.as_ref().map(|text| {
                self.summaries.push(Summary { text: text.clone(), placement: batch.placement });
                self.summaries.len() - 1
            });
            for result in &batch.results {
                self.fold_result(batch, result, summary, branch, symbols);
            }
        }
        for block in &epoch.blocks {
            self.fold_block(block, branch, symbols);
        }
        for purge in &epoch.purges {
            self.archive(&purge.result, None, None, branch, symbols);
            let assistant = symbols.find(&purge.assistant).and_then(|id| branch.pos(id));
            if let Some(assistant) = assistant {
                let reference = purge.result.reference.clone().unwrap_or_default();
                let calls = branch.head(assistant).map_or(&[][..], Head::calls);
                let id = calls.get(purge.call as usize).map_or(Sym::EMPTY, |call| call.id);
                let purged = Purged { call: purge.call, id, units: purge.units, reference };
                self.purged.entry(assistant).or_default().push(purged);
            }
        }
        let before = epoch.thinking_before.as_ref().and_then(|id| symbols.find(id)).and_then(|id| branch.pos(id));
        // Monotonic: what was dropped stays dropped, whatever the window is set to later.
        self.thinking_before = self.thinking_before.max(before);
        self.epochs.push(Folded { mark, epoch });
    }

    fn fold_block(&mut self, block: &Block, branch: &Branch, symbols: &mut Symbols) {
        for result in &block.results {
            self.archive(result, None, None, branch, symbols);
        }
        let place = |id: &String| symbols.find(id).and_then(|id| branch.pos(id));
        let (Some(start), Some(end)) = (place(&block.start), place(&block.end)) else { return };
        let mut protected: Vec<Pos> = block.protected.iter().filter_map(place).collect();
        order::by_number(&mut protected, |&pos| pos.into());
        self.add_block(BlockRecord {
            id: block.id.clone(),
            start,
            end,
            strip_reply: block.strip_reply,
            units: units::len(&block.body),
            body: block.body.clone(),
            refs: block.refs.clone(),
            protected,
            parts: Vec::new(),
            shown: true,
        });
        for merged in &block.merged {
            if let Some(old) = self.blocks.iter_mut().find(|old| old.id == *merged && old.id != block.id) {
                old.shown = false;
            }
        }
    }

    fn add_block(&mut self, block: BlockRecord) {
        let number = block.id.strip_prefix('b').and_then(|digits| digits.parse().ok()).unwrap_or(0);
        self.max_block = self.max_block.max(number);
        // What lies inside was merged into it. One inside another is nobody's of ours, and covers nothing that is not.
        let around = self.spans.range(..=block.start).next_back().is_some_and(|(_, &end)| end >= block.end);
        if !around {
            let inside: Vec<Pos> = self.spans.range(block.start..block.end).map(|(&start, _)| start).collect();
            for start in inside {
                self.spans.remove(&start);
            }
            self.spans.insert(block.start, block.end);
        }
        self.blocks.push(block);
    }

    fn fold_result(
        &mut self,
        batch: &EpochBatch,
        result: &BatchResult,
        summary: Option<usize>,
        branch: &Branch,
        symbols: &mut Symbols,
    ) {
        let at = symbols.find(&result.entry).and_then(|id| branch.pos(id));
        if let Some(at) = at {
            self.attempted.insert(at, batch.outcome);
            if let Some(summary) = summary {
                self.summary_of.insert(at, summary);
            }
        }
        if result.reference.is_none() && batch.outcome != Outcome::Recovered {
            return;
        }
        let index = self.archive(result, Some(batch.outcome), Some(batch.turn), branch, symbols);
        if matches!(batch.outcome, Outcome::Summarized | Outcome::Spilled)
            && let Some(hash) = &result.hash
        {
            // One whose text was compacted away tells nothing any more: the newer one takes its place.
            let gone = |record: &Record| record.at.is_none_or(|at| !branch.projected(at));
            let known = self.by_hash.get(hash).is_some_and(|&first| !gone(&self.records[first]));
            if !known {
                self.by_hash.insert(hash.clone(), index);
            }
        }
    }

    /// Records a result under its ref. Without an outcome it was archived by what hides its call: it is not stubbed.
    fn archive(
        &mut self,
        result: &BatchResult,
        outcome: Option<Outcome>,
        turn: Option<u32>,
        branch: &Branch,
        symbols: &mut Symbols,
    ) -> usize {
        let entry = symbols.intern(&result.entry);
        let at = branch.pos(entry);
        let archive = match (outcome, &result.file, &result.same) {
            (Some(Outcome::Recovered), ..) => Archive::Recovered,
            (None, ..) => Archive::Whole,
            (_, Some(file), _) => Archive::Spilled {
                path: file.path.clone(),
                bytes: Some(file.bytes).filter(|bytes| bytes.is_finite()),
                preview: file.preview.clone(),
                args: Value::Null,
                is_error: false,
            },
            (_, None, Some(original)) => Archive::Same { original: original.clone() },
            (_, None, None) => Archive::Entry,
        };
        // What is archived already keeps its form: this only adds a name for it.
        if let (None, Some(known)) = (outcome, at.and_then(|at| self.by_pos.get(&at))) {
            let known = *known;
            if let Some(reference) = &result.reference {
                self.note_ref(reference, known);
            }
            return known;
        }
        let head = at.and_then(|at| branch.head(at));
        self.add(Record {
            reference: result.reference.clone(),
            at,
            entry,
            call: head.map_or(Sym::EMPTY, Head::answers),
            timestamp: head.map(|head| head.timestamp),
            tool: symbols.intern(&result.tool),
            turn: turn.or_else(|| at.and_then(|at| branch.turn_of_result(at))),
            archive,
        })
    }

    /// Adds a record; a later one for the same occurrence takes the place of the earlier.
    fn add(&mut self, record: Record) -> usize {
        let index = self.records.len();
        if let Some(at) = record.at {
            self.by_pos.insert(at, index);
        }
        if let Some(reference) = &record.reference {
            self.note_ref(&reference.clone(), index);
        }
        self.records.push(record);
        index
    }

    fn note_ref(&mut self, reference: &str, index: usize) {
        let places = self.by_ref.entry(reference.to_owned()).or_default();
        if !places.contains(&index) {
            places.push(index);
        }
        self.note_ref_number(reference);
    }

    fn note_ref_number(&mut self, reference: &str) {
        let number = reference.strip_prefix('t').filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
        if let Some(number) = number.and_then(|digits| digits.parse().ok()) {
            self.max_ref = self.max_ref.max(number);
        }
    }

    /// The record of the result at `pos`, where it was archived.
    pub fn record_at(&self, pos: Pos) -> Option<&Record> {
        self.by_pos.get(&pos).map(|&index| &self.records[index])
    }

    /// The records that go by this ref: more than one only where the original aliased duplicates.
    pub fn by_ref(&self, reference: &str) -> impl Iterator<Item = &Record> {
        self.by_ref.get(reference).into_iter().flatten().map(|&index| &self.records[index])
    }

    /// All records, in the order they were archived.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The summary that speaks of the result at `pos`.
    pub fn summary_of(&self, pos: Pos) -> Option<usize> {
        self.summary_of.get(&pos).copied()
    }

    pub fn summary(&self, index: usize) -> &Summary {
        &self.summaries[index]
    }

    pub fn summary_count(&self) -> usize {
        self.summaries.len()
    }

    /// Whether a flush already took this result, whatever came of it.
    pub fn attempted(&self, pos: Pos) -> bool {
        self.attempted.contains_key(&pos)
            || self.record_at(pos).is_some_and(|record| !matches!(record.archive, Archive::Whole))
            || self.frontier.is_some_and(|frontier| pos <= frontier)
    }

    /// The newest entry that changed what is sent.
    pub fn last_mark(&self) -> Option<Mark> {
        self.last_mark
    }

    /// The settings that the newest rewrite says; where none does, the first epoch at all.
    pub fn stamp(&self) -> Option<&Stamp> {
        self.stamp.as_ref()
    }

    /// All epochs of the branch, oldest first; those of the original as far as it wrote them down.
    pub fn epochs(&self) -> &[Folded] {
        &self.epochs
    }

    /// The record of the same output, if what the context has of it is still there.
    pub fn original_of(&self, hash: &str, branch: &Branch) -> Option<&Record> {
        let record = self.by_hash.get(hash).map(|&index| &self.records[index])?;
        record.at.is_some_and(|at| branch.projected(at)).then_some(record).filter(|record| record.reference.is_some())
    }

    /// All blocks in the order they were made, those that were merged into another too.
    pub fn blocks(&self) -> &[BlockRecord] {
        &self.blocks
    }

    /// Whether the result at `pos` lies in a block: it goes out only where its block cannot be shown.
    pub fn in_block(&self, pos: Pos) -> bool {
        self.spans.range(..pos).next_back().is_some_and(|(_, &end)| pos < end)
    }

    /// The number of the next block.
    pub fn next_block(&self) -> u64 {
        self.max_block + 1
    }

    /// The replaced arguments of the assistant message at `pos`.
    pub fn purged(&self, pos: Pos) -> &[Purged] {
        self.purged.get(&pos).map_or(&[], Vec::as_slice)
    }

    /// The assistant messages with replaced arguments, in order.
    pub fn purged_places(&self) -> impl Iterator<Item = Pos> {
        self.purged.keys().copied()
    }

    /// Whether any arguments are replaced.
    pub fn has_purged(&self) -> bool {
        !self.purged.is_empty()
    }

    /// Assistants before this place have no thinking any more.
    pub fn thinking_before(&self) -> Option<Pos> {
        self.thinking_before
    }

    /// The number of the next ref: one more than the highest ever given on this branch; gaps are not filled.
    pub fn next_ref(&self) -> u64 {
        self.max_ref + 1
    }

    pub fn stats(&self) -> &Stats {
        &self.stats
    }
}
