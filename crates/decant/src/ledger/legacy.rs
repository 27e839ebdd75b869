//! Entries that the original wrote (condense.md section 2): read, never written by a flush of ours.
//!
//! The original names an occurrence `toolCallId@resultTimestamp`, its oldest records by the bare id. Both are matched to
//! the results that stand on the branch before the entry; a bare id only where it names exactly one (law 5).

use super::record::{Archive, Record, Stats};
use super::{Ledger, Mark};
use crate::json::Value;
use crate::text::hash::text_hash;
use crate::transcript::branch::{Branch, Key, Pos};
use crate::transcript::symbols::{Sym, Symbols};
use rustc_hash::FxHashMap;

/// `toolCallId@resultTimestamp`; the time as bits, none for the oldest records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct OccurrenceKey {
    call: Sym,
    timestamp: Option<u64>,
}

/// What is kept to bring the original's entries together: refs come in the summary, records in the index, aliases
/// anywhere.
#[derive(Clone, Debug, Default)]
pub(super) struct Legacy {
    records: FxHashMap<OccurrenceKey, usize>,
    refs: FxHashMap<OccurrenceKey, String>,
    /// Aliases whose original is not known yet: new key by original key.
    waiting: Vec<(OccurrenceKey, OccurrenceKey, Mark)>,
}

impl Ledger {
    pub(super) fn fold_legacy(
        &mut self,
        mark: Mark,
        custom_type: &str,
        data: &Value,
        branch: &Branch,
        symbols: &mut Symbols,
    ) {
        match custom_type {
            "context-prune-index" => self.fold_index(mark, data, branch, symbols),
            "context-prune-summary" => {
                self.fold_refs(data.get("details").and_then(|details| details.get("toolCallRefs")), symbols);
            }
            "context-prune-dedup-alias" => self.fold_alias(mark, data, branch, symbols),
            "context-prune-frontier" => self.fold_frontier(mark.pos, data, branch, symbols),
            "context-prune-stats" => self.fold_stats(data),
            _ => return,
        }
        self.settle_aliases(branch);
    }

    fn fold_index(&mut self, mark: Mark, data: &Value, branch: &Branch, symbols: &mut Symbols) {
        self.fold_refs(data.get("refs"), symbols);
        for call in data.get("toolCalls").and_then(Value::as_array).into_iter().flatten() {
            let Some(key) = read_key(call, "toolCallId", "resultTimestamp", symbols) else { continue };
            let at = self.locate(key, mark.pos, branch);
            let record = Record {
                reference: self.legacy.refs.get(&key).cloned(),
                at,
                entry: at.and_then(|at| branch.id(at)).unwrap_or(Sym::EMPTY),
                call: key.call,
                timestamp: key.timestamp.map(f64::from_bits),
                tool: symbols.intern(&text(call, "toolName")),
                turn: call.get("turnIndex").and_then(Value::as_f64).filter(|turn| *turn >= 0.0).map(|turn| turn as u32),
                archive: read_archive(call),
            };
            let hash = match &record.archive {
                // Only the first archived output of its kind is an original; what was filled in later never is.
                _ if data.get("backfilled").is_some() => None,
                Archive::Inline { text, .. } => Some(text_hash(symbols.name(record.tool), text)),
                _ => call.get("contentHash").and_then(Value::as_str).map(str::to_owned),
            };
            let index = self.add(record);
            if let Some(hash) = hash {
                self.by_hash.entry(hash).or_insert(index);
            }
            self.legacy.records.insert(key, index);
            self.last_mark = Some(mark);
        }
    }

    /// The place of an occurrence of the original: among equal keys the first that has no record yet.
    fn locate(&self, key: OccurrenceKey, before: Pos, branch: &Branch) -> Option<Pos> {
        let earlier = |places: &[Pos]| places.iter().copied().filter(|&pos| pos < before).collect::<Vec<_>>();
        if let Some(bits) = key.timestamp {
            let places = earlier(branch.at_key(Key::result(key.call, f64::from_bits(bits))));
            places.iter().copied().find(|pos| !self.by_pos.contains_key(pos)).or_else(|| places.last().copied())
        } else {
            match earlier(branch.at_call(key.call)).as_slice() {
                [only] => Some(*only),
                _ => None,
            }
        }
    }

    fn fold_refs(&mut self, refs: Option<&Value>, symbols: &mut Symbols) {
        for one in refs.and_then(Value::as_array).into_iter().flatten() {
            let Some(key) = read_key(one, "toolCallId", "resultTimestamp", symbols) else { continue };
            let reference = text(one, "shortId");
            if reference.is_empty() {
                continue;
            }
            if let Some(&index) = self.legacy.records.get(&key) {
                self.records[index].reference = Some(reference.clone());
                self.note_ref(&reference, index);
            } else {
                self.note_ref_number(&reference);
            }
            self.legacy.refs.insert(key, reference);
        }
    }

    fn fold_alias(&mut self, mark: Mark, data: &Value, branch: &Branch, symbols: &mut Symbols) {
        let _ = branch;
        let new = read_key(data, "newToolCallId", "newResultTimestamp", symbols);
        let original = read_key(data, "originalToolCallId", "originalResultTimestamp", symbols);
        if let (Some(new), Some(original)) = (new, original) {
            self.legacy.waiting.push((new, original, mark));
        }
    }

    /// An alias becomes a record of its own place with the archive and the ref of its original.
    fn settle_aliases(&mut self, branch: &Branch) {
        let waiting = std::mem::take(&mut self.legacy.waiting);
        for (new, original, mark) in waiting {
            let known = self.legacy.records.get(&original).map(|&index| self.records[index].clone());
            let Some(record) = known.filter(|record| record.reference.is_some()) else {
                self.legacy.waiting.push((new, original, mark));
                continue;
            };
            let at = self.locate(new, mark.pos, branch);
            let index = self.add(Record { at, call: new.call, timestamp: new.timestamp.map(f64::from_bits), ..record });
            self.legacy.records.insert(new, index);
            self.last_mark = Some(mark);
        }
    }

    /// The frontier names a call by its bare id; the newest result of that id before the entry is the one attempted.
    fn fold_frontier(&mut self, pos: Pos, data: &Value, branch: &Branch, symbols: &mut Symbols) {
        let id = text(data, "lastAttemptedToolCallId");
        if id.is_empty() {
            return;
        }
        let call = symbols.intern(&id);
        if let Some(&last) = branch.at_call(call).iter().rev().find(|&&at| at < pos) {
            self.frontier = self.frontier.max(Some(last));
        }
    }

    /// The original writes running totals: the newest counts for all before it.
    fn fold_stats(&mut self, data: &Value) {
        let number = |key: &str| data.get(key).and_then(Value::as_f64).unwrap_or(0.0);
        self.stats = Stats {
            total_input_tokens: number("totalInputTokens"),
            total_output_tokens: number("totalOutputTokens"),
            total_cost: number("totalCost"),
            call_count: number("callCount"),
        };
    }
}

fn read_key(value: &Value, id: &str, timestamp: &str, symbols: &mut Symbols) -> Option<OccurrenceKey> {
    let call = value.get(id)?.as_text()?.to_string_lossy().into_owned();
    let timestamp = value.get(timestamp).and_then(Value::as_f64).map(f64::to_bits);
    Some(OccurrenceKey { call: symbols.intern(&call), timestamp })
}

fn read_archive(call: &Value) -> Archive {
    let args = call.get("args").cloned().unwrap_or(Value::Null);
    let is_error = call.get("isError").and_then(Value::as_bool).unwrap_or(false);
    let path = text(call, "spillPath");
    if path.is_empty() {
        return Archive::Inline { text: text(call, "resultText"), args, is_error };
    }
    Archive::Spilled {
        path,
        bytes: call.get("spillBytes").and_then(Value::as_f64),
        preview: text(call, "resultPreview"),
        args,
        is_error,
    }
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_text).map_or_else(String::new, |text| text.to_string_lossy().into_owned())
}
