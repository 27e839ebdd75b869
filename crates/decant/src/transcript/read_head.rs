//! Heads and entries from JSON values. The extension packs the same heads from JavaScript objects; both must agree.

use super::date::date_ms;
use super::entry::{Entry, EntryKind};
use super::head::{Body, Call, Head, Role};
use super::symbols::{Sym, Symbols};
use crate::json::{JsText, Object, Value, stringify_len};

/// Entry types we and the original own begin with this.
const OURS: &str = "context-prune-";

/// The head of a message as it stands in a projection.
pub fn message_head(message: &Value, symbols: &mut Symbols) -> Head {
    let role = message.get("role").and_then(Value::as_str).map_or(Role::Other, Role::from_name);
    let content = match role {
        Role::BranchSummary | Role::CompactionSummary => message.get("summary"),
        _ => message.get("content"),
    };
    let body = match role {
        Role::Assistant => Body::Assistant {
            calls: blocks(content, "toolCall")
                .map(|block| Call {
                    id: name(block.get("id"), symbols),
                    tool: name(block.get("name"), symbols),
                    path: name(block.get("arguments").and_then(|arguments| arguments.get("path")), symbols),
                    args_units: block.get("arguments").map_or(0, stringify_len) as u32,
                })
                .collect(),
            failed: matches!(message.get("stopReason").and_then(Value::as_str), Some("error" | "aborted")),
        },
        Role::ToolResult => Body::Result {
            call: name(message.get("toolCallId"), symbols),
            tool: name(message.get("toolName"), symbols),
            is_error: message.get("isError").and_then(Value::as_bool) == Some(true),
        },
        _ => Body::Plain,
    };
    head(role, message.get("timestamp").and_then(Value::as_f64).unwrap_or(f64::NAN), content, body)
}

/// What an entry of the session file (version 3) is to us.
pub fn entry(entry: &Value, symbols: &mut Symbols) -> Entry {
    let id = name(entry.get("id"), symbols);
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let dated = |role, content| head(role, date_ms(entry.get("timestamp")), entry.get(content), Body::Plain);
    let ours = text("customType").filter(|kind| kind.starts_with(OURS));
    let kind = match (text("type").unwrap_or(""), ours) {
        ("message", _) => match entry.get("message") {
            Some(message @ Value::Object(_)) => EntryKind::Message(message_head(message, symbols)),
            _ => EntryKind::Other,
        },
        ("custom_message", Some(ours)) => {
            let kept = ["content", "details"].map(|key| Some((key, entry.get(key)?.clone())));
            EntryKind::OursMessage {
                head: dated(Role::Custom, "content"),
                custom_type: ours.into(),
                data: kept.into_iter().flatten().collect::<Object>().into(),
            }
        }
        ("custom_message", None) => EntryKind::Message(dated(Role::Custom, "content")),
        ("branch_summary", _) if !matches!(entry.get("summary"), Some(Value::String(summary)) if !summary.is_empty()) => {
            EntryKind::Other
        }
        ("branch_summary", _) => EntryKind::Message(dated(Role::BranchSummary, "summary")),
        ("compaction", _) => EntryKind::Compaction {
            head: dated(Role::CompactionSummary, "summary"),
            first_kept: entry.get("firstKeptEntryId").and_then(Value::as_text).map(|id| intern(id, symbols)),
        },
        ("context_edit", _) => match entry.get("replacement") {
            Some(replacement) => {
                EntryKind::ContextEdit { target: name(entry.get("targetId"), symbols), omits: replacement.is_null() }
            }
            None => EntryKind::Other,
        },
        ("custom", Some(ours)) => {
            let timestamp = date_ms(entry.get("timestamp"));
            EntryKind::Ours {
                custom_type: ours.into(),
                timestamp,
                data: entry.get("data").cloned().unwrap_or_default(),
            }
        }
        _ => EntryKind::Other,
    };
    Entry { id, kind }
}

fn head(role: Role, timestamp: f64, content: Option<&Value>, body: Body) -> Head {
    let units = |kind, key| {
        let texts = blocks(content, kind).filter_map(|block| block.get(key)?.as_text());
        texts.map(JsText::utf16_len).sum::<usize>() as u32
    };
    Head {
        role,
        timestamp,
        text_units: match content {
            Some(Value::String(text)) => text.utf16_len() as u32,
            _ => units("text", "text"),
        },
        thinking_units: units("thinking", "thinking"),
        thinking_blocks: blocks(content, "thinking").count() as u32,
        images: blocks(content, "image").count() as u32,
        body,
    }
}

/// The blocks of one type; none where the content is no array.
fn blocks<'a>(content: Option<&'a Value>, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    let blocks = content.and_then(Value::as_array).unwrap_or(&[]);
    blocks.iter().filter(move |block| block.get("type").and_then(Value::as_str) == Some(kind))
}

/// The handle of a string; of anything else, that of the empty one.
fn name(value: Option<&Value>, symbols: &mut Symbols) -> Sym {
    value.and_then(Value::as_text).map_or(Sym::EMPTY, |text| intern(text, symbols))
}

fn intern(text: &JsText, symbols: &mut Symbols) -> Sym {
    symbols.intern(&text.to_string_lossy())
}
