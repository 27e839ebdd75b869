//! What the summarizer is shown of a long result: its head, its tail, and the lines between them that look like errors.
//! The news of a log is at its end (report 88).

use crate::text::units;
use std::fmt::Write;

/// Words that a line of interest has, lower case.
const SIGNS: [&str; 10] =
    ["error", "fail", "panic", "exception", "warning", "traceback", "fatal", "denied", "not found", "undefined"];

/// The longest line that is taken for a message, in UTF-16 units.
const LINE_UNITS: usize = 300;

/// `text` in at most about `limit` UTF-16 units: all of it where it fits; else half for the head, a quarter for the tail,
/// a quarter for lines that look like errors.
pub fn push(out: &mut String, text: &str, limit: usize) {
    let total = units::len(text);
    if total <= limit {
        out.push_str(text);
        return;
    }
    let tail = units::tail(text, limit / 4);
    let middle_all = &text[..text.len() - tail.len()];
    let head_limit = limit / 2;
    let head = units::head(middle_all, head_limit);
    let middle = &middle_all[head.len()..];
    let mut lines = String::new();
    let mut left = limit - limit / 4 - head_limit;
    for line in middle.lines().skip(1).map(str::trim_end).filter(|line| is_sign(line)) {
        let line = units::head(line, LINE_UNITS);
        let cost = units::len(line) + 1;
        if cost > left {
            break;
        }
        left -= cost;
        lines.push_str(line);
        lines.push('\n');
    }
    let cut = units::len(middle) - units::len(&lines).min(units::len(middle));
    out.push_str(head);
    _ = write!(out, "\n ...[{cut} chars truncated]\n");
    if !lines.is_empty() {
        out.push_str(&lines);
        out.push_str(" ...\n");
    }
    out.push_str(tail);
}

fn is_sign(line: &str) -> bool {
    // A line of data can be megabytes long; a message is not.
    let start = units::head(line, LINE_UNITS).to_lowercase();
    SIGNS.iter().any(|sign| start.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn excerpt(text: &str, limit: usize) -> String {
        let mut out = String::new();
        push(&mut out, text, limit);
        out
    }

    #[test]
    fn a_log_shows_its_beginning_its_end_and_its_errors() {
        let mut log: Vec<String> = (0..500).map(|line| format!("line {line} of the build went well")).collect();
        log[250] = "src/a.ts(3,1): error TS2345: no".to_owned();
        let shown = excerpt(&log.join("\n"), 400);
        assert!(shown.starts_with("line 0 of"));
        assert!(shown.contains("src/a.ts(3,1): error TS2345: no"));
        assert!(shown.ends_with("line 499 of the build went well"));
        assert!(shown.contains("chars truncated]"));
        assert!(units::len(&shown) < 460);
    }

    proptest! {
        #[test]
        fn short_texts_are_whole_and_long_ones_bounded(text in "([a-z error🦀]{0,50}\n?){0,20}", limit in 4_usize..400) {
            let shown = excerpt(&text, limit);
            if units::len(&text) <= limit {
                prop_assert_eq!(shown, text);
            } else {
                prop_assert!(units::len(&shown) <= limit + 60);
            }
        }
    }
}
