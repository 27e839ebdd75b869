//! pi entries in the making.

use super::NotUnderstood;
use crate::json::{Object, Value};
use crate::transcript::jsonl::Line;
use rustc_hash::FxHashMap;

/// More kinds of unknown things than this are counted as one: a file of a million made-up types is no report.
const MAX_KINDS: usize = 100;

/// Which entry comes before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parent {
    /// The one that was written last.
    Last,
    /// This one.
    Entry(u32),
    /// None.
    Root,
}

/// The entries of a session of version 3.
#[derive(Debug, Default)]
pub struct Writer {
    header: Object,
    entries: Vec<Line>,
    unknown: FxHashMap<String, u32>,
}

impl Writer {
    /// Sets a key of the header; empty text is left out.
    pub fn header(&mut self, key: &str, text: &str) {
        if !text.is_empty() && self.header.get(key).is_none() {
            self.header.insert(key, text);
        }
    }

    /// Counts something that has no place in a session.
    pub fn count(&mut self, what: impl Into<String>) {
        self.count_many(what, 1);
    }

    /// Counts `times` of it.
    pub fn count_many(&mut self, what: impl Into<String>, times: u32) {
        let what = what.into();
        if times == 0 {
            return;
        }
        let full = self.unknown.len() >= MAX_KINDS && !self.unknown.contains_key(&what);
        *self.unknown.entry(if full { "something else".to_owned() } else { what }).or_default() += times;
    }

    /// The number of the last entry.
    pub fn last(&self) -> Option<u32> {
        (self.entries.len() as u32).checked_sub(1)
    }

    /// Writes an entry of this type behind `parent`; `line` is where it came from, `time` its own time as the log has it.
    pub fn entry(&mut self, line: u32, kind: &str, parent: Parent, time: &Value, fields: Object) -> u32 {
        let number = self.entries.len() as u32;
        let parent = match parent {
            Parent::Last => self.last().map(id),
            Parent::Entry(entry) => Some(id(entry)),
            Parent::Root => None,
        };
        let mut entry = Object::new();
        entry.insert("type", kind);
        entry.insert("id", id(number));
        entry.insert("parentId", parent.map_or(Value::Null, Value::from));
        entry.insert("timestamp", time.clone());
        for (key, value) in fields {
            entry.insert(key, value);
        }
        self.entries.push(Line { number: line, value: entry.into() });
        number
    }

    /// Writes a message.
    pub fn message(&mut self, line: u32, parent: Parent, time: &Value, message: Object) -> u32 {
        self.entry(line, "message", parent, time, Object::from_iter([("message", Value::from(message))]))
    }

    /// Writes a compaction that keeps nothing before it.
    pub fn compaction(&mut self, line: u32, parent: Parent, time: &Value, summary: Value, tokens: f64) -> u32 {
        let own = self.entries.len() as u32;
        let mut fields = Object::new();
        fields.insert("summary", summary);
        fields.insert("firstKeptEntryId", id(own));
        fields.insert("tokensBefore", tokens);
        self.entry(line, "compaction", parent, time, fields)
    }

    /// The message of entry `number`, to continue it.
    pub fn message_mut(&mut self, number: u32) -> Option<&mut Object> {
        self.entries.get_mut(number as usize)?.value.as_object_mut()?.get_mut("message")?.as_object_mut()
    }

    /// The file: header and entries.
    pub fn finish(&mut self) -> Vec<Line> {
        let mut header = Object::from_iter([("type", "session")]);
        header.insert("version", 3.0);
        for (key, value) in std::mem::take(&mut self.header) {
            header.insert(key, value);
        }
        if header.get("id").and_then(Value::as_str).is_none() {
            header.insert("id", "imported");
        }
        let first = self.entries.first().map_or(1, |line| line.number);
        let mut lines = vec![Line { number: first, value: header.into() }];
        lines.append(&mut self.entries);
        lines
    }

    /// What was counted, most frequent first.
    pub fn not_understood(self) -> Vec<NotUnderstood> {
        let mut all: Vec<NotUnderstood> =
            self.unknown.into_iter().map(|(what, count)| NotUnderstood { what, count }).collect();
        all.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.what.cmp(&b.what)));
        all
    }
}

fn id(number: u32) -> String {
    format!("{number:08x}")
}
