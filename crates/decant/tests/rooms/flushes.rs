//! From what waits to what is written.

use crate::support::{World, answer, config, messages, object, text_of};
use decant::epoch::commit::Reason;
use decant::ledger::epoch::Outcome;
use decant::text::stub;

/// A session with `results` long results, each in a turn of its own.
fn turns(results: usize) -> World {
    let mut world = World::new(config());
    world.user("go");
    for nth in 0..results {
        world.turn(&format!("call_{nth}"), &format!("result {nth} ").repeat(50));
    }
    world
}

#[test]
fn what_is_summarized_is_smaller_and_nothing_is_pending() {
    let mut world = turns(3);
    let before = world.request();
    let committed = world.flush().expect("a flush");
    assert!(committed.notes.iter().all(|note| note.outcome == Outcome::Summarized));
    assert_eq!(world.session.pending().calls, 0);
    assert!(world.flush().is_none(), "nothing is left");
    let rendered = world.render();
    assert_eq!(messages(&world.entries), before, "the session's own messages are as they were");
    let epoch = committed.epoch.expect("an epoch");
    let sizes = world.session.sizes();
    assert_eq!(sizes.before - sizes.after, epoch.removed_units - epoch.added_units, "as predicted");
    assert_eq!(rendered.out, world.render_reloaded().out);
}

#[test]
fn a_summary_that_is_longer_and_a_batch_too_small_are_left_and_not_asked_for_again() {
    let mut world = World::new(config());
    world.user("go");
    world.turn("small", "ok");
    world.turn("long", &"result ".repeat(50));
    let (plan, due) = world.plan("now").expect("a plan");
    assert_eq!(due, 1, "nobody is paid for \"ok\"");
    let committed = world.commit(plan, &[Some(answer(&"word ".repeat(200)))]);
    let outcomes: Vec<_> = committed.notes.iter().map(|note| note.outcome).collect();
    assert_eq!(outcomes, [Outcome::SkippedTrivial, Outcome::SkippedOversized]);
    assert!(world.render().plan.is_empty());
    assert_eq!(world.session.pending().calls, 0);
    assert!((world.session.ledger().stats().call_count - 1.0).abs() < 1e-9, "the call was paid for");
}

#[test]
fn a_result_no_longer_than_its_stub_stays_inside_a_summarized_batch() {
    let mut world = World::new(config());
    world.user("go");
    world.calls(&[("a", "bash", object! {}), ("b", "read", object! {})]);
    world.result("a", "bash", "ok");
    world.result("b", "read", "long ".repeat(100));
    world.flush().expect("a flush");
    let out: Vec<String> = world.render().out.iter().map(text_of).collect();
    assert_eq!(out[2], "ok");
    assert!(out[3].starts_with(&stub::summarized("t2")));
}

#[test]
fn what_has_no_answer_waits_for_the_next_flush() {
    let mut world = turns(3);
    let (plan, due) = world.plan("now").expect("a plan");
    assert_eq!(due, 3);
    let committed = world.commit(plan, &[Some(answer("- one")), None, Some(answer(" \n"))]);
    assert_eq!(committed.notes.len(), 1);
    assert_eq!(world.session.pending().batches, 2);
    world.flush().expect("the rest");
    assert_eq!(world.session.pending().batches, 0);
}

#[test]
fn too_few_answers_are_missing_answers() {
    let mut world = turns(2);
    let (plan, _) = world.plan("now").expect("a plan");
    let committed = world.commit(plan, &[]);
    assert_eq!(committed.epoch.err(), Some(Reason::Failed));
    assert_eq!(world.session.pending().batches, 2);
}

#[test]
fn a_plan_goes_stale_with_what_it_was_made_for() {
    // Its results were compacted away while the summaries were made.
    let mut world = turns(1);
    let (plan, _) = world.plan("now").expect("a plan");
    let kept = world.user("next");
    world.append("compaction", object! { "summary": "so far", "firstKeptEntryId": kept, "tokensBefore": 1.0 });
    let committed = world.session.commit_flush(plan, &[Some(answer("- one"))], &[]).expect("open");
    assert_eq!(committed.epoch.err(), Some(Reason::Stale));

    // They were taken by another flush.
    let mut world = turns(1);
    let (slow, _) = world.plan("now").expect("a plan");
    world.flush().expect("a flush");
    let committed = world.session.commit_flush(slow, &[Some(answer("- one"))], &[]).expect("open");
    assert_eq!(committed.epoch.err(), Some(Reason::Stale));

    // The branch was left: the plan is closed.
    let mut world = turns(1);
    let (plan, _) = world.plan("now").expect("a plan");
    world.back_to(1);
    let error = world.session.commit_flush(plan, &[Some(answer("- one"))], &[]).err().map(|error| error.code());
    assert_eq!(error, Some("unknown-flush-plan"));
}

#[test]
fn two_flushes_at_once_give_no_ref_twice() {
    let mut world = turns(2);
    let (first, _) = world.plan("now").expect("a plan");
    world.turn("call_2", &"result 2 ".repeat(50));
    let (second, _) = world.plan("now").expect("a plan");
    // Of the first only the second batch comes back, of the second the other two.
    world.commit(first, &[None, Some(answer("- one"))]);
    world.commit(second, &[Some(answer("- zero")), None, Some(answer("- two"))]);
    for (index, nth) in [(2, 0), (4, 1), (6, 2)] {
        let stub = text_of(&world.render().out[index]);
        let reference = stub.split('`').nth(1).expect("a ref").to_owned();
        assert_eq!(world.recall(&reference, usize::MAX)[0].text, format!("result {nth} ").repeat(50));
    }
}

#[test]
fn a_result_spilled_during_a_flush_takes_no_ref_of_it() {
    let mut world = World::new(decant::config::Config { spill_threshold: Some(5_000), ..config() });
    world.user("go");
    world.turn("call_0", &"result 0 ".repeat(50));
    let (plan, _) = world.plan("now").expect("a plan");
    let huge = world.turn("call_1", &"huge ".repeat(2_000));
    world.capture(&[huge]);
    world.commit(plan, &[Some(answer("- zero"))]);
    let out: Vec<String> = world.render().out.iter().map(text_of).collect();
    let refs: Vec<&str> =
        [&out[2], &out[4]].iter().filter_map(|text| text.split("ref `").nth(1)?.split('`').next()).collect();
    assert_eq!(refs.len(), 2);
    assert_ne!(refs[0], refs[1]);
    assert_eq!(world.recall(refs[0], usize::MAX)[0].text, "result 0 ".repeat(50));
    assert_eq!(world.recall(refs[1], usize::MAX)[0].text, "huge ".repeat(2_000));
}

#[test]
fn unfinished_turns_and_outputs_of_the_query_tool_are_not_due() {
    let mut world = World::new(config());
    world.user("go");
    world.calls(&[("a", "read", object! {}), ("b", "read", object! {})]);
    world.result("a", "read", "long ".repeat(100));
    assert!(world.plan("now").is_none(), "b is still to come");
    world.result("b", "read", "long too ".repeat(100));
    assert_eq!(world.session.pending().calls, 2);
    world.calls(&[("q", "context_tree_query", object! {})]);
    world.result("q", "context_tree_query", "an original ".repeat(100));
    assert_eq!(world.session.pending().calls, 2);
}

#[test]
fn a_chain_whose_summaries_failed_stays_as_it_is() {
    let mut world = turns(1);
    world.reply("done");
    world.user("next");
    world.turn("later", &"later ".repeat(100));
    world.reply("done too");
    let (plan, due) = world.plan("now").expect("a plan");
    world.commit(plan, &vec![None; due]);
    assert_eq!(world.session.ledger().blocks().len(), 0, "a block would hide what nothing tells of");
    assert_eq!(world.session.pending().calls, 2, "both wait for the next flush");
}
