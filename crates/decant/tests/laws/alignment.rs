//! What goes out beside what came in, message by message.

use crate::support::judge::same_on_wire;
use crate::support::walk::Point;
use crate::support::{message, role, text_of};
use decant::json::Value;
use decant::render::plan::Act;
use decant::session::Session;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

/// What became of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Became {
    /// It went out as it was.
    Itself,
    /// A result's content is this stub.
    Stub(String),
    Dropped,
}

/// One message of the request.
#[derive(Clone, Debug)]
pub struct Aligned {
    pub became: Became,
    /// Summaries shown in it.
    pub appended: Vec<String>,
    /// Calls whose arguments are replaced by these marks.
    pub purged: Vec<(u32, String)>,
    pub no_thinking: bool,
    pub cut_ids: bool,
    /// Whether a block quotes it.
    pub quoted: bool,
}

/// All messages of a request, and the messages that were put among them.
#[derive(Clone, Debug, Default)]
pub struct Alignment {
    pub messages: Vec<Aligned>,
    pub inserted: Vec<String>,
}

/// Follows the plan by hand and checks that `out` is exactly that.
pub fn align(point: &Point<'_>, session: &Session) -> Result<Alignment, TestCaseError> {
    let texts = session.forms().texts();
    let text = |id: u32| texts[id as usize].clone();
    let mut out = point.rendered.out.iter();
    let mut edits = point.rendered.plan.edits.iter().peekable();
    let mut alignment = Alignment::default();
    let mut quoted: Vec<usize> = Vec::new();
    for index in 0..=point.messages.len() {
        let mut one = Aligned {
            became: Became::Itself,
            appended: Vec::new(),
            purged: Vec::new(),
            no_thinking: false,
            cut_ids: false,
            quoted: false,
        };
        let mut inserted: Vec<String> = Vec::new();
        while let Some(edit) = edits.next_if(|edit| edit.index as usize == index) {
            match edit.act {
                Act::Insert { text: id } => inserted.push(text(id)),
                Act::Extend { text: id } => grow(&mut inserted, &text(id)),
                Act::Quote { message } => {
                    quoted.push(message as usize);
                    grow(&mut inserted, &text_of(&point.messages[message as usize]));
                }
                Act::Replace { text: id } => one.became = Became::Stub(text(id)),
                Act::Append { text: id } => one.appended.push(text(id)),
                Act::Arguments { call, text: id } => one.purged.push((call, text(id))),
                Act::DropThinking => one.no_thinking = true,
                Act::CutIds => one.cut_ids = true,
                Act::Drop => one.became = Became::Dropped,
            }
        }
        for text in &inserted {
            let sent = out.next().cloned().unwrap_or_default();
            prop_assert_eq!(role(&sent), "user");
            let first = sent.get("content").and_then(Value::as_array).and_then(|blocks| blocks.first()?.get("text"));
            prop_assert_eq!(&first.and_then(Value::as_text).map(ToString::to_string).unwrap_or_default(), text);
        }
        alignment.inserted.extend(inserted);
        let Some(message) = point.messages.get(index) else { break };
        if one.became != Became::Dropped {
            let sent = out.next().cloned().unwrap_or_default();
            prop_assert!(same_on_wire(&sent, &expected(message, &one)), "message {}: {:?}", index, sent);
            // The time of the first message says that history changed; every other one is as it was.
            if index > 0 {
                prop_assert_eq!(sent.get("timestamp"), message.get("timestamp"));
            }
        }
        alignment.messages.push(one);
    }
    prop_assert!(edits.next().is_none() && out.next().is_none(), "an edit or a message too many");
    for index in quoted {
        alignment.messages[index].quoted = true;
    }
    Ok(alignment)
}

fn grow(inserted: &mut [String], text: &str) {
    if let Some(last) = inserted.last_mut() {
        last.push_str(text);
    }
}

fn expected(message: &Value, one: &Aligned) -> Value {
    let mut expected = message.clone();
    let Some(object) = expected.as_object_mut() else { return expected };
    let mut blocks = match object.get("content") {
        Some(Value::Array(blocks)) => blocks.clone(),
        Some(Value::String(text)) => vec![message::text(text.clone())],
        _ => Vec::new(),
    };
    if let Became::Stub(text) = &one.became {
        blocks = vec![message::text(text.as_str())];
        object.insert("isError", false);
        object.remove("details");
    }
    blocks.extend(one.appended.iter().map(|text| message::text(text.as_str())));
    if one.no_thinking {
        blocks.retain(|block| block.get("type").and_then(Value::as_str) != Some("thinking"));
        // A text's signature is bound to the thinking before it.
        for block in blocks.iter_mut().filter_map(Value::as_object_mut) {
            block.remove("textSignature");
        }
    }
    let calls = blocks.iter_mut().filter(|block| block.get("type").and_then(Value::as_str) == Some("toolCall"));
    for (nth, call) in calls.filter_map(Value::as_object_mut).enumerate() {
        if let Some((_, mark)) = one.purged.iter().find(|(call, _)| *call as usize == nth) {
            call.insert("arguments", crate::support::object! { "_purged": mark.as_str() });
        }
        if one.cut_ids {
            let id = call.get("id").map(cut);
            id.map(|id| call.insert("id", id));
        }
    }
    let assistant = one.no_thinking || !one.purged.is_empty() || (one.cut_ids && role(message) == "assistant");
    if assistant || one.became != Became::Itself || !one.appended.is_empty() {
        object.insert("content", blocks);
    }
    if one.cut_ids && role(message) == "toolResult" {
        let id = object.get("toolCallId").map(cut);
        id.map(|id| object.insert("toolCallId", id));
    }
    expected
}

fn cut(id: &Value) -> Value {
    match id.as_str().and_then(|id| id.split_once('|')) {
        Some((id, _)) => id.into(),
        None => id.clone(),
    }
}
