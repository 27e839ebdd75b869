//! The boundary of pi-decant: heads from JavaScript objects, plans onto JavaScript objects. It converts and decides
//! nothing.

#![allow(clippy::needless_pass_by_value, reason = "what wasm-bindgen hands over is owned")]

mod dto;
mod error;
mod host;
#[cfg(feature = "replay")]
mod replay;
mod tape;
mod tree;
mod types;

use decant::config::Config;
use decant::epoch::flush::Answer;
use decant::epoch::spill::Written;
use decant::json;
use decant::ledger::epoch::Epoch;
use decant::recall::query::{Ask, Piece};
use decant::render::plan::{Act, Plan};
use dto::{
    AnswerDto, BudgetDto, CapturedDto, FoundDto, ModelDto, OutcomeDto, PageDto, PlanDto, ReportDto, SettingsDto,
    TurnDto, UsageReportDto, WrittenDto,
};
use error::{boundary_error, to_js};
use host::{Lookup, Mirror};
use js_sys::{Array, Error, Function, Int32Array, JSON, Object, Reflect, Uint32Array};
use types::{
    JsBudgetCheck, JsCaptured, JsConfigReport, JsEpochEntry, JsEpochReports, JsFlushOutcome, JsFlushPlan,
    JsQueryAnswer, JsReport, JsSettingRows,
};
use wasm_bindgen::prelude::*;

/// Reads the `contextPrune` settings: every key with its value or its default, and what was wrong.
#[wasm_bindgen(js_name = readSettings)]
pub fn read_settings(raw: JsValue) -> Result<JsConfigReport, Error> {
    let (config, problems) = config_of(&raw);
    to_js(&SettingsDto { config, problems })
}

fn config_of(raw: &JsValue) -> (Config, Vec<decant::config::schema::Problem>) {
    let text = JSON::stringify(raw).ok().and_then(|text| text.as_string()).unwrap_or_default();
    Config::read(&json::parse(text.as_bytes()).unwrap_or(json::Value::Null))
}

/// Every setting, in the order of display.
#[wasm_bindgen(js_name = settingsSchema)]
pub fn settings_schema() -> JsSettingRows {
    let rows = decant::config::schema::SCHEMA.iter().map(decant::config::schema::Row::describe).collect();
    from_json(&json::Value::Array(rows)).unchecked_into()
}

fn from_json(value: &json::Value) -> JsValue {
    JSON::parse(&json::stringify(value)).unwrap_or(JsValue::NULL)
}

/// The entry that an epoch is written as.
fn epoch_entry(epoch: &Epoch) -> JsEpochEntry {
    let entry = Object::new();
    set(&entry, "customType", &JsValue::from_str(decant::ledger::EPOCH_TYPE));
    set(&entry, "data", &from_json(&epoch.write()));
    entry.unchecked_into()
}

/// One pi session.
#[wasm_bindgen]
pub struct Session {
    core: decant::session::Session,
    mirror: Mirror,
    /// The version of the texts that the mirror has.
    sent_forms: u32,
}

#[wasm_bindgen]
impl Session {
    /// A session without entries. `config` is the `contextPrune` settings object; what does not fit has its default.
    /// `cwd` is the folder that relative paths stand under.
    #[wasm_bindgen(constructor)]
    pub fn new(config: JsValue, cwd: Option<String>) -> Self {
        let core = decant::session::Session::new(config_of(&config).0, &cwd.unwrap_or_default());
        Self { core, mirror: Mirror::new(), sent_forms: 0 }
    }

    /// New settings, from the next call on.
    #[wasm_bindgen(js_name = setConfig)]
    pub fn set_config(&mut self, config: JsValue) {
        self.core.set_config(config_of(&config).0);
    }

    /// Forgets everything and folds this branch: pi's entries from the root to the leaf.
    #[wasm_bindgen(js_name = loadBranch)]
    pub fn load_branch(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "readonly object[]")] entries: Array,
    ) -> Result<(), Error> {
        let mirror = Mirror::new();
        let tape = host::pack_entries(&mirror, &entries).map_err(boundary_error)?;
        self.core.clear();
        self.mirror = mirror;
        self.extend(&tape);
        Ok(())
    }

    /// Continues the branch at its end.
    #[wasm_bindgen(js_name = appendEntries)]
    pub fn append_entries(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "readonly object[]")] entries: Array,
    ) -> Result<(), Error> {
        let tape = host::pack_entries(&self.mirror, &entries).map_err(boundary_error)?;
        self.extend(&tape);
        Ok(())
    }

    fn extend(&mut self, tape: &tape::Tape) {
        let entries = tape::entries(tape, self.core.symbols());
        for place in self.core.extend(entries) {
            host::mark_edited(&self.mirror, place);
        }
    }

    /// The id of the last entry.
    #[wasm_bindgen(getter, js_name = leafId)]
    pub fn leaf_id(&self) -> Option<String> {
        self.core.leaf().map(str::to_owned)
    }

    /// The messages to send for `messages`, or undefined where they go out as they are. For pi's hook, which hands out
    /// clones: the first message gets a new `timestamp` in place, every other one keeps its identity or is a new object.
    #[wasm_bindgen(js_name = applyContext, unchecked_return_type = "object[] | undefined")]
    pub fn apply_context(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "readonly object[]")] messages: Array,
    ) -> Result<JsValue, Error> {
        self.read(&messages)?;
        let Some(plan) = self.core.render() else { return Ok(JsValue::UNDEFINED) };
        self.send_texts();
        let out = host::apply_plan(&self.mirror, &messages, edit_rows(&plan), plan.prefix_time);
        out.map(JsValue::from).map_err(boundary_error)
    }

    /// Reads the request that is about to go out.
    fn read(&mut self, messages: &Array) -> Result<(), Error> {
        let known =
            host::count_known(&self.mirror, messages).map_err(boundary_error)?.min(self.core.window_len() as u32);
        let tail = if known < messages.length() {
            let next = self.core.next_place(known as usize);
            let (places, tape) = host::read_messages(&self.mirror, messages, known, next).map_err(boundary_error)?;
            tape::messages(&places, &tape, self.core.symbols())
        } else {
            Vec::new()
        };
        self.core.read_window(known as usize, tail);
        Ok(())
    }

    fn send_texts(&mut self) {
        if self.sent_forms != self.core.forms_version() {
            let forms = self.core.forms();
            host::set_texts(&self.mirror, &forms.texts().concat(), Uint32Array::from(forms.all_units()));
            self.sent_forms = self.core.forms_version();
        }
    }

    /// Takes a finished turn, whose entries were appended: what of it waits for a flush, how much waits in all, and which
    /// results are to be written into files before they are sent.
    #[wasm_bindgen(js_name = captureTurn)]
    pub fn capture_turn(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "{ assistantEntryId: string; resultEntryIds: string[] }")] turn: JsValue,
        #[wasm_bindgen(unchecked_param_type = "(entryId: string) => object | undefined")] lookup: Function,
    ) -> Result<JsCaptured, Error> {
        let turn: TurnDto = serde_wasm_bindgen::from_value(turn).map_err(|error| {
            error::coded("bad-turn", &format!("captureTurn: expected {{ assistantEntryId, resultEntryIds }}: {error}"))
        })?;
        let (calls, pending, spills) = self.core.capture(&turn.result_entry_ids, &Lookup(&lookup));
        to_js(&CapturedDto::new(calls, pending, spills))
    }

    /// The entry that puts file stubs in the place of results whose files were written; undefined where none helps.
    #[wasm_bindgen(js_name = commitSpill)]
    pub fn commit_spill(
        &self,
        #[wasm_bindgen(unchecked_param_type = "{ entryId: string; path: string; bytes: number }[]")] files: JsValue,
        #[wasm_bindgen(unchecked_param_type = "(entryId: string) => object | undefined")] lookup: Function,
    ) -> Result<Option<JsEpochEntry>, Error> {
        let files: Vec<WrittenDto> = serde_wasm_bindgen::from_value(files).map_err(|error| {
            error::coded("bad-files", &format!("commitSpill: expected {{ entryId, path, bytes }}[]: {error}"))
        })?;
        let files: Vec<Written> = files.into_iter().map(Written::from).collect();
        Ok(self.core.commit_spill(&files, &Lookup(&lookup)).as_ref().map(epoch_entry))
    }

    /// Whether the context is full enough for a flush. `usage` is pi's `getContextUsage()` at the end of a turn.
    #[wasm_bindgen(js_name = checkBudget)]
    pub fn check_budget(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "{ tokens?: number | null; contextWindow?: number } | undefined")] usage: JsValue,
    ) -> Result<JsBudgetCheck, Error> {
        let usage: UsageReportDto = serde_wasm_bindgen::from_value(usage).unwrap_or_default();
        to_js(&BudgetDto::from(self.core.check_budget(usage.tokens, usage.context_window.unwrap_or(0.0))))
    }

    /// The entry that says why the request of `messages` changes sent bytes without a flush (`switched-off`, `settings`);
    /// undefined where it does not. To be asked before each request.
    #[wasm_bindgen(js_name = markEpoch)]
    pub fn mark_epoch(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "readonly object[]")] messages: Array,
    ) -> Result<Option<JsEpochEntry>, Error> {
        if self.core.change().is_none() {
            return Ok(None);
        }
        self.read(&messages)?;
        Ok(self.core.mark_epoch().as_ref().map(epoch_entry))
    }

    /// The epochs of the branch, oldest first; at the front what the original had archived.
    #[wasm_bindgen]
    pub fn tree(&self) -> Result<JsEpochReports, Error> {
        to_js(&tree::epochs(&self.core))
    }

    /// The batches due, as prompts; undefined where nothing is. Changes nothing.
    #[wasm_bindgen(js_name = planFlush)]
    pub fn plan_flush(
        &mut self,
        trigger: &str,
        #[wasm_bindgen(unchecked_param_type = "(entryId: string) => object | undefined")] lookup: Function,
        #[wasm_bindgen(unchecked_param_type = "{ api?: string; id?: string; contextWindow?: number } | undefined")]
        model: JsValue,
    ) -> Result<Option<JsFlushPlan>, Error> {
        let model: ModelDto = serde_wasm_bindgen::from_value(model).unwrap_or_default();
        let plan = self.core.plan_flush(trigger, &model.into(), &Lookup(&lookup)).cloned();
        let Some(plan) = plan else { return Ok(None) };
        to_js(&PlanDto::new(&plan, &self.core)).map(Some)
    }

    /// Turns summaries into the data of one `context-prune-epoch` entry. State changes only when that entry is appended.
    #[wasm_bindgen(js_name = commitFlush)]
    pub fn commit_flush(
        &mut self,
        plan: u32,
        #[wasm_bindgen(unchecked_param_type = "({ text: string; usage?: SummaryUsage } | null)[]")] summaries: JsValue,
        #[wasm_bindgen(unchecked_param_type = "({ text: string; usage?: SummaryUsage } | null)[] | undefined")] fusions: JsValue,
    ) -> Result<JsFlushOutcome, Error> {
        let answers = answers_of(summaries)?;
        let fusions = if fusions.is_undefined() { Vec::new() } else { answers_of(fusions)? };
        let committed = self.core.commit_flush(plan, &answers, &fusions);
        let committed = committed.map_err(|error| error::coded(error.code(), &error.to_string()))?;
        to_js(&OutcomeDto::from(&committed)).inspect(|outcome: &JsFlushOutcome| {
            if let Ok(epoch) = &committed.epoch {
                set(outcome.as_ref(), "entry", epoch_entry(epoch).as_ref());
            }
        })
    }

    /// Forgets a planned flush.
    #[wasm_bindgen(js_name = dropFlush)]
    pub fn drop_flush(&mut self, plan: u32) {
        self.core.drop_flush(plan);
    }

    /// The answer of `context_tree_query`.
    #[wasm_bindgen]
    pub fn query(
        &self,
        ids: Vec<String>,
        #[wasm_bindgen(unchecked_param_type = "(entryId: string) => object | undefined")] lookup: Function,
        #[wasm_bindgen(unchecked_param_type = "{ offset?: number; limit?: number } | undefined")] page: JsValue,
    ) -> Result<JsQueryAnswer, Error> {
        let page: PageDto = serde_wasm_bindgen::from_value(page).unwrap_or_default();
        let lookup = Lookup(&lookup);
        let found = self.core.query(&ids, Ask::from(page), &lookup);
        let content = Array::new();
        for (index, one) in found.iter().enumerate() {
            let mut parts: Vec<JsValue> = Vec::new();
            let mut images = Vec::new();
            if index > 0 {
                parts.push(JsValue::from_str("---\n\n"));
            }
            for piece in &one.pieces {
                match piece {
                    Piece::Text(text) => parts.push(JsValue::from_str(text)),
                    Piece::Cut { entry, start, end } => {
                        parts.push(host::cut_text(&lookup.entry(entry), *start as u32, *end as u32));
                    }
                    Piece::Images { entry } => images.push(host::entry_images(&lookup.entry(entry))),
                }
            }
            let block = Object::new();
            set(&block, "type", &JsValue::from_str("text"));
            set(&block, "text", &parts.into_iter().collect::<Array>().join("").into());
            content.push(&block);
            for image in images.iter().flat_map(Array::iter) {
                content.push(&image);
            }
        }
        let answer = Object::new();
        set(&answer, "content", &content);
        let results: Vec<FoundDto<'_>> = found.iter().map(FoundDto::from).collect();
        let details = Object::new();
        set(&details, "results", &to_js::<_, JsValue>(&results)?);
        set(&answer, "details", &details);
        set(&answer, "isError", &JsValue::from_bool(found.iter().all(|one| !one.found)));
        Ok(answer.unchecked_into())
    }

    /// Where the session stands.
    #[wasm_bindgen]
    pub fn report(&self) -> Result<JsReport, Error> {
        to_js(&ReportDto::new(&self.core))
    }
}

fn answers_of(summaries: JsValue) -> Result<Vec<Option<Answer>>, Error> {
    let answers: Vec<Option<AnswerDto>> = serde_wasm_bindgen::from_value(summaries).map_err(|error| {
        error::coded("bad-summaries", &format!("commitFlush: the summaries are not what the flush asked for: {error}"))
    })?;
    Ok(answers.into_iter().map(|answer| answer.map(Answer::from)).collect())
}

/// The edits as rows of four numbers: index, act, and what the act needs.
fn edit_rows(plan: &Plan) -> Int32Array {
    let mut flat = Vec::with_capacity(plan.edits.len() * 4);
    for edit in &plan.edits {
        let (act, a, b) = match edit.act {
            Act::Insert { text } => (0, text, 0),
            Act::Extend { text } => (1, text, 0),
            Act::Quote { message } => (2, message, 0),
            Act::Replace { text } => (3, text, 0),
            Act::Append { text } => (4, text, 0),
            Act::Arguments { call, text } => (5, text, call),
            Act::DropThinking => (6, 0, 0),
            Act::CutIds => (7, 0, 0),
            Act::Drop => (8, 0, 0),
        };
        flat.extend([edit.index, act, a, b].map(u32::cast_signed));
    }
    Int32Array::from(flat.as_slice())
}

/// Sets a key of an object that was just made here, which cannot fail.
fn set(object: &JsValue, key: &str, value: &JsValue) {
    let _ = Reflect::set(object, &JsValue::from_str(key), value);
}
