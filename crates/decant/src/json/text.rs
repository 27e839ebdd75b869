//! A JavaScript string.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// A JavaScript string: UTF-8 where it is well formed (nearly always), UTF-16 where it holds a lone surrogate.
///
/// All lengths and offsets are UTF-16 units, as `String.length` counts them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct JsText(Repr);

/// `Units` is used only for text that is no valid Unicode, so that equal strings have equal representations.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Repr {
    Utf8(Box<str>),
    Units(Box<[u16]>),
}

impl JsText {
    /// The string of these UTF-16 units, whatever they are.
    pub fn from_utf16(units: &[u16]) -> Self {
        match String::from_utf16(units) {
            Ok(text) => Self(Repr::Utf8(text.into_boxed_str())),
            Err(_) => Self(Repr::Units(units.into())),
        }
    }

    /// The text, or `None` where it holds a lone surrogate.
    pub fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Repr::Utf8(text) => Some(text),
            Repr::Units(_) => None,
        }
    }

    /// The text with each lone surrogate as U+FFFD, which is how it would cross into wasm or UTF-8.
    pub fn to_string_lossy(&self) -> Cow<'_, str> {
        match &self.0 {
            Repr::Utf8(text) => Cow::Borrowed(text),
            Repr::Units(units) => Cow::Owned(String::from_utf16_lossy(units)),
        }
    }

    /// The UTF-16 units where the text holds a lone surrogate; `None` where [`as_str`](Self::as_str) has it.
    pub fn as_units(&self) -> Option<&[u16]> {
        match &self.0 {
            Repr::Utf8(_) => None,
            Repr::Units(units) => Some(units),
        }
    }

    /// Generalized UTF-8 (WTF-8): UTF-8 with lone surrogates as three bytes each. What to hash: no two strings share it.
    pub fn to_wtf8(&self) -> Cow<'_, [u8]> {
        let units = match &self.0 {
            Repr::Utf8(text) => return Cow::Borrowed(text.as_bytes()),
            Repr::Units(units) => units,
        };
        let mut bytes = Vec::with_capacity(units.len() * 3);
        for decoded in char::decode_utf16(units.iter().copied()) {
            match decoded {
                Ok(c) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                Err(lone) => {
                    let unit = lone.unpaired_surrogate();
                    bytes.extend([0xED, 0x80 | (unit >> 6 & 0x3F) as u8, 0x80 | (unit & 0x3F) as u8]);
                }
            }
        }
        Cow::Owned(bytes)
    }

    /// The string whose WTF-8 this is. serde_json hands a string with lone surrogates out in this form; bytes that are
    /// neither become U+FFFD.
    pub fn from_wtf8(bytes: &[u8]) -> Self {
        if let Ok(text) = str::from_utf8(bytes) {
            return Self::from(text);
        }
        let mut units = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while !rest.is_empty() {
            // In UTF-8 the byte ED is followed by 80..=9F; A0..=BF is a surrogate.
            let lone = rest.windows(3).position(|w| w[0] == 0xED && w[1] >= 0xA0);
            let (text, after) = rest.split_at(lone.unwrap_or(rest.len()));
            units.extend(String::from_utf8_lossy(text).encode_utf16());
            rest = match after {
                [_, high, low, after @ ..] => {
                    units.push(0xD000 | u16::from(high & 0x3F) << 6 | u16::from(low & 0x3F));
                    after
                }
                _ => &[],
            };
        }
        Self::from_utf16(&units)
    }

    /// `String.length`.
    pub fn utf16_len(&self) -> usize {
        match &self.0 {
            Repr::Utf8(text) => utf16_len(text),
            Repr::Units(units) => units.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.utf16_len() == 0
    }

    /// The units of `range`, clamped to the text as `String.slice` does. Where an end falls between the halves of a
    /// pair, that pair is left out whole; a surrogate that was alone before stays.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        match &self.0 {
            Repr::Utf8(text) => {
                let start = byte_at(text, range.start, true);
                let end = byte_at(text, range.end, false);
                Self::from(text.get(start..end).unwrap_or(""))
            }
            Repr::Units(units) => {
                let inside = |at: usize| {
                    at > 0
                        && at < units.len()
                        && matches!(units[at - 1], 0xD800..=0xDBFF)
                        && matches!(units[at], 0xDC00..=0xDFFF)
                };
                let start = range.start + usize::from(inside(range.start));
                let end = range.end.min(units.len());
                let end = end - usize::from(inside(end));
                Self::from_utf16(units.get(start..end).unwrap_or(&[]))
            }
        }
    }
}

fn utf16_len(text: &str) -> usize {
    // Every byte but a continuation begins a unit; a four-byte sequence is a pair. Summed in bytes, as far as those reach,
    // which the compiler turns into vector code: three times as fast on session files as summing in words.
    let units = |byte: u8| u8::from(byte.cast_signed() >= -0x40) + u8::from(byte >= 0xF0);
    text.as_bytes().chunks(64).map(|part| usize::from(part.iter().map(|&byte| units(byte)).sum::<u8>())).sum()
}

/// The byte where unit `at` begins; inside a pair, the byte after it if `forward`, else the byte before it.
fn byte_at(text: &str, at: usize, forward: bool) -> usize {
    let mut units = 0;
    for (byte, c) in text.char_indices() {
        if units >= at {
            return byte;
        }
        units += c.len_utf16();
        if units > at && !forward {
            return byte;
        }
    }
    text.len()
}

impl Default for JsText {
    fn default() -> Self {
        Self::from("")
    }
}

impl From<&str> for JsText {
    fn from(text: &str) -> Self {
        Self(Repr::Utf8(text.into()))
    }
}

impl From<String> for JsText {
    fn from(text: String) -> Self {
        Self(Repr::Utf8(text.into_boxed_str()))
    }
}

impl PartialEq<str> for JsText {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == Some(other)
    }
}

impl PartialEq<&str> for JsText {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

/// As [`to_string_lossy`](JsText::to_string_lossy).
impl fmt::Display for JsText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_string_lossy())
    }
}

/// Asked for bytes, serde_json hands out a string with its lone surrogates instead of refusing it.
impl<'de> Deserialize<'de> for JsText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl Visitor<'_> for TextVisitor {
            type Value = JsText;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<JsText, E> {
                Ok(JsText::from(text))
            }
            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<JsText, E> {
                Ok(JsText::from_wtf8(bytes))
            }
        }
        deserializer.deserialize_bytes(TextVisitor)
    }
}
