//! The messages pi would send, as the core reads a session file: for `tests/laws/projection.test.ts` to compare with pi.
//!
//! `projection FILE [PLACE...]` prints one JSON line with `entries` (the line of each) and `faults`, then one for each
//! place in that list, all if none is given: the messages of the branch that ends there, as `[place, JSON text]`.

#![allow(clippy::disallowed_methods, reason = "an example reads a file; the core does not")]

use std::io::{BufWriter, Write};

use decant::json::{Object, Value, stringify};
use decant::transcript::{SessionEntry, Transcript};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: projection FILE [PLACE...]")?;
    let places: Vec<usize> = arguments.map(|place| place.parse()).collect::<Result<_, _>>()?;
    let transcript = Transcript::read(&std::fs::read(path)?)?;
    let entries = &transcript.entries;
    let mut out = BufWriter::new(std::io::stdout().lock());

    let lines: Vec<Value> = entries.iter().map(|entry| entry.line.into()).collect();
    let faults: Vec<Value> = transcript.faults.iter().map(|fault| fault.to_string().into()).collect();
    let summary = Object::from_iter([("entries", lines), ("faults", faults)]);
    writeln!(out, "{}", stringify(&summary.into()))?;

    let place_of = |wanted: &SessionEntry| entries.iter().position(|entry| std::ptr::eq(entry, wanted));
    let all = if places.is_empty() { 0..entries.len() } else { 0..0 };
    for place in places.into_iter().chain(all) {
        let leaf = entries.get(place).ok_or("no entry at this place")?;
        let messages = transcript.projection(&leaf.id.to_string_lossy()).into_iter().map(|projected| {
            let place = place_of(projected.entry).map_or(Value::Null, |place| Value::from(place as f64));
            Value::from(vec![place, stringify(&projected.message).into()])
        });
        writeln!(out, "{}", stringify(&messages.collect::<Vec<_>>().into()))?;
    }
    Ok(out.flush()?)
}
