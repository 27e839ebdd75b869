//! What goes out for a session file, as the core and its native applier have it: for `tests/laws/boundary.test.ts` to
//! compare with the boundary.
//!
//! `render FILE [PLACE...]` prints a JSON line for each place in the file's list of entries, for the branch that ends there:
//! `messages` as pi would send them, `out` as they go out (null where nothing changes), the `sizes` of both in UTF-16
//! units. Settings are the defaults. Without a place it prints the entries, migrated to version 3.

use std::io::{BufWriter, Write};

use decant::config::Config;
use decant::json::{Object, Value, stringify};
use decant::render::apply::apply;
use decant::session::Session;
use decant::transcript::projection::project;
use decant::transcript::window::Seen;
use decant::transcript::{Transcript, read_head};

#[expect(clippy::disallowed_methods, reason = "an example reads its file; the core does not")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    let path = arguments.next().ok_or("usage: render FILE [PLACE...]")?;
    let transcript = Transcript::read(&std::fs::read(path)?)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let whole = if arguments.peek().is_none() { transcript.entries.as_slice() } else { &[] };
    for entry in whole {
        writeln!(out, "{}", stringify(&entry.value))?;
    }
    for place in arguments {
        let leaf = transcript.entries.get(place.parse::<usize>()?).ok_or("no entry at this place")?;
        let branch = transcript.branch(&leaf.id.to_string_lossy());
        let mut session = Session::new(Config::default(), "/work");
        let entries: Vec<_> = branch.iter().map(|one| read_head::entry(&one.value, session.symbols())).collect();
        session.extend(entries);
        let messages: Vec<Value> = project(&branch).into_iter().map(|one| one.message.into_owned()).collect();
        let seen: Vec<Seen> =
            messages.iter().map(|one| Seen::Head(read_head::message_head(one, session.symbols()))).collect();
        session.read_window(0, seen);
        let sent = session.render().map_or(Value::Null, |plan| apply(&plan, session.forms().texts(), &messages).into());
        let sizes = session.sizes();
        let sizes = Object::from_iter([("before", sizes.before as f64), ("after", sizes.after as f64)]);
        let line = Object::from_iter([("messages", Value::from(messages)), ("out", sent), ("sizes", sizes.into())]);
        writeln!(out, "{}", stringify(&line.into()))?;
    }
    Ok(out.flush()?)
}
