//! The laws of design section 3 on generated sessions and on every session file at hand.
//!
//! The suite draws the same sessions each time. `PROPTEST_CASES=100000 cargo test --release -p decant --test laws` draws
//! so many new ones for each law.

#[path = "../support/mod.rs"]
mod support;

mod alignment;
mod checks;
mod on_files;
mod recovery;
mod replayed;
mod settings;

use checks::Check;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestCaseError, TestError, TestRunner};
use support::outline::outline;
use support::player::play;
use support::script::{Script, script};
use support::walk::{Walk, points};
use support::{World, load, render};

/// Sessions a law; with all of them well over 10,000 in the suite.
const CASES: u32 = 1_500;

fn runner() -> TestRunner {
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = CASES;
        config.rng_seed = RngSeed::Fixed(20_260_105);
    }
    TestRunner::new(config)
}

/// Checks `law` at every entry of every session.
fn holds(law: Check) -> Result<(), String> {
    let on_script = |script: Script| {
        let world = play(&script, false);
        let mut walk = Walk::new(&world.entries, &world.config);
        law(&mut walk, &points(world.entries.len(), usize::MAX)).map_err(|error| at_fault(&error, &world))
    };
    run(on_script)
}

fn run(check: impl Fn(Script) -> Result<(), TestCaseError>) -> Result<(), String> {
    run_on(&script(), check)
}

fn run_on<S: Strategy>(drawn: &S, check: impl Fn(S::Value) -> Result<(), TestCaseError>) -> Result<(), String> {
    runner().run(drawn, check).map_err(|error| {
        let (TestError::Fail(reason, _) | TestError::Abort(reason)) = error;
        eprintln!("{reason}");
        "a law is broken: see above".to_owned()
    })
}

fn at_fault(error: &TestCaseError, world: &World) -> TestCaseError {
    TestCaseError::fail(format!("{error}\n{}", outline(&world.entries)))
}

#[test]
fn law_1_pure() -> Result<(), String> {
    holds(checks::pure)
}

#[test]
fn law_2_prefix_stable() -> Result<(), String> {
    holds(checks::prefix_stable)
}

/// Law 2 where settings change: what they change in a request is an epoch, with a reason that was asked for before it.
#[test]
fn law_2_settings_are_epochs() -> Result<(), String> {
    holds(settings::marked)
}

/// And where they come and go, from one request to the next or from one run to the next.
#[test]
fn law_2_settings_come_and_go() -> Result<(), String> {
    for restarts in [false, true] {
        let drawn = (script(), proptest::collection::vec(0_usize..60, 12));
        run_on(&drawn, |(script, turns)| settings::come_and_go(&script, &turns, restarts))?;
    }
    Ok(())
}

#[test]
fn law_3_paired() -> Result<(), String> {
    holds(checks::paired)
}

#[test]
fn law_4_recoverable() -> Result<(), String> {
    holds(recovery::recoverable)
}

#[test]
fn law_5_occurrence() -> Result<(), String> {
    holds(checks::occurrence)
}

#[test]
fn law_6_branch_truth() -> Result<(), String> {
    holds(checks::branch_truth)
}

/// Law 6 where the running session did more than append: flushes planned, dropped and committed, `/tree` and back.
#[test]
fn law_6_after_all_that_happened() -> Result<(), String> {
    let check = |script: Script| {
        let mut world = play(&script, false);
        let mut loaded = load(&world.entries, &world.config);
        let request = world.request();
        let (live, fresh) = (render(&mut world.session, &request), render(&mut loaded, &request));
        prop_assert_eq!(checks::spelled(&live.plan, &world.session), checks::spelled(&fresh.plan, &loaded));
        prop_assert_eq!(live.out, fresh.out);
        prop_assert_eq!(checks::state(&world.session), checks::state(&loaded));
        Ok(())
    };
    run(check)
}

#[test]
fn law_7_never_longer() -> Result<(), String> {
    holds(checks::never_longer)
}

#[test]
fn law_8_thinking_whole_or_not() -> Result<(), String> {
    holds(checks::thinking_whole)
}

#[test]
fn law_9_javascripts_text() -> Result<(), String> {
    holds(checks::javascripts_text)
}

/// Not of section 3, but drawn from the same sessions.
#[test]
fn every_request_of_a_replay_adds_up() -> Result<(), String> {
    let bills = prop_oneof![Just(0.0), Just(7_001.0), Just(1e19), Just(1e300)];
    let drawn = (script(), 0_usize..4, bills, proptest::collection::vec(0_usize..100, 4));
    run_on(&drawn, |(script, settings, billed, order)| replayed::adds_up(&script, settings, billed, &order))
}

/// The same session with every mark in its texts blotted out: nothing else happens.
#[test]
fn law_10_marks_are_not_trusted() -> Result<(), String> {
    let check = |script: Script| {
        let (mut marked, mut neutral) = (play(&script, false), play(&script, true));
        prop_assert_eq!(marked.entries.len(), neutral.entries.len());
        prop_assert_eq!(marked.render().plan, neutral.render().plan);
        prop_assert_eq!(checks::state(&marked.session), checks::state(&neutral.session));
        Ok(())
    };
    run(check)
}

/// A law that is never put to the test holds always: the generator must make what the laws are about.
#[test]
fn the_generator_makes_what_the_laws_are_about() -> Result<(), String> {
    let counts = std::cell::RefCell::new(checks::Counts::default());
    let count = |script: Script| {
        let mut world = play(&script, false);
        let plan = world.render().plan;
        counts.borrow_mut().add(&world, &plan);
        Ok(())
    };
    run(count)?;
    let counts = counts.into_inner();
    eprintln!("{counts:?}");
    // Of each at least one in a hundred sessions.
    assert!(counts.least() > CASES / 100, "{counts:?}");
    Ok(())
}
