//! A replay of generated sessions: every request taken apart is the request that was counted.

use crate::support::object;
use crate::support::player::play;
use crate::support::script::Script;
use decant::json::{Value, parse, stringify};
use decant::replay::Replay;
use decant::transcript::SessionEntry;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

const SETTINGS: [&str; 4] = [
    r#"{"minBatchChars":100,"chainCompression":{"rollingWindow":0}}"#,
    r#"{"minBatchChars":100,"chainCompression":{"rollingWindow":1},"spillThreshold":800,"spillPreviewBytes":50,
        "purgeErrors":{"timing":"live","minArgChars":20,"cooldownTurns":0}}"#,
    r#"{"minBatchChars":100,"thinkingStrip":{"boundary":"live","policy":"always","keepLastTurns":1}}"#,
    r#"{"enabled":false}"#,
];

/// `billed`: tokens of the bill of each reply. `order`: the requests that are looked at, one after the other.
pub fn adds_up(script: &Script, settings: usize, billed: f64, order: &[usize]) -> Result<(), TestCaseError> {
    let mut entries = play(script, false).entries;
    bill(&mut entries, billed);
    let mut lines = String::from("{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"cwd\":\"/work\"}\n");
    for entry in &entries {
        lines.push_str(&stringify(&entry.value));
        lines.push('\n');
    }
    let settings = parse(SETTINGS[settings].as_bytes()).expect("JSON");
    let read = || Replay::new(lines.as_bytes(), &settings, &mut |_, _| true);
    let Ok(mut replay) = read() else { return Ok(()) };
    let unseen = replay.overview().unseen;
    let requests = replay.requests().len() + 1;
    for pick in order.iter().map(|pick| pick % requests) {
        let outline = replay.request(pick).expect("a request").clone();
        let again = read().expect("as before").request(pick).expect("a request").clone();
        prop_assert_eq!(&again, &outline, "request {} from another one", pick);
        let Some(request) = replay.requests().get(pick).copied() else { continue };
        let (off, on) = (request.off.sent.tokens, request.on.sent.tokens);
        let shares = |map: &[decant::replay::Share]| -> f64 {
            map.iter().filter(|share| share.kind != "saved").map(|share| share.tokens).sum()
        };
        close(shares(&outline.map_before), off, "the map before")?;
        close(shares(&outline.map), on, "the map")?;
        close(outline.saved, off - on, "what the chips say")?;
        close(outline.tokens_before.iter().sum::<f64>() + unseen, off, "the rows before")?;
        close(outline.tokens_after.iter().sum::<f64>() + unseen, on, "the rows")?;
        let exported = parse(replay.export_rendered(pick).expect("a request").as_bytes()).expect("JSON");
        let shown = outline.after.iter().filter(|&&group| group > 0).count();
        prop_assert_eq!(exported.as_array().map_or(0, <[Value]>::len), shown, "messages of request {}", pick);
    }
    Ok(())
}

fn close(a: f64, b: f64, what: &str) -> Result<(), TestCaseError> {
    prop_assert!((a - b).abs() < 0.01, "{what}: {a} and {b}");
    Ok(())
}

fn bill(entries: &mut [SessionEntry], billed: f64) {
    for entry in entries {
        let message = entry.value.as_object_mut().and_then(|entry| entry.get_mut("message"));
        let Some(message) = message.and_then(Value::as_object_mut) else { continue };
        if message.get("role").and_then(Value::as_str) == Some("assistant") {
            message.insert("usage", object! { "input": 3.0, "output": 3.0, "cacheRead": billed });
        }
    }
}
