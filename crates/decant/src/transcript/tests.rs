// Timestamps and versions are compared as they were written, and `else` in a test is a failed test.
#![allow(clippy::float_cmp, clippy::panic)]

use super::entry::EntryKind;
use super::head::{Body, Role};
use super::symbols::{Sym, Symbols};
use super::*;
use crate::json::{Value, parse, stringify};

const HEADER: &str = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-05T09:00:00.000Z","cwd":"/w"}"#;

/// A user message entry; its text is its id.
fn user(id: &str, parent: &str) -> String {
    let parent = if parent.is_empty() { "null".into() } else { format!("\"{parent}\"") };
    format!(
        r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2026-01-05T09:00:01.000Z","message":{{"role":"user","content":"{id}","timestamp":1}}}}"#
    )
}

fn file(lines: &[&str]) -> Transcript {
    let text = [&[HEADER], lines].concat().join("\n") + "\n";
    Transcript::read(text.as_bytes()).expect("a session file")
}

fn kinds(transcript: &Transcript) -> Vec<(u32, FaultKind)> {
    transcript.faults.iter().map(|fault| (fault.line, fault.kind.clone())).collect()
}

/// The projected messages as JSON.
fn messages(transcript: &Transcript, leaf: &str) -> Vec<String> {
    transcript.projection(leaf).iter().map(|projected| stringify(&projected.message)).collect()
}

/// The contents of projected messages, where they are text.
fn texts(transcript: &Transcript, leaf: &str) -> Vec<String> {
    let contents = transcript.projection(leaf).into_iter().map(|projected| {
        let content = projected.message.get("content").or(projected.message.get("summary"));
        content.and_then(Value::as_str).unwrap_or("?").to_owned()
    });
    contents.collect()
}

#[test]
fn a_clean_file_has_no_faults() {
    let transcript = file(&[&user("a", ""), &user("b", "a")]);
    assert_eq!(kinds(&transcript), []);
    assert_eq!(transcript.leaf().map(|leaf| leaf.id.to_string()).as_deref(), Some("b"));
    assert_eq!(texts(&transcript, "b"), ["a", "b"]);
    assert_eq!(transcript.header.id, "s");
}

#[test]
fn welded_entries_are_all_read() {
    let transcript = file(&[&user("a", ""), &(user("b", "a") + &user("c", "b") + " " + &user("d", "c"))]);
    assert_eq!(kinds(&transcript), [(3, FaultKind::Welded { entries: 3 })]);
    assert_eq!(texts(&transcript, "d"), ["a", "b", "c", "d"]);
}

#[test]
fn a_torn_last_line_is_lost_and_named() {
    let torn = &user("b", "a")[..40];
    let transcript = Transcript::read([HEADER, &user("a", ""), torn].join("\n").as_bytes()).expect("a session file");
    assert_eq!(kinds(&transcript), [(3, FaultKind::Torn { bytes: 40 })]);
    assert_eq!(texts(&transcript, "a"), ["a"]);
}

#[test]
fn an_entry_welded_to_a_torn_one_is_read() {
    let whole = user("b", "a");
    for cut in 1..whole.len() {
        let line = format!("{}{}", &whole[..cut], user("c", "a"));
        let transcript = file(&[&user("a", ""), &line]);
        assert_eq!(texts(&transcript, "c"), ["a", "c"], "cut at {cut}");
        assert_eq!(kinds(&transcript), [(3, FaultKind::Torn { bytes: cut })], "cut at {cut}");
    }
}

#[test]
fn a_value_inside_a_torn_entry_is_no_entry() {
    let inner = r#"{"type":"message","id":"x","timestamp":"2026-01-05T09:00:01.000Z"}"#;
    let torn = format!(r#"{{"type":"custom","id":"b","data":[{inner},{inner}],"timest"#);
    let transcript = file(&[&user("a", ""), &torn]);
    assert_eq!(transcript.entries.len(), 1);
    assert_eq!(kinds(&transcript), [(3, FaultKind::Torn { bytes: torn.len() })]);
}

#[test]
fn zeros_left_by_a_crash_do_not_hide_what_follows() {
    let transcript = file(&[&("\0".repeat(9) + &user("a", "")), "garbage", &user("b", "a")]);
    assert_eq!(texts(&transcript, "b"), ["a", "b"]);
    assert!(matches!(
        &kinds(&transcript)[..],
        [(2, FaultKind::NotJson { bytes: 9, .. }), (3, FaultKind::NotJson { bytes: 7, .. })]
    ));
}

#[test]
fn blank_lines_carriage_returns_and_a_byte_order_mark_do_no_harm() {
    let text = ["\u{feff}", HEADER, "\r\n", &user("a", ""), "\r\n", "\r\n", " \t\n", &user("b", "a"), "\r\n"].concat();
    let transcript = Transcript::read(text.as_bytes()).expect("a session file");
    assert_eq!(texts(&transcript, "b"), ["a", "b"]);
    let expected = [
        (1, FaultKind::ByteOrderMark),
        (1, FaultKind::CarriageReturns { lines: 4 }),
        (3, FaultKind::Blank),
        (4, FaultKind::Blank),
    ];
    assert_eq!(kinds(&transcript), expected);
    assert_eq!(transcript.faults[1].to_string(), "line 1: 4 lines end in CR LF; read all the same");
}

#[test]
fn a_lone_surrogate_is_a_good_line() {
    let line = user("b", "a").replace(r#":"b","t"#, r#":"cut \ud83d","t"#);
    let transcript = file(&[&user("a", ""), &line]);
    assert_eq!(kinds(&transcript), []);
    assert_eq!(messages(&transcript, "b")[1], r#"{"role":"user","content":"cut \ud83d","timestamp":1}"#);
}

#[test]
fn values_that_are_no_entries_are_named() {
    let nameless = r#"{"type":"message","message":{"role":"user","content":"x"}}"#;
    let lines = ["17", nameless, HEADER, r#"{"type":"message","id":"m"}"#, r#"{"type":"context_edit","id":"e"}"#];
    let expected = [
        (2, FaultKind::NotAnEntry { found: "a number" }),
        (3, FaultKind::NoId),
        (4, FaultKind::SecondHeader),
        (5, FaultKind::NoMessage),
        (6, FaultKind::NoReplacement),
    ];
    assert_eq!(kinds(&file(&lines)), expected);
}

#[test]
fn what_is_no_session_file_says_what_it_is() {
    let found = |text: &str| Transcript::read(text.as_bytes()).expect_err("refused").to_string();
    let expected = "expected a pi session file, whose first line is {\"type\":\"session\",\"id\":...}; found ";
    for (text, what) in [
        ("", "an empty file"),
        (" \n\n", "an empty file"),
        ("# Notes\n\nhello", "no line of JSON; it begins with \"# Notes\\n\\nhello\""),
        ("{\"type\":\"summary\"}\n", "an entry of type \"summary\" on line 1"),
        ("\n[1]", "an array on line 2"),
        ("{}", "an object without a type on line 1"),
        ("{\"type\":\"session\"}", "a session header without an id on line 1"),
    ] {
        assert_eq!(found(text), format!("{expected}{what}"));
    }
}

#[test]
fn the_tree_bears_missing_parents_repeated_ids_and_loops() {
    let transcript = file(&[
        &user("a", "gone"),
        &user("b", "a"),
        &user("b", "a"),
        &user("c", "d"),
        &user("d", "c"),
        &user("e", "e"),
    ]);
    let expected = [
        (2, FaultKind::MissingParent { parent: "gone".into() }),
        (4, FaultKind::RepeatedId { id: "b".into() }),
        (6, FaultKind::ParentLoop { parent: "c".into() }),
        (7, FaultKind::ParentLoop { parent: "e".into() }),
    ];
    assert_eq!(kinds(&transcript), expected);
    assert_eq!(transcript.branch("b").iter().map(|entry| entry.line).collect::<Vec<_>>(), [2, 4]);
    assert_eq!(texts(&transcript, "c"), ["d", "c"]);
    assert_eq!(texts(&transcript, "d"), ["d"]);
    assert_eq!(texts(&transcript, "e"), ["e"]);
    assert!(transcript.branch("nowhere").is_empty());
}

#[test]
fn version_1_gets_ids_a_chain_and_its_compaction_s_entry() {
    let text = [
        r#"{"type":"session","id":"s","timestamp":"2025-11-20T23:33:50.805Z"}"#,
        r#"{"type":"message","timestamp":"t","message":{"role":"user","content":"one","timestamp":1}}"#,
        r#"{"type":"message","timestamp":"t","message":{"role":"hookMessage","content":"two","timestamp":2}}"#,
        r#"{"type":"compaction","timestamp":"t","summary":"sum","firstKeptEntryIndex":2,"tokensBefore":9}"#,
        r#"{"type":"message","timestamp":"t","message":{"role":"user","content":"three","timestamp":3}}"#,
        r#"{"type":"compaction","timestamp":"t","summary":"later","firstKeptEntryIndex":6,"tokensBefore":9}"#,
        r#"{"type":"message","timestamp":"t","message":{"role":"user","content":"four","timestamp":3}}"#,
    ]
    .join("\n");
    let transcript = Transcript::read(text.as_bytes()).expect("a session file");
    assert_eq!(transcript.header.version, 1.0);
    assert_eq!(texts(&transcript, "00000004"), ["sum", "two", "three"]);
    assert_eq!(messages(&transcript, "00000004")[1], r#"{"role":"custom","content":"two","timestamp":2}"#);
    // An index that points behind its compaction names nothing.
    assert_eq!(texts(&transcript, "00000006"), ["later", "four"]);
}

#[test]
fn version_2_keeps_its_ids_and_renames_the_role() {
    let text = [
        r#"{"type":"session","version":2,"id":"s"}"#,
        r#"{"type":"message","id":"x","parentId":null,"message":{"role":"hookMessage","content":"c"}}"#,
    ]
    .join("\n");
    let transcript = Transcript::read(text.as_bytes()).expect("a session file");
    assert_eq!(messages(&transcript, "x"), [r#"{"role":"custom","content":"c"}"#]);
}

#[test]
fn version_3_is_left_as_it_is() {
    let line = r#"{"type":"message","id":"x","parentId":null,"message":{"role":"hookMessage","content":null}}"#;
    assert_eq!(messages(&file(&[line]), "x"), [r#"{"role":"hookMessage","content":null}"#]);
}

#[test]
fn a_compaction_keeps_from_its_entry_on_and_an_edit_replaces_the_content() {
    let compaction = |id: &str, parent: &str, kept: &str| {
        format!(
            r#"{{"type":"compaction","id":"{id}","parentId":"{parent}","timestamp":"2026-01-05T09:00:02Z","summary":"S{id}","firstKeptEntryId":"{kept}","tokensBefore":5}}"#
        )
    };
    let edit = |id: &str, parent: &str, target: &str, replacement: &str| {
        format!(
            r#"{{"type":"context_edit","id":"{id}","parentId":"{parent}","targetId":"{target}","replacement":{replacement}}}"#
        )
    };
    let transcript = file(&[
        &user("a", ""),
        &user("b", "a"),
        &compaction("c", "b", "b"),
        &user("d", "c"),
        &compaction("e", "d", "b"),
        &user("f", "e"),
        &edit("g", "f", "b", r#"{"content":"B"}"#),
        &edit("h", "g", "d", "null"),
        &compaction("i", "h", "i"),
        &user("j", "i"),
    ]);
    assert_eq!(texts(&transcript, "d"), ["Sc", "b", "d"]);
    assert_eq!(texts(&transcript, "f"), ["Se", "b", "d", "f"]);
    assert_eq!(texts(&transcript, "h"), ["Se", "B", "f"]);
    assert_eq!(texts(&transcript, "j"), ["Si", "j"]);
    let summary = r#"{"role":"compactionSummary","summary":"Sc","tokensBefore":5,"timestamp":1767603602000}"#;
    assert_eq!(messages(&transcript, "d")[0], summary);
}

/// Case 23, strangers: none crashes, none becomes a tool result, the unknown passes untouched.
#[test]
fn other_roles_and_strangers_pass() {
    let base = |id: &str, parent: &str, rest: &str| {
        format!(r#"{{"id":"{id}","parentId":"{parent}","timestamp":"2026-01-05T09:00:52.000Z",{rest}}}"#)
    };
    let lines = [
        base("1", "", r#""type":"message","message":{"role":"user","content":"plain","timestamp":1}"#),
        base(
            "2",
            "1",
            r#""type":"message","message":{"role":"bashExecution","command":"x","output":"y","timestamp":2}"#,
        ),
        base("3", "2", r#""type":"custom_message","customType":"other-ext","content":"note","display":true"#),
        base("4", "3", r#""type":"custom","customType":"other-ext","data":{"n":1}"#),
        base("5", "4", r#""type":"label","targetId":"1","label":"here""#),
        base("6", "5", r#""type":"future_thing","payload":{"x":[1,2]}"#),
        base(
            "7",
            "6",
            r#""type":"message","message":{"role":"oracle","content":[{"type":"vision","text":"z"}],"timestamp":7}"#,
        ),
        base("8", "7", r#""payload":"no type""#),
    ];
    let transcript = file(&lines.each_ref().map(String::as_str));
    assert_eq!(kinds(&transcript), []);
    let expected = [
        r#"{"role":"user","content":"plain","timestamp":1}"#,
        r#"{"role":"bashExecution","command":"x","output":"y","timestamp":2}"#,
        r#"{"role":"custom","customType":"other-ext","content":"note","display":true,"timestamp":1767603652000}"#,
        r#"{"role":"oracle","content":[{"type":"vision","text":"z"}],"timestamp":7}"#,
    ];
    assert_eq!(messages(&transcript, "8"), expected);

    let mut symbols = Symbols::default();
    let roles = transcript.entries.iter().map(|entry| match read_head::entry(&entry.value, &mut symbols).kind {
        EntryKind::Message(head) => Some((head.role, head.text_units, head.body)),
        _ => None,
    });
    let expected = [
        Some((Role::User, 5, Body::Plain)),
        Some((Role::BashExecution, 0, Body::Plain)),
        Some((Role::Custom, 4, Body::Plain)),
        None,
        None,
        None,
        Some((Role::Other, 0, Body::Plain)),
        None,
    ];
    assert_eq!(roles.collect::<Vec<_>>(), expected);
}

fn entry_kind(text: &str, symbols: &mut Symbols) -> EntryKind {
    read_head::entry(&parse(text.as_bytes()).expect("good JSON"), symbols).kind
}

#[test]
fn an_assistant_s_head_counts_its_blocks() {
    let mut symbols = Symbols::default();
    let text = r#"{"type":"message","id":"a","message":{"role":"assistant","stopReason":"aborted","timestamp":5,"content":[
        {"type":"thinking","thinking":"hm\ud83d","thinkingSignature":"xxxxxxxx"},{"type":"text","text":"a😀"},{"type":"text","text":7},
        {"type":"toolCall","id":"t|1","name":"bash","arguments":{"1":1e400,"a":"\n"}},{"type":"image"},{"type":"toolCall","name":3},null]}}"#;
    let EntryKind::Message(head) = entry_kind(text, &mut symbols) else { panic!("a message") };
    assert_eq!((head.text_units, head.thinking_units, head.images, head.timestamp), (3, 3, 1, 5.0));
    assert_eq!(head.calls()[0].args_units, r#"{"1":null,"a":"\n"}"#.len() as u32);
    let Body::Assistant { calls, failed: true } = head.body else { panic!("a failed assistant") };
    let calls: Vec<_> = calls.iter().map(|call| (symbols.name(call.id), symbols.name(call.tool))).collect();
    assert_eq!(calls, [("t|1", "bash"), ("", "")]);
}

#[test]
fn a_result_s_head_names_its_call() {
    let mut symbols = Symbols::default();
    let text = r#"{"type":"message","message":{"role":"toolResult","toolCallId":"t","toolName":"read","isError":1,"content":null}}"#;
    let EntryKind::Message(head) = entry_kind(text, &mut symbols) else { panic!("a message") };
    assert!(head.timestamp.is_nan());
    let named = |sym: Sym| symbols.name(sym);
    let Body::Result { call, tool, is_error: false } = head.body else { panic!("a result") };
    assert_eq!((named(call), named(tool), head.text_units), ("t", "read", 0));
}

#[test]
fn entries_of_ours_keep_their_data() {
    let mut symbols = Symbols::default();
    let time = r#""timestamp":"1970-01-01T00:00:01Z""#;
    let custom = format!(r#"{{"type":"custom","customType":"context-prune-index",{time},"data":{{"a":1}}}}"#);
    let EntryKind::Ours { custom_type, timestamp, data } = entry_kind(&custom, &mut symbols) else { panic!("ours") };
    assert_eq!((&*custom_type, timestamp, stringify(&data)), ("context-prune-index", 1000.0, r#"{"a":1}"#.into()));
    let message = format!(
        r#"{{"type":"custom_message","customType":"context-prune-summary",{time},"content":"sum","details":{{"d":2}},"display":true}}"#
    );
    let EntryKind::OursMessage { head, data, .. } = entry_kind(&message, &mut symbols) else { panic!("ours") };
    assert_eq!((head.role, head.text_units, head.timestamp), (Role::Custom, 3, 1000.0));
    assert_eq!(stringify(&data), r#"{"content":"sum","details":{"d":2}}"#);
}

#[test]
fn summaries_and_edits_are_read() {
    let mut symbols = Symbols::default();
    let compaction = r#"{"type":"compaction","summary":"abc","firstKeptEntryId":"k","timestamp":"nonsense"}"#;
    let EntryKind::Compaction { head, first_kept } = entry_kind(compaction, &mut symbols) else { panic!("compaction") };
    assert_eq!((head.role, head.text_units, first_kept), (Role::CompactionSummary, 3, symbols.find("k")));
    assert!(head.timestamp.is_nan());
    let summary = r#"{"type":"branch_summary","summary":"","fromId":"x"}"#;
    assert!(matches!(entry_kind(summary, &mut symbols), EntryKind::Other));
    let edit = r#"{"type":"context_edit","targetId":"k","replacement":null}"#;
    let EntryKind::ContextEdit { target, omits } = entry_kind(edit, &mut symbols) else { panic!("edit") };
    assert_eq!((Some(target), omits), (symbols.find("k"), true));
}
