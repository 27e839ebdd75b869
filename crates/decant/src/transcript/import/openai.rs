//! Rows of chat messages as OpenAI's API has them, alone or inside the bodies of requests; Anthropic's blocks are read too.

use super::blocks::{self, Speaker, arguments_of_text, call_block, thinking_block};
use super::claude::reply_blocks;
use super::usage::Tokens;
use super::writer::{Parent, Writer};
use super::{kind, text};
use crate::json::{JsText, Value};
use crate::transcript::date::date_ms;
use crate::transcript::jsonl::Line;
use rustc_hash::FxHashMap;

/// Reads rows. Of several request bodies the longest counts: each holds all that was said before it.
pub fn import(lines: &[Line], writer: &mut Writer) {
    let mut reader = Reader { writer, tools: FxHashMap::default(), model: "" };
    let body = lines.iter().filter_map(|line| Some((line.number, body_of(&line.value)?)));
    let length = |body: &Value| body.get("messages").and_then(Value::as_array).map_or(0, <[Value]>::len);
    // The last of equals.
    let longest = body.max_by_key(|(number, body)| (length(body), *number));
    if let Some((number, body)) = longest {
        reader.body(number, body);
    }
    for line in lines {
        if body_of(&line.value).is_none() {
            reader.row(line.number, &line.value);
        } else if longest.is_some_and(|(number, _)| number != line.number) {
            reader.writer.count("shorter request body");
        }
    }
}

/// The request in a line: the line itself, or what a log put around it.
fn body_of(value: &Value) -> Option<&Value> {
    let is_body = |value: &&Value| value.get("messages").and_then(Value::as_array).is_some();
    [Some(value), value.get("body"), value.get("request")].into_iter().flatten().find(is_body)
}

struct Reader<'a, 'w> {
    writer: &'w mut Writer,
    /// The tool of each call.
    tools: FxHashMap<&'a str, &'a str>,
    model: &'a str,
}

impl<'a> Reader<'a, '_> {
    fn body(&mut self, number: u32, body: &'a Value) {
        self.model = text(body, "model");
        let tools = body.get("tools").and_then(Value::as_array).filter(|tools| !tools.is_empty());
        // Anthropic's system prompt stands beside the messages.
        let system = body.get("system").or_else(|| body.get("instructions"));
        if system.is_some() || tools.is_some() {
            let content = blocks::content(system, self.writer, &mut |_| false);
            let mut message = blocks::message("system", content, f64::NAN);
            if let Some(tools) = tools {
                message.insert("toolsAdded", tools.to_vec());
            }
            self.writer.message(number, Parent::Last, &Value::Null, message);
        }
        for (at, row) in body.get("messages").and_then(Value::as_array).unwrap_or_default().iter().enumerate() {
            self.row(number + at as u32, row);
        }
    }

    fn row(&mut self, number: u32, row: &'a Value) {
        let stamp = row.get("timestamp").or_else(|| row.get("created_at")).unwrap_or(&Value::Null);
        let time = match stamp {
            // Seconds, as OpenAI has them.
            Value::Number(seconds) if *seconds < 1e11 => seconds * 1e3,
            Value::Null => f64::NAN,
            other => date_ms(Some(other)),
        };
        match text(row, "role") {
            "system" | "developer" => self.plain(number, "system", row, time),
            "user" => self.user(number, row, time),
            "assistant" => self.assistant(number, row, time),
            "tool" | "function" => {
                let id =
                    if text(row, "tool_call_id").is_empty() { text(row, "name") } else { text(row, "tool_call_id") };
                self.result(number, id, text(row, "name"), row.get("content"), false, time);
            }
            "" => self.writer.count("row without a role"),
            other => self.writer.count(format!("row of role \"{other:.40}\"")),
        }
    }

    fn write(&mut self, number: u32, message: crate::json::Object) {
        self.writer.message(number, Parent::Last, &Value::Null, message);
    }

    fn plain(&mut self, number: u32, role: &str, row: &Value, time: f64) {
        let content = blocks::content(row.get("content"), self.writer, &mut |_| false);
        self.write(number, blocks::message(role, content, time));
    }

    /// A prompt; in Anthropic's rows the results stand in it too.
    fn user(&mut self, number: u32, row: &'a Value, time: f64) {
        let parts = row.get("content").and_then(Value::as_array).unwrap_or_default();
        let mut results = 0;
        for part in parts.iter().filter(|part| kind(part) == "tool_result") {
            results += 1;
            let failed = part.get("is_error").and_then(Value::as_bool) == Some(true);
            self.result(number, text(part, "tool_use_id"), "", part.get("content"), failed, time);
        }
        let content = blocks::content(row.get("content"), self.writer, &mut |part| kind(part) == "tool_result");
        if results == 0 || !content.is_empty() {
            self.write(number, blocks::message("user", content, time));
        }
    }

    fn result(&mut self, number: u32, id: &str, name: &str, content: Option<&Value>, failed: bool, time: f64) {
        let tool = self.tools.get(id).copied().unwrap_or(name);
        let content = blocks::content(content, self.writer, &mut |_| false);
        let message = blocks::result(id, tool, content, failed, time);
        self.write(number, message);
    }

    fn assistant(&mut self, number: u32, row: &'a Value, time: f64) {
        let mut content = Vec::new();
        let thought = ["reasoning_content", "reasoning"].iter().find_map(|key| row.get(key)?.as_text());
        if let Some(thought) = thought.filter(|text| !text.is_empty()) {
            content.push(thinking_block(thought, None));
        }
        content.extend(reply_blocks(row.get("content"), self.writer));
        for part in row.get("content").and_then(Value::as_array).unwrap_or_default() {
            if kind(part) == "tool_use" {
                self.tools.insert(text(part, "id"), text(part, "name"));
            }
        }
        let calls = row.get("tool_calls").and_then(Value::as_array).unwrap_or_default();
        // The oldest form: one call, without an id.
        let legacy = row.get("function_call").filter(|call| call.as_object().is_some());
        for call in calls {
            let function = call.get("function").or_else(|| call.get("custom")).unwrap_or(call);
            self.call(text(call, "id"), function, &mut content);
        }
        if let Some(function) = legacy {
            self.call(text(function, "name"), function, &mut content);
        }
        let model = if text(row, "model").is_empty() { self.model } else { text(row, "model") };
        let claude = model.contains("claude");
        let speaker = Speaker {
            provider: if claude { "anthropic" } else { "openai" },
            api: if claude { "anthropic-messages" } else { "openai-completions" },
            model,
        };
        let usage = row.get("usage").map_or_else(Tokens::default, Tokens::openai).write();
        self.write(number, blocks::assistant(content, speaker, "", usage, time));
    }

    fn call(&mut self, id: &'a str, function: &'a Value, content: &mut Vec<Value>) {
        let name = text(function, "name");
        self.tools.insert(id, name);
        let arguments = match function.get("arguments").or_else(|| function.get("input")) {
            Some(Value::String(text)) => arguments_of_text(text),
            Some(value) => value.clone(),
            None => arguments_of_text(&JsText::default()),
        };
        content.push(call_block(id, name, arguments));
    }
}
