//! Where the text of an entry comes from. The core keeps no text; the host looks it up by entry id.

use crate::text::hash;

/// The host's session, asked for one entry at a time. Text comes with lone surrogates replaced by U+FFFD: none may reach a
/// prompt or an archive (report 102).
pub trait Source {
    /// The text of a message: string content, or its text blocks joined by newlines; none if the entry is gone.
    fn text(&self, entry: &str) -> Option<String>;
    /// The arguments of call number `call` of an assistant message, as JSON indented by two.
    fn arguments(&self, entry: &str, call: u32) -> Option<String>;
    /// Type and data of each image of a result.
    fn images(&self, entry: &str) -> Vec<String>;
    /// SHA-1 of `bytes`. Node's own is four times as fast as ours in wasm.
    fn sha1(&self, bytes: &[u8]) -> [u8; 20] {
        hash::sha1(bytes)
    }
}
