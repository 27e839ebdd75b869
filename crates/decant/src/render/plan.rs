//! What becomes of the messages: a list of edits, never messages (design section 2).

/// One edit. `index` counts the messages as pi gave them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    pub index: u32,
    pub act: Act,
}

/// A text of the plan, by its place in [`super::forms::Forms::texts`].
pub type TextId = u32;

/// What happens at an index. What comes before the message stands before what happens to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A user message with this text comes before the message.
    Insert { text: TextId },
    /// The inserted message goes on with this text.
    Extend { text: TextId },
    /// The inserted message goes on with the text of the message at this index, and gets its images.
    Quote { message: u32 },
    /// The result's content becomes this one text; it is no error and has no details any more.
    Replace { text: TextId },
    /// The result gets one more text block.
    Append { text: TextId },
    /// The arguments of call number `call` become this mark.
    Arguments { call: u32, text: TextId },
    /// All thinking goes, and the signatures of texts that were bound to it.
    DropThinking,
    /// The part of call ids behind `|` goes: the Responses API pairs it with a reasoning item that has gone.
    CutIds,
    /// The message is left out.
    Drop,
}

impl Act {
    /// Whether it comes before the message of its index.
    pub fn comes_before(self) -> bool {
        matches!(self, Self::Insert { .. } | Self::Extend { .. } | Self::Quote { .. })
    }
}

/// All edits of one request, in order of their index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    pub edits: Vec<Edit>,
    /// The time of the newest epoch, ms since 1970 (0: none), which the first message takes as its own. Every reply keeps
    /// the `usage` of the request it answered; pi-ai sizes the output limit by the newest one that is no older than the
    /// messages before it, and would leave the model next to nothing once the history shrank (design section 9: one
    /// token observed).
    pub prefix_time: f64,
}

impl Plan {
    /// Whether the messages go out as they are.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }
}
