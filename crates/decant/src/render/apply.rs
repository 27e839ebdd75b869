//! A plan onto messages as JSON values: for native tests and replay. The boundary does the same on JavaScript objects,
//! and a test says that both give the same bytes.

use super::plan::{Act, Plan, TextId};
use crate::json::{JsText, Object, Value};
use crate::text::stub::PURGED_KEY;

/// The messages that `plan` makes of `messages`.
pub fn apply(plan: &Plan, texts: &[String], messages: &[Value]) -> Vec<Value> {
    let mut messages = messages.to_vec();
    if let Some(first) = messages.first_mut() {
        renew(first, plan.prefix_time);
    }
    let mut out = Vec::with_capacity(messages.len() + plan.edits.len());
    let mut edits = plan.edits.iter().peekable();
    let text = |id: TextId| texts[id as usize].as_str();
    for index in 0..=messages.len() {
        let mut current = messages.get(index).cloned();
        while let Some(edit) = edits.next_if(|edit| edit.index as usize == index) {
            match edit.act {
                Act::Insert { text: id } => out.push(inserted(text(id), &messages, index)),
                Act::Extend { text: id } => extend(out.last_mut(), &text(id).into(), Vec::new()),
                Act::Quote { message } => {
                    let quoted = messages.get(message as usize).and_then(|message| message.get("content"));
                    extend(out.last_mut(), &text_of(quoted), images_of(quoted));
                }
                Act::Replace { text: id } => current = current.map(|current| replaced(current, text(id))),
                Act::Append { text: id } => current = current.map(|current| appended(current, text(id))),
                Act::Arguments { call, text: id } => {
                    current = current.map(|current| with_content(current, |blocks| arguments(blocks, call, text(id))));
                }
                Act::DropThinking => current = current.map(|current| with_content(current, without_thinking)),
                Act::CutIds => current = current.map(cut_ids),
                Act::Drop => current = None,
            }
        }
        out.extend(current);
    }
    out
}

fn text_block(text: &str) -> Value {
    let mut block = Object::new();
    block.insert("type", "text");
    block.insert("text", text);
    Value::Object(block)
}

/// A user message with the time of the message before it.
fn inserted(text: &str, messages: &[Value], index: usize) -> Value {
    let timestamp = index.checked_sub(1).and_then(|before| messages[before].get("timestamp")).cloned();
    let mut message = Object::new();
    message.insert("role", "user");
    message.insert("content", Value::Array(vec![text_block(text)]));
    if let Some(timestamp) = timestamp {
        message.insert("timestamp", timestamp);
    }
    Value::Object(message)
}

/// Exactly these keys, as the original's stub has them.
fn replaced(message: Value, text: &str) -> Value {
    if message.get("role").and_then(Value::as_str) != Some("toolResult") {
        return message;
    }
    let mut stub = Object::new();
    for key in ["role", "toolCallId", "toolName"] {
        if let Some(value) = message.get(key) {
            stub.insert(key, value.clone());
        }
    }
    stub.insert("content", Value::Array(vec![text_block(text)]));
    stub.insert("isError", false);
    if let Some(timestamp) = message.get("timestamp") {
        stub.insert("timestamp", timestamp.clone());
    }
    Value::Object(stub)
}

fn appended(message: Value, text: &str) -> Value {
    with_content(message, |mut blocks| {
        blocks.push(text_block(text));
        blocks
    })
}

/// The message with other blocks; string content counts as one text block.
fn with_content(mut message: Value, change: impl FnOnce(Vec<Value>) -> Vec<Value>) -> Value {
    let blocks = match message.get("content") {
        Some(Value::Array(blocks)) => blocks.clone(),
        Some(Value::String(string)) => {
            let mut block = Object::new();
            block.insert("type", "text");
            block.insert("text", string.clone());
            vec![Value::Object(block)]
        }
        _ => Vec::new(),
    };
    if let Some(object) = message.as_object_mut() {
        object.insert("content", change(blocks));
    }
    message
}

fn is_kind(block: &Value, kind: &str) -> bool {
    block.get("type").and_then(Value::as_str) == Some(kind)
}

fn without_thinking(blocks: Vec<Value>) -> Vec<Value> {
    let kept = blocks.into_iter().filter(|block| !is_kind(block, "thinking")).map(|mut block| {
        if is_kind(&block, "text")
            && let Some(object) = block.as_object_mut()
        {
            object.remove("textSignature");
        }
        block
    });
    kept.collect()
}

fn arguments(mut blocks: Vec<Value>, call: u32, mark: &str) -> Vec<Value> {
    let mut calls = blocks.iter_mut().filter(|block| is_kind(block, "toolCall"));
    if let Some(object) = calls.nth(call as usize).and_then(Value::as_object_mut) {
        let mut replaced = Object::new();
        replaced.insert(PURGED_KEY, mark);
        object.insert("arguments", replaced);
    }
    blocks
}

fn cut_ids(mut message: Value) -> Value {
    let cut = |object: &mut Object, key: &str| {
        let id = object.get(key).and_then(Value::as_str).and_then(|id| id.split_once('|')).map(|(id, _)| id.to_owned());
        if let Some(id) = id {
            object.insert(key, id);
        }
    };
    if message.get("role").and_then(Value::as_str) == Some("toolResult") {
        if let Some(object) = message.as_object_mut() {
            cut(object, "toolCallId");
        }
        return message;
    }
    with_content(message, |mut blocks| {
        for object in blocks.iter_mut().filter(|block| is_kind(block, "toolCall")).filter_map(Value::as_object_mut) {
            cut(object, "id");
        }
        blocks
    })
}

fn text_of(content: Option<&Value>) -> JsText {
    let mut units: Vec<u16> = Vec::new();
    match content {
        Some(Value::String(text)) => return text.clone(),
        Some(Value::Array(blocks)) => {
            let texts =
                blocks.iter().filter(|block| is_kind(block, "text")).filter_map(|block| block.get("text")?.as_text());
            for (nth, text) in texts.enumerate() {
                if nth > 0 {
                    units.push(u16::from(b'\n'));
                }
                push_units(&mut units, text);
            }
        }
        _ => {}
    }
    JsText::from_utf16(&units)
}

fn push_units(units: &mut Vec<u16>, text: &JsText) {
    match (text.as_str(), text.as_units()) {
        (Some(text), _) => units.extend(text.encode_utf16()),
        (None, Some(more)) => units.extend_from_slice(more),
        (None, None) => {}
    }
}

fn images_of(content: Option<&Value>) -> Vec<Value> {
    let blocks = content.and_then(Value::as_array).unwrap_or_default();
    blocks.iter().filter(|block| is_kind(block, "image")).cloned().collect()
}

/// The inserted message goes on: its one text grows, images come behind it.
fn extend(message: Option<&mut Value>, text: &JsText, images: Vec<Value>) {
    let Some(content) = message.and_then(Value::as_object_mut).and_then(|message| message.get_mut("content")) else {
        return;
    };
    let Value::Array(blocks) = content else { return };
    if let Some(first) = blocks.first_mut().and_then(Value::as_object_mut) {
        let mut units = Vec::new();
        if let Some(before) = first.get("text").and_then(Value::as_text) {
            push_units(&mut units, before);
        }
        push_units(&mut units, text);
        first.insert("text", JsText::from_utf16(&units));
    }
    blocks.extend(images);
}

fn renew(message: &mut Value, time: f64) {
    if message.get("timestamp").and_then(Value::as_f64).is_some_and(|timestamp| timestamp < time)
        && let Some(message) = message.as_object_mut()
    {
        message.insert("timestamp", time);
    }
}
