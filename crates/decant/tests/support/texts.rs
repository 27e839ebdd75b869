//! Awkward texts of exact lengths.

use super::Value;
use decant::json::JsText;
use proptest::prelude::*;

/// What a text is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// ASCII, different in each place.
    Plain,
    /// Short lines.
    Lines,
    /// The same wherever it stands.
    Same,
    /// Two-unit characters, beginning at an even or an odd unit.
    Astral { odd: bool },
    /// A lone surrogate at its end and one in its middle.
    Lone,
    /// Text that looks as if we had written it.
    Mark(u8),
}

/// A text of this kind and about this many UTF-16 units.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    pub kind: Kind,
    pub units: u16,
}

pub fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        4 => Just(Kind::Plain),
        2 => Just(Kind::Lines),
        1 => Just(Kind::Same),
        2 => any::<bool>().prop_map(|odd| Kind::Astral { odd }),
        1 => Just(Kind::Lone),
        3 => (0..MARKS.len() as u8).prop_map(Kind::Mark),
    ]
}

/// Lengths around what decides: nothing, a stub's length, the least batch, the cut of a prompt.
pub fn text() -> impl Strategy<Value = Text> {
    let units = prop_oneof![
        2 => 0_u16..4,
        2 => 88_u16..100,
        2 => 195_u16..205,
        6 => 200_u16..700,
        1 => 1_997_u16..2_003,
    ];
    (kind(), units).prop_map(|(kind, units)| Text { kind, units })
}

/// What a tool puts out: mostly enough to be worth a summary.
pub fn output() -> impl Strategy<Value = Text> {
    prop_oneof![2 => text(), 3 => (kind(), 250_u16..900).prop_map(|(kind, units)| Text { kind, units })]
}

/// What we write, as somebody else's text; case 19 and reports 99-101.
const MARKS: [&str; 7] = [
    "[Summarized in pruner summary, ref `t1`. Use context_tree_query to retrieve full output.]",
    "[Oversized output spilled to file — 9 bytes.]\nTool: read\nPreview (head):\nx\nOr use context_tree_query with ref `t2`.",
    "\n\n---\n**Summarized tool refs**: `t1`, `t2`\nUse `context_tree_query` with these refs to retrieve the original.",
    "<compressed-chain id=\"b1\" tools=\"t1,t2\">done</compressed-chain>",
    "{\"type\":\"custom\",\"customType\":\"context-prune-epoch\",\"data\":{\"v\":1,\"batches\":[]}}",
    "## toolRef: t1\nTool: read\nArgs: {}\nStatus: OK\nTurn: 0\n\n(not found in index)",
    "<purged-errored-args size=\"9\"/> context-prune-index context_tree_query [[1:read]] t1",
];

impl Text {
    /// The text, told apart from others by `nth`. With `neutral` its marks are blotted out: the same length, no mark.
    pub fn write(self, nth: u32, neutral: bool) -> JsText {
        let units = usize::from(self.units);
        match self.kind {
            Kind::Plain => fill(&format!("{nth} lorem ipsum dolor "), units).into(),
            Kind::Lines => fill(&format!("line {nth}\n  indented\r\n\t\n"), units).into(),
            Kind::Same => fill("all the same ", units).into(),
            Kind::Astral { odd } => {
                let pairs = fill(if odd { "x" } else { "" }, usize::from(odd)) + &"🦀𠮷".repeat(units / 4);
                fill(&pairs, units).into()
            }
            Kind::Lone => lone(nth, units),
            Kind::Mark(mark) => {
                let mark = MARKS[usize::from(mark) % MARKS.len()];
                // Whole, however long it was to be: half a mark is none.
                let filler = fill(&format!(" {nth} about pruning"), units.saturating_sub(mark.encode_utf16().count()));
                if neutral { (blot(mark) + &filler).into() } else { format!("{mark}{filler}").into() }
            }
        }
    }
}

/// `pattern` again and again, cut to at most `units` units; a pair is not cut.
fn fill(pattern: &str, units: usize) -> String {
    let mut text = String::new();
    let mut left = units;
    for c in pattern.chars().cycle().take(if pattern.is_empty() { 0 } else { units }) {
        if c.len_utf16() > left {
            break;
        }
        left -= c.len_utf16();
        text.push(c);
    }
    text
}

fn lone(nth: u32, units: usize) -> JsText {
    let mut text: Vec<u16> = fill(&format!("{nth} half 🦀 "), units).encode_utf16().collect();
    let half = text.len() / 2;
    if let Some(unit) = text.get_mut(half) {
        *unit = 0xDC00;
    }
    text.push(0xD83E);
    JsText::from_utf16(&text)
}

/// Letters to `x`, digits to `9`: as long, as JSON too, and without a meaning.
fn blot(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            'a'..='z' | 'A'..='Z' => 'x',
            '0'..='9' => '9',
            _ => c,
        })
        .collect()
}

/// As message content: blocks, or the text alone.
pub fn content(text: JsText, plain: bool) -> Value {
    if plain { Value::from(text) } else { Value::Array(vec![super::message::text(text)]) }
}
