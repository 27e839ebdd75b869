#![expect(clippy::float_cmp, reason = "quarters are exact")]

use super::*;
use crate::json::{Object, parse};
use crate::transcript::head::{Body, Role};
use crate::transcript::read_head::message_head;
use crate::transcript::symbols::Symbols;
use proptest::prelude::*;

const SAMPLES: [(&str, &[u8]); 3] = [
    ("coding", include_bytes!("../../../../www/public/samples/coding.jsonl")),
    ("long", include_bytes!("../../../../www/public/samples/long.jsonl")),
    ("branchy", include_bytes!("../../../../www/public/samples/branchy.jsonl")),
];

/// Settings that take every path: budgets, live timing, blocks at once, nothing at all.
const SETTINGS: [&str; 5] = [
    "{}",
    r#"{"enabled":false}"#,
    r#"{"pruneOn":"on-demand","autoBudgetThreshold":0.05,"replay":{"contextWindow":100000}}"#,
    r#"{"chainCompression":{"rollingWindow":0},"spillThreshold":2000,"minBatchChars":0,"batchingMode":"agent-message",
        "purgeErrors":{"cooldownTurns":0,"minArgChars":1},"thinkingStrip":{"policy":"always","keepLastTurns":1}}"#,
    r#"{"purgeErrors":{"timing":"live"},"thinkingStrip":{"policy":"always","keepLastTurns":2,"boundary":"live"}}"#,
];

fn replay(bytes: &[u8], settings: &str) -> Replay {
    let settings = parse(settings.as_bytes()).expect("JSON");
    Replay::new(bytes, &settings, &mut |_, _| true).expect("a transcript")
}

/// UTF-16 units of messages as a provider gets them, counted from the messages themselves.
fn units(messages: &[Value]) -> f64 {
    let mut symbols = Symbols::default();
    let heads = messages.iter().map(|message| message_head(message, &mut symbols));
    let sent = heads.filter(|head| !matches!(head.body, Body::Assistant { failed: true, .. }));
    sent.map(|head| head.units() as f64).sum()
}

/// What holds of every request of every transcript.
fn check(replay: &mut Replay) {
    let mut sums = [0.0; 6];
    for index in 0..replay.requests().len() {
        let request = replay.requests()[index];
        for side in [&request.off, &request.on] {
            assert_eq!((side.sent.cached + side.sent.fresh) as u64, side.sent.tokens as u64, "request {index}");
            assert!(side.sent.written <= side.sent.fresh);
            assert_eq!(side.sizes.total() as f64, side.sent.tokens * 4.0);
        }
        let (off, on) = (request.off.sent, request.on.sent);
        assert!(on.tokens <= off.tokens, "request {index} is longer: {} > {}", on.tokens, off.tokens);
        for (sum, one) in sums.iter_mut().zip([off.tokens, off.cached, off.fresh, on.tokens, on.cached, on.fresh]) {
            *sum += one;
        }
        trace(replay, index, off.tokens * 4.0, on.tokens * 4.0);
    }
    let (off, on) = replay.totals();
    for (sum, total) in sums.iter().zip([off.sent, off.cached, off.fresh, on.sent, on.cached, on.fresh]) {
        assert!((sum - total).abs() < 1e-6);
    }
    assert!(on.requests as usize == replay.requests().len());
}

/// All rows of a request.
fn rows(replay: &mut Replay, index: usize) -> Vec<Row> {
    let count = replay.request(index).expect("a request").changed.len() as u32;
    let places: Vec<u32> = (0..count).collect();
    let rows = replay.rows(index, &places).expect("a request");
    assert_eq!(rows.len(), places.len(), "request {index}");
    if let Some(last) = count.checked_sub(1) {
        assert_eq!(replay.rows(index, &[last, count]).expect("a request"), rows[last as usize..]);
    }
    rows
}

/// The outline says of each row what the row says.
fn check_outline(outline: &Outline, rows: &[Row]) {
    let lengths = [outline.before.len(), outline.after.len(), outline.tokens_before.len(), outline.tokens_after.len()];
    assert_eq!(lengths, [rows.len(); 4]);
    let mut refs = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let sides = [
            (&row.before, outline.before[at], outline.tokens_before[at]),
            (&row.after, outline.after[at], outline.tokens_after[at]),
        ];
        for (message, group, tokens) in sides {
            let group = (group as usize).checked_sub(1).map(|place| &outline.groups[place]);
            let named = group.map(|group| (&group.role, &group.tool));
            assert_eq!(named, message.as_ref().map(|one| (&one.role, &one.tool)), "row {at}");
            assert_eq!(tokens, message.as_ref().map_or(0.0, |one| one.units / 4.0), "row {at}");
        }
        assert_eq!(outline.changed[at] == 1, row.change.is_some());
        let reference = row.change.as_ref().and_then(|change| change.r#ref.as_ref());
        refs.extend(reference.filter(|one| !refs.contains(one)));
    }
    assert!(outline.refs.iter().eq(refs));
}

/// Every number can be traced to messages: the figures, kept from request to request, are those of the request rendered
/// by itself.
fn trace(replay: &mut Replay, index: usize, off: f64, on: f64) {
    let outline = replay.request(index).expect("a request").clone();
    let rows = rows(replay, index);
    let of = |side: fn(&Row) -> Option<&MessageView>| rows.iter().filter_map(side).map(|one| one.units).sum::<f64>();
    // What stands in no log is of no message.
    let unseen = replay.overview().unseen * 4.0;
    let (off_seen, on_seen) = (off - unseen, on - unseen);
    assert_eq!(of(|row| row.before.as_ref()) as u64, off_seen as u64, "request {index} before");
    assert_eq!(of(|row| row.after.as_ref()) as u64, on_seen as u64, "request {index} after");
    for (map, all) in [(&outline.map, on), (&outline.map_before, off)] {
        let map: f64 = map.iter().filter(|share| share.kind != "saved").map(|share| share.tokens).sum();
        assert!((map * 4.0 - all).abs() < 1e-6, "request {index}: the map says {map}");
    }
    let spared: f64 = outline.map.iter().filter(|share| share.kind == "saved").map(|share| share.tokens).sum();
    assert!((spared - outline.saved.max(0.0)).abs() < 1e-6, "request {index}: the map says {spared} saved");
    let saved: f64 = rows.iter().filter_map(|row| row.change.as_ref()).map(|change| change.saved_tokens).sum();
    assert_eq!(saved, outline.saved, "request {index}");
    assert!((saved * 4.0 - (off - on)).abs() < 1e-6, "request {index}: the chips say {saved}");
    let rendered = parse(replay.export_rendered(index).expect("a request").as_bytes()).expect("JSON");
    let rendered = rendered.as_array().expect("messages");
    check_outline(&outline, &rows);
    let after: Vec<&MessageView> = rows.iter().filter_map(|row| row.after.as_ref()).collect();
    assert_eq!(rendered.len(), after.len(), "request {index}");
    for (at, (message, view)) in rendered.iter().zip(&after).enumerate() {
        assert_eq!(view.index as usize, at);
        assert_eq!(message.get("role").and_then(Value::as_str).unwrap_or(""), view.role);
    }
    if rendered.iter().all(|message| message.get("toolsAdded").is_none()) {
        assert_eq!(units(rendered) as u64, on_seen as u64, "request {index} rendered");
    }
}

/// An aborted reply's bill tells nothing of system prompt and tools.
#[test]
fn what_the_log_does_not_hold_is_told_by_the_first_whole_reply() {
    let line = |id: &str, parent: &str, rest: &str| {
        let time = "2026-01-05T00:00:00.000Z";
        format!(r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"{time}","message":{{{rest}}}}}"#)
    };
    let reply = |stop: &str, input: &str| {
        let content = r#""content":[{"type":"text","text":"yo"}]"#;
        format!(r#""role":"assistant",{content},"stopReason":"{stop}","usage":{{"input":{input},"output":1}}"#)
    };
    let lines = [
        r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-05T00:00:00.000Z","cwd":"/work"}"#.to_owned(),
        line("a1", "null", r#""role":"user","content":"hi""#),
        line("a2", r#""a1""#, &reply("aborted", "3")),
        line("a3", r#""a2""#, r#""role":"user","content":"hi again""#),
        line("a4", r#""a3""#, &reply("stop", "12000")),
    ];
    let unseen = replay(lines.join("\n").as_bytes(), "{}").overview().unseen;
    assert!((11_900.0..12_000.0).contains(&unseen), "{unseen}");
}

#[test]
fn every_number_of_the_samples_is_that_of_a_message() {
    for (name, bytes) in SAMPLES {
        for settings in SETTINGS {
            let mut replay = replay(bytes, settings);
            assert!(!replay.requests().is_empty(), "{name}");
            check(&mut replay);
        }
    }
}

#[test]
fn sessions_of_others_too() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/sessions");
    let Ok(files) = std::fs::read_dir(folder) else {
        eprintln!("skipped: no ../shared/sessions");
        return;
    };
    for path in files.filter_map(Result::ok).map(|file| file.path()).filter(|path| path.is_file()) {
        #[expect(clippy::disallowed_methods, reason = "a test reads files")]
        let bytes = std::fs::read(&path).expect("readable");
        if path.extension().is_some_and(|end| end == "jsonl") && bytes.len() < 400_000 {
            check(&mut replay(&bytes, "{}"));
        }
    }
}

#[test]
fn the_totals_of_the_samples() {
    let line = |(name, bytes)| {
        let replay = replay(bytes, "{}");
        let (off, on) = replay.totals();
        format!(
            "{name}: {} requests; sent {} -> {}; cached {} -> {}; {:.4} -> {:.4} dollars; {} epochs, {} blocks, {} summaries",
            off.requests,
            off.sent,
            on.sent,
            off.cached,
            on.cached,
            off.cost,
            on.cost,
            on.epochs,
            on.blocks,
            on.summaries.calls
        )
    };
    insta::assert_snapshot!(SAMPLES.map(line).join("\n"));
}

#[test]
fn switched_off_both_sides_are_the_same() {
    for (_, bytes) in SAMPLES {
        let replay = replay(bytes, r#"{"enabled":false}"#);
        let (off, on) = replay.totals();
        assert_eq!(off, on);
    }
}

#[test]
fn every_branch_can_be_chosen_and_the_faults_are_told() {
    let mut replay = replay(SAMPLES[2].1, "{}");
    let overview = replay.overview();
    assert_eq!(overview.leaves.len(), 2);
    let kinds: Vec<&str> = overview.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, ["torn", "doubled", "orphan", "failed"]);
    let other = overview.leaves.iter().find(|leaf| leaf.id != overview.leaf).expect("two").id.clone();
    assert!(replay.select_leaf(&other));
    assert_eq!(replay.overview().leaf, other);
    check(&mut replay);
    assert!(!replay.select_leaf("nobody"));
    assert_eq!(replay.overview().leaf, other);
}

#[test]
fn an_original_comes_back_through_its_ref() {
    let mut replay = replay(SAMPLES[0].1, "{}");
    let last = replay.requests().len() - 1;
    let hidden = rows(&mut replay, last);
    let hidden = hidden.iter().find_map(|row| {
        let change = row.change.as_ref()?;
        Some((change.r#ref.clone()?, row.before.clone().filter(|before| before.role == "toolResult")?))
    });
    let (reference, before) = hidden.expect("something is hidden");
    let whole = replay.message(last, before.index as usize, false).expect("a message");
    let answer = replay.query(last, &reference);
    assert!(answer.found && answer.text.ends_with(&whole.text), "{reference}");
    assert!(!replay.query(last, "t9999").found);
    assert!(replay.query(0, &reference).text.contains("not found"));
}

#[test]
fn an_image_is_shown() {
    let mut replay = replay(SAMPLES[2].1, "{}");
    let seen = (0..replay.requests().len()).any(|index| {
        let image = rows(&mut replay, index).into_iter().filter_map(|row| row.before).find(|before| before.images > 0);
        image.is_some_and(|view| {
            replay.message(index, view.index as usize, false).is_some_and(|text| text.images.len() == 1)
        })
    });
    assert!(seen);
}

#[test]
fn what_a_pruner_recorded_is_used_or_followed() {
    // A flush of the second prompt with a summary of its own, as it stands in a session of ours.
    let mut replay = replay(SAMPLES[0].1, "{}");
    let text = std::str::from_utf8(SAMPLES[0].1).expect("text");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let done = lines.iter().position(|line| line.contains("Done: ")).expect("a reply");
    let leaf = parse(lines[done].as_bytes()).expect("JSON");
    let results: Vec<String> = lines[..done]
        .iter()
        .filter(|line| line.contains("\"role\":\"toolResult\"") && !line.contains("Edited 1 place"))
        .map(|line| parse(line.as_bytes()).expect("JSON").get("id").and_then(Value::as_str).expect("an id").to_owned())
        .collect();
    let batches: Vec<String> = results
        .iter()
        .enumerate()
        .map(|(nth, entry)| {
            format!(
                r#"{{"turn":{nth},"outcome":"summarized","text":"- `t{}` recorded words","placement":"message","rawUnits":1,
                "results":[{{"entry":"{entry}","ref":"t{}","tool":"x"}}]}}"#,
                nth + 40,
                nth + 40
            )
            .replace('\n', "")
        })
        .collect();
    let id = leaf.get("id").and_then(Value::as_str).expect("an id");
    let epoch = format!(
        r#"{{"type":"custom","customType":"context-prune-epoch","id":"epoch001","parentId":"{id}","timestamp":
        "2026-01-05T10:00:00.000Z","data":{{"v":1,"reason":"flush","trigger":"agent-message","batches":[{}]}}}}"#,
        batches.join(",")
    )
    .replace('\n', "");
    for line in &mut lines[done + 1..] {
        *line = line.replace(&format!("\"parentId\":\"{id}\""), "\"parentId\":\"epoch001\"");
    }
    lines.insert(done + 1, epoch);
    let bytes = lines.join("\n").into_bytes();
    let mut decided = self::replay(&bytes, "{}");
    let (off, on) = decided.totals();
    assert!(on.summaries.recorded >= 2.0 && on.summaries.deterministic > 0.0, "{:?}", on.summaries);
    assert_eq!(off.sent as u64, replay.totals().0.sent as u64, "what a pruner wrote is not sent without one");
    check(&mut decided);
    let last = decided.requests().len() - 1;
    let words = "- `t1` recorded words";
    let all: Vec<MessageText> = (0..decided.request(last).expect("a request").changed.len())
        .filter_map(|at| decided.message(last, at, true))
        .collect();
    let seen = all.iter().any(|message| message.text.contains(words));
    let seen = seen || decided.export_rendered(8).expect("a request").contains(words);
    assert!(seen, "with today's ref");
    let mut recorded = self::replay(&bytes, r#"{"replay":{"asRecorded":true}}"#);
    assert_eq!((recorded.totals().1.summaries.calls, recorded.totals().1.rewrites), (0.0, 1.0));
    assert!(recorded.overview().has_decisions);
    check(&mut recorded);
    check(&mut replay);
}

#[test]
fn a_request_is_the_same_from_wherever_it_is_come_to() {
    for ((name, bytes), settings) in SAMPLES.into_iter().zip([SETTINGS[3], SETTINGS[0], SETTINGS[4]]) {
        let mut replay = replay(bytes, settings);
        let count = replay.requests().len();
        let mut seen = |index: usize| {
            let (outline, rows) = (replay.request(index).expect("a request").clone(), rows(&mut replay, index));
            (outline, rows, replay.query(index, "t1"), replay.export_rendered(index))
        };
        let stepped: Vec<_> = (0..=count).map(&mut seen).collect();
        for index in (0..=count).rev().chain((0..=count).step_by(7)) {
            assert_eq!(seen(index), stepped[index], "{name}, request {index}");
        }
    }
}

#[test]
fn it_can_be_watched_and_cancelled() {
    let mut seen = Vec::new();
    let bytes = SAMPLES[1].1;
    Replay::new(bytes, &Value::Null, &mut |done, total| {
        seen.push(done / total);
        true
    })
    .expect("a transcript");
    assert!(seen.len() > 2 && seen.is_sorted() && (seen[seen.len() - 1] - 1.0).abs() < 1e-9);
    for stop in 0..seen.len() - 1 {
        let mut calls = 0;
        let replay = Replay::new(bytes, &Value::Null, &mut |_, _| {
            calls += 1;
            calls <= stop
        });
        assert_eq!(replay.err(), Some(ImportError::Cancelled));
    }
}

#[test]
fn settings_change_the_replay_and_come_out_as_pi_wants_them() {
    let mut replay = replay(SAMPLES[0].1, r#"{"enabled":false}"#);
    let before = replay.totals().1.sent;
    let raw = r#"{"minBatchChars":1,"spillThreshold":-1,"replay":{"contextWindow":"x"}}"#;
    let problems = replay.set_settings(&parse(raw.as_bytes()).expect("JSON"));
    let keys: Vec<&str> = problems.iter().map(|problem| problem.key.as_str()).collect();
    assert_eq!(keys, ["spillThreshold", "replay.contextWindow"]);
    assert!(replay.totals().1.sent < before);
    let out = replay.settings_json();
    assert_eq!(out, "{\n  \"contextPrune\": {\n    \"minBatchChars\": 1,\n    \"spillThreshold\": -1\n  }\n}");
    assert!(replay.report().contains("| tokens sent |"));
    assert!(replay.explain_cache(3)[0].starts_with("Request 4 carries "));
}

#[test]
fn prices_of_the_settings_count_before_the_bills() {
    let free = r#"{"replay":{"prices":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0}}}"#;
    let replay = replay(SAMPLES[0].1, free);
    assert_eq!(replay.totals().1.cost as u64, 0);
    assert!(replay.totals().0.sent > 0.0);
}

/// A session whose lines were lost, doubled, swapped or cut.
fn broken(bytes: &'static [u8]) -> impl Strategy<Value = Vec<u8>> {
    let lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
    let count = lines.len();
    prop::collection::vec((0..4_u8, 1..count, 1..count, 0.0..1.0_f64), 1..12).prop_map(move |breaks| {
        let mut lines: Vec<Vec<u8>> = lines.iter().map(|line| line.to_vec()).collect();
        for (how, at, other, part) in breaks {
            let (at, other) = (at.min(lines.len() - 1).max(1), other.min(lines.len() - 1).max(1));
            match how {
                0 if lines.len() > 10 => drop(lines.remove(at)),
                1 => lines.insert(other, lines[at].clone()),
                2 => lines.swap(at, other),
                _ => {
                    let end = (lines[at].len() as f64 * part) as usize;
                    lines[at].truncate(end);
                }
            }
        }
        lines.join(&b'\n')
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn whatever_is_wrong_with_a_session_its_numbers_agree(bytes in broken(SAMPLES[2].1), settings in 0..SETTINGS.len()) {
        let mut replay = replay(&bytes, SETTINGS[settings]);
        let leaves: Vec<String> = replay.overview().leaves.into_iter().map(|leaf| leaf.id).take(3).collect();
        check(&mut replay);
        for leaf in leaves {
            prop_assert!(replay.select_leaf(&leaf));
            check(&mut replay);
        }
    }
}

#[test]
fn an_edited_and_a_tooled_session_are_counted_as_sent() {
    let message = |role: &str, text: &str| Object::from_iter([("role", role), ("content", text)]);
    let mut system = message("system", "be good");
    system.insert("toolsAdded", vec![Value::from("0123456789")]);
    let mut lines = vec![r#"{"type":"session","version":3,"id":"x"}"#.to_owned()];
    let mut add = |id: &str, parent: &str, message: Object| {
        let mut entry = Object::from_iter([("type", "message"), ("id", id), ("parentId", parent)]);
        entry.insert("message", message);
        lines.push(stringify(&entry.into()));
    };
    add("a", "", system);
    add("b", "a", message("user", "twelve chars"));
    add("c", "b", message("assistant", "reply"));
    lines.push(
        r#"{"type":"context_edit","id":"d","parentId":"c","targetId":"b","replacement":{"content":"four"}}"#.into(),
    );
    let mut last = Object::from_iter([("type", "message"), ("id", "e"), ("parentId", "d")]);
    last.insert("message", message("assistant", "reply"));
    lines.push(stringify(&last.into()));
    let mut replay = replay(lines.join("\n").as_bytes(), "{}");
    let tools = 14;
    assert_eq!(replay.requests()[0].off.sizes.total(), 7 + tools + 12);
    assert_eq!(replay.requests()[1].off.sizes.total(), 7 + tools + 4 + 5);
    assert_eq!(replay.rewrite_reasons(), ["context edit"]);
    assert_eq!(replay.requests()[1].off.rewrite, Some(0));
    check(&mut replay);
    assert_eq!(Role::from_name("system"), Role::System);
}
