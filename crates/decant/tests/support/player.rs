//! Plays a script: steps to entries, as pi and the extensions beside us would write them.

use super::script::{Between, Call, Compaction, Edit, Id, Script, Step, Stop, Stranger, Summary, Turn};
use super::texts::{Text, content};
use super::{World, answer, config, message, object, original};
use decant::config::{Config, ThinkingPolicy};
use decant::epoch::flush::Answer;
use decant::json::{JsText, Value};
use decant::ledger::epoch::Epoch;

/// Plays a script. `neutral`: no text looks like ours (law 10).
pub fn play(script: &Script, neutral: bool) -> World {
    let mut config = Config {
        batching_mode: script.batching,
        recovery_grace_turns: script.grace,
        spill_threshold: script.spill,
        spill_preview_bytes: 50,
        dedup_by_content_hash: script.dedup,
        ..config()
    };
    config.chain_compression.rolling_window = script.window;
    config.chain_compression.keep_open_turns = script.window + 1;
    config.thinking_strip.keep_last_turns = 1;
    if script.thinking {
        config.thinking_strip.policy = ThinkingPolicy::Always;
    }
    let mut player = Player { world: World::new(config), neutral, nth: 0, plans: Vec::new() };
    player.world.pace = if script.ticks { 1_000.0 } else { 0.0 };
    for step in &script.steps {
        player.step(step);
    }
    player.world
}

struct Player {
    world: World,
    neutral: bool,
    nth: u32,
    /// Open flushes and how many batches each asks about.
    plans: Vec<(u32, usize)>,
}

impl Player {
    fn step(&mut self, step: &Step) {
        match step {
            Step::User { text, plain } => {
                let content = content(self.write(*text), *plain);
                self.world.user(content);
            }
            Step::Turn(turn) => self.turn(turn),
            Step::Reply { text, stop } => {
                let blocks = vec![message::text(self.write(*text))];
                let message = message::assistant(blocks, stop_reason(*stop, "stop"), self.world.clock);
                self.world.message(message);
            }
            Step::Stranger(stranger) => self.stranger(stranger),
            Step::Compaction(compaction) => self.compact(*compaction),
            Step::Edit { back, edit } => self.edit(*back, *edit),
            Step::Plan => self.plans.extend(self.world.plan("agent-message")),
            Step::Flush(answers) => {
                if let Some(plan) = self.world.plan(if answers.len() > 3 { "budget" } else { "now" }) {
                    self.plans.insert(0, plan);
                    self.commit(answers, None);
                }
            }
            Step::Commit { answers, damage } => self.commit(answers, *damage),
            Step::Original(wrote) => original::write(&mut self.world, *wrote),
            Step::Tree { back } => {
                let length = self.world.entries.len();
                if length > 0 {
                    self.world.back_to(length - usize::from(*back) % length);
                    self.plans.clear();
                }
            }
            Step::Tick(ms) => self.world.tick((*ms).into()),
        }
    }

    fn write(&mut self, text: Text) -> JsText {
        self.nth += 1;
        text.write(self.nth, self.neutral)
    }

    /// The id of an earlier entry.
    fn earlier(&self, back: u8) -> Option<JsText> {
        let entries = &self.world.entries;
        let at = (entries.len()).checked_sub(1 + usize::from(back) % entries.len().max(1))?;
        Some(entries[at].id.clone())
    }

    fn turn(&mut self, turn: &Turn) {
        let mut blocks = Vec::new();
        if turn.thinking {
            blocks.push(message::thinking("hm, let me see"));
        }
        if let Some(say) = turn.say {
            blocks.push(message::text(self.write(say)));
        }
        let ids: Vec<Option<JsText>> = (0..).zip(&turn.calls).map(|(nth, call)| self.id(call.id, nth)).collect();
        for (call, id) in turn.calls.iter().zip(&ids) {
            let args = object! { "path": path(call.path), "note": self.write(call.args) };
            let mut block = message::call(id.clone().unwrap_or_default(), tool(call.tool), args);
            if id.is_none() {
                block.as_object_mut().and_then(|block| block.remove("id"));
            }
            blocks.push(block);
        }
        let message = message::assistant(blocks, stop_reason(turn.stop, "toolUse"), self.world.clock);
        self.world.message(message);
        let start = self.world.entries.len();
        let mut results: Vec<usize> = (0..turn.calls.len()).collect();
        if turn.reversed {
            results.reverse();
        }
        for (nth, at) in results.into_iter().enumerate() {
            match &turn.between {
                Some((before, Between::Stranger(stranger))) if usize::from(*before) == nth => self.stranger(stranger),
                Some((before, Between::Compaction(compaction))) if usize::from(*before) == nth => {
                    self.compact(*compaction);
                }
                Some((before, Between::Tick(ms))) if usize::from(*before) == nth => self.world.tick((*ms).into()),
                _ => {}
            }
            let call = &turn.calls[at];
            for _ in 0..=usize::from(call.twice) {
                self.result(call, ids[at].clone().unwrap_or_default());
            }
        }
        let added: Vec<String> = self.world.entries[start..].iter().map(|entry| entry.id.to_string()).collect();
        self.world.capture(&added);
    }

    fn result(&mut self, call: &Call, id: JsText) {
        let Some(text) = call.result else { return };
        let mut content = content(self.write(text), call.plain);
        if call.image
            && let Value::Array(blocks) = &mut content
        {
            blocks.push(message::image(self.nth));
            blocks.push(message::text("after the image"));
        }
        let message = message::result(id, tool(call.tool), content, call.is_error, self.world.clock);
        self.world.message(message);
    }

    fn id(&mut self, id: Id, nth: u32) -> Option<JsText> {
        self.nth += 1;
        Some(match id {
            Id::Fresh => format!("call_{}", self.nth).into(),
            Id::PerTurn => format!("bash_{nth}").into(),
            Id::Same => "dup".into(),
            Id::Empty => "".into(),
            Id::LikeARef => format!("t{}", nth + 1).into(),
            Id::LikeAKey => "dup@1767571200000".into(),
            Id::Astral => "🦀|fc_1".into(),
            Id::Missing => return None,
        })
    }

    fn stranger(&mut self, stranger: &Stranger) {
        let clock = self.world.clock;
        match stranger {
            Stranger::CustomMessage(text) => {
                let content = content(self.write(*text), true);
                let fields = object! { "customType": "other-extension", "content": content, "display": true };
                self.world.append("custom_message", fields);
            }
            Stranger::Custom => {
                self.world.append("custom", object! { "customType": "other-extension", "data": object! { "n": 1.0 } });
            }
            Stranger::UnknownEntry => {
                self.world.append("future_thing", object! { "payload": Vec::<Value>::new() });
            }
            Stranger::UnknownRole(text) => {
                let content = content(self.write(*text), true);
                self.world.message(object! { "role": "oracle", "content": content, "timestamp": clock });
            }
            Stranger::NoRole => {
                self.world.message(object! { "content": "nobody says this" });
            }
            Stranger::BashExecution => {
                let message =
                    object! { "role": "bashExecution", "command": "ls", "output": "a\nb", "timestamp": clock };
                self.world.message(message);
            }
            Stranger::BranchSummary(text) => {
                let summary = self.write(*text);
                self.world.append("branch_summary", object! { "summary": summary, "fromId": "e0000001" });
            }
            Stranger::System => {
                self.world.message(object! { "role": "system", "content": "Tools changed.", "timestamp": clock });
            }
            Stranger::Label => {
                let target = self.earlier(0).map_or(Value::Null, Value::from);
                self.world.append("label", object! { "targetId": target, "label": "here" });
            }
            Stranger::LoneResult(text) => {
                let text = self.write(*text);
                let message = message::result("dup", "read", text, false, clock);
                self.world.message(message);
            }
            Stranger::UnknownOfOurs => {
                let data = object! { "blockId": "b1", "toolCalls": 5.0, "batches": "none" };
                self.world.append("custom", object! { "customType": "context-prune-future", "data": data });
            }
        }
    }

    fn compact(&mut self, compaction: Compaction) {
        let kept = self.earlier(compaction.back).filter(|_| !compaction.lost).unwrap_or_else(|| "gone".into());
        let mut fields = object! { "summary": "Work so far.", "firstKeptEntryId": kept, "tokensBefore": 1_000.0 };
        if compaction.system
            && let Some(fields) = fields.as_object_mut()
        {
            let clock = self.world.clock;
            fields.insert("systemMessage", object! { "role": "system", "content": "Checkpoint.", "timestamp": clock });
        }
        self.world.append("compaction", fields);
    }

    fn edit(&mut self, back: u8, edit: Edit) {
        let Some(target) = self.earlier(back) else { return };
        let replacement = match edit {
            Edit::Omit => Value::Null,
            Edit::Short => object! { "content": "redacted" },
            Edit::Long(text) => object! { "content": self.write(text) },
            Edit::Blocks(text) => object! { "content": content(self.write(text), false) },
            Edit::NoContent => object! {},
        };
        self.world.append("context_edit", object! { "targetId": target, "replacement": replacement });
    }

    fn commit(&mut self, answers: &[Summary], damage: Option<u8>) {
        if self.plans.is_empty() {
            return;
        }
        let (plan, due) = self.plans.remove(0);
        let answers: Vec<Option<Answer>> = (0..due).map(|nth| summary_text(answers[nth % answers.len()])).collect();
        let fusions = [Some(answer("fused: all of it")), None, Some(answer(" "))];
        let Ok(committed) = self.world.session.commit_flush(plan, &answers, &fusions) else { return };
        if let Ok(epoch) = committed.epoch {
            let data = match damage {
                Some(damage) => damaged(&epoch, damage),
                None => epoch.write(),
            };
            self.world.append_epoch(data);
        }
    }
}

fn tool(nth: u8) -> &'static str {
    ["read", "bash", "mcp.search", "edit", "context_tree_query"][usize::from(nth) % 5]
}

fn path(nth: u8) -> Value {
    match nth {
        0 => "skills/pi/SKILL.md".into(),
        1 => "C:\\repo\\größe `x`\n🦀.ts".into(),
        2 => 5.0.into(),
        nth => format!("src/{nth}.rs").into(),
    }
}

fn stop_reason(stop: Stop, fine: &'static str) -> &'static str {
    match stop {
        Stop::Fine => fine,
        Stop::Error => "error",
        Stop::Aborted => "aborted",
    }
}

fn summary_text(summary: Summary) -> Option<Answer> {
    Some(answer(&match summary {
        Summary::Short => "- done.".to_owned(),
        Summary::Labelled => {
            "- [[1:read]] read it\n- [[2:bash]] ran it\n```\n[[1:read]]\n```\n[[9:nobody]] x".to_owned()
        }
        Summary::Long => "A summary of many words. ".repeat(60),
        Summary::Blank => " \n".to_owned(),
        Summary::Missing => return None,
    }))
}

/// An epoch that somebody tore, or that a later version wrote.
fn damaged(epoch: &Epoch, damage: u8) -> Value {
    let mut data = epoch.write();
    let number = usize::from(damage) / 8;
    let Some(object) = data.as_object_mut() else { return data };
    match damage % 8 {
        0 => drop(object.insert("v", 2.0)),
        1 => drop(object.remove("batches")),
        2 => drop(object.insert("usage", "much")),
        3 => drop(object.remove("predicted")),
        4 => return Value::Null,
        kind => {
            if let Some(Value::Array(batches)) = object.get_mut("batches")
                && let Some(batch) = pick(batches, number).and_then(Value::as_object_mut)
            {
                match kind {
                    5 => drop(batch.insert("outcome", "future-outcome")),
                    6 => drop(batch.remove("text")),
                    _ => {
                        if let Some(Value::Array(results)) = batch.get_mut("results")
                            && let Some(result) = pick(results, number)
                        {
                            *result = object! { "ref": 5.0 };
                        }
                    }
                }
            }
        }
    }
    data
}

fn pick(items: &mut [Value], nth: usize) -> Option<&mut Value> {
    let length = items.len();
    items.get_mut(nth % length.max(1))
}
