//! What a transcript is, and what is wrong with it.

use super::run::Run;
use super::terms::PriceSource;
use super::texts::text_of;
use super::totals::Billed;
use crate::json::Value;
use crate::session::Session;
use crate::text::units;
use crate::transcript::fault::{Fault, FaultKind};
use crate::transcript::head::{Body, Head};
use crate::transcript::import::NotUnderstood;
use crate::transcript::symbols::Sym;
use crate::transcript::{SessionEntry, Transcript};
use rustc_hash::FxHashSet;
use serde::Serialize;

/// More branches than this are not offered.
const MAX_LEAVES: usize = 200;

/// More findings of one kind than this are counted in one.
const MAX_FINDINGS: usize = 100;

/// UTF-16 units of a branch's label.
const LABEL_UNITS: usize = 80;

/// An end of the session's tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Leaf {
    pub id: String,
    /// The last prompt on it.
    pub label: String,
    pub messages: u32,
}

/// Something that is not as it should be, and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    pub kind: &'static str,
    pub message: String,
    /// What the render does about it.
    pub render: &'static str,
}

/// A transcript at a glance.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Overview {
    pub format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub bytes: f64,
    /// Of the file.
    pub entries: u32,
    /// Of the branch.
    pub messages: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    pub leaves: Vec<Leaf>,
    pub leaf: String,
    pub not_understood: Vec<NotUnderstood>,
    pub findings: Vec<Finding>,
    /// Whether a pruner decided something in this session, so that it can be shown as recorded.
    pub has_decisions: bool,
    /// Tokens of system prompt and tools that every request carried and the log does not hold, from its first bill. Counted
    /// on both sides.
    pub unseen: f64,
    /// What the provider counted.
    pub billed: Billed,
    /// Where the prices of all models come from, each source once.
    pub prices: Vec<PriceSource>,
    /// Tokens that a request behind the last message would carry, without and with pruning.
    pub next_off: f64,
    pub next_on: f64,
}

fn is_message(entry: &SessionEntry) -> bool {
    matches!(entry.kind(), "message" | "custom_message" | "branch_summary" | "compaction")
}

/// How many messages a path has.
pub fn count_messages<'a>(path: impl Iterator<Item = &'a SessionEntry>) -> u32 {
    path.filter(|entry| is_message(entry)).count() as u32
}

/// The ends of the tree, newest first.
pub fn leaves(transcript: &Transcript) -> Vec<Leaf> {
    let mut places = transcript.leaves();
    let last = transcript.entries.len().checked_sub(1);
    // Where pi goes on is offered, whatever follows it.
    if let Some(last) = last.filter(|last| !places.contains(last)) {
        places.push(last);
    }
    places.reverse();
    places.truncate(MAX_LEAVES);
    let leaf = |place: usize| {
        let path = transcript.path(place);
        let entries = || path.iter().map(|&at| &transcript.entries[at]);
        Leaf {
            id: transcript.entries[place].id.to_string(),
            label: entries().rev().find_map(prompt).unwrap_or_else(|| "no prompt".to_owned()),
            messages: count_messages(entries()),
        }
    };
    places.into_iter().map(leaf).collect()
}

/// The words of a user's message in one short line.
fn prompt(entry: &SessionEntry) -> Option<String> {
    let message = entry.value.get("message").filter(|_| entry.kind() == "message")?;
    message.get("role").filter(|role| role.as_str() == Some("user"))?;
    let text = text_of(message.get("content").unwrap_or(&Value::Null));
    let text = text.replace(|c: char| c.is_control() && !c.is_whitespace(), "");
    let line = text.split_whitespace().take(30).collect::<Vec<_>>().join(" ");
    Some(units::head(&line, LABEL_UNITS).to_owned()).filter(|line| !line.is_empty())
}

/// The faults of the file, then those of the branch.
pub fn findings(transcript: &Transcript, path: &[&SessionEntry], run: &Run) -> Vec<Finding> {
    let mut list = List::default();
    for fault in &transcript.faults {
        list.push(of_fault(fault));
    }
    let core = &run.core;
    let mut open: Vec<(Sym, usize)> = Vec::new();
    let mut answered: FxHashSet<Sym> = FxHashSet::default();
    for (at, entry) in path.iter().enumerate() {
        let Some(&pos) = run.positions.get(at) else { break };
        let Some(head) = core.branch().head(pos) else { continue };
        match &head.body {
            Body::Assistant { calls, failed } => {
                unanswered(&mut open, path, core, &mut list);
                if *failed {
                    let message = "a reply that failed or was aborted".to_owned();
                    let render = "pi leaves it out of every request; so its size is counted as none";
                    list.push(finding(entry, "failed", message, render));
                } else {
                    answered.clear();
                    open.extend(calls.iter().map(|call| (call.id, at)));
                }
            }
            Body::Result { call, .. } => {
                if core.branch().pair(pos).is_some() {
                    answered.insert(*call);
                    if let Some(found) = open.iter().position(|(id, _)| id == call) {
                        open.remove(found);
                    }
                } else {
                    list.push(orphan(entry, head, core, answered.contains(call)));
                }
            }
            Body::Plain => unanswered(&mut open, path, core, &mut list),
        }
    }
    unanswered(&mut open, path, core, &mut list);
    list.finish()
}

fn orphan(entry: &SessionEntry, head: &Head, core: &Session, doubled: bool) -> Finding {
    let call = core.name(head.answers());
    let (kind, message) = if doubled {
        ("doubled", format!("a second result for the call {call}"))
    } else {
        ("orphan", format!("a result for the call {call}, which no reply before it made"))
    };
    finding(entry, kind, message, "left out of every request: a provider would refuse it")
}

fn unanswered(open: &mut Vec<(Sym, usize)>, path: &[&SessionEntry], core: &Session, list: &mut List) {
    for (call, at) in open.drain(..) {
        let message = format!("the call {} has no result", core.name(call));
        list.push(finding(
            path[at],
            "unanswered",
            message,
            "goes out as it is; pi says \"No result provided\" in its place",
        ));
    }
}

fn finding(entry: &SessionEntry, kind: &'static str, message: String, render: &'static str) -> Finding {
    Finding { line: Some(entry.line), entry: Some(entry.id.to_string()), kind, message, render }
}

fn of_fault(fault: &Fault) -> Finding {
    let (kind, render) = match &fault.kind {
        FaultKind::ByteOrderMark => ("byte-order-mark", "read without it"),
        FaultKind::CarriageReturns { .. } => ("carriage-returns", "none: the text is the same"),
        FaultKind::Blank => ("blank", "none: there is nothing in it"),
        FaultKind::Welded { .. } => ("welded", "all entries of the line are used"),
        FaultKind::Torn { .. } => ("torn", "what is lost is in no request; the rest of the line is used"),
        FaultKind::NotJson { .. } => ("not-json", "what cannot be read is in no request"),
        FaultKind::NotAnEntry { .. } => ("not-an-entry", "it is in no request"),
        FaultKind::SecondHeader => ("second-header", "it is in no request"),
        FaultKind::NoId => ("no-id", "it is in no request: nothing can name it"),
        FaultKind::RepeatedId { .. } => {
            ("repeated-id", "decisions are kept by place, so none is taken for the wrong one")
        }
        FaultKind::MissingParent { .. } => ("missing-parent", "what stood before is in no request"),
        FaultKind::ParentLoop { .. } => ("parent-loop", "the branch begins here"),
        FaultKind::NoMessage => ("no-message", "it is in no request"),
        FaultKind::NoReplacement => ("no-replacement", "its target goes out as it is"),
    };
    Finding { line: Some(fault.line), entry: None, kind, message: fault.kind.to_string(), render }
}

/// Findings, so many of a kind.
#[derive(Default)]
struct List {
    findings: Vec<Finding>,
    counts: Vec<(&'static str, u32, &'static str)>,
}

impl List {
    fn push(&mut self, finding: Finding) {
        let known = self.counts.iter().position(|(kind, ..)| *kind == finding.kind);
        let at = known.unwrap_or(self.counts.len());
        if known.is_none() {
            self.counts.push((finding.kind, 0, finding.render));
        }
        self.counts[at].1 += 1;
        let count = self.counts[at].1;
        if count as usize <= MAX_FINDINGS {
            self.findings.push(finding);
        }
    }

    fn finish(mut self) -> Vec<Finding> {
        for (kind, count, render) in self.counts {
            if let Some(more) = count.checked_sub(MAX_FINDINGS as u32).filter(|more| *more > 0) {
                self.findings.push(Finding {
                    line: None,
                    entry: None,
                    kind,
                    message: format!("and {more} more of this kind"),
                    render,
                });
            }
        }
        self.findings
    }
}
