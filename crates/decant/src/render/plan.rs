//! What becomes of the messages: a list of edits, never messages (design section 2).

/// One edit. `index` counts the messages as pi gave them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    pub index: u32,
    pub act: Act,
}

/// A text of the plan, by its place in [`super::forms::Forms::texts`].
pub type TextId = u32;

/// What happens at an index. Edits of one index come in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A user message with this text comes before the message.
    Insert { text: TextId },
    /// The result's content becomes this one text; it is no error and has no details any more.
    Replace { text: TextId },
    /// The result gets one more text block.
    Append { text: TextId },
    /// The message is left out.
    Drop,
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
