//! Ids and refs to occurrences, and the answer around their text.

use super::page::{PAGE_BYTES, Page, page};
use crate::capture::batch;
use crate::capture::source::Source;
use crate::epoch::flush::Ground;
use crate::json::stringify;
use crate::ledger::record::{Archive, BlockRecord, Record};
use crate::transcript::branch::{Key, Pair, Pos};
use crate::transcript::head::Body;
use std::fmt::Write;

/// What is asked for at once.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// Where to begin in each text, UTF-16 units.
    pub offset: usize,
    /// How much of each text at the most, UTF-16 units.
    pub limit: usize,
}

/// A piece of the answer. The text of an original is not copied: the host cuts it from its own string, so that what the
/// model gets is what the tool wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    /// Units `start..end` of the text of this entry's result.
    Cut {
        entry: String,
        start: usize,
        end: usize,
    },
    /// The images of this entry's result.
    Images {
        entry: String,
    },
}

impl Piece {
    /// UTF-16 units of text.
    fn size(&self) -> usize {
        match self {
            Self::Text(text) => crate::text::units::len(text),
            Self::Cut { start, end, .. } => end - start,
            Self::Images { .. } => 0,
        }
    }
}

/// The answer for one id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The id as it was asked for.
    pub id: String,
    pub reference: Option<String>,
    pub entry: Option<String>,
    pub found: bool,
    pub pieces: Vec<Piece>,
}

/// One occurrence that an id names.
enum Target<'a> {
    Record(&'a Record),
    /// A result that is on the branch and was never archived.
    Live(Pos),
}

impl Ground<'_> {
    /// Answers every id, in order. A bare call id that names several results yields all of them (law 5).
    pub fn query(&self, ids: &[String], ask: Ask, source: &dyn Source) -> Vec<Found> {
        ids.iter().flat_map(|id| self.answer(id.trim(), ask, source)).collect()
    }

    fn answer(&self, id: &str, ask: Ask, source: &dyn Source) -> Vec<Found> {
        if let Some(block) = self.ledger.blocks().iter().find(|block| block.id == id && !id.is_empty()) {
            return self.members(block, ask, source);
        }
        let targets = self.resolve(id);
        if targets.is_empty() {
            // Numbers that a failed flush took are gone; to wait for them would be in vain.
            let number = id.strip_prefix('t').and_then(|digits| digits.parse::<u64>().ok());
            let why = match number {
                Some(number) if number < self.ledger.next_ref() => "no output has this ref on this branch",
                _ => "may not have been summarized yet",
            };
            let text = format!("## toolRef: {id}\n(not found in index — {why})");
            return vec![Found {
                id: id.to_owned(),
                reference: None,
                entry: None,
                found: false,
                pieces: vec![Piece::Text(text)],
            }];
        }
        let many = targets.len() > 1;
        targets.into_iter().map(|target| self.show(id, many, &target, ask, source)).collect()
    }

    /// What a block hides, in order: what the agent said, its calls that nobody answered, the results; as much as fits on
    /// one page, the rest is named.
    fn members(&self, block: &BlockRecord, ask: Ask, source: &dyn Source) -> Vec<Found> {
        let mut head = format!("## block: {}\n{}\n\nResults: {}", block.id, block.body, block.refs.join(", "));
        let mut found = Vec::new();
        let mut rest: Vec<String> = Vec::new();
        let mut shown = 0;
        for pos in block.start + 1..block.end {
            let one = match self.branch.head(pos).map(|head| &head.body) {
                Some(Body::Assistant { .. }) => self.said(pos, block, ask, source),
                Some(Body::Result { .. }) => self.ledger.record_at(pos).and_then(|record| {
                    let name = record.reference.as_deref()?;
                    Some(self.show(name, false, &Target::Record(record), ask, source))
                }),
                _ => None,
            };
            let Some(one) = one else { continue };
            shown += one.pieces.iter().map(Piece::size).sum::<usize>();
            if shown > PAGE_BYTES && !found.is_empty() {
                rest.push(one.reference.or(one.entry).unwrap_or(one.id));
            } else {
                found.push(one);
            }
        }
        if !rest.is_empty() {
            _ = write!(head, "\nNot shown here, ask for: {}", rest.join(", "));
        }
        let pieces = vec![Piece::Text(head)];
        found.insert(0, Found { id: block.id.clone(), reference: None, entry: None, found: true, pieces });
        found
    }

    /// What an assistant message says beside its calls, and those of them that have no result.
    fn said(&self, pos: Pos, block: &BlockRecord, ask: Ask, source: &dyn Source) -> Option<Found> {
        let entry = self.symbols.name(self.branch.id(pos)?).to_owned();
        let head = self.branch.head(pos)?;
        let turn = self.branch.turn(pos).unwrap_or(0);
        let mut pieces = vec![Piece::Text(format!("## assistant, turn {turn} (entry {entry})\n"))];
        if head.text_units > 0 {
            let page = page(&source.text(&entry)?, ask.offset, ask.limit);
            pieces.push(Piece::Cut { entry: entry.clone(), start: page.start, end: page.end });
            push_note(&mut pieces, &page);
        }
        let answered = |call: u32| {
            let pair = Some(Pair { assistant: pos, call });
            (pos + 1..block.end).any(|result| self.branch.pair(result) == pair)
        };
        for (nth, call) in head.calls().iter().enumerate().filter(|(nth, _)| !answered(*nth as u32)) {
            let args = source.arguments(&entry, nth as u32).unwrap_or_default();
            pieces.push(Piece::Text(format!("\nCall without a result: {}({args})", self.symbols.name(call.tool))));
        }
        (pieces.len() > 1).then_some(Found {
            id: block.id.clone(),
            reference: None,
            entry: Some(entry),
            found: true,
            pieces,
        })
    }

    fn resolve(&self, id: &str) -> Vec<Target<'_>> {
        let by_ref: Vec<Target<'_>> = self.ledger.by_ref(id).take(1).map(Target::Record).collect();
        if !by_ref.is_empty() {
            return by_ref;
        }
        let occurrence =
            id.rsplit_once('@').and_then(|(call, at)| Some((self.symbols.find(call)?, at.parse::<f64>().ok()?)));
        if let Some((call, timestamp)) = occurrence {
            let places = self.branch.at_key(Key::result(call, timestamp));
            if !places.is_empty() {
                return places.iter().map(|&pos| self.target(pos)).collect();
            }
        }
        let Some(sym) = self.symbols.find(id).filter(|_| !id.is_empty()) else { return Vec::new() };
        if let Some(pos) = self.branch.pos(sym).filter(|&pos| self.is_result(pos)) {
            return vec![self.target(pos)];
        }
        let places = self.branch.at_call(sym);
        let archived: Vec<Target<'_>> =
            places.iter().filter_map(|&pos| self.ledger.record_at(pos)).map(Target::Record).collect();
        if !archived.is_empty() {
            return archived;
        }
        if !places.is_empty() {
            return places.iter().map(|&pos| Target::Live(pos)).collect();
        }
        // A record of the original whose result is not on this branch any more.
        self.ledger.records().iter().filter(|record| record.call == sym).map(Target::Record).collect()
    }

    fn target(&self, pos: Pos) -> Target<'_> {
        self.ledger.record_at(pos).map_or(Target::Live(pos), Target::Record)
    }

    fn is_result(&self, pos: Pos) -> bool {
        self.branch.head(pos).is_some_and(|head| matches!(head.body, Body::Result { .. }))
    }

    fn show(&self, id: &str, many: bool, target: &Target<'_>, ask: Ask, source: &dyn Source) -> Found {
        let (at, record) = match target {
            Target::Record(record) => (record.at, Some(*record)),
            Target::Live(pos) => (Some(*pos), None),
        };
        let reference = record.and_then(|record| record.reference.clone());
        let entry = record.map(|record| record.entry).or_else(|| at.and_then(|pos| self.branch.id(pos)));
        let entry = entry.map(|entry| self.symbols.name(entry).to_owned()).filter(|entry| !entry.is_empty());
        let mut label = id.to_owned();
        if many {
            let time = at.and_then(|pos| self.branch.head(pos)).map(|head| head.timestamp);
            let time = time.or_else(|| record.and_then(|record| record.timestamp)).unwrap_or(f64::NAN);
            label = format!("{id}@{}", ryu_js::Buffer::new().format(time));
        }
        let mut pieces = vec![Piece::Text(self.header(&label, at, record, source))];
        let text = entry.as_deref().and_then(|entry| Some((entry, source.text(entry)?)));
        if let Some((entry, text)) = text {
            let page = page(&text, ask.offset, ask.limit);
            pieces.push(Piece::Cut { entry: entry.to_owned(), start: page.start, end: page.end });
            push_note(&mut pieces, &page);
            if at.and_then(|pos| self.branch.head(pos)).is_some_and(|head| head.images > 0) && ask.offset == 0 {
                pieces.push(Piece::Images { entry: entry.to_owned() });
            }
        } else {
            show_archive(record, ask, &mut pieces);
        }
        Found { id: id.to_owned(), reference, entry, found: true, pieces }
    }

    fn header(&self, label: &str, at: Option<Pos>, record: Option<&Record>, source: &dyn Source) -> String {
        let pair = at.and_then(|pos| self.branch.pair(pos));
        let live_args = pair.and_then(|pair| {
            let assistant = self.branch.id(pair.assistant)?;
            source.arguments(self.symbols.name(assistant), pair.call)
        });
        let archived = record.and_then(|record| match &record.archive {
            Archive::Inline { args, is_error, .. } | Archive::Spilled { args, is_error, .. } => Some((args, *is_error)),
            Archive::Entry | Archive::Whole | Archive::Same { .. } | Archive::Recovered => None,
        });
        let args = live_args.or_else(|| archived.map(|(args, _)| stringify(args))).unwrap_or_else(|| "{}".to_owned());
        let tool = at.map_or_else(
            || record.map_or("", |record| self.symbols.name(record.tool)),
            |pos| self.symbols.name(batch::tool(self.branch, pos)),
        );
        let live_error = at
            .and_then(|pos| self.branch.head(pos))
            .map(|head| matches!(head.body, Body::Result { is_error: true, .. }));
        let is_error = live_error.or(archived.map(|(_, is_error)| is_error)).unwrap_or(false);
        let turn =
            record.and_then(|record| record.turn).or_else(|| pair.and_then(|pair| self.branch.turn(pair.assistant)));
        let turn = turn.map_or_else(|| "-1".to_owned(), |turn| turn.to_string());
        let legacy = if record.is_some_and(|record| record.timestamp.is_none()) {
            "Occurrence: legacy (no resultTimestamp)\n"
        } else {
            ""
        };
        let status = if is_error { "ERROR" } else { "OK" };
        format!("## toolRef: {label}\n{legacy}Tool: {tool}\nArgs: {args}\nStatus: {status}\nTurn: {turn}\n\n")
    }
}

/// A record whose entry is not there: what the original kept of it.
fn show_archive(record: Option<&Record>, ask: Ask, pieces: &mut Vec<Piece>) {
    let text = match record.map(|record| &record.archive) {
        Some(Archive::Inline { text, .. }) => text.as_str(),
        Some(Archive::Spilled { path, preview, .. }) => {
            let head = if preview.is_empty() { "(no preview)" } else { preview.as_str() };
            pieces.push(Piece::Text(format!("{head}\n\n[The whole output stands in the file {path}]")));
            return;
        }
        Some(Archive::Entry | Archive::Whole | Archive::Same { .. } | Archive::Recovered) | None => {
            pieces.push(Piece::Text("(the session entry of this output is gone)".to_owned()));
            return;
        }
    };
    let page = page(text, ask.offset, ask.limit);
    let (start, end) = (crate::text::units::byte_at(text, page.start), crate::text::units::byte_at(text, page.end));
    pieces.push(Piece::Text(text[start..end].to_owned()));
    push_note(pieces, &page);
}

fn push_note(pieces: &mut Vec<Piece>, page: &Page) {
    if page.is_cut() || page.start > 0 {
        let next = if page.is_cut() { format!(" Continue with offset {}.", page.end) } else { String::new() };
        pieces.push(Piece::Text(format!(
            "\n\n[Output truncated: {}/{} lines shown, characters {}-{} of {}.{next}]",
            page.lines, page.total_lines, page.start, page.end, page.total
        )));
    }
}
