//! Heads and entries off the tape that `js/boundary.js` writes. The two files agree on the numbers below.

use decant::json::{self, Value};
use decant::transcript::entry::{Entry, EntryKind};
use decant::transcript::head::{Body, Call, Head, Role};
use decant::transcript::symbols::{Sym, Symbols};
use decant::transcript::window::Seen;

const ROW: usize = 8;
const COMPACTION: u8 = 20;
const CONTEXT_EDIT: u8 = 21;
const OURS: u8 = 22;
const OURS_MESSAGE: u8 = 23;
const OTHER: u8 = 24;

/// Rows of numbers and one run of strings, in the order they were written.
pub struct Tape {
    pub rows: Vec<f64>,
    pub lengths: Vec<u32>,
    /// Lengths of the arguments of all calls.
    pub args: Vec<u32>,
    pub bytes: Vec<u8>,
}

/// Reads a tape from its start.
struct Reader<'a> {
    tape: &'a Tape,
    string: usize,
    byte: usize,
    call: usize,
}

impl<'a> Reader<'a> {
    fn new(tape: &'a Tape) -> Self {
        Self { tape, string: 0, byte: 0, call: 0 }
    }

    fn bytes(&mut self) -> &'a [u8] {
        let length = self.tape.lengths.get(self.string).copied().unwrap_or(0) as usize;
        self.string += 1;
        let start = self.byte;
        self.byte += length;
        self.tape.bytes.get(start..self.byte).unwrap_or_default()
    }

    fn text(&mut self) -> &'a str {
        std::str::from_utf8(self.bytes()).unwrap_or_default()
    }

    fn sym(&mut self, symbols: &mut Symbols) -> Sym {
        let text = self.text();
        symbols.intern(text)
    }

    fn head(&mut self, role: Role, row: &[f64], strings: usize, symbols: &mut Symbols) -> Head {
        let flag = row[1] > 0.0;
        let body = match role {
            Role::Assistant => {
                let calls = (0..strings / 3)
                    .map(|_| Call {
                        id: self.sym(symbols),
                        tool: self.sym(symbols),
                        path: self.sym(symbols),
                        args_units: self.number(),
                    })
                    .collect();
                Body::Assistant { calls, failed: flag }
            }
            Role::ToolResult => Body::Result { call: self.sym(symbols), tool: self.sym(symbols), is_error: flag },
            _ => Body::Plain,
        };
        Head {
            role,
            timestamp: row[2],
            text_units: row[3] as u32,
            thinking_units: row[4] as u32,
            thinking_blocks: row[5] as u32,
            images: row[6] as u32,
            body,
        }
    }

    fn number(&mut self) -> u32 {
        self.call += 1;
        self.tape.args.get(self.call - 1).copied().unwrap_or(0)
    }

    fn json(&mut self) -> Value {
        json::parse(self.bytes()).unwrap_or(Value::Null)
    }
}

/// The messages of a request: entries by their place, the others by their heads off the tape, in order.
pub fn messages(places: &[i32], tape: &Tape, symbols: &mut Symbols) -> Vec<Seen> {
    let mut reader = Reader::new(tape);
    let mut rows = tape.rows.chunks_exact(ROW);
    let seen = places.iter().filter_map(|&place| {
        if let Ok(place) = u32::try_from(place) {
            return Some(Seen::Entry(place));
        }
        let row = rows.next()?;
        Some(Seen::Head(reader.head(Role::from_code(row[0] as u8), row, row[7] as usize, symbols)))
    });
    seen.collect()
}

/// The entries of a tape.
pub fn entries(tape: &Tape, symbols: &mut Symbols) -> Vec<Entry> {
    let mut reader = Reader::new(tape);
    tape.rows.chunks_exact(ROW).map(|row| entry(&mut reader, row, symbols)).collect()
}

fn entry(reader: &mut Reader<'_>, row: &[f64], symbols: &mut Symbols) -> Entry {
    let id = reader.sym(symbols);
    // The id is the first string of each entry's row.
    let strings = (row[7] as usize).saturating_sub(1);
    let kind = match row[0] as u8 {
        COMPACTION => {
            let first_kept = Some(reader.sym(symbols)).filter(|kept| *kept != Sym::EMPTY);
            EntryKind::Compaction { head: reader.head(Role::CompactionSummary, row, 0, symbols), first_kept }
        }
        CONTEXT_EDIT => EntryKind::ContextEdit { target: reader.sym(symbols), omits: row[1] > 0.0 },
        OURS => EntryKind::Ours { custom_type: reader.text().into(), timestamp: row[2], data: reader.json() },
        OURS_MESSAGE => {
            let custom_type = reader.text().into();
            let data = reader.json();
            EntryKind::OursMessage { head: reader.head(Role::Custom, row, 0, symbols), custom_type, data }
        }
        OTHER => EntryKind::Other,
        role => EntryKind::Message(reader.head(Role::from_code(role), row, strings, symbols)),
    };
    Entry { id, kind }
}
