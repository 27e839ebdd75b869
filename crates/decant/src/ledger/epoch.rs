//! The shape of a `context-prune-epoch` entry, written and read in one place.

use crate::config::stamp::Stamp;
use crate::json::{Object, Value};

/// What a flush did with a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Summarized,
    /// Too little text to be worth a summary.
    SkippedTrivial,
    /// The summary came out longer than the results.
    SkippedOversized,
    /// The same output was archived before, and its summary is in the context.
    SkippedDeduped,
    /// Put into a file before it was ever sent.
    Spilled,
    /// An output of the query tool whose grace is over.
    Recovered,
}

impl Outcome {
    /// The word in the entry and in notices.
    pub fn name(self) -> &'static str {
        match self {
            Self::Summarized => "summarized",
            Self::SkippedTrivial => "skipped-trivial",
            Self::SkippedOversized => "skipped-oversized",
            Self::SkippedDeduped => "skipped-deduped",
            Self::Spilled => "spilled",
            Self::Recovered => "recovered",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        const ALL: [Outcome; 6] = [
            Outcome::Summarized,
            Outcome::SkippedTrivial,
            Outcome::SkippedOversized,
            Outcome::SkippedDeduped,
            Outcome::Spilled,
            Outcome::Recovered,
        ];
        ALL.into_iter().find(|one| one.name() == name)
    }

    /// Whether it changes the form of results that were sent before.
    pub fn rewrites(self) -> bool {
        matches!(self, Self::Summarized | Self::SkippedDeduped | Self::Recovered)
    }
}

/// Where a summary is shown (design section 6). Fixed when the epoch is written: it must not move later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// A user message behind the batch's last result: the tool cycle was closed.
    Message,
    /// A second text block of the batch's last result: a user message would have closed the cycle.
    Block,
}

/// Tokens and dollars of the summarizer calls of one flush.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    pub input: f64,
    pub output: f64,
    pub cost: f64,
    pub calls: f64,
}

impl Usage {
    /// Adds another call's.
    pub fn add(&mut self, other: &Self) {
        self.input += other.input;
        self.output += other.output;
        self.cost += other.cost;
        self.calls += other.calls;
    }
}

/// One result of a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchResult {
    /// Id of the session entry that holds the result.
    pub entry: String,
    /// The short name it is archived under; none where the batch was skipped.
    pub reference: Option<String>,
    pub tool: String,
    /// SHA-1 of the output in hex, to know it again.
    pub hash: Option<String>,
    /// The ref of the record with the same output.
    pub same: Option<String>,
    pub file: Option<File>,
}

/// A spilled result's file.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    pub path: String,
    /// Length in bytes of UTF-8.
    pub bytes: f64,
    /// The head of the text that stays in the context.
    pub preview: String,
}

/// One batch of a flush.
#[derive(Clone, Debug, PartialEq)]
pub struct EpochBatch {
    /// Ordinal of the assistant message on the branch, from 0.
    pub turn: u32,
    pub outcome: Outcome,
    pub text: Option<String>,
    pub placement: Placement,
    /// UTF-16 units of the results.
    pub raw_units: u64,
    pub results: Vec<BatchResult>,
}

/// A finished prompt, or the old part of one, that is shown as one text.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// `b1`.
    pub id: String,
    /// Id of the entry of the prompt: it stays, and the block stands behind it.
    pub start: String,
    /// Id of the first entry behind the block: the reply, the next prompt, or the first turn that stays.
    pub end: String,
    /// Whether `end` is the reply and loses its thinking.
    pub strip_reply: bool,
    pub body: String,
    /// The refs of its results, in order.
    pub refs: Vec<String>,
    /// Results that are archived with the block since no flush had archived them: nothing leaves without a ref.
    pub results: Vec<BatchResult>,
    /// Ids of the entries whose results stay word for word inside the block.
    pub protected: Vec<String>,
    /// Blocks that this one takes the place of.
    pub merged: Vec<String>,
}

/// Arguments of a failed call that are replaced.
#[derive(Clone, Debug, PartialEq)]
pub struct Purge {
    /// The failed result.
    pub result: BatchResult,
    /// Id of the assistant's entry, and which of its calls.
    pub assistant: String,
    pub call: u32,
    /// UTF-16 units of the arguments as JSON.
    pub units: u32,
}

/// The only moment at which the form of an already sent message may change.
#[derive(Clone, Debug, PartialEq)]
pub struct Epoch {
    /// `flush`, `spill`, or whatever else changed sent bytes.
    pub reason: String,
    /// What made it due: `agent-message`, `now`, `budget`, `delta`, `rearmed`; empty where `reason` says it all.
    pub trigger: String,
    pub batches: Vec<EpochBatch>,
    pub blocks: Vec<Block>,
    pub purges: Vec<Purge>,
    /// Id of the entry before which assistants lose their thinking.
    pub thinking_before: Option<String>,
    pub usage: Option<Usage>,
    /// The settings it was made under.
    pub stamp: Option<Stamp>,
    /// UTF-16 units that leave the request, and those that come in their place.
    pub removed_units: u64,
    pub added_units: u64,
}

/// Version of the shape; a higher one is somebody's future and changes nothing here.
const VERSION: f64 = 1.0;

impl Epoch {
    /// An epoch in which nothing is decided yet.
    pub fn new(reason: &str, trigger: &str) -> Self {
        Self {
            reason: reason.to_owned(),
            trigger: trigger.to_owned(),
            batches: Vec::new(),
            blocks: Vec::new(),
            purges: Vec::new(),
            thinking_before: None,
            usage: None,
            stamp: None,
            removed_units: 0,
            added_units: 0,
        }
    }

    /// Whether it changes messages that were sent before: a spill is decided before, and a flush that only skipped
    /// changes nothing. Any other reason is there because something changed.
    pub fn rewrites(&self) -> bool {
        match self.reason.as_str() {
            "spill" => false,
            "flush" => {
                self.batches.iter().any(|batch| batch.outcome.rewrites())
                    || !self.blocks.is_empty()
                    || !self.purges.is_empty()
                    || self.thinking_before.is_some()
            }
            _ => true,
        }
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.batches.is_empty() && self.blocks.is_empty() && self.purges.is_empty() && self.thinking_before.is_none()
    }

    /// The entry's data.
    pub fn write(&self) -> Value {
        let mut data = Object::new();
        data.insert("v", VERSION);
        data.insert("reason", self.reason.as_str());
        data.insert("trigger", self.trigger.as_str());
        data.insert("batches", Value::Array(self.batches.iter().map(write_batch).collect()));
        if !self.blocks.is_empty() {
            data.insert("blocks", Value::Array(self.blocks.iter().map(write_block).collect()));
        }
        if !self.purges.is_empty() {
            data.insert("purged", Value::Array(self.purges.iter().map(write_purge).collect()));
        }
        if let Some(entry) = &self.thinking_before {
            data.insert("thinkingBefore", entry.as_str());
        }
        if let Some(usage) = self.usage {
            let mut object = Object::new();
            object.insert("input", usage.input);
            object.insert("output", usage.output);
            object.insert("cost", usage.cost);
            object.insert("calls", usage.calls);
            data.insert("usage", Value::Object(object));
        }
        if let Some(stamp) = &self.stamp {
            data.insert("settings", stamp.as_str());
        }
        let mut predicted = Object::new();
        predicted.insert("removedUnits", self.removed_units as f64);
        predicted.insert("addedUnits", self.added_units as f64);
        data.insert("predicted", Value::Object(predicted));
        Value::Object(data)
    }

    /// Reads the entry's data; none where it is not an epoch of this version. A batch or result that cannot be read is
    /// left out alone.
    pub fn read(data: &Value) -> Option<Self> {
        if data.get("v")?.as_f64()? > VERSION {
            return None;
        }
        let number = |from: Option<&Value>, key: &str| {
            from.and_then(|from| from.get(key))
                .and_then(Value::as_f64)
                .filter(|number| number.is_finite())
                .unwrap_or(0.0)
        };
        let predicted = data.get("predicted");
        Some(Self {
            reason: string(data, "reason").unwrap_or_default(),
            trigger: string(data, "trigger").unwrap_or_default(),
            batches: data.get("batches")?.as_array()?.iter().filter_map(read_batch).collect(),
            blocks: list(data, "blocks").filter_map(read_block).collect(),
            purges: list(data, "purged").filter_map(read_purge).collect(),
            thinking_before: string(data, "thinkingBefore"),
            usage: data.get("usage").filter(|usage| usage.as_object().is_some()).map(|usage| Usage {
                input: number(Some(usage), "input"),
                output: number(Some(usage), "output"),
                cost: number(Some(usage), "cost"),
                calls: number(Some(usage), "calls"),
            }),
            stamp: string(data, "settings").and_then(Stamp::read),
            removed_units: number(predicted, "removedUnits") as u64,
            added_units: number(predicted, "addedUnits") as u64,
        })
    }
}

fn write_batch(batch: &EpochBatch) -> Value {
    let mut object = Object::new();
    object.insert("turn", f64::from(batch.turn));
    object.insert("outcome", batch.outcome.name());
    if let Some(text) = &batch.text {
        object.insert("text", text.as_str());
        object.insert(
            "placement",
            match batch.placement {
                Placement::Message => "message",
                Placement::Block => "block",
            },
        );
    }
    object.insert("rawUnits", batch.raw_units as f64);
    object.insert("results", Value::Array(batch.results.iter().map(write_result).collect()));
    Value::Object(object)
}

fn write_result(result: &BatchResult) -> Value {
    let mut object = Object::new();
    object.insert("entry", result.entry.as_str());
    if let Some(reference) = &result.reference {
        object.insert("ref", reference.as_str());
    }
    object.insert("tool", result.tool.as_str());
    if let Some(hash) = &result.hash {
        object.insert("hash", hash.as_str());
    }
    if let Some(same) = &result.same {
        object.insert("same", same.as_str());
    }
    if let Some(file) = &result.file {
        let mut spill = Object::new();
        spill.insert("path", file.path.as_str());
        spill.insert("bytes", file.bytes);
        spill.insert("preview", file.preview.as_str());
        object.insert("spill", spill);
    }
    Value::Object(object)
}

fn strings(list: &[String]) -> Value {
    Value::Array(list.iter().map(|one| one.as_str().into()).collect())
}

fn write_block(block: &Block) -> Value {
    let mut object = Object::new();
    object.insert("id", block.id.as_str());
    object.insert("start", block.start.as_str());
    object.insert("end", block.end.as_str());
    if block.strip_reply {
        object.insert("stripReply", true);
    }
    object.insert("body", block.body.as_str());
    object.insert("refs", strings(&block.refs));
    for (key, value) in [("protected", &block.protected), ("merged", &block.merged)] {
        if !value.is_empty() {
            object.insert(key, strings(value));
        }
    }
    if !block.results.is_empty() {
        object.insert("results", Value::Array(block.results.iter().map(write_result).collect()));
    }
    Value::Object(object)
}

fn read_block(value: &Value) -> Option<Block> {
    let texts = |key: &str| list(value, key).filter_map(Value::as_text).map(|text| text.to_string_lossy().into_owned());
    Some(Block {
        id: string(value, "id")?,
        start: string(value, "start")?,
        end: string(value, "end")?,
        strip_reply: value.get("stripReply").and_then(Value::as_bool).unwrap_or(false),
        body: string(value, "body")?,
        refs: texts("refs").collect(),
        results: list(value, "results").filter_map(read_result).collect(),
        protected: texts("protected").collect(),
        merged: texts("merged").collect(),
    })
}

fn write_purge(purge: &Purge) -> Value {
    let mut object = Object::new();
    object.insert("result", write_result(&purge.result));
    object.insert("assistant", purge.assistant.as_str());
    object.insert("call", purge.call);
    object.insert("units", purge.units);
    Value::Object(object)
}

fn read_purge(value: &Value) -> Option<Purge> {
    Some(Purge {
        result: read_result(value.get("result")?)?,
        assistant: string(value, "assistant")?,
        call: value.get("call")?.as_f64()? as u32,
        units: value.get("units")?.as_f64()? as u32,
    })
}

fn read_batch(value: &Value) -> Option<EpochBatch> {
    Some(EpochBatch {
        turn: value.get("turn")?.as_f64()? as u32,
        outcome: Outcome::from_name(value.get("outcome")?.as_str()?)?,
        text: string(value, "text"),
        placement: match value.get("placement").and_then(Value::as_str) {
            Some("block") => Placement::Block,
            _ => Placement::Message,
        },
        raw_units: value.get("rawUnits").and_then(Value::as_f64).unwrap_or(0.0) as u64,
        results: value.get("results")?.as_array()?.iter().filter_map(read_result).collect(),
    })
}

fn read_result(value: &Value) -> Option<BatchResult> {
    Some(BatchResult {
        entry: string(value, "entry")?,
        reference: string(value, "ref"),
        tool: string(value, "tool").unwrap_or_default(),
        hash: string(value, "hash"),
        same: string(value, "same"),
        file: value.get("spill").and_then(read_file),
    })
}

fn read_file(value: &Value) -> Option<File> {
    Some(File {
        path: string(value, "path")?,
        bytes: value.get("bytes").and_then(Value::as_f64).unwrap_or(f64::NAN),
        preview: string(value, "preview").unwrap_or_default(),
    })
}

fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value.get(key).and_then(Value::as_array).unwrap_or_default().iter()
}

fn string(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(Value::as_text).map(|text| text.to_string_lossy().into_owned())
}
