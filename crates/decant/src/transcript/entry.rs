//! One line of a pi session as the core keeps it.

use super::head::Head;
use super::symbols::Sym;
use crate::json::Value;

/// An entry of the branch: its id and what of it matters to us.
#[derive(Clone, Debug)]
pub struct Entry {
    pub id: Sym,
    pub kind: EntryKind,
}

/// What an entry is. Unknown types are `Other`: tolerated, never touched.
#[derive(Clone, Debug)]
pub enum EntryKind {
    /// `message`, `custom_message` or `branch_summary`: projects to one message with this head. The head's timestamp is
    /// the message's; for the last two it is the entry's own, in ms.
    Message(Head),
    /// `compaction`: the head is that of the summary message it projects to.
    Compaction { head: Head, first_kept: Option<Sym> },
    /// `context_edit`: another's replacement of a message's content, or its omission.
    ContextEdit { target: Sym, omits: bool },
    /// A `custom` entry of ours or of the original's: `custom_type` begins with `context-prune-`.
    /// `timestamp` is the entry's own, in ms.
    Ours { custom_type: Box<str>, timestamp: f64, data: Value },
    /// A `custom_message` entry of the original (`context-prune-summary`): it projects to a message with this head, and
    /// `data` holds the entry's `content` and `details`, which the fold reads.
    OursMessage { head: Head, custom_type: Box<str>, data: Value },
    /// Anything else.
    Other,
}
