//! pi's messages and blocks.

use super::object;
use decant::json::{JsText, Value};

pub fn text(text: impl Into<JsText>) -> Value {
    object! { "type": "text", "text": text.into() }
}

pub fn thinking(text: &str) -> Value {
    object! { "type": "thinking", "thinking": text, "thinkingSignature": "c2ln" }
}

/// `data` tells images apart.
pub fn image(data: u32) -> Value {
    object! { "type": "image", "data": format!("iVBORw0KGgo{data}"), "mimeType": "image/png" }
}

pub fn call(id: impl Into<JsText>, tool: &str, arguments: Value) -> Value {
    object! { "type": "toolCall", "id": id.into(), "name": tool, "arguments": arguments }
}

pub fn user(content: impl Into<Value>, timestamp: f64) -> Value {
    object! { "role": "user", "content": content.into(), "timestamp": timestamp }
}

pub fn assistant(content: Vec<Value>, stop: &str, timestamp: f64) -> Value {
    object! {
        "role": "assistant", "content": content, "api": "faux", "provider": "faux", "model": "faux-1",
        "usage": object! { "input": 100.0, "output": 20.0 }, "stopReason": stop, "timestamp": timestamp
    }
}

/// `content`: text, or blocks.
pub fn result(call: impl Into<JsText>, tool: &str, content: impl Into<Value>, is_error: bool, timestamp: f64) -> Value {
    let content = match content.into() {
        Value::String(plain) => Value::Array(vec![text(plain)]),
        blocks => blocks,
    };
    object! {
        "role": "toolResult", "toolCallId": call.into(), "toolName": tool, "content": content,
        "details": object! { "lines": 3.0 }, "isError": is_error, "timestamp": timestamp
    }
}
