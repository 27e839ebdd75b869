//! pi's blocks and messages, and what other APIs call them.

use super::writer::Writer;
use super::{kind, text};
use crate::json::{self, JsText, Object, Value};

/// `{ type: "text", text }`.
pub fn text_block(text: &JsText) -> Value {
    let mut block = Object::from_iter([("type", "text")]);
    block.insert("text", text.clone());
    block.into()
}

/// `{ type: "thinking", thinking, thinkingSignature? }`.
pub fn thinking_block(thinking: &JsText, signature: Option<&Value>) -> Value {
    let mut block = Object::from_iter([("type", "thinking")]);
    block.insert("thinking", thinking.clone());
    if let Some(signature @ Value::String(_)) = signature {
        block.insert("thinkingSignature", signature.clone());
    }
    block.into()
}

/// `{ type: "toolCall", id, name, arguments }`.
pub fn call_block(id: &str, name: &str, arguments: Value) -> Value {
    let mut block = Object::from_iter([("type", "toolCall"), ("id", id), ("name", name)]);
    block.insert("arguments", if arguments.is_null() { Object::new().into() } else { arguments });
    block.into()
}

/// `{ type: "image", data, mimeType }`.
pub fn image_block(data: &str, mime: &str) -> Value {
    Object::from_iter([("type", "image"), ("data", data), ("mimeType", mime)]).into()
}

/// The image of a `data:` URL; none for one that lies elsewhere.
pub fn image_of_url(url: &str) -> Option<Value> {
    let (mime, data) = url.strip_prefix("data:")?.split_once(";base64,")?;
    Some(image_block(data, mime))
}

/// Arguments that came as JSON text. What cannot be read stays readable.
pub fn arguments_of_text(text: &JsText) -> Value {
    if text.is_empty() {
        return Object::new().into();
    }
    match json::parse(text.to_string_lossy().as_bytes()) {
        Ok(value @ Value::Object(_)) => value,
        _ => Object::from_iter([("input", Value::String(text.clone()))]).into(),
    }
}

/// A message without its content.
pub fn message(role: &str, content: Vec<Value>, time: f64) -> Object {
    let mut message = Object::from_iter([("role", role)]);
    message.insert("content", content);
    if time.is_finite() {
        message.insert("timestamp", time);
    }
    message
}

/// A result.
pub fn result(id: &str, tool: &str, content: Vec<Value>, is_error: bool, time: f64) -> Object {
    let mut message = Object::from_iter([("role", "toolResult"), ("toolCallId", id), ("toolName", tool)]);
    message.insert("content", content);
    message.insert("isError", is_error);
    if time.is_finite() {
        message.insert("timestamp", time);
    }
    message
}

/// Who answered.
#[derive(Clone, Copy, Debug)]
pub struct Speaker<'a> {
    pub provider: &'a str,
    pub api: &'a str,
    pub model: &'a str,
}

/// An assistant message.
pub fn assistant(content: Vec<Value>, speaker: Speaker<'_>, stop: &str, usage: Value, time: f64) -> Object {
    let calls = content.iter().any(|block| kind(block) == "toolCall");
    let mut message = message("assistant", content, f64::NAN);
    message.insert("api", speaker.api);
    message.insert("provider", speaker.provider);
    message.insert("model", speaker.model);
    message.insert("usage", usage);
    message.insert("stopReason", if stop.is_empty() { if calls { "toolUse" } else { "stop" } } else { stop });
    if time.is_finite() {
        message.insert("timestamp", time);
    }
    message
}

/// Content as chat APIs have it (a string, or parts of any of their kinds) as pi's text and image blocks. Blocks that
/// hold calls, results or thinking are the caller's: `other` gets them first and says whether it took one.
pub fn content(content: Option<&Value>, writer: &mut Writer, other: &mut dyn FnMut(&Value) -> bool) -> Vec<Value> {
    let mut blocks = Vec::new();
    match content {
        Some(Value::String(text)) if text.is_empty() => {}
        Some(Value::String(text)) => blocks.push(text_block(text)),
        Some(Value::Array(parts)) => {
            for part in parts {
                if other(part) {
                    continue;
                }
                match part_block(part) {
                    Some(block) => blocks.push(block),
                    None => writer.count(format!("content block of type \"{:.40}\"", kind(part))),
                }
            }
        }
        None | Some(Value::Null) => {}
        Some(_) => writer.count("content that is neither text nor blocks"),
    }
    blocks
}

fn part_block(part: &Value) -> Option<Value> {
    match (part, kind(part)) {
        (Value::String(text), _) => Some(text_block(text)),
        (_, "text" | "input_text" | "output_text" | "summary_text" | "reasoning_text") => {
            part.get("text").and_then(Value::as_text).map(text_block)
        }
        (_, "refusal") => part.get("refusal").and_then(Value::as_text).map(text_block),
        (_, "image") => image(part),
        (_, "image_url" | "input_image") => {
            let url = part.get("image_url")?;
            let url = url.as_str().or_else(|| url.get("url")?.as_str())?;
            Some(image_of_url(url).unwrap_or_else(|| text_block(&format!("[image at {url}]").into())))
        }
        (_, "document" | "file" | "input_file") => Some(text_block(&"[document]".into())),
        _ => None,
    }
}

/// Anthropic's, MCP's or pi's own image block.
fn image(part: &Value) -> Option<Value> {
    if let Some(data) = part.get("data").and_then(Value::as_str) {
        return Some(image_block(data, text(part, "mimeType")));
    }
    let source = part.get("source")?;
    match source.get("data").and_then(Value::as_str) {
        Some(data) => Some(image_block(data, text(source, "media_type"))),
        None => Some(text_block(&format!("[image at {}]", text(source, "url")).into())),
    }
}

/// All text of blocks, joined by newlines.
pub fn joined(blocks: &[Value]) -> String {
    let texts: Vec<String> =
        blocks.iter().filter_map(|block| block.get("text")?.as_text()).map(JsText::to_string).collect();
    texts.join("\n")
}
