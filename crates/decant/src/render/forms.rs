//! The forms of this branch's results, made once after each change of the ledger and used by every render until the next.

use super::plan::TextId;
use crate::capture::protect::Protection;
use crate::ledger::Ledger;
use crate::ledger::record::{Archive, Record};
use crate::text::{stub, units};
use crate::transcript::branch::Branch;
use crate::transcript::symbols::Symbols;

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
}

impl Forms {
    /// All forms that `ledger` asks for.
    pub fn new(ledger: &Ledger, branch: &Branch, symbols: &Symbols, protection: &Protection) -> Self {
        let mut forms = Self::default();
        for record in ledger.records() {
            let Some(at) = record.at else { continue };
            let call = branch.call(at);
            let path = call.map_or("", |call| symbols.name(call.path));
            // A pattern that was added later brings the result back: no change of the record is needed for it.
            if !protection.covers(symbols.name(record.tool), path) {
                let stub = forms.add(stub_of(record, path, symbols));
                put(&mut forms.stubs, at, stub);
            }
            if let Some(summary) = ledger.summary_of(at) {
                put(&mut forms.summary_at, at, summary as u32);
            }
        }
        for index in 0..ledger.summary_count() {
            let id = forms.add(ledger.summary(index).text.clone());
            forms.summaries.push(id);
        }
        forms
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

/// Branch places are dense and a render asks for every one of them: an array, not a map.
fn put(places: &mut Vec<u32>, at: u32, value: u32) {
    let at = at as usize;
    if places.len() <= at {
        places.resize(at + 1, NONE);
    }
    places[at] = value;
}

fn stub_of(record: &Record, path: &str, symbols: &Symbols) -> String {
    let reference = record.reference.as_deref().unwrap_or_else(|| symbols.name(record.call));
    match &record.archive {
        Archive::Same { original } => stub::same(symbols.name(record.tool), path, reference, original),
        Archive::Recovered => stub::RECOVERED.to_owned(),
        Archive::Entry | Archive::Inline { .. } => stub::summarized(reference),
        Archive::Spilled { path, bytes, preview, .. } => {
            stub::spilled(symbols.name(record.tool), *bytes, preview, path, reference)
        }
    }
}
