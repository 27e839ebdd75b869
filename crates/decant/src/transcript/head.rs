//! What the core knows of one message without its text.

use super::symbols::Sym;

/// Who speaks. `Other` is any role this version does not know: it passes untouched and parts what stands around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Role {
    System = 0,
    User = 1,
    Assistant = 2,
    ToolResult = 3,
    Custom = 4,
    BranchSummary = 5,
    CompactionSummary = 6,
    BashExecution = 7,
    Other = 8,
}

impl Role {
    /// The role that pi writes as `name`.
    pub fn from_name(name: &str) -> Self {
        match name {
            "system" => Self::System,
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "toolResult" => Self::ToolResult,
            "custom" => Self::Custom,
            "branchSummary" => Self::BranchSummary,
            "compactionSummary" => Self::CompactionSummary,
            "bashExecution" => Self::BashExecution,
            _ => Self::Other,
        }
    }

    /// The role with this number; what is out of range is `Other`.
    pub fn from_code(code: u8) -> Self {
        match code {
            0 => Self::System,
            1 => Self::User,
            2 => Self::Assistant,
            3 => Self::ToolResult,
            4 => Self::Custom,
            5 => Self::BranchSummary,
            6 => Self::CompactionSummary,
            7 => Self::BashExecution,
            _ => Self::Other,
        }
    }
}

/// One tool call of an assistant message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    pub id: Sym,
    pub tool: Sym,
    /// The `path` argument; empty where there is none.
    pub path: Sym,
    /// Units of `JSON.stringify(arguments)`.
    pub args_units: u32,
}

/// What only some roles have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    Plain,
    /// An assistant message's calls in order; empty for a reply of text alone. `failed`: stopReason `error` or
    /// `aborted`, which pi-ai leaves out of the request.
    Assistant {
        calls: Box<[Call]>,
        failed: bool,
    },
    /// The result of `call`.
    Result {
        call: Sym,
        tool: Sym,
        is_error: bool,
    },
}

/// One message without its text. Lengths are UTF-16 units, as `String.length` counts them.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    pub role: Role,
    /// Milliseconds since 1970 as pi wrote them; NaN where the message has none.
    pub timestamp: f64,
    /// Units of all text: string content, or the `text` of text blocks.
    pub text_units: u32,
    /// Units of the `thinking` of thinking blocks, signatures not counted (report 59).
    pub thinking_units: u32,
    /// Number of thinking blocks: a redacted or signed one may have no text at all.
    pub thinking_blocks: u32,
    /// Number of image blocks.
    pub images: u32,
    pub body: Body,
}

/// What pi counts an image as, in characters (1,200 tokens; pi-host.md section 5).
pub const IMAGE_UNITS: u64 = 4_800;

impl Head {
    /// A message of an unknown role without anything in it.
    pub const NOTHING: Self = Self {
        role: Role::Other,
        timestamp: f64::NAN,
        text_units: 0,
        thinking_units: 0,
        thinking_blocks: 0,
        images: 0,
        body: Body::Plain,
    };

    /// The size of the message as the model gets it, in UTF-16 units; a quarter of it estimates tokens, as pi does.
    pub fn units(&self) -> u64 {
        u64::from(self.text_units)
            + u64::from(self.thinking_units)
            + self.calls().iter().map(|call| u64::from(call.args_units)).sum::<u64>()
            + u64::from(self.images) * IMAGE_UNITS
    }

    /// The id of the call that this message answers; empty for any message that is not a result.
    pub fn answers(&self) -> Sym {
        match self.body {
            Body::Result { call, .. } => call,
            Body::Plain | Body::Assistant { .. } => Sym::EMPTY,
        }
    }

    /// The calls of an assistant message.
    pub fn calls(&self) -> &[Call] {
        match &self.body {
            Body::Assistant { calls, .. } => calls,
            Body::Plain | Body::Result { .. } => &[],
        }
    }
}
