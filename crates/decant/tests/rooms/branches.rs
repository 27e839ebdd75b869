//! `/tree`, `/fork`, compactions and context edits under what was decided.

use crate::support::{World, config, load, messages, object, render, role, text_of};
use decant::json::Value;
use decant::text::stub;

fn talk() -> World {
    let mut world = World::new(config());
    world.user("go");
    for nth in 0..3 {
        world.turn("dup", &format!("result {nth} ").repeat(50));
        world.tick(1_000.0);
        world.reply("so");
    }
    world
}

#[test]
fn another_branch_knows_nothing_of_this_one() {
    let mut world = talk();
    world.flush().expect("a flush");
    assert_eq!(world.session.ledger().records().len(), 3);
    // Before the epoch: its results are all there, and refs begin anew.
    world.back_to(7);
    assert!(world.render().plan.is_empty());
    assert_eq!(world.session.pending().calls, 2);
    assert_eq!(world.session.ledger().next_ref(), 1);
    world.flush().expect("a flush");
    assert_eq!(world.recall("t2", usize::MAX)[0].text, "result 1 ".repeat(50));
    assert_eq!(world.render().out, world.render_reloaded().out);
}

#[test]
fn a_fork_keeps_the_ids_and_with_them_everything() {
    let mut world = talk();
    world.flush().expect("a flush");
    // pi copies the path's entries into the new file as they are.
    let mut fork = World::at_end_of(world.entries.clone(), config());
    assert_eq!(fork.render().out, world.render().out);
    assert_eq!(fork.recall("t3", 100)[0].text, "result 2 ".repeat(50));
}

#[test]
fn a_compaction_that_parts_parallel_results_leaves_no_half() {
    let mut world = World::new(config());
    world.user("go");
    world.calls(&[("a", "read", object! {}), ("b", "read", object! {})]);
    world.result("a", "read", "first ".repeat(100));
    let second = world.result("b", "read", "second ".repeat(100));
    world.flush().expect("a flush");
    world.append("compaction", object! { "summary": "so far", "firstKeptEntryId": second, "tokensBefore": 1.0 });
    world.user("next");
    let out = world.render().out;
    let roles: Vec<&str> = out.iter().map(role).collect();
    assert_eq!(roles, ["compactionSummary", "user"], "b has no call any more");
    // Both are still there for whoever asks.
    assert_eq!(world.recall("t1", usize::MAX)[0].text, "first ".repeat(100));
    assert_eq!(world.recall("t2", usize::MAX)[0].text, "second ".repeat(100));
}

#[test]
fn a_compaction_between_parallel_results_keeps_the_pairs() {
    let mut world = World::new(config());
    let kept = world.user("go");
    world.calls(&[("a", "read", object! {}), ("b", "read", object! {})]);
    world.result("a", "read", "first ".repeat(100));
    world.append("compaction", object! { "summary": "so far", "firstKeptEntryId": kept, "tokensBefore": 1.0 });
    world.result("b", "read", "second ".repeat(100));
    world.reply("done");
    world.flush().expect("a flush");
    let out = world.render().out;
    let stubs: Vec<String> = out.iter().filter(|message| role(message) == "toolResult").map(text_of).collect();
    assert_eq!(stubs, [stub::summarized("t1"), stub::summarized("t2")]);
}

#[test]
fn an_edited_result_is_read_as_it_is_now() {
    let mut world = talk();
    let omitted = world.entries[2].id.clone();
    let replaced = world.entries[5].id.clone();
    world.append("context_edit", object! { "targetId": omitted.clone(), "replacement": Value::Null });
    let content = object! { "content": "something else ".repeat(40) };
    world.append("context_edit", object! { "targetId": replaced.clone(), "replacement": content });
    assert_eq!(world.session.pending().calls, 2, "what was omitted is not due");
    world.flush().expect("a flush");
    assert_eq!(world.recall("t1", usize::MAX)[0].text, "something else ".repeat(40));
    assert_eq!(world.render().out, world.render_reloaded().out);
    // Taken back: pi shows it again, and so do we.
    let content = object! { "content": "brought back ".repeat(40) };
    world.append("context_edit", object! { "targetId": omitted, "replacement": content });
    assert_eq!(world.session.pending().calls, 1);
}

#[test]
fn repeated_ids_and_equal_times_are_told_apart_by_their_order() {
    let mut world = World::new(config());
    world.user("go");
    world.calls(&[("dup", "read", object! {}), ("dup", "read", object! {})]);
    world.result("dup", "read", "first ".repeat(100));
    world.result("dup", "read", "second ".repeat(100));
    world.flush().expect("a flush");
    let out: Vec<String> = world.render().out.iter().map(text_of).collect();
    assert_eq!(out[2], stub::summarized("t1"));
    assert!(out[3].starts_with(&stub::summarized("t2")));
    assert_eq!(world.recall("t1", usize::MAX)[0].text, "first ".repeat(100));
    assert_eq!(world.recall("t2", usize::MAX)[0].text, "second ".repeat(100));
}

#[test]
fn with_pruning_off_everything_goes_out_as_it_is() {
    let mut world = talk();
    world.flush().expect("a flush");
    let off = decant::config::Config { enabled: false, ..config() };
    let mut session = load(&world.entries, &off);
    let request = messages(&world.entries);
    assert_eq!(render(&mut session, &request).out, request);
}

fn one_block(world: &mut World) {
    world.config.chain_compression.rolling_window = 0;
    world.config.chain_compression.fuse_range_summary = false;
    world.session.set_config(world.config.clone());
    world.flush().expect("a flush");
    world.render();
    assert_eq!((world.session.sizes().blocks, world.session.sizes().unresolved), (1, 0));
}

/// A newcomer's report: after pi's compaction the status said that blocks were not shown. Nothing of them was sent.
#[test]
fn a_block_that_a_compaction_took_altogether_is_not_amiss() {
    let mut world = World::new(config());
    world.user("first");
    world.turn("a", &"a long result ".repeat(200));
    world.turn("b", &"another one ".repeat(200));
    world.reply("done");
    let kept = world.user("second");
    world.reply("done, too");
    one_block(&mut world);
    world.append("compaction", object! { "summary": "so far", "firstKeptEntryId": kept, "tokensBefore": 1.0 });
    world.render();
    assert_eq!((world.session.sizes().blocks, world.session.sizes().unresolved), (0, 0));
}

/// One that was cut in two is: what is left of it goes out as it is.
#[test]
fn a_block_that_a_compaction_cut_in_two_is_counted() {
    let mut world = World::new(config());
    world.user("first");
    world.turn("a", &"a long result ".repeat(200));
    world.turn("b", &"another one ".repeat(200));
    let kept = world.entries[world.entries.len() - 2].id.clone();
    world.reply("done");
    one_block(&mut world);
    world.append("compaction", object! { "summary": "so far", "firstKeptEntryId": kept, "tokensBefore": 1.0 });
    world.render();
    assert_eq!((world.session.sizes().blocks, world.session.sizes().unresolved), (0, 1));
}
