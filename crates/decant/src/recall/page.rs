//! One page of a long text: whole lines where they fit, part of a line where one alone does not (condense.md B9).

use crate::text::units;

/// Lines of one page, as pi's own tools show.
pub const PAGE_LINES: usize = 2_000;
/// UTF-8 bytes of one page.
pub const PAGE_BYTES: usize = 51_200;

/// A cut through a text, in UTF-16 units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    pub start: usize,
    pub end: usize,
    pub total: usize,
    /// Lines of the page and of the whole text.
    pub lines: usize,
    pub total_lines: usize,
}

impl Page {
    /// Whether text is left behind the page.
    pub fn is_cut(&self) -> bool {
        self.end < self.total
    }
}

/// The page of `text` that begins at unit `offset`, of at most `limit` units.
pub fn page(text: &str, offset: usize, limit: usize) -> Page {
    let total = units::len(text);
    let first = units::byte_at(text, offset);
    let rest = &text[first..];
    let mut end = 0;
    for line in rest.split_inclusive('\n').take(PAGE_LINES) {
        if end + line.len() > PAGE_BYTES || units::len(&rest[..end + line.len()]) > limit {
            break;
        }
        end += line.len();
    }
    if end == 0 {
        // Not even one line fits: as many whole characters of it as do.
        let mut bytes = rest.len().min(PAGE_BYTES);
        while !rest.is_char_boundary(bytes) {
            bytes -= 1;
        }
        end = units::head(&rest[..bytes], limit.max(2)).len();
    }
    let start = units::len(&text[..first]);
    let shown = &rest[..end];
    Page { start, end: start + units::len(shown), total, lines: lines(shown), total_lines: lines(text) }
}

fn lines(text: &str) -> usize {
    text.split_inclusive('\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All pages, one after the other.
    fn read(text: &str, limit: usize) -> String {
        let wide: Vec<u16> = text.encode_utf16().collect();
        let mut out = Vec::new();
        let mut offset = 0;
        loop {
            let page = page(text, offset, limit);
            assert_eq!(page.start, offset);
            out.extend_from_slice(&wide[page.start..page.end]);
            if !page.is_cut() {
                return String::from_utf16(&out).expect("no half pair");
            }
            assert!(page.end > page.start, "a page that shows nothing never ends");
            offset = page.end;
        }
    }

    proptest! {
        #[test]
        fn the_pages_are_the_text(text in "([a-z🦀é]{0,40}\n?){0,30}", limit in 1_usize..60) {
            prop_assert_eq!(read(&text, limit), text);
        }
    }

    #[test]
    fn a_long_text_comes_in_whole_lines_and_a_long_line_in_parts() {
        let text = "0123456789\n".repeat(10_000);
        let first = page(&text, 0, usize::MAX);
        assert_eq!((first.end, first.lines, first.total_lines), (22_000, 2_000, 10_000));
        let line = "🦀".repeat(100_000);
        let first = page(&line, 0, usize::MAX);
        assert_eq!((first.end, first.total), (25_600, 200_000));
        assert_eq!(read(&line, usize::MAX), line);
        assert_eq!(read(&text, usize::MAX), text);
    }
}
