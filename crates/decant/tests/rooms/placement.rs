//! Where a summary is shown (design section 6).

use crate::support::{World, config, object, role, text_of};
use decant::json::Value;

fn roles(out: &[Value]) -> Vec<&str> {
    out.iter().map(role).collect()
}

/// A prompt and one message with two parallel calls, the second result last.
fn parallel() -> World {
    let mut world = World::new(config());
    world.user("go");
    world.calls(&[("a", "read", object! {}), ("b", "read", object! {})]);
    world.result("a", "read", "first ".repeat(100));
    world.result("b", "read", "second ".repeat(100));
    world
}

#[test]
fn in_an_open_cycle_it_is_a_block_of_the_last_stub() {
    let mut world = parallel();
    world.flush().expect("a flush");
    let out = world.render().out;
    assert_eq!(roles(&out), ["user", "assistant", "toolResult", "toolResult"]);
    let blocks = out[3].get("content").and_then(Value::as_array).expect("blocks");
    assert_eq!(blocks.len(), 2);
    // The reply does not move it.
    world.reply("done");
    assert_eq!(&world.render().out[..4], &out[..]);
}

#[test]
fn in_a_closed_cycle_it_is_a_message_behind_all_parallel_results() {
    let mut world = parallel();
    world.message(object! { "role": "system", "content": "Tools changed.", "timestamp": world.clock });
    world.tick(1_000.0);
    world.reply("done");
    world.flush().expect("a flush");
    let out = world.render().out;
    assert_eq!(roles(&out), ["user", "assistant", "toolResult", "toolResult", "system", "user", "assistant"]);
    assert!(text_of(&out[5]).contains("**Summarized tool refs**: `t1`, `t2`"));
    assert_eq!(out[5].get("timestamp"), out[4].get("timestamp"));
}

#[test]
fn a_failed_reply_closes_no_cycle() {
    let mut world = parallel();
    let failed = crate::support::message::assistant(vec![crate::support::message::text("")], "error", world.clock);
    world.message(failed);
    world.flush().expect("a flush");
    assert_eq!(world.render().out[3].get("content").and_then(Value::as_array).map(<[Value]>::len), Some(2));
}

#[test]
fn it_goes_with_its_results() {
    let mut world = parallel();
    world.reply("done");
    world.flush().expect("a flush");
    let kept = world.user("next");
    world.append("compaction", object! { "summary": "so far", "firstKeptEntryId": kept, "tokensBefore": 1.0 });
    assert_eq!(roles(&world.render().out), ["compactionSummary", "user"]);
}

#[test]
fn it_stands_for_nothing_where_an_edit_cut_its_results_short() {
    let mut world = parallel();
    world.reply("done");
    world.flush().expect("a flush");
    for index in [2, 3] {
        let target = world.entries[index].id.clone();
        world.append("context_edit", object! { "targetId": target, "replacement": object! { "content": "redacted" } });
    }
    let out = world.render().out;
    assert_eq!(roles(&out), ["user", "assistant", "toolResult", "toolResult", "assistant"]);
    assert_eq!(text_of(&out[2]), "redacted");
    assert_eq!(world.recall("t1", usize::MAX)[0].text, "redacted", "the redaction is not undone");
}
