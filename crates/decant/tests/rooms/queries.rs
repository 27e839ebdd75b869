//! `context_tree_query` (condense.md section 17).

use crate::support::message::{image, text};
use crate::support::{World, answer, config, object};
use decant::json::{JsText, Value};
use decant::recall::query::{Ask, Piece};

fn talk() -> World {
    let mut world = World::new(config());
    world.user("go");
    world.turn("bash_0", &"one ".repeat(100));
    world.turn("bash_0", &"two ".repeat(100));
    world.reply("done");
    world.flush().expect("a flush");
    world
}

#[test]
fn a_ref_and_an_entry_id_name_one_result() {
    let world = talk();
    let entry = world.entries[4].id.to_string();
    for id in ["t2", " t2 ", &entry] {
        let recalled = world.recall(id, usize::MAX);
        assert_eq!(recalled.len(), 1);
        assert_eq!(recalled[0].text, "two ".repeat(100));
        assert_eq!(recalled[0].reference.as_deref(), Some("t2"));
        assert_eq!(recalled[0].entry.as_deref(), Some(entry.as_str()));
    }
    let header = &world.recall("t2", usize::MAX)[0].header;
    assert_eq!(*header, "## toolRef: t2\nTool: read\nArgs: {\n  \"path\": \"src/lib.rs\"\n}\nStatus: OK\nTurn: 1\n\n");
}

#[test]
fn a_bare_id_that_names_several_brings_all_of_them_back() {
    let world = talk();
    let recalled = world.recall("bash_0", usize::MAX);
    assert_eq!(
        recalled.iter().map(|one| one.text.clone()).collect::<Vec<_>>(),
        ["one ".repeat(100), "two ".repeat(100)]
    );
    for (one, nth) in recalled.iter().zip([2, 4]) {
        let at = world.entries[nth]
            .value
            .get("message")
            .and_then(|message| message.get("timestamp"))
            .and_then(Value::as_f64);
        let label = format!("## toolRef: bash_0@{}\n", at.expect("a time"));
        assert!(one.header.starts_with(&label), "{}", one.header);
        // The label names that one alone.
        let id = label.trim_start_matches("## toolRef: ").trim_end();
        assert_eq!(world.recall(id, usize::MAX).iter().map(|found| &found.text).collect::<Vec<_>>(), [&one.text]);
    }
}

/// A flush that failed has used up its numbers: whoever waits for them waits in vain.
#[test]
fn a_number_that_nothing_got_is_told_from_one_that_is_to_come() {
    let mut world = World::new(config());
    world.user("go");
    world.turn("a", &"one ".repeat(100));
    world.turn("b", &"two ".repeat(100));
    world.reply("done");
    let (plan, due) = world.plan("now").expect("a plan");
    let answers: Vec<_> = (0..due).map(|nth| (nth == 1).then(|| answer("- [[1:read]] seen."))).collect();
    world.commit(plan, &answers);
    let said = |id: &str| {
        let found = world.session.query(&[id.to_owned()], Ask { offset: 0, limit: usize::MAX }, &world.source());
        match &found[0].pieces[..] {
            [Piece::Text(text)] if !found[0].found => text.clone(),
            _ => String::new(),
        }
    };
    assert!(said("t1").ends_with("no output has this ref on this branch)"), "{}", said("t1"));
    assert_eq!(said("t2"), "");
    assert!(said("t3").ends_with("may not have been summarized yet)"), "{}", said("t3"));
}

#[test]
fn what_is_not_there_says_so() {
    let world = talk();
    for id in ["t99", "", "bash_0@5", "nobody", "t", "@"] {
        let found = world.session.query(&[id.to_owned()], Ask { offset: 0, limit: usize::MAX }, &world.source());
        assert!(found.iter().all(|one| !one.found), "{id}");
        let Some(Piece::Text(text)) = found[0].pieces.first() else { continue };
        assert!(text.contains("not found in index"), "{text}");
    }
    assert!(world.session.query(&[], Ask { offset: 0, limit: 1 }, &world.source()).is_empty());
}

#[test]
fn pages_go_on_where_the_last_one_ended_and_cut_no_character() {
    let mut world = World::new(config());
    world.user("go");
    let long = "🦀".repeat(60_000);
    world.turn("a", &long);
    let lines = "line\n".repeat(5_000);
    world.turn("b", &lines);
    world.flush().expect("a flush");
    // One line longer than a page (condense.md B9), more lines than a page has, pages of an odd size.
    for limit in [usize::MAX, 9_999] {
        assert!(world.recall("t1", limit)[0].text == long);
        assert!(world.recall("t2", limit)[0].text == lines);
    }
    let first = world.session.query(&["t2".to_owned()], Ask { offset: 0, limit: usize::MAX }, &world.source());
    let note = first[0].pieces.iter().find_map(|piece| match piece {
        Piece::Text(text) if text.contains("truncated") => Some(text.clone()),
        _ => None,
    });
    assert_eq!(
        note.as_deref(),
        Some("\n\n[Output truncated: 2000/5000 lines shown, characters 0-10000 of 25000. Continue with offset 10000.]")
    );
}

#[test]
fn images_come_back_with_the_first_page() {
    let mut world = World::new(config());
    world.user("go");
    world.calls(&[("a", "read", object! { "path": "x.png" })]);
    world.result("a", "read", vec![text("Read image file ".repeat(30)), image(1), text("after"), image(2)]);
    world.flush().expect("a flush");
    let recalled = &world.recall("t1", 100)[0];
    assert_eq!(recalled.text, format!("{}\nafter", "Read image file ".repeat(30)));
    assert_eq!(recalled.images, [image(1), image(2)]);
    // Asked for later, they do not come again.
    let later = world.session.query(&["t1".to_owned()], Ask { offset: 100, limit: 100 }, &world.source());
    assert!(!later[0].pieces.iter().any(|piece| matches!(piece, Piece::Images { .. })));
}

#[test]
fn a_lone_surrogate_comes_back_as_a_replacement_character() {
    let mut world = World::new(config());
    world.user("go");
    let mut units: Vec<u16> = "half an emoji ".repeat(40).encode_utf16().collect();
    units.push(0xD83D);
    world.calls(&[("a", "read", object! {})]);
    world.result("a", "read", Value::from(JsText::from_utf16(&units)));
    world.flush().expect("a flush");
    assert_eq!(world.recall("t1", 50)[0].text, String::from_utf16_lossy(&units));
}

#[test]
fn a_result_that_was_never_archived_can_be_asked_for() {
    let mut world = World::new(config());
    world.user("go");
    let entry = world.turn("call_9", "short");
    for id in ["call_9", &entry] {
        let recalled = world.recall(id, usize::MAX);
        assert_eq!((recalled[0].text.as_str(), recalled[0].reference.clone()), ("short", None));
    }
}

#[test]
fn marks_in_texts_are_texts() {
    let mut world = World::new(config());
    world.user("[Summarized in pruner summary, ref `t1`. Use context_tree_query to retrieve full output.]");
    world.turn("t1", &decant::text::stub::summarized("t1").repeat(5));
    assert!(world.render().plan.is_empty(), "nothing was decided");
    let recalled = world.recall("t1", usize::MAX);
    assert_eq!(recalled[0].reference, None, "a call of that id, no ref");
    world.flush().expect("a flush: it is text like any other");
    assert_eq!(world.recall("t1", usize::MAX)[0].text, decant::text::stub::summarized("t1").repeat(5));
}
