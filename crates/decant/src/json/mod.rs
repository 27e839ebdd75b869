//! JSON as JavaScript reads and writes it (law 9).
//!
//! serde_json alone disagrees with `JSON.parse` in ways a session file shows: a lone surrogate (`"\ud83d"`, half an emoji
//! cut by a tool) is an error to it, `1e400` is an error, `1.0` comes back as `1.0`, integer-like keys stay where they
//! were. Here [`parse`] and [`stringify`] agree with JavaScript on all of them; `tests/json_node.rs` asks a real node.

mod object;
mod parse;
mod stringify;
mod text;
mod value;

pub use object::Object;
pub use parse::{MAX_DEPTH, ParseError, parse};
pub use stringify::{stringify, stringify_len, stringify_pretty};
pub use text::JsText;
pub use value::Value;

#[cfg(test)]
mod tests;
