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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    pub edits: Vec<Edit>,
    /// Assistants before this index carry a `usage` from before the newest epoch: pi sizes the output limit by it and
    /// would leave the model next to nothing (design section 9), so their clones get zeros.
    pub stale_usage_before: u32,
}

impl Plan {
    /// Whether the messages go out as they are.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }
}
