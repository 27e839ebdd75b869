//! Codex's rollout JSONL: the items of the Responses API as they came, with events beside them.

use super::blocks::{self, Speaker, arguments_of_text, call_block, text_block, thinking_block};
use super::usage::Tokens;
use super::writer::{Parent, Writer};
use super::{kind, text};
use crate::json::{self, JsText, Value};
use crate::transcript::date::date_ms;
use crate::transcript::jsonl::Line;
use rustc_hash::FxHashMap;

pub fn import(lines: &[Line], writer: &mut Writer) {
    let mut reader = Reader { writer, open: None, last: None, model: "", tools: FxHashMap::default() };
    for line in lines {
        reader.line(line);
    }
    reader.close();
}

struct Reader<'a, 'w> {
    writer: &'w mut Writer,
    /// The reply under way: items until the next output or prompt.
    open: Option<Reply<'a>>,
    /// The newest reply, which the usage that follows is of.
    last: Option<u32>,
    model: &'a str,
    /// The tool of each call.
    tools: FxHashMap<&'a str, &'a str>,
}

struct Reply<'a> {
    line: u32,
    time: &'a Value,
    blocks: Vec<Value>,
}

impl<'a> Reader<'a, '_> {
    fn line(&mut self, line: &'a Line) {
        let value = &line.value;
        let payload = value.get("payload").unwrap_or(value);
        let time = value.get("timestamp").unwrap_or(&Value::Null);
        match kind(value) {
            "session_meta" => self.start(payload, line, time),
            "turn_context" => {
                let model = text(payload, "model");
                self.model = if model.is_empty() { self.model } else { model };
            }
            "event_msg" => self.event(payload),
            "compacted" => self.compacted(payload, line, time),
            // Before September 2025 the first line had no type, and items stood alone.
            "" if value.get("instructions").is_some() => self.start(value, line, time),
            "" if value.get("record_type").is_some() => {
                self.writer.count(format!("record \"{:.40}\"", text(value, "record_type")));
            }
            // `response_item`, or an item that stands alone.
            _ => self.item(payload, line, time),
        }
    }

    fn start(&mut self, meta: &'a Value, line: &Line, time: &Value) {
        for key in ["id", "cwd", "timestamp"] {
            self.writer.header(key, text(meta, key));
        }
        let base = meta.get("base_instructions").map(|base| base.get("text").unwrap_or(base));
        let instructions = base.or_else(|| meta.get("instructions")).and_then(Value::as_text);
        if let Some(instructions) = instructions.filter(|text| !text.is_empty()) {
            let message = blocks::message("system", vec![text_block(instructions)], date_ms(Some(time)));
            self.writer.message(line.number, Parent::Last, time, message);
        }
    }

    /// An item of the Responses API.
    fn item(&mut self, item: &'a Value, line: &'a Line, time: &'a Value) {
        let name = text(item, "name");
        let id = if text(item, "call_id").is_empty() { text(item, "id") } else { text(item, "call_id") };
        match kind(item) {
            "message" if text(item, "role") == "assistant" => {
                let content = blocks::content(item.get("content"), self.writer, &mut |_| false);
                self.say(line, time, content);
            }
            "message" => {
                self.close();
                let role = if text(item, "role") == "user" { "user" } else { "system" };
                let content = blocks::content(item.get("content"), self.writer, &mut |_| false);
                let message = blocks::message(role, content, date_ms(Some(time)));
                self.writer.message(line.number, Parent::Last, time, message);
            }
            "reasoning" => {
                let parts = ["summary", "content"].iter().filter_map(|key| item.get(key)?.as_array()).flatten();
                let parts = parts.filter_map(|part| part.get("text")?.as_text()).map(JsText::to_string);
                let thinking = JsText::from(parts.collect::<Vec<_>>().join("\n"));
                self.say(line, time, vec![thinking_block(&thinking, item.get("encrypted_content"))]);
            }
            "function_call" => {
                let arguments = item.get("arguments").and_then(Value::as_text).cloned().unwrap_or_default();
                self.call(line, time, id, name, arguments_of_text(&arguments));
            }
            "custom_tool_call" => {
                let input = item.get("input").cloned().unwrap_or_default();
                self.call(line, time, id, name, json::Object::from_iter([("input", input)]).into());
            }
            "local_shell_call" => {
                let action = item.get("action").cloned().unwrap_or_default();
                self.call(line, time, id, "local_shell", action);
            }
            "web_search_call" => {
                // Searched by the provider: there is no output of its own.
                self.writer.count("web search made by the provider");
            }
            "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
                self.output(item, id, line, time);
            }
            other => self.writer.count(format!("item of type \"{other:.40}\"")),
        }
    }

    fn say(&mut self, line: &Line, time: &'a Value, blocks: Vec<Value>) {
        let open = self.open.get_or_insert_with(|| Reply { line: line.number, time, blocks: Vec::new() });
        open.blocks.extend(blocks);
    }

    fn call(&mut self, line: &Line, time: &'a Value, id: &'a str, tool: &'a str, arguments: Value) {
        self.tools.insert(id, tool);
        self.say(line, time, vec![call_block(id, tool, arguments)]);
    }

    /// The reply under way is whole.
    fn close(&mut self) {
        let Some(reply) = self.open.take() else { return };
        let speaker = Speaker { provider: "openai-codex", api: "openai-codex-responses", model: self.model };
        let usage = Tokens::default().write();
        let message = blocks::assistant(reply.blocks, speaker, "", usage, date_ms(Some(reply.time)));
        self.last = Some(self.writer.message(reply.line, Parent::Last, reply.time, message));
    }

    fn output(&mut self, item: &'a Value, id: &str, line: &Line, time: &Value) {
        self.close();
        let output = item.get("output");
        // Older ones wrap the parts: { content, success }.
        let parts = output.and_then(|output| output.get("content")).or(output);
        let content = blocks::content(parts, self.writer, &mut |_| false);
        let failed = output.and_then(|output| output.get("success")).and_then(Value::as_bool) == Some(false)
            || output.and_then(Value::as_str).is_some_and(is_failure);
        let tool = self.tools.get(id).copied().unwrap_or("");
        let message = blocks::result(id, tool, content, failed, date_ms(Some(time)));
        self.writer.message(line.number, Parent::Last, time, message);
    }

    fn event(&mut self, event: &'a Value) {
        match kind(event) {
            "token_count" => {
                self.close();
                let usage = event.get("info").and_then(|info| info.get("last_token_usage"));
                let reply = self.last.and_then(|last| self.writer.message_mut(last));
                if let (Some(usage), Some(reply)) = (usage, reply) {
                    reply.insert("usage", Tokens::openai(usage).write());
                }
            }
            // Copies of items, for the screen.
            "user_message" | "agent_message" | "agent_reasoning" | "agent_reasoning_raw_content" => {
                self.writer.count(format!("event \"{}\" (a copy of a message)", kind(event)));
            }
            other => self.writer.count(format!("event \"{other:.40}\"")),
        }
    }

    fn compacted(&mut self, payload: &'a Value, line: &'a Line, time: &'a Value) {
        self.close();
        let summary = payload.get("message").and_then(Value::as_text).cloned().unwrap_or_default();
        self.writer.compaction(line.number, Parent::Last, time, Value::String(summary), 0.0);
        for item in payload.get("replacement_history").and_then(Value::as_array).unwrap_or_default() {
            self.item(item, line, time);
        }
        self.close();
    }
}

/// What Codex writes above the output of a command that failed, in either of its forms.
fn is_failure(output: &str) -> bool {
    let code = if output.starts_with('{') {
        let value = json::parse(output.as_bytes()).unwrap_or_default();
        value.get("metadata").and_then(|metadata| metadata.get("exit_code")).and_then(Value::as_f64)
    } else {
        let head = output.lines().take(6).find_map(|line| {
            line.strip_prefix("Process exited with code ").or_else(|| line.strip_prefix("Exit code: "))
        });
        head.and_then(|code| code.trim().parse().ok())
    };
    code.is_some_and(|code| code != 0.0)
}
