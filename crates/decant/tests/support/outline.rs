//! A session in a few words a line, for the message of a failed test.

use super::{role, text_of};
use decant::json::{Value, stringify};
use decant::transcript::SessionEntry;

pub fn outline(entries: &[SessionEntry]) -> String {
    entries.iter().map(|entry| line(entry) + "\n").collect()
}

fn line(entry: &SessionEntry) -> String {
    let Some(message) = entry.value.get("message") else {
        let mut value = entry.value.clone();
        if let Some(object) = value.as_object_mut() {
            for key in ["id", "parentId"] {
                object.remove(key);
            }
        }
        return format!("{} {}", entry.id, stringify(&value));
    };
    let field = |key| message.get(key).map(stringify).unwrap_or_default();
    let blocks = message.get("content").and_then(Value::as_array).unwrap_or(&[]);
    let calls: Vec<String> = blocks.iter().filter_map(|block| block.get("id")).map(stringify).collect();
    let text = text_of(message);
    format!(
        "{} {} at {}, {} units, {} {}",
        entry.id,
        role(message),
        field("timestamp"),
        text.encode_utf16().count(),
        if calls.is_empty() { field("toolCallId") } else { calls.join(",") },
        field("stopReason")
    )
}
