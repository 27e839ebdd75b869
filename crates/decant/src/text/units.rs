//! UTF-16 lengths and cuts of Rust strings (law 9).
//!
//! A Rust string has no lone surrogate, so a cut between two `char`s can never leave half a pair (reports 102-103).

/// Length in UTF-16 units, as `String.length` counts it.
pub fn len(text: &str) -> usize {
    // Every byte that starts a char is one unit, and a four-byte char is two.
    text.bytes().map(|byte| usize::from(byte & 0xC0 != 0x80) + usize::from(byte >= 0xF0)).sum()
}

/// The longest head of `text` of at most `units` UTF-16 units.
pub fn head(text: &str, units: usize) -> &str {
    &text[..byte_at(text, units)]
}

/// The longest tail of `text` of at most `units` UTF-16 units.
pub fn tail(text: &str, units: usize) -> &str {
    let mut left = units;
    let mut start = text.len();
    for (at, c) in text.char_indices().rev() {
        if c.len_utf16() > left {
            break;
        }
        left -= c.len_utf16();
        start = at;
    }
    &text[start..]
}

/// The byte where the unit `units` begins, or the one before it where that falls inside a char; at most the length.
pub fn byte_at(text: &str, units: usize) -> usize {
    if text.is_ascii() {
        return units.min(text.len());
    }
    let mut left = units;
    for (at, c) in text.char_indices() {
        if c.len_utf16() > left {
            return at;
        }
        left -= c.len_utf16();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn length_is_javascripts(text: String) {
            prop_assert_eq!(len(&text), text.encode_utf16().count());
        }

        #[test]
        fn a_cut_takes_as_much_as_fits(text: String, units in 0_usize..80) {
            let head = head(&text, units);
            prop_assert!(text.starts_with(head) && len(head) <= units);
            let rest = &text[head.len()..];
            prop_assert!(rest.is_empty() || len(head) + rest.chars().next().map_or(0, char::len_utf16) > units);
            let tail = tail(&text, units);
            prop_assert!(text.ends_with(tail) && len(tail) <= units);
        }
    }
}
