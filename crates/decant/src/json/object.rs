//! A JavaScript object's own properties, in JavaScript's order.

use crate::order;
use rustc_hash::FxHashMap;

use super::{JsText, Value};

/// Keys and values in the order `Object.keys` has: array indices ascending, then the others as inserted. A key that comes
/// again keeps its place and takes the new value. `__proto__` is a key like any other, as it is to `JSON.parse`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object(Vec<(JsText, Value)>);

/// Up to here comparing all keys is faster than hashing them; pi's own objects have up to 15.
const FEW: usize = 16;

impl Object {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.0.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// `object[key] = value`; the value that was there before is returned.
    pub fn insert(&mut self, key: impl Into<JsText>, value: impl Into<Value>) -> Option<Value> {
        let (key, value) = (key.into(), value.into());
        if let Some((_, old)) = self.0.iter_mut().find(|(name, _)| *name == key) {
            return Some(std::mem::replace(old, value));
        }
        let at = match array_index(&key) {
            Some(index) => self.0.partition_point(|(name, _)| array_index(name).is_some_and(|other| other < index)),
            None => self.0.len(),
        };
        self.0.insert(at, (key, value));
        None
    }

    /// `delete object[key]`; the value that was there is returned.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let at = self.0.iter().position(|(name, _)| name == key)?;
        Some(self.0.remove(at).1)
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&JsText, &Value)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    pub fn keys(&self) -> impl ExactSizeIterator<Item = &JsText> {
        self.0.iter().map(|(key, _)| key)
    }

    /// The object of these pairs in the order they were written.
    pub(super) fn from_pairs(mut pairs: Vec<(JsText, Value)>) -> Self {
        if has_repeats(&pairs) {
            pairs = without_repeats(pairs);
        }
        if pairs.iter().any(|(key, _)| array_index(key).is_some()) {
            // Stable, and no array index reaches u32::MAX, so the other keys stay as they are behind them.
            order::by_number(&mut pairs, |(key, _)| array_index(key).unwrap_or(u32::MAX).into());
        }
        Self(pairs)
    }
}

impl<K: Into<JsText>, V: Into<Value>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        Self::from_pairs(pairs.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }
}

impl IntoIterator for Object {
    type Item = (JsText, Value);
    type IntoIter = std::vec::IntoIter<(JsText, Value)>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

fn has_repeats(pairs: &[(JsText, Value)]) -> bool {
    if pairs.len() <= FEW {
        return pairs.iter().enumerate().any(|(at, (key, _))| pairs[..at].iter().any(|(earlier, _)| earlier == key));
    }
    let mut seen = rustc_hash::FxHashSet::default();
    pairs.iter().any(|(key, _)| !seen.insert(key))
}

fn without_repeats(pairs: Vec<(JsText, Value)>) -> Vec<(JsText, Value)> {
    let mut places: FxHashMap<JsText, usize> = FxHashMap::default();
    let mut kept: Vec<(JsText, Value)> = Vec::with_capacity(pairs.len());
    for (key, value) in pairs {
        if let Some(&place) = places.get(&key) {
            kept[place].1 = value;
        } else {
            places.insert(key.clone(), kept.len());
            kept.push((key, value));
        }
    }
    kept
}

/// The number that a key is to JavaScript: canonical decimal, 0 to 2^32 - 2 (ECMA-262, "array index").
fn array_index(key: &JsText) -> Option<u32> {
    let digits = key.as_str()?;
    if !digits.as_bytes().first()?.is_ascii_digit() || (digits.len() > 1 && digits.starts_with('0')) {
        return None;
    }
    digits.parse().ok().filter(|&index| index != u32::MAX)
}
