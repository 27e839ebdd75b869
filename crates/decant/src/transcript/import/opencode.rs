//! OpenCode's export: `{ info, messages: [{ info, parts }] }`. A message there is a whole turn; its steps are the requests.

use super::blocks::{self, Speaker, call_block, image_of_url, text_block, thinking_block};
use super::usage::{Tokens, number};
use super::writer::{Parent, Writer};
use super::{kind, text};
use crate::json::{JsText, Value};
use std::collections::BTreeSet;

/// What OpenCode sends for an output that it has pruned.
const CLEARED: &str = "[Old tool result content cleared]";

/// Reads the document; the session's title.
pub fn import(document: &Value, writer: &mut Writer) -> Option<String> {
    let info = document.get("info").unwrap_or(&Value::Null);
    writer.header("id", text(info, "id"));
    writer.header("cwd", text(info, "directory"));
    for (at, message) in document.get("messages").and_then(Value::as_array).unwrap_or_default().iter().enumerate() {
        let info = message.get("info").unwrap_or(&Value::Null);
        let parts = message.get("parts").and_then(Value::as_array).unwrap_or_default();
        let turn = Turn { line: at as u32 + 1, info, time: time(info, "created") };
        match text(info, "role") {
            "user" => turn.user(parts, writer),
            "assistant" if info.get("summary").and_then(Value::as_bool) == Some(true) => turn.summary(parts, writer),
            "assistant" => turn.steps(parts, writer),
            other => writer.count(format!("message of role \"{other:.40}\"")),
        }
    }
    Some(text(info, "title").to_owned()).filter(|title| !title.is_empty())
}

/// ms since 1970 under `time`.
fn time(of: &Value, key: &str) -> f64 {
    of.get("time").and_then(|time| time.get(key)).and_then(Value::as_f64).unwrap_or(f64::NAN)
}

#[derive(Clone, Copy)]
struct Turn<'a> {
    /// The number of the message.
    line: u32,
    info: &'a Value,
    time: f64,
}

/// A request in the making.
#[derive(Default)]
struct Step {
    blocks: Vec<Value>,
    results: Vec<Value>,
    usage: Option<Tokens>,
    failed: bool,
}

impl Turn<'_> {
    fn user(self, parts: &[Value], writer: &mut Writer) {
        let mut content = Vec::new();
        for part in parts {
            match kind(part) {
                "text" if part.get("ignored").and_then(Value::as_bool) == Some(true) => {
                    writer.count("text that is not sent");
                }
                "text" => content.extend(part.get("text").and_then(Value::as_text).map(text_block)),
                "file" => content.push(file(part)),
                other => writer.count(format!("part of type \"{other:.40}\"")),
            }
        }
        if !content.is_empty() {
            self.write(writer, blocks::message("user", content, self.time));
        }
    }

    fn write(self, writer: &mut Writer, message: crate::json::Object) {
        writer.message(self.line, Parent::Last, &self.time.into(), message);
    }

    /// A compaction: what comes after begins with this text.
    fn summary(self, parts: &[Value], writer: &mut Writer) {
        let texts = parts.iter().filter(|part| kind(part) == "text").filter_map(|part| part.get("text")?.as_text());
        let summary = texts.map(JsText::to_string).collect::<Vec<_>>().join("\n");
        writer.compaction(self.line, Parent::Last, &self.time.into(), summary.into(), 0.0);
    }

    fn steps(self, parts: &[Value], writer: &mut Writer) {
        let mut step = Step::default();
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for part in parts {
            match kind(part) {
                "step-start" => self.close(&mut step, writer),
                "step-finish" => {
                    step.usage = part.get("tokens").map(|tokens| tokens_of(tokens, number(part, "cost")));
                }
                "text" => step.blocks.extend(part.get("text").and_then(Value::as_text).map(text_block)),
                "reasoning" => {
                    let thinking = part.get("text").and_then(Value::as_text).cloned().unwrap_or_default();
                    step.blocks.push(thinking_block(&thinking, None));
                }
                "tool" => step.tool(part, self.time, writer),
                // Bookkeeping of the working tree.
                other => {
                    if seen.insert(other) {
                        writer.count_many(
                            format!("part of type \"{other:.40}\""),
                            parts.iter().filter(|part| kind(part) == other).count() as u32,
                        );
                    }
                }
            }
        }
        if self.info.get("error").is_some_and(|error| !error.is_null()) {
            step.failed = true;
        }
        if step.usage.is_none() {
            step.usage = self.info.get("tokens").map(|tokens| tokens_of(tokens, number(self.info, "cost")));
        }
        self.close(&mut step, writer);
    }

    /// Writes the reply and its results.
    fn close(self, step: &mut Step, writer: &mut Writer) {
        let Step { blocks: content, results, usage, failed } = std::mem::take(step);
        if content.is_empty() {
            return;
        }
        let provider = text(self.info, "providerID");
        let api = match provider {
            "anthropic" => "anthropic-messages",
            "openai" => "openai-responses",
            "google" => "google-generative-ai",
            _ => "openai-completions",
        };
        let speaker = Speaker { provider, api, model: text(self.info, "modelID") };
        let end = if failed { "error" } else { "" };
        let usage = usage.unwrap_or_default().write();
        self.write(writer, blocks::assistant(content, speaker, end, usage, self.time));
        for result in results {
            writer.message(self.line, Parent::Last, &self.time.into(), result.as_object().cloned().unwrap_or_default());
        }
    }
}

impl Step {
    fn tool(&mut self, part: &Value, turn: f64, writer: &mut Writer) {
        let (id, tool) = (text(part, "callID"), text(part, "tool"));
        let state = part.get("state").unwrap_or(&Value::Null);
        self.blocks.push(call_block(id, tool, state.get("input").cloned().unwrap_or_default()));
        let status = text(state, "status");
        let output = match status {
            "completed" if time(state, "compacted").is_finite() => Some(JsText::from(CLEARED)),
            "completed" => state.get("output").and_then(Value::as_text).cloned(),
            "error" => state.get("error").and_then(Value::as_text).cloned(),
            other => {
                writer.count(format!("call that is \"{other:.40}\""));
                None
            }
        };
        let Some(output) = output else { return };
        let mut content = vec![text_block(&output)];
        content.extend(state.get("attachments").and_then(Value::as_array).unwrap_or_default().iter().map(file));
        let end = time(state, "end");
        let end = if end.is_finite() { end } else { turn };
        self.results.push(blocks::result(id, tool, content, status == "error", end).into());
    }
}

fn tokens_of(tokens: &Value, cost: f64) -> Tokens {
    let cache = |key: &str| tokens.get("cache").map_or(0.0, |cache| number(cache, key));
    Tokens {
        input: number(tokens, "input"),
        output: number(tokens, "output") + number(tokens, "reasoning"),
        cache_read: cache("read"),
        cache_write: cache("write"),
        cost,
    }
}

/// An attachment: an image where it is one and is there.
fn file(part: &Value) -> Value {
    let image = text(part, "mime").starts_with("image/").then(|| image_of_url(text(part, "url"))).flatten();
    image.unwrap_or_else(|| text_block(&format!("[file {}]", text(part, "filename")).into()))
}
