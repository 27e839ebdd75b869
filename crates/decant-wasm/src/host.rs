//! The JavaScript half, as Rust sees it.

use crate::tape::Tape;
use decant::capture::source::Source;
use js_sys::{Array, Float64Array, Function, Int32Array, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/js/boundary.js")]
extern "C" {
    pub type Mirror;
    #[wasm_bindgen(constructor)]
    pub fn new() -> Mirror;

    type JsTape;
    #[wasm_bindgen(method, getter, structural)]
    fn places(this: &JsTape) -> Int32Array;
    #[wasm_bindgen(method, getter, structural)]
    fn rows(this: &JsTape) -> Float64Array;
    #[wasm_bindgen(method, getter, structural)]
    fn lengths(this: &JsTape) -> Uint32Array;
    #[wasm_bindgen(method, getter, structural)]
    fn args(this: &JsTape) -> Uint32Array;
    #[wasm_bindgen(method, getter, structural)]
    fn bytes(this: &JsTape) -> Uint8Array;

    #[wasm_bindgen(js_name = countKnown, catch)]
    pub fn count_known(mirror: &Mirror, messages: &Array) -> Result<u32, JsValue>;
    #[wasm_bindgen(js_name = readMessages, catch)]
    fn js_read_messages(mirror: &Mirror, messages: &Array, from: u32, place: u32) -> Result<JsTape, JsValue>;
    #[wasm_bindgen(js_name = packEntries, catch)]
    fn js_pack_entries(mirror: &Mirror, entries: &Array) -> Result<JsTape, JsValue>;
    #[wasm_bindgen(js_name = markEdited)]
    pub fn mark_edited(mirror: &Mirror, place: u32);
    #[wasm_bindgen(js_name = setTexts)]
    pub fn set_texts(mirror: &Mirror, joined: &str, units: Uint32Array);
    #[wasm_bindgen(js_name = applyPlan, catch)]
    pub fn apply_plan(mirror: &Mirror, messages: &Array, edits: Int32Array, prefix_time: f64)
    -> Result<Array, JsValue>;

    #[wasm_bindgen(js_name = entryText)]
    fn entry_text(entry: &JsValue) -> Option<Uint8Array>;
    #[wasm_bindgen(js_name = entryArguments)]
    fn entry_arguments(entry: &JsValue, call: u32) -> Option<Uint8Array>;
    #[wasm_bindgen(js_name = entryImageKeys)]
    fn entry_image_keys(entry: &JsValue) -> Array;
    #[wasm_bindgen(js_name = nodeSha1)]
    fn node_sha1(bytes: &[u8]) -> Option<Uint8Array>;
    #[wasm_bindgen(js_name = cutText)]
    pub fn cut_text(entry: &JsValue, start: u32, end: u32) -> JsValue;
    #[wasm_bindgen(js_name = entryImages)]
    pub fn entry_images(entry: &JsValue) -> Array;
}

impl From<&JsTape> for Tape {
    fn from(tape: &JsTape) -> Self {
        Self {
            rows: tape.rows().to_vec(),
            lengths: tape.lengths().to_vec(),
            args: tape.args().to_vec(),
            bytes: tape.bytes().to_vec(),
        }
    }
}

/// The messages from `from` on: for each the place of its entry, from `place` on, or -1 and a head on the tape.
pub fn read_messages(mirror: &Mirror, messages: &Array, from: u32, place: u32) -> Result<(Vec<i32>, Tape), JsValue> {
    let tape = js_read_messages(mirror, messages, from, place)?;
    Ok((tape.places().to_vec(), Tape::from(&tape)))
}

/// `entries` as a tape.
pub fn pack_entries(mirror: &Mirror, entries: &Array) -> Result<Tape, JsValue> {
    js_pack_entries(mirror, entries).map(|tape| Tape::from(&tape))
}

/// The host's `lookup` as the core's source of text.
pub struct Lookup<'a>(pub &'a Function);

impl Lookup<'_> {
    /// The entry with this id; undefined where the lookup has none or throws.
    pub fn entry(&self, id: &str) -> JsValue {
        self.0.call1(&JsValue::UNDEFINED, &JsValue::from_str(id)).unwrap_or(JsValue::UNDEFINED)
    }
}

fn string(bytes: &Uint8Array) -> String {
    String::from_utf8(bytes.to_vec()).unwrap_or_default()
}

impl Source for Lookup<'_> {
    fn text(&self, entry: &str) -> Option<String> {
        entry_text(&self.entry(entry)).as_ref().map(string)
    }

    fn images(&self, entry: &str) -> Vec<String> {
        entry_image_keys(&self.entry(entry)).iter().map(|key| string(&key.unchecked_into())).collect()
    }

    fn sha1(&self, bytes: &[u8]) -> [u8; 20] {
        let digest = node_sha1(bytes).map(|digest| digest.to_vec());
        digest.and_then(|digest| digest.try_into().ok()).unwrap_or_else(|| decant::text::hash::sha1(bytes))
    }

    fn arguments(&self, entry: &str, call: u32) -> Option<String> {
        entry_arguments(&self.entry(entry), call).as_ref().map(string)
    }
}
