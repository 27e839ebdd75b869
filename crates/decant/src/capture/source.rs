//! Where the text of an entry comes from. The core keeps no text; the host looks it up by entry id.

/// The host's session, asked for one entry at a time. Text comes with lone surrogates replaced by U+FFFD: none may reach a
/// prompt or an archive (report 102).
pub trait Source {
    /// The text blocks of a result joined by newlines; none if the entry is gone.
    fn result_text(&self, entry: &str) -> Option<String>;
    /// The text blocks of an assistant message joined by newlines.
    fn assistant_text(&self, entry: &str) -> Option<String>;
    /// The arguments of call number `call` of an assistant message, as JSON indented by two.
    fn arguments(&self, entry: &str, call: u32) -> Option<String>;
}
