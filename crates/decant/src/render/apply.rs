//! A plan onto messages as JSON values: for native tests and replay. The boundary does the same on JavaScript objects,
//! and a test says that both give the same bytes.

use super::plan::{Act, Plan};
use crate::json::{Object, Value};

/// The messages that `plan` makes of `messages`.
pub fn apply(plan: &Plan, texts: &[String], messages: &[Value]) -> Vec<Value> {
    let mut out = Vec::with_capacity(messages.len() + plan.edits.len());
    let mut messages = messages.to_vec();
    if let Some(first) = messages.first_mut() {
        renew(first, plan.prefix_time);
    }
    let mut edits = plan.edits.iter().peekable();
    for (index, message) in messages.iter().enumerate() {
        let mut current = Some(message.clone());
        while let Some(edit) = edits.next_if(|edit| edit.index as usize == index) {
            match edit.act {
                Act::Insert { text } => out.push(inserted(&texts[text as usize], &messages, index)),
                Act::Replace { text } => current = Some(replaced(message, &texts[text as usize])),
                Act::Append { text } => current = current.map(|current| appended(current, &texts[text as usize])),
                Act::Drop => current = None,
            }
        }
        out.extend(current);
    }
    for edit in edits {
        if let Act::Insert { text } = edit.act {
            out.push(inserted(&texts[text as usize], &messages, messages.len()));
        }
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
fn replaced(message: &Value, text: &str) -> Value {
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

fn appended(mut message: Value, text: &str) -> Value {
    let mut content = match message.get("content") {
        Some(Value::Array(blocks)) => blocks.clone(),
        Some(Value::String(string)) => {
            let mut block = Object::new();
            block.insert("type", "text");
            block.insert("text", string.clone());
            vec![Value::Object(block)]
        }
        _ => Vec::new(),
    };
    content.push(text_block(text));
    if let Some(object) = message.as_object_mut() {
        object.insert("content", content);
    }
    message
}

fn renew(message: &mut Value, time: f64) {
    if message.get("timestamp").and_then(Value::as_f64).is_some_and(|timestamp| timestamp < time)
        && let Some(message) = message.as_object_mut()
    {
        message.insert("timestamp", time);
    }
}
