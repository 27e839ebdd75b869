//! The texts of a path, by entry id: what the host of a running session looks up.

use crate::capture::source::Source;
use crate::json::{JsText, Value, stringify};
use crate::transcript::SessionEntry;
use rustc_hash::FxHashMap;

/// The contents of a path's messages, the newest context edit of each honoured.
#[derive(Debug)]
pub struct Texts<'a> {
    contents: FxHashMap<&'a str, &'a Value>,
}

impl<'a> Texts<'a> {
    pub fn new(path: &[&'a SessionEntry]) -> Self {
        let mut contents = FxHashMap::default();
        for entry in path {
            let value = &entry.value;
            let content = match entry.kind() {
                "message" => value.get("message").and_then(|message| message.get("content")),
                "custom_message" => value.get("content"),
                "branch_summary" | "compaction" => value.get("summary"),
                "context_edit" => {
                    let target = value.get("targetId").and_then(Value::as_str);
                    let content = value.get("replacement").and_then(|replacement| replacement.get("content"));
                    if let (Some(target), Some(content)) = (target, content) {
                        contents.insert(target, content);
                    }
                    None
                }
                _ => None,
            };
            if let (Some(id), Some(content)) = (entry.id.as_str(), content) {
                contents.insert(id, content);
            }
        }
        Self { contents }
    }

    /// The content of an entry's message.
    pub fn content(&self, entry: &str) -> Option<&'a Value> {
        self.contents.get(entry).copied()
    }

    /// The arguments of call number `call` of an assistant message.
    pub fn call(&self, entry: &str, call: u32) -> Option<&'a Value> {
        blocks(self.content(entry)?, "toolCall").nth(call as usize)?.get("arguments")
    }
}

/// The blocks of one type.
pub fn blocks<'a>(content: &'a Value, kind: &str) -> impl Iterator<Item = &'a Value> {
    let blocks = content.as_array().unwrap_or_default();
    blocks.iter().filter(move |block| block.get("type").and_then(Value::as_str) == Some(kind))
}

/// String content, or its text blocks joined by newlines.
pub fn text_of(content: &Value) -> String {
    if let Some(text) = content.as_text() {
        return text.to_string();
    }
    let mut out = String::new();
    for (nth, text) in blocks(content, "text").filter_map(|block| block.get("text")?.as_text()).enumerate() {
        if nth > 0 {
            out.push('\n');
        }
        out.push_str(&text.to_string_lossy());
    }
    out
}

impl Source for Texts<'_> {
    fn text(&self, entry: &str) -> Option<String> {
        self.content(entry).map(text_of)
    }

    fn arguments(&self, entry: &str, call: u32) -> Option<String> {
        let mut out = String::new();
        indent(self.call(entry, call)?, 0, &mut out);
        Some(out)
    }

    fn images(&self, entry: &str) -> Vec<String> {
        let text = |image: &Value, key: &str| image.get(key).and_then(Value::as_text).map(JsText::to_string);
        let images = self.content(entry).into_iter().flat_map(|content| blocks(content, "image"));
        let keys = images.map(|image| {
            format!("{} {}", text(image, "mimeType").unwrap_or_default(), text(image, "data").unwrap_or_default())
        });
        keys.collect()
    }
}

/// `JSON.stringify(value, null, 2)`.
pub fn indent(value: &Value, depth: usize, out: &mut String) {
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    match value {
        Value::Array(items) if !items.is_empty() => {
            for (nth, item) in items.iter().enumerate() {
                out.push(if nth == 0 { '[' } else { ',' });
                line(out, depth + 1);
                indent(item, depth + 1, out);
            }
            line(out, depth);
            out.push(']');
        }
        Value::Object(object) if !object.is_empty() => {
            for (nth, (key, item)) in object.iter().enumerate() {
                out.push(if nth == 0 { '{' } else { ',' });
                line(out, depth + 1);
                out.push_str(&stringify(&key.clone().into()));
                out.push_str(": ");
                indent(item, depth + 1, out);
            }
            line(out, depth);
            out.push('}');
        }
        other => out.push_str(&stringify(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn arguments_are_indented_as_javascript_does() {
        let mut out = String::new();
        indent(&parse(br#"{"a":[1,{"b":"c\n"}],"d":{},"e":[]}"#).expect("JSON"), 0, &mut out);
        let expected = "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"c\\n\"\n    }\n  ],\n  \"d\": {},\n  \"e\": []\n}";
        assert_eq!(out, expected);
    }
}
