//! `JSON.parse`.
//!
//! serde_json reads the text straight into a [`Value`]. What it refuses and JavaScript does not (lone surrogates, numbers
//! beyond `f64`, nesting beyond 128) is read again along the path that leads there, as raw pieces; all else stays fast.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use thiserror::Error;

use super::{JsText, Object, Value};

/// Deepest nesting that is read. JavaScript has no limit; here a line of a million brackets must not end the process.
pub const MAX_DEPTH: usize = 512;

/// Why a text is not read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    #[error("not JSON: {0}")]
    Syntax(String),
    #[error("the text ends in the middle of a value")]
    Unfinished,
    #[error("nested more than {MAX_DEPTH} levels deep")]
    TooDeep,
}

/// Reads one JSON text as `JSON.parse` does. Bytes that are no UTF-8 become U+FFFD first, as when node reads the file.
pub fn parse(text: &[u8]) -> Result<Value, ParseError> {
    let text = String::from_utf8_lossy(text);
    serde_json::from_str(&text).or_else(|_| {
        // Raw reading checks the grammar only, without recursion: what fails here is no JSON to JavaScript either.
        let raw: &RawValue = serde_json::from_str(&text).map_err(|error| {
            if error.is_eof() { ParseError::Unfinished } else { ParseError::Syntax(error.to_string()) }
        })?;
        if depth(raw.get()) > MAX_DEPTH {
            return Err(ParseError::TooDeep);
        }
        parse_raw(raw.get())
    })
}

/// Deepest nesting of good JSON.
fn depth(json: &str) -> usize {
    let (mut depth, mut deepest, mut in_string) = (0_usize, 0, false);
    let mut bytes = json.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => depth += 1,
            b']' | b'}' if !in_string => depth -= 1,
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Reads a value that is known to be good JSON and that serde_json refused.
fn parse_raw(raw: &str) -> Result<Value, ParseError> {
    let syntax = |error: serde_json::Error| ParseError::Syntax(error.to_string());
    let child = |raw: &RawValue| serde_json::from_str(raw.get()).or_else(|_| parse_raw(raw.get()));
    match raw.as_bytes().first() {
        Some(b'"') => serde_json::from_str(raw).map(Value::String).map_err(syntax),
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(raw).map_err(syntax)?;
            items.into_iter().map(child).collect::<Result<_, _>>().map(Value::Array)
        }
        Some(b'{') => {
            let RawPairs(pairs) = serde_json::from_str(raw).map_err(syntax)?;
            let pairs: Result<_, _> = pairs.into_iter().map(|(key, raw)| Ok((key, child(raw)?))).collect();
            Ok(Value::Object(Object::from_pairs(pairs?)))
        }
        // Rust reads what is out of range as JavaScript does: infinity, or zero.
        _ => raw.parse().map(Value::Number).map_err(|_| ParseError::Syntax(format!("{raw} is not a number"))),
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    // An integer beyond 2^53 is rounded to the nearest, ties to even, by both.
    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Number(number as f64))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Number(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::from(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some((key, value)) = map.next_entry::<JsText, Value>()? {
            pairs.push((key, value));
        }
        Ok(Value::Object(Object::from_pairs(pairs)))
    }
}

/// An object's keys with its values unread.
struct RawPairs<'a>(Vec<(JsText, &'a RawValue)>);

impl<'de> Deserialize<'de> for RawPairs<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor;
        impl<'de> Visitor<'de> for PairsVisitor {
            type Value = RawPairs<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(RawPairs(pairs))
            }
        }
        deserializer.deserialize_map(PairsVisitor)
    }
}
