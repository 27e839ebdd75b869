//! What pi-condense writes for the newest results (condense.md section 2).

use super::{World, object, text_of};
use decant::json::{JsText, Value};
use decant::transcript::branch::Key;
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
pub enum Wrote {
    /// Summary message, index and frontier of one batch; `bare`: as its oldest versions did, without times.
    Summary {
        bare: bool,
    },
    /// Its results stand in files; it never gave them refs.
    Spilled,
    /// An alias from the newest result to an archived one of the same text.
    Alias,
    /// A batch was skipped: the frontier alone.
    Frontier,
    Stats,
}

pub fn wrote() -> impl Strategy<Value = Wrote> {
    prop_oneof![
        3 => any::<bool>().prop_map(|bare| Wrote::Summary { bare }),
        2 => Just(Wrote::Spilled),
        2 => Just(Wrote::Alias),
        1 => Just(Wrote::Frontier),
        1 => Just(Wrote::Stats),
    ]
}

/// One result as the original's index has it.
struct Indexed {
    id: JsText,
    tool: JsText,
    timestamp: Value,
    text: String,
}

pub fn write(world: &mut World, wrote: Wrote) {
    // It ran before us, never after.
    if !world.session.ledger().blocks().is_empty() {
        return;
    }
    let newest = newest(world);
    let Some(last) = newest.last() else { return };
    match wrote {
        Wrote::Summary { bare } => {
            let first = world.session.ledger().next_ref();
            let refs: Vec<Value> = (first..)
                .zip(&newest)
                .map(|(number, one)| {
                    keyed(object! { "shortId": format!("t{number}") }, "toolCallId", "resultTimestamp", one, bare)
                })
                .collect();
            let details = object! { "toolCallRefs": refs, "toolNames": Vec::<Value>::new(), "turnIndex": 0.0 };
            let fields = object! {
                "customType": "context-prune-summary", "content": "- it was done", "display": false, "details": details
            };
            world.append("custom_message", fields);
            let calls: Vec<Value> = newest.iter().map(|one| indexed(one, bare)).collect();
            append(world, "context-prune-index", object! { "toolCalls": calls });
            frontier(world, last);
        }
        Wrote::Spilled => {
            let calls: Vec<Value> = newest.iter().map(spilled).collect();
            append(world, "context-prune-index", object! { "toolCalls": calls });
        }
        Wrote::Alias => {
            let Some(original) = twin(world, last) else { return };
            let data = keyed(object! {}, "newToolCallId", "newResultTimestamp", last, false);
            let data = keyed(data, "originalToolCallId", "originalResultTimestamp", &original, false);
            append(world, "context-prune-dedup-alias", data);
        }
        Wrote::Frontier => frontier(world, last),
        Wrote::Stats => {
            append(
                world,
                "context-prune-stats",
                object! { "totalInputTokens": 9.0, "callCount": 2.0, "totalCost": "?" },
            );
        }
    }
}

fn append(world: &mut World, kind: &str, data: Value) {
    world.append("custom", object! { "customType": kind, "data": data });
}

fn frontier(world: &mut World, last: &Indexed) {
    append(world, "context-prune-frontier", object! { "lastAttemptedToolCallId": last.id.clone() });
}

fn keyed(mut value: Value, id: &str, timestamp: &str, one: &Indexed, bare: bool) -> Value {
    if let Some(object) = value.as_object_mut() {
        object.insert(id, one.id.clone());
        if !bare {
            object.insert(timestamp, one.timestamp.clone());
        }
    }
    value
}

fn indexed(one: &Indexed, bare: bool) -> Value {
    let record = object! {
        "toolName": one.tool.clone(), "args": object! { "path": "a" }, "resultText": one.text.as_str(), "isError": false,
        "turnIndex": 1.0, "timestamp": 5.0
    };
    keyed(record, "toolCallId", "resultTimestamp", one, bare)
}

fn spilled(one: &Indexed) -> Value {
    let preview = "head of it".repeat(1 + one.text.len() % 3);
    let record = object! {
        "toolName": one.tool.clone(), "args": object! {}, "resultText": "", "isError": false, "turnIndex": 1.0,
        "spillPath": "/s/blobs/x.txt", "spillBytes": one.text.len() as f64, "resultPreview": preview
    };
    keyed(record, "toolCallId", "resultTimestamp", one, false)
}

/// The answered results of the newest turn that nobody took yet. Only such as the original can tell apart by their keys:
/// where one key stands for two results it loses one of them itself.
fn newest(world: &World) -> Vec<Indexed> {
    let branch = world.session.branch();
    let free = |&pos: &u32| {
        let head = branch.head(pos);
        branch.pair(pos).is_some()
            && branch.projected(pos)
            && !world.session.ledger().attempted(pos)
            && head.is_some_and(|head| branch.at_key(Key::of(head)).len() == 1)
    };
    let Some(last) = (0..branch.len() as u32).rev().find(free) else { return Vec::new() };
    let turn = branch.pair(last).map(|pair| pair.assistant);
    (0..=last)
        .filter(free)
        .filter(|&pos| branch.pair(pos).map(|pair| pair.assistant) == turn)
        .filter_map(|pos| result(world, pos))
        .collect()
}

fn result(world: &World, pos: u32) -> Option<Indexed> {
    let message = world.entries.get(pos as usize)?.value.get("message")?;
    Some(Indexed {
        id: message.get("toolCallId")?.as_text()?.clone(),
        tool: message.get("toolName")?.as_text()?.clone(),
        timestamp: message.get("timestamp")?.clone(),
        text: text_of(message),
    })
}

/// An archived result with the text of `one`, that its key names alone.
fn twin(world: &World, one: &Indexed) -> Option<Indexed> {
    let records = world.session.ledger().records().iter();
    let mut places = records.filter(|record| record.reference.is_some()).filter_map(|record| record.at);
    places.find_map(|pos| {
        let head = world.session.branch().head(pos)?;
        let alone = world.session.branch().at_key(Key::of(head)).len() == 1;
        result(world, pos).filter(|twin| alone && twin.text == one.text && head.images == 0)
    })
}
