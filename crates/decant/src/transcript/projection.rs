//! The messages pi would send for a branch (pi 1.6.0, `buildSessionProjection`).

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::date::date_ms;
use super::session::SessionEntry;
use crate::json::{JsText, Object, Value};

/// A message and the entry it comes from.
#[derive(Clone, Debug)]
pub struct Projected<'a> {
    pub entry: &'a SessionEntry,
    /// Borrowed where the entry holds the message as it goes out.
    pub message: Cow<'a, Value>,
}

/// The entries of a branch (root to leaf) that contribute: all of it, or its last compaction, what that keeps of the
/// entries before it (system messages never), and what follows.
pub fn context_entries<'a>(branch: &[&'a SessionEntry]) -> Vec<&'a SessionEntry> {
    let Some(place) = branch.iter().rposition(|entry| entry.kind() == "compaction") else {
        return branch.to_vec();
    };
    let (before, after) = branch.split_at(place);
    let kept_from = branch[place].value.get("firstKeptEntryId").and_then(Value::as_text);
    let kept = before.iter().position(|entry| Some(&entry.id) == kept_from).unwrap_or(place);
    let kept = before[kept..].iter().filter(|entry| message_role(entry) != Some("system"));
    after.iter().take(1).chain(kept).chain(after.iter().skip(1)).copied().collect()
}

/// The messages of a branch given root to leaf.
pub fn project<'a>(branch: &[&'a SessionEntry]) -> Vec<Projected<'a>> {
    let entries = context_entries(branch);
    // The last edit of a target counts, wherever it stands.
    let edits: FxHashMap<&JsText, &Value> = entries
        .iter()
        .filter(|entry| entry.kind() == "context_edit")
        .filter_map(|edit| Some((edit.value.get("targetId")?.as_text()?, edit.value.get("replacement")?)))
        .collect();
    let mut projected = Vec::with_capacity(entries.len());
    for (place, entry) in entries.into_iter().enumerate() {
        // An older compaction inside the kept range says nothing any more.
        if entry.kind() == "compaction" && place > 0 {
            continue;
        }
        let edit = edits.get(&entry.id).copied();
        if edit.is_some_and(Value::is_null) {
            continue;
        }
        for message in messages(entry) {
            let message = match edit {
                Some(replacement) => replace_content(message, replacement.get("content")),
                None => message,
            };
            projected.push(Projected { entry, message });
        }
    }
    projected
}

/// The role of a `message` entry's message.
fn message_role(entry: &SessionEntry) -> Option<&str> {
    (entry.kind() == "message").then(|| entry.value.get("message")?.get("role")?.as_str())?
}

/// What one entry projects to by itself (pi's `sessionEntryToContextMessages`).
fn messages(entry: &SessionEntry) -> Vec<Cow<'_, Value>> {
    let value = &entry.value;
    match entry.kind() {
        "message" => {
            let Some(message) = value.get("message").filter(|message| message.as_object().is_some()) else {
                return Vec::new();
            };
            let missing = message.get("content").is_none_or(Value::is_null);
            match message.get("role").and_then(Value::as_str) {
                Some("system") if missing => vec![with(message, "content", "".into())],
                Some("user" | "assistant" | "toolResult") if missing => {
                    vec![with(message, "content", Value::Array(Vec::new()))]
                }
                _ => vec![Cow::Borrowed(message)],
            }
        }
        "custom_message" => {
            let content = match value.get("content") {
                None | Some(Value::Null) => Value::Array(Vec::new()),
                Some(content) => content.clone(),
            };
            let mut message = Object::from_iter([("role", "custom")]);
            copy(value, "customType", &mut message);
            message.insert("content", content);
            copy(value, "display", &mut message);
            copy(value, "details", &mut message);
            vec![dated(message, value)]
        }
        "branch_summary" if value.get("summary").is_some_and(is_truthy) => {
            let mut message = Object::from_iter([("role", "branchSummary")]);
            copy(value, "summary", &mut message);
            copy(value, "fromId", &mut message);
            vec![dated(message, value)]
        }
        "compaction" => {
            let mut message = Object::from_iter([("role", "compactionSummary")]);
            copy(value, "summary", &mut message);
            copy(value, "tokensBefore", &mut message);
            let system = value.get("systemMessage").filter(|system| is_truthy(system)).map(Cow::Borrowed);
            system.into_iter().chain([dated(message, value)]).collect()
        }
        _ => Vec::new(),
    }
}

/// Another content in a message of a role that can be edited; the others pass. An assistant's or a result's plain text
/// becomes a block. No content at all is what pi leaves of a replacement without one.
fn replace_content<'a>(message: Cow<'a, Value>, content: Option<&Value>) -> Cow<'a, Value> {
    let role = message.get("role").and_then(Value::as_str);
    if !matches!(role, Some("user" | "assistant" | "toolResult" | "custom")) {
        return message;
    }
    match content {
        Some(Value::String(text)) if matches!(role, Some("assistant" | "toolResult")) => {
            let mut block = Object::from_iter([("type", "text")]);
            block.insert("text", text.clone());
            with(&message, "content", vec![block.into()].into())
        }
        Some(content) => with(&message, "content", content.clone()),
        None => {
            let mut message = message.into_owned();
            if let Some(message) = message.as_object_mut() {
                message.remove("content");
            }
            Cow::Owned(message)
        }
    }
}

/// `{ ...message, [key]: value }`.
fn with<'a>(message: &Value, key: &str, value: Value) -> Cow<'a, Value> {
    let mut message = message.as_object().cloned().unwrap_or_default();
    message.insert(key, value);
    Cow::Owned(message.into())
}

/// What is missing stays missing, as `undefined` does in JSON.
fn copy(from: &Value, key: &str, to: &mut Object) {
    if let Some(value) = from.get(key) {
        to.insert(key, value.clone());
    }
}

fn dated<'a>(mut message: Object, entry: &Value) -> Cow<'a, Value> {
    message.insert("timestamp", date_ms(entry.get("timestamp")));
    Cow::Owned(message.into())
}

fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => *number != 0.0,
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}
