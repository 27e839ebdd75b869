//! The exported functions on real JavaScript objects, in headless Chrome (`cargo xtask test wasm`).

#![cfg(target_arch = "wasm32")]

use decant_wasm::{Session, read_settings, settings_schema};
use js_sys::{Array, Error, Function, JSON, Object, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen(inline_js = "
export function lookupIn(entries) {
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    return (id) => byId.get(id);
}
export function failing() {
    return () => {
        throw new Error('the session is gone');
    };
}
export function poisoned() {
    return { get role() { throw new Error('no role for you'); }, timestamp: 1 };
}
export function at(value, path) {
    return path.split('.').reduce((value, key) => value?.[key], value);
}
")]
extern "C" {
    #[wasm_bindgen(js_name = lookupIn)]
    fn lookup_in(entries: &Array) -> Function;
    fn failing() -> Function;
    fn poisoned() -> JsValue;
    /// The value at a path like `a.0.b`; undefined where it ends early.
    fn at(value: &JsValue, path: &str) -> JsValue;
}

fn json(text: &str) -> JsValue {
    JSON::parse(text).expect("JSON")
}

fn text(value: &JsValue, path: &str) -> String {
    at(value, path).as_string().unwrap_or_default()
}

fn number(value: &JsValue, path: &str) -> f64 {
    at(value, path).as_f64().unwrap_or(f64::NAN)
}

/// The error of a call that must fail.
fn failure<T>(result: Result<T, Error>) -> Error {
    result.err().expect("an error")
}

fn code(error: &Error) -> String {
    text(error.as_ref(), "code")
}

fn entry(id: &str, message: &str) -> JsValue {
    json(&format!(r#"{{"type":"message","id":"{id}","timestamp":"2026-01-05T09:00:00.000Z","message":{message}}}"#))
}

const TALK: [(&str, &str); 4] = [
    ("e1", r#"{"role":"user","content":"look","timestamp":1}"#),
    (
        "e2",
        r#"{"role":"assistant","content":[{"type":"text","text":"I will."},{"type":"toolCall","id":"call_1","name":"read","arguments":{"path":"größe.rs"}}],"stopReason":"toolUse","timestamp":2}"#,
    ),
    (
        "e3",
        r#"{"role":"toolResult","toolCallId":"call_1","toolName":"read","content":[{"type":"text","text":"LONG"},{"type":"image","data":"aGk=","mimeType":"image/png"}],"isError":false,"timestamp":3}"#,
    ),
    ("e4", r#"{"role":"assistant","content":[{"type":"text","text":"Seen."}],"stopReason":"stop","timestamp":4}"#),
];

/// What the tool wrote: more than a page, with characters of two units.
fn long() -> String {
    "🦀 line of output\n".repeat(3_000)
}

/// The entries of a prompt, a call, its result and a reply.
fn talk() -> Array {
    let long = JSON::stringify(&JsValue::from_str(&long())).ok().and_then(|text| text.as_string()).expect("a string");
    TALK.iter().map(|(id, message)| entry(id, &message.replace("\"LONG\"", &long))).collect()
}

/// Clones of the messages, as pi hands them to a hook.
fn messages(entries: &Array) -> Array {
    let copy = JSON::parse(&String::from(JSON::stringify(entries).expect("JSON"))).expect("JSON");
    Array::from(&copy).iter().filter_map(|entry| Some(at(&entry, "message")).filter(JsValue::is_object)).collect()
}

fn session(entries: &Array) -> Session {
    let mut session = Session::new(json("{}"), Some("/work".to_owned()));
    session.load_branch(entries.clone()).expect("entries");
    session
}

/// A session with its one result summarized, and its entries with the epoch.
fn flushed() -> (Session, Array) {
    let entries = talk();
    let mut session = session(&entries);
    let plan = session.plan_flush("now", lookup_in(&entries), JsValue::UNDEFINED).expect("a plan").expect("due");
    let summaries = json(r#"[{"text":"- [[1:read]] read it","usage":{"input":9,"output":1,"cost":0.5}}]"#);
    let outcome =
        session.commit_flush(number(plan.as_ref(), "id") as u32, summaries, JsValue::UNDEFINED).expect("an outcome");
    let epoch = at(outcome.as_ref(), "entry");
    Reflect::set(&epoch, &"type".into(), &"custom".into()).expect("set");
    Reflect::set(&epoch, &"id".into(), &"e5".into()).expect("set");
    Reflect::set(&epoch, &"timestamp".into(), &"2026-01-05T09:00:05.000Z".into()).expect("set");
    entries.push(&epoch);
    session.append_entries(Array::of1(&epoch)).expect("the epoch");
    (session, entries)
}

#[wasm_bindgen_test]
fn settings_have_defaults_and_say_what_was_wrong() {
    let report = read_settings(json(r#"{"enabled":false,"minBatchChars":"many","unknown":1}"#)).expect("a report");
    assert!(at(report.as_ref(), "config.enabled").is_falsy());
    assert!((number(report.as_ref(), "config.minBatchChars") - 1_000.0).abs() < 1e-9);
    assert_eq!(number(report.as_ref(), "problems.length") as u32, 1);
    assert_eq!(text(report.as_ref(), "problems.0.key"), "minBatchChars");
    for odd in [JsValue::UNDEFINED, JsValue::NULL, JsValue::from_f64(5.0), throwing_getter()] {
        let report = read_settings(odd).expect("a report");
        assert!(at(report.as_ref(), "config.enabled").is_truthy());
    }
    let rows: JsValue = settings_schema().into();
    assert!(number(&rows, "length") > 20.0);
    assert_eq!(text(&rows, "0.key"), "enabled");
}

/// An object that cannot be written as JSON.
fn throwing_getter() -> JsValue {
    let object = Object::new();
    let _ = Reflect::set(&object, &"self".into(), &object);
    object.into()
}

#[wasm_bindgen_test]
fn a_branch_is_folded_and_continued() {
    let entries = talk();
    let mut session = Session::new(JsValue::UNDEFINED, None);
    assert_eq!(session.leaf_id(), None);
    session.load_branch(entries.slice(0, 2)).expect("entries");
    assert_eq!(session.leaf_id().as_deref(), Some("e2"));
    session.append_entries(entries.slice(2, 4)).expect("entries");
    assert_eq!(session.leaf_id().as_deref(), Some("e4"));
    session.load_branch(Array::new()).expect("no entries");
    assert_eq!(session.leaf_id(), None);
}

#[wasm_bindgen_test]
fn nothing_to_change_is_undefined() {
    let entries = talk();
    let mut session = session(&entries);
    let given = messages(&entries);
    assert!(session.apply_context(given).expect("applied").is_undefined());
}

#[wasm_bindgen_test]
fn a_turn_is_captured_planned_and_committed() {
    let entries = talk();
    let mut session = session(&entries);
    let turn = json(r#"{"assistantEntryId":"e2","resultEntryIds":["e3","gone"]}"#);
    let captured = session.capture_turn(turn, lookup_in(&entries)).expect("captured");
    assert_eq!(number(captured.as_ref(), "calls") as u32, 1);
    assert_eq!(number(captured.as_ref(), "pendingUnits") as usize, long().encode_utf16().count());

    let plan = session.plan_flush("now", lookup_in(&entries), JsValue::UNDEFINED).expect("a plan").expect("due");
    assert_eq!(text(plan.as_ref(), "leafId"), "e4");
    assert_eq!(text(plan.as_ref(), "batches.0.calls.0.entryId"), "e3");
    assert_eq!(text(plan.as_ref(), "batches.0.calls.0.ref"), "t1");
    let prompt = text(plan.as_ref(), "batches.0.prompt");
    for part in ["[[1:read]]", "größe.rs", "Assistant said: I will.", "🦀 line of output", "[1 image(s), not shown]"]
    {
        assert!(prompt.contains(part), "{part} is not in the prompt");
    }
    assert!(!prompt.contains("aGk="), "no image in a prompt");

    let id = number(plan.as_ref(), "id") as u32;
    let outcome = session.commit_flush(id, json("[null]"), JsValue::UNDEFINED).expect("an outcome");
    assert_eq!(text(outcome.as_ref(), "reason"), "failed");
    assert!(at(outcome.as_ref(), "entry").is_undefined());
}

#[wasm_bindgen_test]
fn stub_and_summary_go_out_together_and_the_rest_keeps_its_identity() {
    let (mut session, entries) = flushed();
    let given = messages(&entries);
    let sent = session.apply_context(given.clone()).expect("applied");
    assert_eq!(
        text(&sent, "2.content.0.text"),
        "[Summarized in pruner summary, ref `t1`. Use context_tree_query to retrieve full output.]"
    );
    assert_eq!(text(&sent, "3.role"), "user");
    assert!(text(&sent, "3.content.0.text").starts_with("- `t1` read it\n"));
    let sent = Array::from(&sent);
    assert_eq!(sent.length(), 5);
    for (index, from) in [(0, 0), (1, 1), (4, 3)] {
        assert!(Object::is(&sent.get(index), &given.get(from)), "message {index} is another object");
    }
    assert!(!Object::is(&sent.get(2), &given.get(2)));
    // The next request, from known heads.
    let again = session.apply_context(messages(&entries)).expect("applied");
    assert_eq!(
        String::from(JSON::stringify(&again).expect("JSON")),
        String::from(JSON::stringify(&sent).expect("JSON"))
    );

    let report = session.report().expect("a report");
    assert_eq!(number(report.as_ref(), "refs") as u32, 1);
    assert_eq!(number(report.as_ref(), "shownStubs") as u32, 1);
    assert_eq!(number(report.as_ref(), "pendingCalls") as u32, 0);
    assert!((number(report.as_ref(), "stats.totalCost") - 0.5).abs() < 1e-9);
    assert!(number(report.as_ref(), "sizes.after") < number(report.as_ref(), "sizes.before"));
}

#[wasm_bindgen_test]
fn an_original_comes_back_in_pages_with_its_image() {
    let (session, entries) = flushed();
    let ask = |offset: usize| {
        let page = json(&format!(r#"{{"offset":{offset},"limit":20001}}"#));
        session.query(vec!["t1".to_owned()], lookup_in(&entries), page).expect("an answer")
    };
    let mut whole = String::new();
    let mut next = Some(0);
    while let Some(offset) = next {
        let answer = ask(offset);
        let body = text(answer.as_ref(), "content.0.text");
        let body = body.split_once("\n\n").map_or("", |(_, body)| body);
        let (page, note) = body.rsplit_once("\n\n[Output truncated: ").map_or((body, ""), |(page, note)| (page, note));
        whole.push_str(page);
        let after: Option<usize> =
            note.split_once("Continue with offset ").and_then(|(_, offset)| offset.trim_end_matches(".]").parse().ok());
        assert!(after.is_none_or(|after| after > offset));
        next = after;
    }
    assert!(whole == long());
    let answer = session.query(vec!["t1".to_owned(), "t9".to_owned()], lookup_in(&entries), JsValue::UNDEFINED);
    let answer: JsValue = answer.expect("an answer").into();
    assert_eq!(text(&answer, "content.1.type"), "image");
    assert_eq!(text(&answer, "content.1.data"), "aGk=");
    assert_eq!(text(&answer, "details.results.0.entryId"), "e3");
    assert!(at(&answer, "details.results.1.found").is_falsy());
    assert!(at(&answer, "isError").is_falsy());
    let nothing = session.query(vec!["t9".to_owned()], lookup_in(&entries), JsValue::UNDEFINED).expect("an answer");
    assert!(at(nothing.as_ref(), "isError").is_truthy());
}

#[wasm_bindgen_test]
fn a_look_up_that_throws_is_one_that_has_nothing() {
    let (session, _) = flushed();
    let answer = session.query(vec!["t1".to_owned()], failing(), JsValue::UNDEFINED).expect("an answer");
    assert!(text(answer.as_ref(), "content.0.text").contains("(the session entry of this output is gone)"));
}

#[wasm_bindgen_test]
fn errors_have_a_code_and_say_what_was_expected() {
    let entries = talk();
    let mut session = session(&entries);
    let error = failure(session.capture_turn(JsValue::from_f64(5.0), lookup_in(&entries)));
    assert_eq!(code(&error), "bad-turn");
    assert!(String::from(error.message()).contains("expected { assistantEntryId, resultEntryIds }"));

    let error = failure(session.commit_flush(99, json("[]"), JsValue::UNDEFINED));
    assert_eq!(code(&error), "unknown-flush-plan");

    let plan = session.plan_flush("now", lookup_in(&entries), JsValue::UNDEFINED).expect("a plan").expect("due");
    let id = number(plan.as_ref(), "id") as u32;
    let error = failure(session.commit_flush(id, json(r#"[{"text":5}]"#), JsValue::UNDEFINED));
    assert_eq!(code(&error), "bad-summaries");
    // What could not be read did not close the plan.
    assert!(session.commit_flush(id, json(r#"[{"text":"- done"}]"#), JsValue::UNDEFINED).is_ok());

    let error = failure(session.commit_spill(json("5"), lookup_in(&entries)));
    assert_eq!(code(&error), "bad-files");

    let error = failure(session.apply_context(Array::of1(&poisoned())));
    assert_eq!(code(&error), "unreadable-input");
    assert!(String::from(error.message()).contains("no role for you"));
    // It goes on afterwards.
    assert!(session.apply_context(messages(&entries)).is_ok());
}

#[wasm_bindgen_test]
fn a_huge_result_is_spilled_before_it_is_sent() {
    let entries = talk();
    let mut session = Session::new(json(r#"{"spillThreshold":1000,"spillPreviewBytes":100}"#), None);
    session.load_branch(entries.slice(0, 3)).expect("entries");
    let turn = json(r#"{"assistantEntryId":"e2","resultEntryIds":["e3"]}"#);
    let captured = session.capture_turn(turn, lookup_in(&entries)).expect("captured");
    assert_eq!(text(captured.as_ref(), "spill.0.entryId"), "e3");
    let files = json(r#"[{"entryId":"e3","path":"/blobs/call_1_e3.txt","bytes":54000}]"#);
    let epoch = session.commit_spill(files, lookup_in(&entries)).expect("an entry").expect("one that helps");
    assert_eq!(text(epoch.as_ref(), "customType"), "context-prune-epoch");
    assert_eq!(text(epoch.as_ref(), "data.reason"), "spill");
}
