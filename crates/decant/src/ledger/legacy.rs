//! Entries that the original wrote (condense.md section 2): read, never written by a flush of ours.
//!
//! The original names an occurrence `toolCallId@resultTimestamp`, its oldest records by the bare id. Both are matched to
//! the results that stand on the branch before the entry; a bare id only where it names exactly one (law 5).

use super::record::{Archive, BlockRecord, Record, Stats};
use super::{Ledger, Mark};
use crate::json::Value;
use crate::text::hash::text_hash;
use crate::text::units;
use crate::transcript::branch::{Branch, Key, Pos};
use crate::transcript::head::{Head, Role};
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
    /// The text of each summary and what it speaks of.
    bodies: Vec<(Vec<OccurrenceKey>, String)>,
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
            "context-prune-summary" => self.fold_summary(data, symbols),
            "context-prune-dedup-alias" => self.fold_alias(mark, data, symbols),
            "context-prune-chain" => self.fold_chain(mark, data, branch, symbols),
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
            // The session holds the text of a result that is on the branch: it need not stand in memory too.
            let record = match (at, &record.archive) {
                (Some(_), Archive::Inline { .. }) => Record { archive: Archive::Entry, ..record },
                _ => record,
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

    fn fold_summary(&mut self, data: &Value, symbols: &mut Symbols) {
        let refs = data.get("details").and_then(|details| details.get("toolCallRefs"));
        self.fold_refs(refs, symbols);
        let content = match data.get("content") {
            Some(Value::Array(blocks)) => {
                let texts = blocks.iter().filter(|block| block.get("type").and_then(Value::as_str) == Some("text"));
                texts.map(|block| text(block, "text")).collect::<Vec<_>>().join("\n")
            }
            _ => text(data, "content"),
        };
        let keys = refs.and_then(Value::as_array).into_iter().flatten();
        let keys = keys.filter_map(|one| read_key(one, "toolCallId", "resultTimestamp", symbols)).collect();
        if !content.is_empty() {
            self.legacy.bodies.push((keys, content));
        }
    }

    /// A chain of the original: its bounds are times, which must name one prompt and one reply. Otherwise nothing is
    /// hidden (fail closed; the original once deleted live turns by ids that repeat).
    fn fold_chain(&mut self, mark: Mark, data: &Value, branch: &Branch, symbols: &mut Symbols) {
        let bound = |key: &str, role: Role| {
            let time = data.get(key)?.as_f64()?;
            match branch.at_key(Key::at(role, time)) {
                [only] if *only < mark.pos => Some(*only),
                _ => None,
            }
        };
        let start = bound("startUserTimestamp", Role::User);
        let end = bound("finalAssistantTimestamp", Role::Assistant);
        let (Some(start), Some(end)) = (start, end) else { return };
        if start >= end {
            return;
        }
        let strings = |key: &str| -> Vec<String> {
            let list = data.get(key).and_then(Value::as_array).unwrap_or_default();
            list.iter().filter_map(Value::as_text).map(|text| text.to_string_lossy().into_owned()).collect()
        };
        let inside: Vec<Pos> = (start + 1..end)
            .filter(|&pos| branch.head(pos).is_some_and(|head| head.role == Role::ToolResult))
            .collect();
        let protected = strings("protectedToolCallIds");
        let answers = |pos: Pos| branch.head(pos).map_or(Sym::EMPTY, Head::answers);
        let protected = inside.iter().copied().filter(|&pos| {
            let call = symbols.name(answers(pos));
            protected.iter().any(|id| id == call)
        });
        let protected: Vec<Pos> = protected.collect();
        let mut body = text(data, "rangeSummaryText");
        if body.is_empty() {
            let covered = |key: &OccurrenceKey| {
                inside.iter().any(|&pos| {
                    let time = branch.head(pos).map(|head| head.timestamp.to_bits());
                    answers(pos) == key.call && (key.timestamp.is_none() || key.timestamp == time)
                })
            };
            let bodies = self.legacy.bodies.iter().filter(|(keys, _)| keys.iter().any(covered));
            body = bodies.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n\n");
        }
        self.last_mark = Some(mark);
        self.add_block(BlockRecord {
            id: text(data, "blockId"),
            start,
            end,
            strip_reply: true,
            units: units::len(&body),
            body,
            refs: strings("toolRefs"),
            protected,
            parts: self.blocks.iter().map(|block| block.id.clone()).collect(),
            shown: true,
        });
    }

    fn fold_alias(&mut self, mark: Mark, data: &Value, symbols: &mut Symbols) {
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
        if let Some(time) = data.get("thinkingStripBoundaryTimestamp").and_then(Value::as_f64) {
            // Assistants before this time lost their thinking.
            let kept = (0..pos)
                .find(|&at| branch.head(at).is_some_and(|head| head.role == Role::Assistant && head.timestamp >= time));
            self.thinking_before = self.thinking_before.max(kept);
        }
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
