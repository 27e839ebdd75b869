//! A pasted transcript under replay, for the playground's worker.

use crate::error::{coded, to_js};
use decant::config::schema::Problem;
use decant::json::{self, Value};
use decant::replay::{Kind, Request, Side};
use js_sys::{Error, Float64Array, Function, JSON, Object, Uint8Array, Uint16Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
export type TranscriptFormat = "pi-v1" | "pi-v2" | "pi-v3" | "claude-code" | "codex" | "opencode" | "openai";

/** What a replay is told beside the settings of pruning, under the key `replay` of the same object. */
export interface ReplayOptions {
	/** Fold what a pruner decided in the session and decide nothing. */
	asRecorded?: boolean;
	/** Dollars per million tokens, for every model; without them the session's own bills, else list prices. */
	prices?: { input: number; output: number; cacheRead?: number; cacheWrite?: number };
	/** Tokens, for every model. */
	contextWindow?: number;
	/** ms; 300,000 if not said */
	cacheLifetimeMs?: number;
}

export interface ReplayOverview {
	format: TranscriptFormat;
	title?: string;
	bytes: number;
	/** Of the file. */
	entries: number;
	/** Of the branch. */
	messages: number;
	model?: string;
	provider?: string;
	/** The ends of the tree, newest first; at most 200. */
	leaves: { id: string; label: string; messages: number }[];
	leaf: string;
	/** Most frequent first. */
	notUnderstood: { what: string; count: number }[];
	findings: { line?: number; entry?: string; kind: string; message: string; render: string }[];
	/** A pruner decided something in this session: `asRecorded` shows it. */
	hasDecisions: boolean;
	/**
	 * Tokens of system prompt and tools that every request carried and the log does not hold, from its first bill. Counted
	 * on both sides.
	 */
	unseen: number;
	/** What the provider counted, as far as the log says: requests with a bill, tokens of all of them, of the largest. */
	billed: { requests: number; sent: number; largest: number };
	/** Where the prices of its models come from, each source once; with `unknown` among them, cost says nothing. */
	prices: ("set" | "bills" | "list" | "unknown")[];
	/** Tokens that a request behind the last message would carry, without and with pruning: `request(count)`. */
	nextOff: number;
	nextOn: number;
}

/** Sums over all requests: tokens (`sent` = `cached` + `fresh`) and dollars. */
export interface ReplayTotals {
	requests: number;
	sent: number;
	cached: number;
	fresh: number;
	/** Of the fresh ones, those that are written into a cache. */
	written: number;
	output: number;
	/** With replies and summarizer. */
	cost: number;
	largest: number;
	/** Requests in which something was not as it had been sent before. */
	rewrites: number;
	epochs: number;
	blocks: number;
	spilled: number;
	summaries: {
		calls: number;
		/** Texts that stood in the session, and stand-ins made without a model. */
		recorded: number;
		deterministic: number;
		input: number;
		output: number;
		cost: number;
	};
}

/** One number a request. */
export type RequestColumn =
	/** ms since 1970; NaN where the log has none */
	| "timestamp"
	| "sentOff" | "cachedOff" | "freshOff" | "costOff"
	| "sentOn" | "cachedOn" | "freshOn" | "costOn"
	/** Place in `rewriteReasons()`, or -1. */
	| "rewriteOff" | "rewriteOn"
	/** Tokens of the reply. */
	| "output"
	/** Tokens of the request as configured, by kind; they add up to `sentOn`. */
	| "system" | "tools" | "user" | "assistant" | "thinking" | "arguments" | "results" | "summaries";

export interface MessageView {
	/** In its own list. */
	index: number;
	role: string;
	tool?: string;
	callId?: string;
	/** UTF-16 units */
	units: number;
	images: number;
	/** At most 400 units. */
	preview: string;
}

export interface RequestRow {
	before?: MessageView;
	after?: MessageView;
	/** `savedTokens` is below zero for what was added. */
	change?: { what: string; why: string; savedTokens: number; ref?: string };
}

/** A request with all of its rows, as far as it takes to list, filter and add them up: long ones have thousands. */
export interface RequestOutline {
	/** What kinds of messages there are: a role, for results with the tool. */
	groups: { key: string; role: string; tool?: string }[];
	/** The group of each row's message on that side, by its place in `groups` plus one; 0: none there. */
	before: Uint16Array;
	after: Uint16Array;
	/** 1 where the sides differ. */
	changed: Uint8Array;
	/** Tokens of each row's message. */
	tokensBefore: Float64Array;
	tokensAfter: Float64Array;
	/** What all changes together saved, in tokens. */
	saved: number;
	/** What `query` can be asked with, each once. */
	refs: string[];
	/** What the request is made of as it goes out; `saved` last. */
	map: { kind: string; label: string; tokens: number }[];
	/** What it would be made of without pruning. */
	mapBefore: { kind: string; label: string; tokens: number }[];
}

export interface ReplayText {
	text: string;
	images: { data: string; mimeType: string }[];
}
"#;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(typescript_type = "ReplayOverview")]
    pub type JsOverview;
    #[wasm_bindgen(typescript_type = "{ off: ReplayTotals; on: ReplayTotals }")]
    pub type JsTotals;
    #[wasm_bindgen(typescript_type = "{ count: number; columns: Record<RequestColumn, Float64Array> }")]
    pub type JsColumns;
    #[wasm_bindgen(typescript_type = "RequestOutline")]
    pub type JsOutline;
    #[wasm_bindgen(typescript_type = "RequestRow[]")]
    pub type JsRows;
    #[wasm_bindgen(typescript_type = "ReplayText")]
    pub type JsText;
    #[wasm_bindgen(typescript_type = "ReplayText & { found: boolean }")]
    pub type JsAnswer;
    #[wasm_bindgen(typescript_type = "{ problems: { key: string; message: string }[] }")]
    pub type JsProblems;
}

/// A transcript of any known format as the requests it was, without pruning and as configured.
#[wasm_bindgen]
pub struct Replay {
    core: decant::replay::Replay,
}

#[derive(Serialize)]
struct Problems {
    problems: Vec<Problem>,
}

fn value_of(settings: &JsValue) -> Value {
    let text = JSON::stringify(settings).ok().and_then(|text| text.as_string()).unwrap_or_default();
    json::parse(text.as_bytes()).unwrap_or(Value::Null)
}

fn no_request(index: u32) -> Error {
    coded("no-such-request", &format!("there is no request {index} in this transcript"))
}

#[wasm_bindgen]
impl Replay {
    /// Reads `bytes` and replays the branch that its agent would continue. `settings` is the `contextPrune` object, with
    /// `replay: ReplayOptions` where wanted. `onProgress` is called now and then; what it throws ends the reading.
    #[wasm_bindgen(constructor)]
    pub fn new(
        bytes: &[u8],
        settings: JsValue,
        #[wasm_bindgen(unchecked_param_type = "((done: number, total: number) => void) | undefined")]
        on_progress: Option<Function>,
    ) -> Result<Self, JsValue> {
        let mut thrown = None;
        let mut watch = |done: f64, total: f64| {
            let Some(progress) = &on_progress else { return true };
            let called = progress.call2(&JsValue::UNDEFINED, &done.into(), &total.into());
            thrown = called.err();
            thrown.is_none()
        };
        let core = decant::replay::Replay::new(bytes, &value_of(&settings), &mut watch);
        match (core, thrown) {
            (_, Some(thrown)) => Err(thrown),
            (Err(error), None) => Err(coded(error.code(), &error.to_string()).into()),
            (Ok(core), None) => Ok(Self { core }),
        }
    }

    pub fn overview(&self) -> Result<JsOverview, Error> {
        to_js(&self.core.overview())
    }

    /// Replays the branch that ends at this entry.
    #[wasm_bindgen(js_name = selectLeaf)]
    pub fn select_leaf(&mut self, id: &str) -> Result<(), Error> {
        if self.core.select_leaf(id) {
            return Ok(());
        }
        Err(coded("no-such-entry", &format!("there is no entry \"{id}\" in this transcript")))
    }

    /// Replays with other settings, as `new` takes them.
    #[wasm_bindgen(js_name = setSettings)]
    pub fn set_settings(&mut self, settings: JsValue) -> Result<JsProblems, Error> {
        to_js(&Problems { problems: self.core.set_settings(&value_of(&settings)) })
    }

    /// One row for each request that the agent made, as columns.
    pub fn requests(&self) -> JsColumns {
        let requests = self.core.requests();
        let columns = Object::new();
        let add = |name: &str, value: &dyn Fn(&Request) -> f64| {
            let numbers: Vec<f64> = requests.iter().map(value).collect();
            crate::set(&columns, name, &Float64Array::from(numbers.as_slice()));
        };
        add("timestamp", &|one| one.timestamp);
        add("output", &|one| one.output);
        for (name, pruned) in [("Off", false), ("On", true)] {
            let side = |one: &Request| -> Side { if pruned { one.on } else { one.off } };
            add(&format!("sent{name}"), &|one| side(one).sent.tokens);
            add(&format!("cached{name}"), &|one| side(one).sent.cached);
            add(&format!("fresh{name}"), &|one| side(one).sent.fresh);
            add(&format!("cost{name}"), &|one| side(one).cost);
            add(&format!("rewrite{name}"), &|one| side(one).rewrite.map_or(-1.0, f64::from));
        }
        for kind in Kind::ALL {
            add(kind.name(), &|one| one.on.sizes.get(kind) as f64 / 4.0);
        }
        let out = Object::new();
        crate::set(&out, "count", &JsValue::from_f64(requests.len() as f64));
        crate::set(&out, "columns", &columns);
        out.unchecked_into()
    }

    /// What the numbers in `rewriteOff` and `rewriteOn` stand for.
    #[wasm_bindgen(js_name = rewriteReasons)]
    pub fn rewrite_reasons(&self) -> Vec<String> {
        self.core.rewrite_reasons().to_vec()
    }

    pub fn totals(&self) -> Result<JsTotals, Error> {
        let (off, on) = self.core.totals();
        let out = Object::new();
        crate::set(&out, "off", &to_js::<_, JsValue>(off)?);
        crate::set(&out, "on", &to_js::<_, JsValue>(on)?);
        Ok(out.unchecked_into())
    }

    /// Request `index` before and after, in outline. One behind the last: what would come next.
    pub fn request(&mut self, index: u32) -> Result<JsOutline, Error> {
        let outline = self.core.request(index as usize).ok_or_else(|| no_request(index))?;
        let out: JsOutline = to_js(outline)?;
        let set = |name: &str, value: JsValue| crate::set(&out, name, &value);
        set("before", Uint16Array::from(outline.before.as_slice()).into());
        set("after", Uint16Array::from(outline.after.as_slice()).into());
        set("changed", Uint8Array::from(outline.changed.as_slice()).into());
        set("tokensBefore", Float64Array::from(outline.tokens_before.as_slice()).into());
        set("tokensAfter", Float64Array::from(outline.tokens_after.as_slice()).into());
        Ok(out)
    }

    /// The rows of request `index` at these places.
    pub fn rows(&mut self, index: u32, places: &[u32]) -> Result<JsRows, Error> {
        to_js(&self.core.rows(index as usize, places).ok_or_else(|| no_request(index))?)
    }

    /// A whole message of request `index`: of the list before, or of the one after.
    pub fn message(
        &mut self,
        index: u32,
        message: u32,
        #[wasm_bindgen(unchecked_param_type = "\"before\" | \"after\"")] side: &str,
    ) -> Result<JsText, Error> {
        let text = self.core.message(index as usize, message as usize, side == "after");
        to_js(&text.ok_or_else(|| no_request(index))?)
    }

    /// What `context_tree_query` would have answered at request `index` for `t3`, `b1` or an id.
    pub fn query(&mut self, index: u32, id: &str) -> Result<JsAnswer, Error> {
        to_js(&self.core.query(index as usize, id))
    }

    /// Short sentences on what the cache did for request `index`.
    #[wasm_bindgen(js_name = explainCache)]
    pub fn explain_cache(&self, index: u32) -> Vec<String> {
        self.core.explain_cache(index as usize)
    }

    /// The messages of request `index` as they go out, as JSON.
    #[wasm_bindgen(js_name = exportRendered)]
    pub fn export_rendered(&mut self, index: u32) -> Result<String, Error> {
        self.core.export_rendered(index as usize).ok_or_else(|| no_request(index))
    }

    /// All of it in Markdown.
    pub fn report(&self) -> String {
        self.core.report()
    }

    /// What belongs into pi's settings.json.
    #[wasm_bindgen(js_name = settingsJson)]
    pub fn settings_json(&self) -> String {
        self.core.settings_json()
    }
}
