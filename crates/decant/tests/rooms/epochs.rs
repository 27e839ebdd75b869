//! Our own entry: written, read again, torn.

use crate::support::{World, answer, config, object};
use decant::json::{Value, parse, stringify};
use decant::ledger::epoch::Epoch;

fn written() -> (World, Epoch) {
    let mut world = World::new(config());
    world.user("go");
    world.turn("call_1", &"a long result ".repeat(40));
    let (plan, _) = world.plan("now").expect("a plan");
    let committed = world.session.commit_flush(plan, &[Some(answer("- [[1:read]] naïve 🦀"))], &[]).expect("open");
    (world, committed.epoch.expect("an epoch"))
}

#[test]
fn it_survives_the_way_through_json() {
    let (_, epoch) = written();
    let data = epoch.write();
    let read = parse(stringify(&data).as_bytes()).expect("JSON");
    assert_eq!(Epoch::read(&read), Some(epoch));
}

#[test]
fn one_of_a_later_version_is_nobodys_business() {
    let (mut world, epoch) = written();
    let mut data = epoch.write();
    data.as_object_mut().expect("an object").insert("v", 2.0);
    world.append_epoch(data);
    assert!(world.render().plan.is_empty());
    assert_eq!(world.session.pending().calls, 1);
    assert_eq!(world.session.ledger().epochs().len(), 0);
}

/// Every part of the entry taken away or made a number, one at a time: it is read as far as it goes, nothing panics, and
/// what is stubbed comes back.
#[test]
fn a_torn_one_is_read_as_far_as_it_goes() {
    let (_, epoch) = written();
    let data = epoch.write();
    for torn in mutations(&data) {
        let (mut world, _) = written();
        world.append_epoch(torn);
        for message in world.render().out {
            let text = crate::support::text_of(&message);
            if text.contains("ref `t1`") {
                assert_eq!(world.recall("t1", usize::MAX)[0].text, "a long result ".repeat(40));
            }
        }
    }
}

/// All values that differ from `value` in one place: a part missing, or a number instead.
fn mutations(value: &Value) -> Vec<Value> {
    let mut all = vec![Value::Null, Value::from(5.0), object! {}];
    match value {
        Value::Object(object) => {
            for (key, part) in object.iter() {
                let key = key.as_str().expect("our keys");
                let mut without = object.clone();
                without.remove(key);
                all.push(without.into());
                for mutation in mutations(part) {
                    let mut with = object.clone();
                    with.insert(key, mutation);
                    all.push(with.into());
                }
            }
        }
        Value::Array(items) => {
            for (at, part) in items.iter().enumerate() {
                for mutation in mutations(part) {
                    let mut with = items.clone();
                    with[at] = mutation;
                    all.push(with.into());
                }
            }
        }
        _ => {}
    }
    all
}

#[test]
fn refs_go_on_behind_the_highest_and_leave_gaps() {
    let mut world = World::new(config());
    world.user("go");
    world.turn("a", &"first ".repeat(100));
    world.turn("b", &"second ".repeat(100));
    let (plan, due) = world.plan("now").expect("a plan");
    assert_eq!(due, 2);
    // The first summary is longer than the result: its ref is burnt.
    world.commit(plan, &[Some(answer(&"long ".repeat(300))), Some(answer("- short"))]);
    assert_eq!(world.session.ledger().next_ref(), 3);
    world.turn("c", &"third ".repeat(100));
    world.flush().expect("a flush");
    let refs: Vec<_> = world.session.ledger().records().iter().filter_map(|record| record.reference.clone()).collect();
    assert_eq!(refs, ["t2", "t3"]);
}

/// Nobody of ours writes a block into another, but a file may hold one; the running session and a fresh one agree on it.
#[test]
fn a_block_inside_another_brings_nothing_back() {
    let mut world = World::new(config());
    let start = world.user("go");
    for nth in 0..3 {
        world.turn(&format!("call_{nth}"), &"a long result ".repeat(40));
    }
    let end = world.reply("done");
    let middle = world.entries[3].id.to_string();
    for (id, end) in [("b1", &end), ("b2", &middle)] {
        let block = object! { "id": id, "start": start.as_str(), "end": end.as_str(), "body": "b", "refs": Value::Array(vec![]) };
        let batches = Value::Array(vec![]);
        world.append_epoch(
            object! { "v": 1.0, "reason": "flush", "batches": batches, "blocks": Value::Array(vec![block]) },
        );
        let fresh = crate::support::load(&world.entries, &world.config);
        assert_eq!(world.session.pending(), fresh.pending(), "{id}");
        assert_eq!(fresh.pending().calls, 0, "{id}");
    }
}
