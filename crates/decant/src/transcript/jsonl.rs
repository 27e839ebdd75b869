//! The lines of a session file, whatever state they are in.

use serde_json::value::RawValue;

use super::fault::{Fault, FaultKind};
use crate::json::{self, ParseError, Value};

/// A JSON value and the line it stands on, from 1.
#[derive(Clone, Debug)]
pub struct Line {
    pub number: u32,
    pub value: Value,
}

/// Beginning of every entry that pi or a tool of its kind wrote; where to look for the next after one that is cut off.
const ENTRY_START: &str = "{\"type\":";

/// Entry starts tried on one line. A line of many cut-off values would otherwise take a time that grows with its square.
const MAX_TRIES: usize = 1_000;

/// All JSON values of the file in order. What could not be read goes to `faults`.
pub fn read_lines(bytes: &[u8], faults: &mut Vec<Fault>) -> Vec<Line> {
    read_lines_watched(bytes, faults, &mut |_| true).unwrap_or_default()
}

/// How many bytes are read between two reports of progress.
const REPORT_BYTES: usize = 1 << 18;

/// The same; `watch` is told now and then how many bytes are behind and ends the reading with false.
pub fn read_lines_watched(
    bytes: &[u8],
    faults: &mut Vec<Fault>,
    watch: &mut dyn FnMut(usize) -> bool,
) -> Option<Vec<Line>> {
    let body = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    if body.len() < bytes.len() {
        faults.push(Fault { line: 1, kind: FaultKind::ByteOrderMark });
    }
    let body = body.strip_suffix(b"\n").unwrap_or(body);
    let mut lines = Vec::new();
    let (mut returns, mut first_return) = (0, 0);
    let (mut done, mut reported) = (0, 0);
    for (at, text) in body.split(|&byte| byte == b'\n').enumerate() {
        let number = at as u32 + 1;
        if done - reported >= REPORT_BYTES {
            reported = done;
            if !watch(done) {
                return None;
            }
        }
        done += text.len() + 1;
        let text = if let Some(text) = text.strip_suffix(b"\r") {
            returns += 1;
            first_return = if returns == 1 { number } else { first_return };
            text
        } else {
            text
        };
        match json::parse(text) {
            Ok(value) => lines.push(Line { number, value }),
            Err(error) => read_faulty(text, number, &error, &mut lines, faults),
        }
    }
    if returns > 0 {
        faults.push(Fault { line: first_return, kind: FaultKind::CarriageReturns { lines: returns } });
    }
    Some(lines)
}

/// Reads what can be read of a line that is no JSON text: welded entries, and those behind one that is cut off.
fn read_faulty(text: &[u8], number: u32, error: &ParseError, lines: &mut Vec<Line>, faults: &mut Vec<Fault>) {
    let text = String::from_utf8_lossy(text);
    let mut fault = |kind| faults.push(Fault { line: number, kind });
    if text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}').is_empty() {
        return fault(FaultKind::Blank);
    }
    if *error == ParseError::TooDeep {
        return fault(FaultKind::NotJson { bytes: text.len(), reason: error.to_string() });
    }
    let before = lines.len();
    let mut rest: &str = &text;
    while !rest.trim_start().is_empty() {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
        let failed = loop {
            match values.next() {
                Some(Ok(raw)) => match json::parse(raw.get().as_bytes()) {
                    Ok(value) => lines.push(Line { number, value }),
                    Err(error) => fault(FaultKind::NotJson { bytes: raw.get().len(), reason: error.to_string() }),
                },
                Some(Err(error)) => break error,
                None => return weld(lines.len() - before, fault),
            }
        };
        let lost = &rest[values.byte_offset().min(rest.len())..];
        let next = next_entry(lost);
        let bytes = next.unwrap_or(lost.len());
        // A value that another begins in, or the line's end, was cut off; what does not even begin like one is noise.
        if lost.trim_start().starts_with('{') && (next.is_some() || failed.is_eof()) {
            fault(FaultKind::Torn { bytes });
        } else {
            fault(FaultKind::NotJson { bytes, reason: failed.to_string() });
        }
        rest = &lost[bytes..];
    }
    weld(lines.len() - before, fault);
}

fn weld(entries: usize, mut fault: impl FnMut(FaultKind)) {
    if entries > 1 {
        fault(FaultKind::Welded { entries: entries as u32 });
    }
}

/// Where the next whole entry begins in a text that begins with something unreadable. A value inside the unreadable one
/// is not taken for an entry: it has no `timestamp` of its own, or is followed by something else than an entry.
fn next_entry(text: &str) -> Option<usize> {
    text.match_indices(ENTRY_START).map(|(at, _)| at).filter(|&at| at > 0).take(MAX_TRIES).find(|&at| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<&RawValue>();
        let Some(Ok(raw)) = values.next() else { return false };
        let after = text[at + values.byte_offset()..].trim_start();
        (after.is_empty() || after.starts_with('{'))
            && json::parse(raw.get().as_bytes()).is_ok_and(|value| {
                value.get("type").is_some_and(|kind| kind.as_str().is_some())
                    && value.get("timestamp").is_some_and(|time| time.as_str().is_some())
            })
    })
}
