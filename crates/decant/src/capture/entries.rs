//! The text of entries where the whole session file is at hand: native tests and replay.

use super::source::Source;
use crate::json::{JsText, Value, stringify_pretty};
use crate::transcript::SessionEntry;
use rustc_hash::FxHashMap;

/// The entries of a branch by id, with the newest `context_edit` of each honoured, as the extension's look-up gives them.
#[derive(Clone, Debug, Default)]
pub struct Entries<'a> {
    entries: FxHashMap<String, &'a SessionEntry>,
    /// `replacement` by target.
    edits: FxHashMap<String, &'a Value>,
}

impl<'a> Entries<'a> {
    /// Continues the branch.
    pub fn push(&mut self, entry: &'a SessionEntry) {
        let edit = (entry.value.get("targetId"), entry.value.get("replacement"));
        if entry.kind() == "context_edit"
            && let (Some(target), Some(replacement)) = (edit.0.and_then(Value::as_text), edit.1)
        {
            self.edits.insert(target.to_string(), replacement);
        }
        self.entries.insert(entry.id.to_string(), entry);
    }

    /// The content of an entry's message; none where the entry is gone or was edited away.
    fn content(&self, entry: &str) -> Option<&'a Value> {
        let value = &self.entries.get(entry)?.value;
        match self.edits.get(entry) {
            Some(replacement) if replacement.is_null() => None,
            Some(replacement) => replacement.get("content"),
            None if value.get("type").and_then(Value::as_str) == Some("message") => {
                value.get("message")?.get("content")
            }
            None => value.get("content"),
        }
    }

    /// The text of an entry as its tool wrote it, lone surrogates and all.
    pub fn js_text(&self, entry: &str) -> Option<JsText> {
        match self.content(entry)? {
            Value::String(text) => Some(text.clone()),
            Value::Array(blocks) => {
                let texts =
                    blocks.iter().filter(|block| is(block, "text")).filter_map(|block| block.get("text")?.as_text());
                Some(join(texts))
            }
            _ => None,
        }
    }

    /// The image blocks of an entry.
    pub fn image_blocks(&self, entry: &str) -> Vec<&'a Value> {
        let blocks = self.content(entry).and_then(Value::as_array).unwrap_or(&[]);
        blocks.iter().filter(|block| is(block, "image")).collect()
    }
}

impl<'a> FromIterator<&'a SessionEntry> for Entries<'a> {
    fn from_iter<I: IntoIterator<Item = &'a SessionEntry>>(branch: I) -> Self {
        let mut entries = Self::default();
        for entry in branch {
            entries.push(entry);
        }
        entries
    }
}

impl Source for Entries<'_> {
    fn text(&self, entry: &str) -> Option<String> {
        self.js_text(entry).map(|text| text.to_string_lossy().into_owned())
    }

    fn arguments(&self, entry: &str, call: u32) -> Option<String> {
        let blocks = self.content(entry)?.as_array()?;
        let call = blocks.iter().filter(|block| is(block, "toolCall")).nth(call as usize)?;
        call.get("arguments").map(stringify_pretty)
    }

    fn images(&self, entry: &str) -> Vec<String> {
        let text =
            |block: &Value, key: &str| block.get(key).and_then(Value::as_text).map_or(String::new(), JsText::to_string);
        self.image_blocks(entry).iter().map(|block| text(block, "mimeType") + ";" + &text(block, "data")).collect()
    }
}

fn is(block: &Value, kind: &str) -> bool {
    block.get("type").and_then(Value::as_str) == Some(kind)
}

/// `texts.join("\n")`: halves of a pair in two texts stay apart.
fn join<'t>(texts: impl Iterator<Item = &'t JsText>) -> JsText {
    let mut joined = String::new();
    let mut units: Option<Vec<u16>> = None;
    for (at, text) in texts.enumerate() {
        if at > 0 {
            push(&mut joined, &mut units, &"\n".into());
        }
        push(&mut joined, &mut units, text);
    }
    units.map_or_else(|| joined.into(), |units| JsText::from_utf16(&units))
}

fn push(joined: &mut String, units: &mut Option<Vec<u16>>, text: &JsText) {
    match (text.as_str(), units) {
        (Some(text), None) => joined.push_str(text),
        (Some(text), Some(units)) => units.extend(text.encode_utf16()),
        (None, units) => {
            let all = units.get_or_insert_with(|| joined.encode_utf16().collect());
            all.extend(text.as_units().unwrap_or(&[]));
        }
    }
}
