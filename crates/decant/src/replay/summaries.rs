//! The summary of a batch, without asking a model: the one that the session already has, else a deterministic stand-in of
//! the size and kind that a summarizer is asked for.

use super::texts::Texts;
use crate::capture::batch;
use crate::capture::source::Source;
use crate::json::{Value, stringify};
use crate::ledger::Ledger;
use crate::session::Session;
use crate::text::{labels, units};
use crate::transcript::branch::{Branch, Pos};
use crate::transcript::head::{Body, Head};
use std::fmt::Write;

/// Where a summary came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Recorded,
    Deterministic,
}

/// UTF-16 units of a call's arguments, and of a line of its output, in a stand-in.
const ARGUMENT_UNITS: usize = 120;
const LINE_UNITS: usize = 160;

/// A batch of a planned flush: its results and the refs they get.
#[derive(Clone, Debug)]
pub struct Asked {
    pub results: Vec<Pos>,
    pub refs: Vec<String>,
    /// UTF-16 units of the request to the summarizer.
    pub prompt_units: u64,
}

/// What the session itself decided, if a pruner ran in it. `at` turns a place of the replayed branch into one of its own.
#[derive(Debug, Default)]
pub struct Recorded {
    session: Option<Session>,
}

impl Recorded {
    pub fn new(session: Option<Session>) -> Self {
        Self { session: session.filter(|session| session.ledger().summary_count() > 0) }
    }

    /// The summaries of all these results with today's refs in the place of those of then; none where one has none.
    /// `ids` are their entry ids.
    fn text(&self, ids: &[&str], refs: &[String]) -> Option<String> {
        let session = self.session.as_ref()?;
        let ledger: &Ledger = session.ledger();
        let places: Vec<Pos> = ids.iter().map(|id| session.place(id)).collect::<Option<_>>()?;
        let mut summaries: Vec<usize> = places.iter().map(|&pos| ledger.summary_of(pos)).collect::<Option<_>>()?;
        summaries.dedup();
        let renamed: Vec<(&str, &str)> = places
            .iter()
            .zip(refs)
            .filter_map(|(&pos, new)| Some((ledger.record_at(pos)?.reference.as_deref()?, new.as_str())))
            .collect();
        let texts = summaries.iter().map(|&summary| rename(body(&ledger.summary(summary).text), &renamed));
        Some(texts.collect::<Vec<_>>().join("\n"))
    }
}

/// A summary without the footer that names its refs.
fn body(summary: &str) -> &str {
    summary.rfind("\n\n---\n**Summarized tool refs**").map_or(summary, |at| &summary[..at])
}

/// Each `` `old` `` becomes `` `new` ``.
fn rename(text: &str, renamed: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(text.len());
    for (nth, part) in text.split('`').enumerate() {
        if nth > 0 {
            out.push('`');
        }
        // Every second part stands between two backticks.
        let new = renamed.iter().find(|(old, _)| nth % 2 == 1 && *old == part).map(|(_, new)| *new);
        out.push_str(new.unwrap_or(part));
    }
    out
}

/// The summary of a batch, before its labels become refs.
pub fn summary(asked: &Asked, core: &Session, recorded: &Recorded, texts: &Texts<'_>) -> (String, Origin) {
    let ids: Vec<&str> =
        asked.results.iter().map(|&pos| core.branch().id(pos).map_or("", |id| core.name(id))).collect();
    if let Some(text) = recorded.text(&ids, &asked.refs) {
        return (text, Origin::Recorded);
    }
    let mut text = String::new();
    for (index, &pos) in asked.results.iter().enumerate() {
        call(&mut text, index, pos, core.branch(), core, texts);
    }
    (text, Origin::Deterministic)
}

/// Two lines on one call: what was asked, how it ended, how its output begins and ends.
fn call(text: &mut String, index: usize, pos: Pos, branch: &Branch, core: &Session, texts: &Texts<'_>) {
    let head: &Head = branch.head(pos).unwrap_or(&Head::NOTHING);
    let tool = core.name(batch::tool(branch, pos));
    let failed = matches!(head.body, Body::Result { is_error: true, .. });
    let arguments = branch.pair(pos).and_then(|pair| texts.call(core.name(branch.id(pair.assistant)?), pair.call));
    let arguments = arguments.map_or_else(String::new, brief);
    let status = if failed { "failed" } else { "ok" };
    _ = writeln!(text, "- {} {arguments} ({status}, {} chars)", labels::label(index, tool), head.text_units);
    let output = branch.id(pos).and_then(|id| texts.text(core.name(id))).unwrap_or_default();
    let mut lines = output.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next();
    for line in first.into_iter().chain(lines.next_back()) {
        _ = writeln!(text, "  {}", units::head(line, LINE_UNITS));
    }
}

/// The argument that tells most: a path, a command, a pattern; else all as JSON.
fn brief(arguments: &Value) -> String {
    const TELLING: [&str; 8] = ["path", "file_path", "filePath", "command", "cmd", "pattern", "query", "url"];
    let telling = TELLING.iter().find_map(|key| arguments.get(key)?.as_text());
    let text = telling.map_or_else(|| stringify(arguments), ToString::to_string);
    units::head(&text, ARGUMENT_UNITS).chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refs_of_then_become_refs_of_now() {
        let text = "- `t4` reads `t9`\n- t4 stays, `t5` x\n\n---\n**Summarized tool refs**: `t4`, `t5`\nUse ...";
        assert_eq!(rename(body(text), &[("t4", "t1"), ("t5", "t4")]), "- `t1` reads `t9`\n- t4 stays, `t4` x");
    }
}
