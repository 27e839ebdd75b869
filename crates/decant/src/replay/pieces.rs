//! A request as a list of pieces: what each message weighs, by kind, and a key that says whether it is still the same.

use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// What a unit of a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    System,
    Tools,
    User,
    Assistant,
    Thinking,
    Arguments,
    Results,
    Summaries,
}

/// How many kinds there are.
pub const KINDS: usize = 8;

impl Kind {
    pub const ALL: [Self; KINDS] = [
        Self::System,
        Self::Tools,
        Self::User,
        Self::Assistant,
        Self::Thinking,
        Self::Arguments,
        Self::Results,
        Self::Summaries,
    ];

    /// The stable name across the boundary.
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Tools => "tools",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Thinking => "thinking",
            Self::Arguments => "arguments",
            Self::Results => "results",
            Self::Summaries => "summaries",
        }
    }
}

/// UTF-16 units of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes(pub [u64; KINDS]);

impl Sizes {
    pub fn one(kind: Kind, units: u64) -> Self {
        let mut sizes = Self::default();
        sizes.add(kind, units);
        sizes
    }

    pub fn add(&mut self, kind: Kind, units: u64) {
        self.0[kind as usize] += units;
    }

    pub fn set(&mut self, kind: Kind, units: u64) {
        self.0[kind as usize] = units;
    }

    pub fn get(&self, kind: Kind) -> u64 {
        self.0[kind as usize]
    }

    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}

/// One message of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    pub key: u64,
    pub sizes: Sizes,
    /// Content blocks, as a provider counts them.
    pub blocks: u32,
}

impl Piece {
    /// The same message in another form.
    pub fn change(&mut self, how: impl Hash) {
        self.key = key_of((self.key, how));
    }
}

/// A key for what makes a piece what it is.
pub fn key_of(what: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    what.hash(&mut hasher);
    hasher.finish()
}

/// The pieces of a request with their sums, so that any prefix is weighed at once.
#[derive(Clone, Debug, Default)]
pub struct Stack {
    /// What stands before the first piece and in no log.
    unseen: Sum,
    pieces: Vec<Piece>,
    /// Behind each piece.
    sums: Vec<Sum>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    sizes: Sizes,
    units: u64,
    blocks: u64,
}

impl Stack {
    /// A stack behind so many UTF-16 units of system prompt and tools, of which the log tells no more than that.
    pub fn behind(unseen: u64) -> Self {
        let sum = Sum { sizes: Sizes::one(Kind::System, unseen), units: unseen, blocks: u64::from(unseen > 0) };
        Self { unseen: sum, ..Self::default() }
    }

    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    pub fn push(&mut self, piece: Piece) {
        let mut sum = self.sum(self.len());
        for (sum, units) in sum.sizes.0.iter_mut().zip(piece.sizes.0) {
            *sum += units;
        }
        sum.units += piece.sizes.total();
        sum.blocks += u64::from(piece.blocks);
        self.sums.push(sum);
        self.pieces.push(piece);
    }

    pub fn truncate(&mut self, len: usize) {
        self.pieces.truncate(len);
        self.sums.truncate(len);
    }

    /// Makes these the pieces from `start` on; how many at the beginning are the same as before.
    pub fn replace(&mut self, start: usize, pieces: &[Piece]) -> usize {
        let old = self.pieces[start..].iter();
        let same = old.zip(pieces).take_while(|(old, new)| old == new).count();
        self.truncate(start + same);
        for &piece in &pieces[same..] {
            self.push(piece);
        }
        start + same
    }

    fn sum(&self, len: usize) -> Sum {
        len.checked_sub(1).map_or(self.unseen, |last| self.sums[last])
    }

    /// UTF-16 units of the first `len` pieces.
    pub fn units(&self, len: usize) -> u64 {
        self.sum(len).units
    }

    /// Content blocks of the first `len` pieces.
    pub fn blocks(&self, len: usize) -> u64 {
        self.sum(len).blocks
    }

    /// UTF-16 units of all pieces, by kind.
    pub fn sizes(&self) -> Sizes {
        self.sum(self.len()).sizes
    }

    /// How many pieces at the beginning are system prompt and tools: a provider's first breakpoint stands behind them.
    pub fn lead(&self) -> usize {
        let is_lead =
            |piece: &&Piece| piece.sizes.get(Kind::System) + piece.sizes.get(Kind::Tools) == piece.sizes.total();
        self.pieces.iter().take_while(is_lead).count()
    }
}
