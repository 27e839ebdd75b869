//! Claude Code's session JSONL: one line a content block, joined by `uuid` and `parentUuid`.

use super::blocks::{self, Speaker, call_block, thinking_block};
use super::usage::{Tokens, number};
use super::writer::{Parent, Writer};
use super::{kind, text};
use crate::json::{JsText, Object, Value};
use crate::transcript::date::date_ms;
use crate::transcript::jsonl::Line;
use rustc_hash::FxHashMap;

/// Reads all lines; the session's title.
pub fn import(lines: &[Line], writer: &mut Writer) -> Option<String> {
    let mut reader = Reader {
        writer,
        known: FxHashMap::default(),
        replies: FxHashMap::default(),
        calls: FxHashMap::default(),
        reply_of: FxHashMap::default(),
        newest: FxHashMap::default(),
        boundary: None,
        title: None,
    };
    for line in lines {
        reader.line(line);
    }
    reader.title
}

struct Reader<'a, 'w> {
    writer: &'w mut Writer,
    /// The entry that each line became part of; none where nothing of it, nor of what is above it, is an entry.
    known: FxHashMap<&'a str, Option<u32>>,
    /// The entry of each reply, by the API's id: its blocks come as lines of their own.
    replies: FxHashMap<&'a str, u32>,
    /// The reply that made each call, and the tool.
    calls: FxHashMap<&'a str, (u32, &'a str)>,
    /// The reply that each result belongs to, and the newest result of each reply. Answers to calls made at once hang on
    /// their own call's line, so by `parentUuid` they would be branches.
    reply_of: FxHashMap<u32, u32>,
    newest: FxHashMap<u32, u32>,
    /// A compaction whose summary comes next: its line, and the tokens before it.
    boundary: Option<(&'a Line, f64)>,
    title: Option<String>,
}

impl<'a> Reader<'a, '_> {
    fn line(&mut self, line: &'a Line) {
        let value = &line.value;
        for (key, name) in [("sessionId", "id"), ("cwd", "cwd"), ("timestamp", "timestamp")] {
            self.writer.header(name, text(value, key));
        }
        let sidechain = value.get("isSidechain").and_then(Value::as_bool) == Some(true);
        match kind(value) {
            "user" | "assistant" if sidechain => self.writer.count("message of a sub-agent's side chain"),
            "user" if value.get("message").is_some() => self.user(line),
            "assistant" if value.get("message").is_some() => self.assistant(line),
            "summary" => self.title = Some(text(value, "summary").to_owned()).filter(|title| !title.is_empty()),
            "custom-title" => self.title = Some(text(value, "customTitle").to_owned()),
            "system" if text(value, "subtype") == "compact_boundary" => {
                let tokens = value.get("compactMetadata").map_or(0.0, |meta| number(meta, "preTokens"));
                self.boundary = Some((line, tokens));
            }
            "system" => {
                self.writer.count(format!("system line \"{:.40}\"", text(value, "subtype")));
                self.pass(value);
            }
            other => {
                self.writer.count(format!("line of type \"{other:.40}\""));
                self.pass(value);
            }
        }
    }

    /// A line that is no message: what hangs on it hangs on what is above it.
    fn pass(&mut self, value: &'a Value) {
        let above = self.known.get(text(value, "parentUuid")).copied().flatten();
        self.note(value, above);
    }

    fn note(&mut self, value: &'a Value, entry: Option<u32>) {
        let uuid = text(value, "uuid");
        if !uuid.is_empty() {
            self.known.insert(uuid, entry);
        }
    }

    fn parent(&self, value: &Value, key: &str) -> Parent {
        match value.get(key).and_then(Value::as_str).filter(|uuid| !uuid.is_empty()) {
            Some(uuid) => match self.known.get(uuid) {
                Some(Some(entry)) => Parent::Entry(self.end_of(*entry)),
                Some(None) => Parent::Root,
                // Continued from another file.
                None => Parent::Last,
            },
            None => Parent::Root,
        }
    }

    /// The newest result of the reply that this entry is or belongs to; else the entry.
    fn end_of(&self, entry: u32) -> u32 {
        let reply = self.reply_of.get(&entry).copied().unwrap_or(entry);
        self.newest.get(&reply).copied().unwrap_or(entry)
    }

    fn assistant(&mut self, line: &'a Line) {
        let value = &line.value;
        let Some(message) = value.get("message") else { return };
        let model = text(message, "model");
        if model == "<synthetic>" || value.get("isApiErrorMessage").and_then(Value::as_bool) == Some(true) {
            self.writer.count("reply that Claude Code made itself (an error of the API)");
            return self.pass(value);
        }
        let content = reply_blocks(message.get("content"), self.writer);
        let parts = message.get("content").and_then(Value::as_array).unwrap_or_default();
        let calls = parts.iter().filter(|part| kind(part) == "tool_use");
        let made: Vec<(&str, &str)> = calls.map(|part| (text(part, "id"), text(part, "name"))).collect();
        let usage = message.get("usage").map_or_else(Tokens::default, Tokens::anthropic).write();
        let id = text(message, "id");
        let known = self.replies.get(id).copied().filter(|_| !id.is_empty());
        let entry = if let Some(entry) = known {
            self.continue_reply(entry, content, usage, message);
            entry
        } else {
            let speaker = Speaker { provider: "anthropic", api: "anthropic-messages", model };
            let time = value.get("timestamp");
            let stop = stop_reason(text(message, "stop_reason"));
            let message = blocks::assistant(content, speaker, stop, usage, date_ms(time));
            let parent = self.parent(value, "parentUuid");
            self.writer.message(line.number, parent, time.unwrap_or(&Value::Null), message)
        };
        self.replies.insert(id, entry);
        for (call, tool) in made {
            self.calls.insert(call, (entry, tool));
        }
        self.note(value, Some(entry));
    }

    /// More blocks of a reply; its usage is complete on the last line of it.
    fn continue_reply(&mut self, entry: u32, content: Vec<Value>, usage: Value, message: &Value) {
        let Some(reply) = self.writer.message_mut(entry) else { return };
        let calls = content.iter().any(|block| kind(block) == "toolCall");
        if let Some(Value::Array(blocks)) = reply.get_mut("content") {
            blocks.extend(content);
        }
        reply.insert("usage", usage);
        let stop = stop_reason(text(message, "stop_reason"));
        if calls || !stop.is_empty() {
            reply.insert("stopReason", if calls { "toolUse" } else { stop });
        }
    }

    fn user(&mut self, line: &'a Line) {
        let value = &line.value;
        let content = value.get("message").and_then(|message| message.get("content"));
        let time = value.get("timestamp").unwrap_or(&Value::Null);
        if value.get("isCompactSummary").and_then(Value::as_bool) == Some(true) {
            return self.compaction(line, content, time);
        }
        let mut results: Vec<&'a Value> = Vec::new();
        let parts = content.and_then(Value::as_array).unwrap_or_default();
        results.extend(parts.iter().filter(|part| kind(part) == "tool_result"));
        let rest = blocks::content(content, self.writer, &mut |part| kind(part) == "tool_result");
        let mut last = None;
        for result in results {
            last = Some(self.result(line, result, time));
        }
        if !rest.is_empty() || last.is_none() {
            let parent = last.map_or_else(|| self.parent(value, "parentUuid"), Parent::Entry);
            let message = blocks::message("user", rest, date_ms(Some(time)));
            last = Some(self.writer.message(line.number, parent, time, message));
        }
        self.note(value, last);
    }

    fn result(&mut self, line: &'a Line, block: &'a Value, time: &Value) -> u32 {
        let call = text(block, "tool_use_id");
        let made = self.calls.get(call).copied();
        let content = blocks::content(block.get("content"), self.writer, &mut |_| false);
        let failed = block.get("is_error").and_then(Value::as_bool) == Some(true);
        let tool = made.map_or("", |(_, tool)| tool);
        let message = blocks::result(call, tool, content, failed, date_ms(Some(time)));
        let parent = match made {
            Some((reply, _)) => Parent::Entry(self.end_of(reply)),
            None => self.parent(&line.value, "parentUuid"),
        };
        let entry = self.writer.message(line.number, parent, time, message);
        if let Some((reply, _)) = made {
            self.reply_of.insert(entry, reply);
            self.newest.insert(reply, entry);
        }
        entry
    }

    fn compaction(&mut self, line: &'a Line, content: Option<&Value>, time: &Value) {
        let blocks = blocks::content(content, self.writer, &mut |_| false);
        let summary = Value::String(JsText::from(blocks::joined(&blocks)));
        let boundary = self.boundary.take();
        let parent = match boundary.map(|(line, _)| self.parent(&line.value, "logicalParentUuid")) {
            Some(parent @ Parent::Entry(_)) => parent,
            _ => Parent::Last,
        };
        let tokens = boundary.map_or(0.0, |(_, tokens)| tokens);
        let entry = self.writer.compaction(line.number, parent, time, summary, tokens);
        self.note(&line.value, Some(entry));
        if let Some((boundary, _)) = boundary {
            self.note(&boundary.value, Some(entry));
        }
    }
}

/// pi's word for it; empty where the line does not say.
fn stop_reason(reason: &str) -> &'static str {
    match reason {
        "tool_use" => "toolUse",
        "max_tokens" => "length",
        "" => "",
        _ => "stop",
    }
}

/// The blocks of an assistant message of Anthropic's API.
pub fn reply_blocks(content: Option<&Value>, writer: &mut Writer) -> Vec<Value> {
    let mut out = Vec::new();
    let parts = content.and_then(Value::as_array).unwrap_or_default();
    for part in parts {
        match kind(part) {
            "tool_use" => {
                let input = part.get("input").cloned().unwrap_or_else(|| Object::new().into());
                out.push(call_block(text(part, "id"), text(part, "name"), input));
            }
            "thinking" | "redacted_thinking" => {
                let thinking = part.get("thinking").and_then(Value::as_text).cloned().unwrap_or_default();
                out.push(thinking_block(&thinking, part.get("signature").or_else(|| part.get("data"))));
            }
            _ => {
                let one = Value::Array(vec![part.clone()]);
                out.extend(blocks::content(Some(&one), writer, &mut |_| false));
            }
        }
    }
    if parts.is_empty() {
        out.extend(blocks::content(content, writer, &mut |_| false));
    }
    out
}
