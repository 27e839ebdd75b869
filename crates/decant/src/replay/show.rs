//! A message as text, for people: a preview of it, or all.

use super::texts::blocks;
use crate::json::{JsText, Value, stringify};
use crate::text::units;
use serde::Serialize;

/// An image as it stands in a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    pub data: String,
    pub mime_type: String,
}

/// The text of a message in at most `limit` UTF-16 units: its blocks one under the other, thinking and calls marked as
/// what they are.
pub fn text(message: &Value, limit: usize) -> String {
    let mut pen = Pen { out: String::new(), left: limit };
    let role = message.get("role").and_then(Value::as_str).unwrap_or("");
    match role {
        "compactionSummary" | "branchSummary" => pen.put_value(message.get("summary")),
        "bashExecution" => {
            pen.put("$ ");
            pen.put_value(message.get("command"));
            pen.put("\n");
            pen.put_value(message.get("output"));
        }
        _ => match message.get("content") {
            Some(Value::Array(blocks)) => {
                for (nth, block) in blocks.iter().enumerate() {
                    if pen.left == 0 {
                        break;
                    }
                    if nth > 0 {
                        pen.put("\n");
                    }
                    pen.block(block);
                }
            }
            content => pen.put_value(content),
        },
    }
    pen.out
}

/// The images of a message.
pub fn images(message: &Value) -> Vec<Image> {
    let images = message.get("content").into_iter().flat_map(|content| blocks(content, "image"));
    let text = |image: &Value, key: &str| image.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
    images.map(|image| Image { data: text(image, "data"), mime_type: text(image, "mimeType") }).collect()
}

struct Pen {
    out: String,
    left: usize,
}

impl Pen {
    fn put(&mut self, text: &str) {
        let text = if self.left == usize::MAX { text } else { units::head(text, self.left) };
        if self.left != usize::MAX {
            self.left -= units::len(text);
        }
        self.out.push_str(text);
    }

    fn put_text(&mut self, text: &JsText) {
        match text.as_str() {
            Some(text) => self.put(cut(text, self.left)),
            None => self.put(&text.slice(0..self.left).to_string_lossy()),
        }
    }

    fn put_value(&mut self, value: Option<&Value>) {
        if let Some(text) = value.and_then(Value::as_text) {
            self.put_text(text);
        }
    }

    fn block(&mut self, block: &Value) {
        match block.get("type").and_then(Value::as_str).unwrap_or("") {
            "text" => self.put_value(block.get("text")),
            "thinking" => {
                self.put("[thinking] ");
                self.put_value(block.get("thinking"));
            }
            "toolCall" => {
                self.put_value(block.get("name"));
                self.put("(");
                self.json(block.get("arguments").unwrap_or(&Value::Null));
                self.put(")");
            }
            "image" => self.put("[image]"),
            kind => self.put(&format!("[{kind}]")),
        }
    }

    /// JSON, without writing more of it than is shown.
    fn json(&mut self, value: &Value) {
        match value {
            Value::Object(object) => {
                self.put("{");
                for (nth, (key, value)) in object.iter().enumerate() {
                    if self.left == 0 {
                        return;
                    }
                    if nth > 0 {
                        self.put(",");
                    }
                    self.put(&stringify(&key.clone().into()));
                    self.put(":");
                    self.json(value);
                }
                self.put("}");
            }
            Value::Array(items) => {
                self.put("[");
                for (nth, item) in items.iter().enumerate() {
                    if self.left == 0 {
                        return;
                    }
                    if nth > 0 {
                        self.put(",");
                    }
                    self.json(item);
                }
                self.put("]");
            }
            Value::String(text) if self.left != usize::MAX => {
                let text = text.slice(0..self.left);
                self.put(&stringify(&text.into()));
            }
            other => self.put(&stringify(other)),
        }
    }
}

/// No more of a text than could be shown, cut by bytes first: a unit is at least one and at most three of them.
fn cut(text: &str, units: usize) -> &str {
    let mut end = units.saturating_mul(3).saturating_add(3).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
