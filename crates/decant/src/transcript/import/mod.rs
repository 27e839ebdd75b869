//! Transcripts of other agents, brought to pi's entries, so that all that comes after knows one shape.
//!
//! What a log says is taken over where the model saw it. What is only bookkeeping, or is not known here, is counted by
//! what it was and shown to the user: nothing is dropped in silence.

mod blocks;
mod claude;
mod codex;
mod detect;
mod openai;
mod opencode;
mod usage;
mod writer;

use super::Transcript;
use super::fault::Fault;
use super::jsonl::Line;
use crate::json::Value;
use detect::Found;
use serde::Serialize;
use thiserror::Error;
use writer::Writer;

/// The largest file that is read, in bytes: a browser's wasm has 4 GB for the text, its values and the replay.
pub const MAX_BYTES: usize = 256 << 20;

/// Whose log it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A session of pi, of this version.
    Pi(u8),
    ClaudeCode,
    Codex,
    OpenCode,
    OpenAi,
}

impl Format {
    /// The stable name across the boundary.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pi(1) => "pi-v1",
            Self::Pi(2) => "pi-v2",
            Self::Pi(_) => "pi-v3",
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::OpenCode => "opencode",
            Self::OpenAi => "openai",
        }
    }
}

/// Something the import has no place for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotUnderstood {
    pub what: String,
    pub count: u32,
}

/// A transcript of any known format.
#[derive(Clone, Debug)]
pub struct Imported {
    pub format: Format,
    pub title: Option<String>,
    pub bytes: usize,
    pub transcript: Transcript,
    /// Most frequent first.
    pub not_understood: Vec<NotUnderstood>,
}

/// Why a text is no transcript.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ImportError {
    #[error(
        "expected a session of pi (JSONL), Claude Code (JSONL), Codex (rollout JSONL), OpenCode (exported JSON) or rows \
         of OpenAI chat messages; found {found}"
    )]
    NotATranscript { found: String },
    #[error("expected a transcript of at most {} MB; found one of {} MB", MAX_BYTES >> 20, .bytes.div_ceil(1 << 20))]
    TooLarge { bytes: usize },
    /// The progress callback said so.
    #[error("reading was cancelled")]
    Cancelled,
}

impl ImportError {
    /// The stable name of the error across the boundary.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotATranscript { .. } => "not-a-transcript",
            Self::TooLarge { .. } => "too-large",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Reads a transcript, whatever agent wrote it. `watch` is told how many bytes are behind; with false it ends the reading.
pub fn read(bytes: &[u8], watch: &mut dyn FnMut(usize) -> bool) -> Result<Imported, ImportError> {
    if bytes.len() > MAX_BYTES {
        return Err(ImportError::TooLarge { bytes: bytes.len() });
    }
    let mut faults: Vec<Fault> = Vec::new();
    let found = detect::detect(bytes, &mut faults, watch)?;
    let mut writer = Writer::default();
    let mut title = None;
    let (format, lines) = match found {
        Found::Pi { version, lines } => {
            title = pi_title(&lines);
            (Format::Pi(version), lines)
        }
        Found::ClaudeCode(lines) => {
            title = claude::import(&lines, &mut writer);
            (Format::ClaudeCode, writer.finish())
        }
        Found::Codex(lines) => {
            codex::import(&lines, &mut writer);
            (Format::Codex, writer.finish())
        }
        Found::OpenCode(document) => {
            title = opencode::import(&document, &mut writer);
            (Format::OpenCode, writer.finish())
        }
        Found::OpenAi(lines) => {
            openai::import(&lines, &mut writer);
            (Format::OpenAi, writer.finish())
        }
    };
    let transcript = Transcript::of_lines(lines, bytes, faults)
        .map_err(|super::TranscriptError::NotASession { found }| ImportError::NotATranscript { found })?;
    Ok(Imported { format, title, bytes: bytes.len(), transcript, not_understood: writer.not_understood() })
}

/// The newest name that a pi session was given.
fn pi_title(lines: &[Line]) -> Option<String> {
    let names = lines.iter().rev().filter(|line| kind(&line.value) == "session_info");
    names.filter_map(|line| line.value.get("name")?.as_str()).find(|name| !name.is_empty()).map(str::to_owned)
}

/// `type`, or nothing where it is none we could know.
fn kind(value: &Value) -> &str {
    text(value, "type")
}

/// The string under `key`; empty where there is none.
fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

#[cfg(test)]
mod tests;
