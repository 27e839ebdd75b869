//! What can be wrong with a session file and does not stop us reading it.

use std::fmt;

/// One fault and the line it stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// From 1.
    pub line: u32,
    pub kind: FaultKind,
}

/// "pi" in these notes is pi 1.6.0's `loadEntriesFromFile`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The file begins with U+FEFF. pi drops that line, and with it the header.
    ByteOrderMark,
    /// Lines end in CR LF, this being the first of `lines`. Read as pi reads them.
    CarriageReturns { lines: u32 },
    /// Nothing but white space. Passed over, as pi does.
    Blank,
    /// `entries` stand on one line without a break (report 79). All are read; pi drops the line.
    Welded { entries: u32 },
    /// `bytes` at the line's end or before the next entry on it are a value cut off. Lost; pi drops the line.
    Torn { bytes: usize },
    /// `bytes` that are no JSON. Lost, in pi too.
    NotJson { bytes: usize, reason: String },
    /// JSON, but no object. Passed over; pi keeps it and may stumble later.
    NotAnEntry { found: &'static str },
    /// A second `session` line. Passed over, as pi does.
    SecondHeader,
    /// An entry without `id` in a version that has them. Passed over: nothing can name it.
    NoId,
    /// An id that an earlier entry has. It names the later one from here on, as in pi.
    RepeatedId { id: String },
    /// `parentId` names no entry: the branch begins here, as in pi.
    MissingParent { parent: String },
    /// `parentId` leads back to the entry itself: the branch begins here. pi does not return.
    ParentLoop { parent: String },
    /// A `message` entry without a message object: projects to nothing. pi throws.
    NoMessage,
    /// A `context_edit` without `replacement`: changes nothing. pi throws.
    NoReplacement,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.kind)
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ByteOrderMark => write!(f, "begins with a byte order mark; read without it"),
            Self::CarriageReturns { lines } => write!(f, "{lines} lines end in CR LF; read all the same"),
            Self::Blank => write!(f, "blank; passed over"),
            Self::Welded { entries } => write!(f, "{entries} entries on one line; all read"),
            Self::Torn { bytes } => write!(f, "an entry is cut off; {bytes} bytes are lost"),
            Self::NotJson { bytes, reason } => write!(f, "{bytes} bytes cannot be read: {reason}"),
            Self::NotAnEntry { found } => write!(f, "holds {found}, not an entry; passed over"),
            Self::SecondHeader => write!(f, "a second session header; passed over"),
            Self::NoId => write!(f, "an entry without an id; passed over"),
            Self::RepeatedId { id } => write!(f, "the id \"{id}\" was used before; it now names this entry"),
            Self::MissingParent { parent } => write!(f, "the parent \"{parent}\" is missing; the branch begins here"),
            Self::ParentLoop { parent } => {
                write!(f, "the parent \"{parent}\" comes back to this entry; the branch begins here")
            }
            Self::NoMessage => write!(f, "a message entry without a message; it projects to nothing"),
            Self::NoReplacement => write!(f, "a context edit without a replacement; it changes nothing"),
        }
    }
}
