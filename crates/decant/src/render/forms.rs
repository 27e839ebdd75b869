//! The forms of this branch's results, made after each change of the ledger and used by every render until the next.

use super::plan::TextId;
use crate::capture::batch::{is_error, tool};
use crate::capture::protect::Protection;
use crate::config::{Config, Timing};
use crate::ledger::Ledger;
use crate::ledger::record::{Archive, BlockRecord, Record};
use crate::text::{stub, units};
use crate::transcript::branch::Branch;
use crate::transcript::symbols::Symbols;
use rustc_hash::FxHashMap;

const NONE: TextId = TextId::MAX;

/// The form of each place of the branch, and the texts they name.
#[derive(Clone, Debug, Default)]
pub struct Forms {
    stubs: Vec<TextId>,
    texts: Vec<String>,
    units: Vec<u32>,
    /// The summary of each place of the branch.
    summary_at: Vec<u32>,
    summaries: Vec<TextId>,
    blocks: Vec<BlockForm>,
    block_end: TextId,
    protected_end: TextId,
    /// The marks of each assistant message's purged calls.
    purged: FxHashMap<u32, Vec<TextId>>,
    /// The mark for arguments of each length, where failed calls are purged live.
    live: FxHashMap<u32, TextId>,
    /// How many records of the ledger, and how many places of the branch for live marks, are taken.
    records: usize,
    live_places: u32,
}

/// The texts of a block.
#[derive(Clone, Debug)]
pub struct BlockForm {
    pub head: TextId,
    /// What opens each protected output, in the order of the record.
    pub protected: Vec<TextId>,
}

impl Forms {
    /// All forms that `ledger` asks for.
    pub fn new(ledger: &Ledger, branch: &Branch, symbols: &Symbols, protection: &Protection, config: &Config) -> Self {
        let mut forms = Self::default();
        forms.grow(ledger, branch, symbols, protection, config);
        forms
    }

    /// Adds what an epoch added to the ledger: the texts so far keep their ids. An epoch only ever adds; whatever else
    /// changes wants [`Self::new`]. Made anew with each flush, the forms of a long session are most of a replay's time.
    pub fn grow(
        &mut self,
        ledger: &Ledger,
        branch: &Branch,
        symbols: &Symbols,
        protection: &Protection,
        config: &Config,
    ) {
        let records = &ledger.records()[self.records..];
        self.records += records.len();
        for record in records {
            let Some(at) = record.at else { continue };
            let call = branch.call(at);
            let path = call.map_or("", |call| symbols.name(call.path));
            // A pattern that was added later brings the result back: no change of the record is needed for it.
            let whole = matches!(record.archive, Archive::Whole);
            if !whole && !protection.covers(symbols.name(record.tool), path) {
                let stub = self.add(stub_of(record, path, symbols));
                put(&mut self.stubs, at, stub);
            }
            if let Some(summary) = ledger.summary_of(at) {
                put(&mut self.summary_at, at, summary as u32);
            }
        }
        for index in self.summaries.len()..ledger.summary_count() {
            let id = self.add(ledger.summary(index).text.clone());
            self.summaries.push(id);
        }
        if config.chain_compression.enabled {
            self.add_blocks(ledger, branch, symbols);
        }
        for assistant in ledger.purged_places() {
            let purged = ledger.purged(assistant);
            let known = self.purged.get(&assistant).map_or(0, Vec::len);
            for one in &purged[known.min(purged.len())..] {
                let mark = self.add(stub::purged(one.units, &one.reference));
                self.purged.entry(assistant).or_default().push(mark);
            }
        }
        if config.purge_errors.enabled && config.purge_errors.timing == Timing::Live {
            self.add_live(branch);
        }
    }

    fn add_blocks(&mut self, ledger: &Ledger, branch: &Branch, symbols: &Symbols) {
        if ledger.blocks().is_empty() {
            return;
        }
        if self.blocks.is_empty() {
            self.block_end = self.add(stub::BLOCK_END.to_owned());
            self.protected_end = self.add(stub::PROTECTED_END.to_owned());
        }
        for block in &ledger.blocks()[self.blocks.len()..] {
            let head = self.add(stub::block(&block.id, &block.refs, &fill_in(block, ledger.blocks())));
            let tools = block.protected.iter().map(|&pos| symbols.name(tool(branch, pos)));
            let protected = tools.map(|tool| self.add(stub::protected(tool))).collect();
            self.blocks.push(BlockForm { head, protected });
        }
    }

    fn add_live(&mut self, branch: &Branch) {
        let places = self.live_places..branch.len() as u32;
        self.live_places = places.end;
        for pos in places {
            let failed = branch.head(pos).is_some_and(is_error);
            if let Some(call) = branch.call(pos).filter(|call| failed && !self.live.contains_key(&call.args_units)) {
                let mark = self.add(stub::purged(call.args_units, ""));
                self.live.insert(call.args_units, mark);
            }
        }
    }

    /// Whether blocks are shown.
    pub fn shows_blocks(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// The texts of a block of the ledger.
    pub fn block(&self, index: usize) -> &BlockForm {
        &self.blocks[index]
    }

    /// What closes every block.
    pub fn block_end(&self) -> TextId {
        self.block_end
    }

    /// What closes every protected output.
    pub fn protected_end(&self) -> TextId {
        self.protected_end
    }

    /// The mark of purged call number `nth` of the assistant message at `pos`.
    pub fn purge(&self, pos: u32, nth: usize) -> TextId {
        self.purged[&pos][nth]
    }

    /// The mark for arguments of this length.
    pub fn live_purge(&self, units: u32) -> Option<TextId> {
        self.live.get(&units).copied()
    }

    fn add(&mut self, text: String) -> TextId {
        self.units.push(units::len(&text) as u32);
        self.texts.push(text);
        (self.texts.len() - 1) as TextId
    }

    /// The stub of the result at this place of the branch.
    pub fn stub(&self, pos: u32) -> Option<TextId> {
        self.stubs.get(pos as usize).copied().filter(|&id| id != NONE)
    }

    /// The summary of the ledger that speaks of the result at this place.
    pub fn summary_at(&self, pos: u32) -> Option<u32> {
        self.summary_at.get(pos as usize).copied().filter(|&summary| summary != NONE)
    }

    /// The text of a summary of the ledger.
    pub fn summary(&self, index: usize) -> TextId {
        self.summaries[index]
    }

    /// All texts, by id.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// The length of each text in UTF-16 units.
    pub fn all_units(&self) -> &[u32] {
        &self.units
    }

    /// Length of a text in UTF-16 units.
    pub fn units(&self, id: TextId) -> u32 {
        self.units[id as usize]
    }

    /// Whether every message goes out as it is.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

/// A block's body; `{b3}` in it is the body of that block, if it is one of its parts, once and not inside itself.
fn fill_in(block: &BlockRecord, blocks: &[BlockRecord]) -> String {
    let mut body = block.body.clone();
    for id in &block.parts {
        let mark = format!("{{{id}}}");
        let part = blocks.iter().find(|part| part.id == *id && part.id != block.id && !part.body.is_empty());
        if let (Some(at), Some(part)) = (body.find(&mark), part) {
            body.replace_range(at..at + mark.len(), &part.body);
        }
    }
    body
}

/// Branch places are dense and a render asks for every one of them: an array, not a map.
fn put(places: &mut Vec<u32>, at: u32, value: u32) {
    let at = at as usize;
    if places.len() <= at {
        places.resize(at + 1, NONE);
    }
    places[at] = value;
}

fn stub_of(record: &Record, path: &str, symbols: &Symbols) -> String {
    // The original wrote the call id where it had given no ref; that may be empty, and may name another result by now.
    let reference = record.reference.as_deref().unwrap_or_else(|| symbols.name(record.entry));
    match &record.archive {
        Archive::Same { original } => stub::same(symbols.name(record.tool), path, reference, original),
        Archive::Recovered => stub::RECOVERED.to_owned(),
        Archive::Entry | Archive::Whole | Archive::Inline { .. } => stub::summarized(reference),
        Archive::Spilled { path, bytes, preview, .. } => {
            stub::spilled(symbols.name(record.tool), *bytes, preview, path, reference)
        }
    }
}
