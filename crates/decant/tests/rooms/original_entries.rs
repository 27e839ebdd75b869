//! Sessions that pi-condense wrote (condense.md sections 2 and 6).

use crate::support::{World, config, object, text_of};
use decant::json::{Value, parse};
use decant::text::stub;

fn json(text: &str) -> Value {
    parse(text.as_bytes()).expect("JSON")
}

fn custom(world: &mut World, kind: &str, data: &str) {
    world.append("custom", object! { "customType": kind, "data": json(data) });
}

/// A prompt, one call with a long result, a reply.
fn talk() -> World {
    let mut world = World::new(config());
    world.user("look at it");
    world.turn("call_1", &"whole ".repeat(100));
    world.tick(1_000.0);
    world.reply("seen");
    world
}

fn summary(world: &mut World, refs: &str) {
    let details = json(&format!(r#"{{"toolCallRefs":{refs},"toolNames":["read"],"turnIndex":0,"timestamp":5}}"#));
    let fields = object! {
        "customType": "context-prune-summary", "content": "- `t1` it was read", "display": false, "details": details
    };
    world.append("custom_message", fields);
}

fn index(world: &mut World, id: &str, timestamp: Option<f64>, text: &str) {
    let timestamp = timestamp.map_or(String::new(), |at| format!(r#""resultTimestamp":{at},"#));
    custom(
        world,
        "context-prune-index",
        &format!(
            r#"{{"toolCalls":[{{"toolCallId":"{id}",{timestamp}"toolName":"read","args":{{"path":"a.rs"}},"resultText":"{text}","isError":false,"turnIndex":0,"timestamp":5}}]}}"#
        ),
    );
}

fn contents(out: &[Value]) -> Vec<String> {
    out.iter().map(text_of).collect()
}

const RESULT_AT: f64 = 1_767_571_202_000.0;

#[test]
fn a_summarized_result_is_stubbed_under_its_ref_and_the_summary_stays_where_pi_has_it() {
    let mut world = talk();
    summary(&mut world, &format!(r#"[{{"shortId":"t1","toolCallId":"call_1","resultTimestamp":{RESULT_AT}}}]"#));
    index(&mut world, "call_1", Some(RESULT_AT), "whole");
    let out = contents(&world.render().out);
    assert_eq!(out[2], stub::summarized("t1"));
    assert_eq!(out[4], "- `t1` it was read");
    assert_eq!(world.recall("t1", usize::MAX)[0].text, "whole ".repeat(100), "from the session, not from the index");
}

#[test]
fn the_index_may_come_before_the_summary() {
    let mut world = talk();
    index(&mut world, "call_1", Some(RESULT_AT), "whole");
    summary(&mut world, &format!(r#"[{{"shortId":"t7","toolCallId":"call_1","resultTimestamp":{RESULT_AT}}}]"#));
    assert_eq!(contents(&world.render().out)[2], stub::summarized("t7"));
    assert_eq!(world.session.ledger().next_ref(), 8);
}

#[test]
fn a_bare_id_that_names_one_result_is_that_one_and_stays_it() {
    let mut world = talk();
    summary(&mut world, r#"[{"shortId":"t1","toolCallId":"call_1"}]"#);
    index(&mut world, "call_1", None, "whole");
    // The same id again, later: not the occurrence that was archived.
    world.turn("call_1", &"other ".repeat(100));
    let out = contents(&world.render().out);
    assert_eq!(out[2], stub::summarized("t1"));
    assert!(out.last().is_some_and(|text| text.starts_with("other")));
}

#[test]
fn a_bare_id_that_names_several_results_stubs_none_and_is_still_found() {
    let mut world = talk();
    world.turn("call_1", &"other ".repeat(100));
    summary(&mut world, r#"[{"shortId":"t1","toolCallId":"call_1"}]"#);
    index(&mut world, "call_1", None, "archived text");
    assert!(world.render().plan.is_empty());
    let recalled = world.recall("t1", usize::MAX);
    assert_eq!(recalled[0].text, "archived text");
    assert!(recalled[0].header.contains("Occurrence: legacy (no resultTimestamp)\n"));
}

#[test]
fn an_alias_finds_its_original_wherever_the_two_stand() {
    for alias_first in [false, true] {
        let mut world = talk();
        world.tick(1_000.0);
        world.turn("call_2", &"whole ".repeat(100));
        let at = world.clock;
        let alias = format!(
            r#"{{"newToolCallId":"call_2","newResultTimestamp":{at},"originalToolCallId":"call_1","originalResultTimestamp":{RESULT_AT}}}"#
        );
        if alias_first {
            custom(&mut world, "context-prune-dedup-alias", &alias);
        }
        summary(&mut world, &format!(r#"[{{"shortId":"t1","toolCallId":"call_1","resultTimestamp":{RESULT_AT}}}]"#));
        index(&mut world, "call_1", Some(RESULT_AT), "whole");
        if !alias_first {
            custom(&mut world, "context-prune-dedup-alias", &alias);
        }
        let stubs = contents(&world.render().out).into_iter().filter(|text| *text == stub::summarized("t1")).count();
        assert_eq!(stubs, 2, "alias first: {alias_first}");
        assert_eq!(world.recall("t1", usize::MAX)[0].text, "whole ".repeat(100));
        assert_eq!(world.recall("call_2", usize::MAX)[0].text, "whole ".repeat(100));
    }
}

#[test]
fn what_stands_before_the_frontier_was_attempted() {
    let mut world = talk();
    custom(&mut world, "context-prune-frontier", r#"{"lastAttemptedToolCallId":"call_1","outcome":"skipped-trivial"}"#);
    world.turn("call_1", &"other ".repeat(100));
    assert_eq!(world.session.pending().calls, 1, "only the newer call of that id waits");
}

#[test]
fn stats_are_running_totals_and_ours_come_on_top() {
    let mut world = talk();
    custom(
        &mut world,
        "context-prune-stats",
        r#"{"totalInputTokens":5,"totalOutputTokens":1,"totalCost":0.5,"callCount":2}"#,
    );
    custom(
        &mut world,
        "context-prune-stats",
        r#"{"totalInputTokens":9,"totalOutputTokens":2,"totalCost":0.75,"callCount":3}"#,
    );
    world.flush().expect("a flush");
    let stats = world.session.ledger().stats();
    assert!((stats.total_input_tokens - 109.0).abs() < 1e-9 && (stats.call_count - 4.0).abs() < 1e-9, "{stats:?}");
}

#[test]
fn a_backfilled_index_brings_its_own_refs() {
    let mut world = talk();
    custom(
        &mut world,
        "context-prune-index",
        &format!(
            r#"{{"backfilled":true,"refs":[{{"shortId":"t3","toolCallId":"call_1","resultTimestamp":{RESULT_AT}}}],"toolCalls":[{{"toolCallId":"call_1","resultTimestamp":{RESULT_AT},"toolName":"read","args":{{}},"resultText":"whole","isError":false,"turnIndex":0,"timestamp":5}}]}}"#
        ),
    );
    assert_eq!(contents(&world.render().out)[2], stub::summarized("t3"));
    assert_eq!(world.session.ledger().next_ref(), 4);
}

#[test]
fn a_spilled_record_shows_its_file_and_is_found_by_what_it_names() {
    let mut world = talk();
    custom(
        &mut world,
        "context-prune-index",
        &format!(
            r#"{{"toolCalls":[{{"toolCallId":"call_1","resultTimestamp":{RESULT_AT},"toolName":"read","args":{{}},"resultText":"","isError":false,"turnIndex":0,"timestamp":5,"spillPath":"/s/call_1.txt","spillBytes":600,"resultPreview":"whole whole"}}]}}"#
        ),
    );
    let out = contents(&world.render().out);
    assert!(
        out[2]
            .starts_with("[Oversized output spilled to file — 600 bytes.]\nTool: read\nPreview (head):\nwhole whole\n")
    );
    assert!(out[2].contains("/s/call_1.txt"));
    let name = out[2].rsplit('`').nth(1).expect("a name in backticks");
    assert_eq!(world.recall(name, usize::MAX)[0].text, "whole ".repeat(100));
}

#[test]
fn torn_and_future_entries_of_the_original_change_nothing() {
    let mut world = talk();
    for kind in
        ["index", "summary", "dedup-alias", "frontier", "chain", "stats", "diagnostic", "flush-metrics", "future"]
    {
        for data in ["null", "5", "[]", "{}", r#"{"toolCalls":[null,5,{}],"refs":{}}"#, r#"{"toolCalls":"x"}"#] {
            custom(&mut world, &format!("context-prune-{kind}"), data);
        }
    }
    assert!(world.render().plan.is_empty());
    assert_eq!(world.session.pending().calls, 1);
}
