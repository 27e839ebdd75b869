//! A session file's header and entries, brought to version 3 as pi does on loading.

use thiserror::Error;

use super::fault::{Fault, FaultKind};
use super::jsonl::Line;
use crate::json::{JsText, Value};

/// The first entry of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    pub id: JsText,
    /// As the file has it: 1 where it says nothing.
    pub version: f64,
    /// The whole line: `timestamp`, `cwd`, `parentSession` and what else there may be.
    pub value: Value,
}

/// An entry as version 3 has it.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionEntry {
    /// The line it stands on, from 1.
    pub line: u32,
    pub id: JsText,
    pub value: Value,
}

impl SessionEntry {
    /// `type`, or nothing where it is none we could know.
    pub fn kind(&self) -> &str {
        self.value.get("type").and_then(Value::as_str).unwrap_or("")
    }
}

/// Why a file is not read at all.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TranscriptError {
    /// The first readable line is no session header with an id, which pi demands too.
    #[error("expected a pi session file, whose first line is {{\"type\":\"session\",\"id\":...}}; found {found}")]
    NotASession { found: String },
}

/// Parts header and entries and migrates older versions. `bytes` only serves the error message.
pub fn read_entries(
    lines: Vec<Line>,
    bytes: &[u8],
    faults: &mut Vec<Fault>,
) -> Result<(Header, Vec<SessionEntry>), TranscriptError> {
    let mut lines = lines.into_iter();
    let first = lines.next();
    let id = first.as_ref().filter(|line| is_header(&line.value)).and_then(|line| line.value.get("id")?.as_text());
    let (Some(line), Some(id)) = (&first, id.cloned()) else {
        return Err(TranscriptError::NotASession { found: describe(first.as_ref(), bytes) });
    };
    // As pi: `header.version ?? 1`; what is no number is smaller than nothing, so is not migrated.
    let version = match line.value.get("version") {
        None | Some(Value::Null) => 1.0,
        Some(version) => version.as_f64().unwrap_or(f64::NAN),
    };
    let mut lines: Vec<Line> = first.iter().cloned().chain(lines).collect();
    if version < 2.0 {
        chain(&mut lines);
    }
    if version < 3.0 {
        for line in &mut lines {
            rename_hook_message(&mut line.value);
        }
    }
    let header = lines.remove(0);
    let entries = lines.into_iter().filter_map(|line| {
        let kind = match &line.value {
            value if is_header(value) => FaultKind::SecondHeader,
            value @ Value::Object(_) => match value.get("id").and_then(Value::as_text) {
                Some(id) if !id.is_empty() => {
                    let id = id.clone();
                    if let Some(kind) = missing_part(value) {
                        faults.push(Fault { line: line.number, kind });
                    }
                    return Some(SessionEntry { line: line.number, id, value: line.value });
                }
                _ => FaultKind::NoId,
            },
            value => FaultKind::NotAnEntry { found: describe_kind(value) },
        };
        faults.push(Fault { line: line.number, kind });
        None
    });
    let entries = entries.collect();
    Ok((Header { id, version, value: header.value }, entries))
}

fn is_header(value: &Value) -> bool {
    has_type(value, "session")
}

fn has_type(value: &Value, kind: &str) -> bool {
    value.get("type").is_some_and(|found| found.as_str() == Some(kind))
}

/// Version 1 to 2: entries get ids and are chained in file order. pi draws the ids at random and rewrites the file; ours
/// are the entry's place, eight hex digits, so that two readings agree. A compaction's `firstKeptEntryIndex` counts all
/// entries with the header; one that points behind the compaction names nothing (pi: an id not yet given).
fn chain(lines: &mut [Line]) {
    let mut ids: Vec<Option<JsText>> = Vec::with_capacity(lines.len());
    let mut parent = Value::Null;
    for (place, line) in lines.iter_mut().enumerate() {
        let header = is_header(&line.value);
        let is_compaction = has_type(&line.value, "compaction");
        let Some(entry) = line.value.as_object_mut().filter(|_| !header) else {
            ids.push(None);
            continue;
        };
        let id = JsText::from(format!("{place:08x}"));
        ids.push(Some(id.clone()));
        entry.insert("id", id.clone());
        entry.insert("parentId", std::mem::replace(&mut parent, id.into()));
        if let Some(kept) = entry.get("firstKeptEntryIndex").and_then(Value::as_f64).filter(|_| is_compaction) {
            let kept =
                (kept.fract() == 0.0 && kept >= 0.0).then(|| ids.get(kept as usize).cloned().flatten()).flatten();
            if let Some(kept) = kept {
                entry.insert("firstKeptEntryId", kept);
            }
            entry.remove("firstKeptEntryIndex");
        }
    }
}

/// Version 2 to 3: the role `hookMessage` is called `custom`.
fn rename_hook_message(entry: &mut Value) {
    if !has_type(entry, "message") {
        return;
    }
    let message = entry.as_object_mut().and_then(|entry| entry.get_mut("message")?.as_object_mut());
    if let Some(role) = message.and_then(|message| message.get_mut("role"))
        && role.as_str() == Some("hookMessage")
    {
        *role = "custom".into();
    }
}

/// What an entry must have to project and has not.
fn missing_part(entry: &Value) -> Option<FaultKind> {
    match entry.get("type")?.as_str()? {
        "message" if entry.get("message").and_then(Value::as_object).is_none() => Some(FaultKind::NoMessage),
        "context_edit" if entry.get("replacement").is_none() => Some(FaultKind::NoReplacement),
        _ => None,
    }
}

fn describe(first: Option<&Line>, bytes: &[u8]) -> String {
    let Some(Line { number, value }) = first else {
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(400)]);
        let text = text.trim();
        return match text.chars().take(40).collect::<String>() {
            start if start.is_empty() => "an empty file".into(),
            start => format!("no line of JSON; it begins with {start:?}"),
        };
    };
    if is_header(value) {
        return format!("a session header without an id on line {number}");
    }
    match (value, value.get("type").map(|kind| kind.as_text())) {
        (Value::Object(_), Some(Some(kind))) => format!("an entry of type \"{kind}\" on line {number}"),
        (value, _) => format!("{} on line {number}", describe_kind(value)),
    }
}

fn describe_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object without a type",
    }
}
