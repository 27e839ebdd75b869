//! When two outputs are the same: SHA-1 of tool, normalized text and images (condense.md section 8).
//!
//! The original hashes text alone, and every image a tool reads has the same text (condense.md B6).

use crate::capture::source::Source;
use std::borrow::Cow;

/// The SHA-1 of an output in hex; none if the entry is gone.
pub fn content_hash(tool: &str, entry: &str, images: u32, source: &dyn Source) -> Option<String> {
    let text = source.text(entry)?;
    let normal = normalize(&text);
    let mut bytes = Vec::with_capacity(tool.len() + 1 + normal.len());
    bytes.extend_from_slice(tool.as_bytes());
    bytes.push(0);
    bytes.extend_from_slice(normal.as_bytes());
    if images > 0 {
        for image in source.images(entry) {
            bytes.push(0);
            bytes.extend_from_slice(image.as_bytes());
        }
    }
    Some(hex(source.sha1(&bytes)))
}

/// The hash of a text that stands in an entry of the original.
pub fn text_hash(tool: &str, text: &str) -> String {
    let mut bytes = tool.as_bytes().to_vec();
    bytes.push(0);
    bytes.extend_from_slice(normalize(text).as_bytes());
    hex(sha1(&bytes))
}

/// SHA-1, as the core computes it where the host has nothing faster.
pub fn sha1(bytes: &[u8]) -> [u8; 20] {
    use sha1::Digest;
    sha1::Sha1::digest(bytes).into()
}

pub(crate) fn hex(digest: [u8; 20]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    digest
        .iter()
        .flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]])
        .map(char::from)
        .collect()
}

/// CRLF is LF, a line has no trailing blanks, the whole is trimmed as JavaScript trims. White space inside a line counts.
fn normalize(text: &str) -> Cow<'_, str> {
    let text = text.trim_matches(is_js_space);
    let bytes = text.as_bytes();
    let trailing = bytes.windows(2).any(|pair| pair[1] == b'\n' && matches!(pair[0], b' ' | b'\t' | b'\r'));
    if !trailing {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for (nth, line) in text.split('\n').enumerate() {
        if nth > 0 {
            out.push('\n');
        }
        let line = line.strip_suffix('\r').unwrap_or(line);
        out.push_str(line.trim_end_matches([' ', '\t']));
    }
    Cow::Owned(out)
}

/// What `String.prototype.trim` takes off: Unicode's white space but U+0085, and the byte order mark.
fn is_js_space(c: char) -> bool {
    c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_the_same_and_what_is_not() {
        let same = |a: &str, b: &str| normalize(a) == normalize(b);
        assert!(same("a\r\nb  \n", "a\nb"));
        assert!(same("", " \n "));
        assert!(same("\u{feff}a\u{a0}", "a"));
        assert!(same("x \t\r\ny", "x\ny"));
        assert!(!same("a\rb", "a\nb"));
        assert!(!same("a\u{a0}\nb", "a\nb"));
        assert!(!same("a  b", "a b"));
        assert!(!same("\u{85}a", "a"));
    }

    #[test]
    fn the_hash_is_sha1_of_tool_zero_text() {
        // printf 'read\0abc' | sha1sum
        assert_eq!(text_hash("read", "abc \n"), "ad5b71302bc959c06be1851d7946caaa30a6166e");
        assert_ne!(text_hash("read", "abc"), text_hash("bash", "abc"));
    }
}
