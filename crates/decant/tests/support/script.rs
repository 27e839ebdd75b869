//! Awkward sessions: what other people's providers, tools and extensions leave behind, as steps that shrink well.

use super::original;
use super::texts::{Text, output, text};
use decant::config::Batching;
use proptest::prelude::*;

/// One thing that happens. Numbers that choose an earlier entry count back from the leaf, around the branch.
#[derive(Clone, Debug)]
pub enum Step {
    User {
        text: Text,
        plain: bool,
    },
    Turn(Turn),
    Reply {
        text: Text,
        stop: Stop,
    },
    Stranger(Stranger),
    Compaction(Compaction),
    Edit {
        back: u8,
        edit: Edit,
    },
    /// A flush begins; its summaries come later.
    Plan,
    /// A flush from start to finish.
    Flush(Vec<Summary>),
    /// The oldest open flush ends.
    Commit {
        answers: Vec<Summary>,
        damage: Option<u8>,
    },
    /// The extension that wrote its entries before us.
    Original(original::Wrote),
    /// `/tree` to an earlier entry.
    Tree {
        back: u8,
    },
    /// The clock: forward, not at all, backwards.
    Tick(i16),
}

#[derive(Clone, Debug)]
pub struct Turn {
    pub calls: Vec<Call>,
    pub say: Option<Text>,
    pub thinking: bool,
    pub stop: Stop,
    /// Results in the order of the calls, or backwards.
    pub reversed: bool,
    /// Before which result something comes in between, and what.
    pub between: Option<(u8, Between)>,
}

#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "what can be odd about a call is independent of each other")]
pub struct Call {
    pub id: Id,
    pub tool: u8,
    pub args: Text,
    pub path: u8,
    /// None: never answered.
    pub result: Option<Text>,
    pub twice: bool,
    pub plain: bool,
    pub image: bool,
    pub is_error: bool,
}

#[derive(Clone, Debug)]
pub enum Between {
    Stranger(Stranger),
    Compaction(Compaction),
    Tick(i16),
}

/// Ids as providers give them.
#[derive(Clone, Copy, Debug)]
pub enum Id {
    Fresh,
    /// Restarting with each turn.
    PerTurn,
    Same,
    Empty,
    LikeARef,
    /// `id@time`, as the original names occurrences.
    LikeAKey,
    Astral,
    Missing,
}

#[derive(Clone, Copy, Debug)]
pub enum Stop {
    Fine,
    Error,
    Aborted,
}

#[derive(Clone, Debug)]
pub enum Stranger {
    CustomMessage(Text),
    Custom,
    UnknownEntry,
    UnknownRole(Text),
    NoRole,
    BashExecution,
    BranchSummary(Text),
    System,
    Label,
    /// A result that nothing called.
    LoneResult(Text),
    /// An entry type of ours that nobody ever wrote.
    UnknownOfOurs,
}

#[derive(Clone, Copy, Debug)]
pub struct Compaction {
    pub back: u8,
    /// The first kept entry is not there.
    pub lost: bool,
    pub system: bool,
}

#[derive(Clone, Copy, Debug)]
pub enum Edit {
    Omit,
    Short,
    Long(Text),
    Blocks(Text),
    NoContent,
}

#[derive(Clone, Copy, Debug)]
pub enum Summary {
    Short,
    /// With the labels it was asked for, and wrong ones.
    Labelled,
    Long,
    Blank,
    /// The call failed.
    Missing,
}

fn id() -> impl Strategy<Value = Id> {
    prop_oneof![
        4 => Just(Id::Fresh),
        3 => Just(Id::PerTurn),
        3 => Just(Id::Same),
        1 => Just(Id::Empty),
        1 => Just(Id::LikeARef),
        1 => Just(Id::LikeAKey),
        1 => Just(Id::Astral),
        1 => Just(Id::Missing),
    ]
}

fn stop() -> impl Strategy<Value = Stop> {
    prop_oneof![8 => Just(Stop::Fine), 1 => Just(Stop::Error), 1 => Just(Stop::Aborted)]
}

fn tick() -> impl Strategy<Value = i16> {
    prop_oneof![3 => Just(1_000_i16), 3 => Just(0_i16), 1 => -3_000_i16..3_000]
}

fn call() -> impl Strategy<Value = Call> {
    let result = prop_oneof![9 => output().prop_map(Some), 1 => Just(None)];
    let flags = (prop::bool::weighted(0.05), prop::bool::weighted(0.1), prop::bool::weighted(0.1), any::<bool>());
    (id(), (0_u8..5, 0_u8..6), text(), result, flags).prop_map(
        |(id, (tool, path), args, result, (twice, plain, image, is_error))| Call {
            id,
            tool,
            path,
            args: Text { units: args.units % 120, ..args },
            result,
            twice,
            plain,
            image,
            is_error,
        },
    )
}

fn stranger() -> impl Strategy<Value = Stranger> {
    prop_oneof![
        2 => text().prop_map(Stranger::CustomMessage),
        1 => Just(Stranger::Custom),
        1 => Just(Stranger::UnknownEntry),
        1 => text().prop_map(Stranger::UnknownRole),
        1 => Just(Stranger::NoRole),
        1 => Just(Stranger::BashExecution),
        1 => text().prop_map(Stranger::BranchSummary),
        2 => Just(Stranger::System),
        1 => Just(Stranger::Label),
        1 => text().prop_map(Stranger::LoneResult),
        1 => Just(Stranger::UnknownOfOurs),
    ]
}

fn compaction() -> impl Strategy<Value = Compaction> {
    (0_u8..14, prop::bool::weighted(0.1), prop::bool::weighted(0.3)).prop_map(|(back, lost, system)| Compaction {
        back,
        lost,
        system,
    })
}

fn turn() -> impl Strategy<Value = Turn> {
    let between = prop_oneof![
        1 => stranger().prop_map(Between::Stranger),
        1 => compaction().prop_map(Between::Compaction),
        2 => tick().prop_map(Between::Tick),
    ];
    let between = prop::option::weighted(0.25, (0_u8..4, between));
    let calls = prop_oneof![3 => prop::collection::vec(call(), 1..2), 2 => prop::collection::vec(call(), 2..5)];
    let shape = (any::<bool>(), stop(), prop::bool::weighted(0.15));
    (calls, prop::option::weighted(0.3, text()), shape, between).prop_map(
        |(calls, say, (thinking, stop, reversed), between)| Turn { calls, say, thinking, stop, reversed, between },
    )
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        2 => Just(Edit::Omit),
        2 => Just(Edit::Short),
        1 => text().prop_map(Edit::Long),
        1 => text().prop_map(Edit::Blocks),
        1 => Just(Edit::NoContent),
    ]
}

fn summary() -> impl Strategy<Value = Summary> {
    prop_oneof![
        6 => Just(Summary::Short),
        2 => Just(Summary::Labelled),
        1 => Just(Summary::Long),
        1 => Just(Summary::Blank),
        1 => Just(Summary::Missing),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let commit = (prop::collection::vec(summary(), 1..5), prop::option::weighted(0.1, any::<u8>()));
    prop_oneof![
        3 => (text(), any::<bool>()).prop_map(|(text, plain)| Step::User { text, plain }),
        9 => turn().prop_map(Step::Turn),
        3 => (text(), stop()).prop_map(|(text, stop)| Step::Reply { text, stop }),
        2 => stranger().prop_map(Step::Stranger),
        1 => compaction().prop_map(Step::Compaction),
        1 => (0_u8..12, edit()).prop_map(|(back, edit)| Step::Edit { back, edit }),
        4 => prop::collection::vec(summary(), 1..5).prop_map(Step::Flush),
        2 => Just(Step::Plan),
        2 => commit.prop_map(|(answers, damage)| Step::Commit { answers, damage }),
        2 => original::wrote().prop_map(Step::Original),
        1 => (0_u8..8).prop_map(|back| Step::Tree { back }),
        3 => tick().prop_map(Step::Tick),
    ]
}

/// Settings and a session's worth of steps.
#[derive(Clone, Debug)]
pub struct Script {
    pub batching: Batching,
    pub grace: u32,
    /// Spilled from so many units on.
    pub spill: Option<u32>,
    pub dedup: bool,
    /// Finished prompts that stay.
    pub window: u32,
    pub thinking: bool,
    /// The clock goes on by itself.
    pub ticks: bool,
    pub steps: Vec<Step>,
}

pub fn script() -> impl Strategy<Value = Script> {
    let batching = prop_oneof![2 => Just(Batching::Turn), 1 => Just(Batching::AgentMessage)];
    let spill = prop_oneof![1 => Just(None), 2 => Just(Some(65_536_u32)), 1 => Just(Some(600_u32))];
    let settings = (batching, 0_u32..3, spill, prop::bool::weighted(0.8), 0_u32..3, any::<bool>(), any::<bool>());
    let steps = prop::collection::vec(step(), 3..28);
    (settings, steps).prop_map(|((batching, grace, spill, dedup, window, thinking, ticks), steps)| Script {
        batching,
        grace,
        spill,
        dedup,
        window,
        thinking,
        ticks,
        steps,
    })
}
