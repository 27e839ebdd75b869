//! Which results a provider accepts, judged apart from the core: pairs as pi-ai draws them (pi-host.md 4.1).

use super::role;
use decant::json::{JsText, Value};

/// What a message is to the pairing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    NotAResult,
    /// It answers a call of its turn that nothing answered before.
    Answer,
    /// Nothing in the request calls it: refused.
    Orphan,
}

pub fn pairings(messages: &[Value]) -> Vec<Pairing> {
    let mut open: Vec<JsText> = Vec::new();
    let judge = |message: &Value| match role(message) {
        "toolResult" => {
            let id = message.get("toolCallId").and_then(Value::as_text).cloned().unwrap_or_default();
            match open.iter().position(|call| *call == id) {
                Some(at) => {
                    open.remove(at);
                    Pairing::Answer
                }
                None => Pairing::Orphan,
            }
        }
        // Held back until the results are in.
        "system" => Pairing::NotAResult,
        "assistant" => {
            open = calls(message);
            Pairing::NotAResult
        }
        _ => {
            open.clear();
            Pairing::NotAResult
        }
    };
    messages.iter().map(judge).collect()
}

/// The call ids of an assistant message; none where it failed, since pi-ai leaves it out.
fn calls(message: &Value) -> Vec<JsText> {
    if matches!(message.get("stopReason").and_then(Value::as_str), Some("error" | "aborted")) {
        return Vec::new();
    }
    let blocks = message.get("content").and_then(Value::as_array).unwrap_or(&[]);
    let calls = blocks.iter().filter(|block| block.get("type").and_then(Value::as_str) == Some("toolCall"));
    calls.map(|call| call.get("id").and_then(Value::as_text).cloned().unwrap_or_default()).collect()
}

/// Whether two messages are the same to a provider: `timestamp` is not sent.
pub fn same_on_wire(a: &Value, b: &Value) -> bool {
    let (Some(a), Some(b)) = (a.as_object(), b.as_object()) else { return a == b };
    let sent = |object: &'_ decant::json::Object| object.iter().filter(|(key, _)| **key != "timestamp").count();
    sent(a) == sent(b)
        && a.iter()
            .filter(|(key, _)| **key != "timestamp")
            .all(|(key, value)| key.as_str().is_some_and(|key| b.get(key).is_some_and(|other| other == value)))
}
