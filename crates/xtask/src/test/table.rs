//! What `cargo xtask test` ends with.

use std::fmt::Write;
use std::time::Duration;

use super::count::Counts;
use crate::shell;

pub struct Row {
    pub name: String,
    pub counts: Counts,
    pub time: Duration,
    pub note: String,
}

/// The last line is for machines: `N passed, N failed` and, where there are any, `, N skipped`.
pub fn render(rows: &[Row]) -> String {
    let mut text = format!("{:13} {:>7} {:>7} {:>8} {:>13}\n", "part", "passed", "failed", "skipped", "time");
    let mut sum = Counts::default();
    for Row { name, counts, time, note } in rows {
        let Counts { passed, failed, skipped } = counts;
        let line = format!("{name:13} {passed:>7} {failed:>7} {skipped:>8} {:>13}  {note}", shell::seconds(*time));
        let _ = writeln!(text, "{}", line.trim_end());
        sum += *counts;
    }
    let _ = write!(text, "\n{} passed, {} failed", sum.passed, sum.failed);
    if sum.skipped > 0 {
        let _ = write!(text, ", {} skipped", sum.skipped);
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_adds_up_the_rows() {
        let row = |passed, failed, skipped| Row {
            name: "part".to_owned(),
            counts: Counts { passed, failed, skipped },
            time: Duration::from_secs(61),
            note: String::new(),
        };
        assert!(render(&[row(3, 0, 0), row(4, 1, 0)]).ends_with("\n7 passed, 1 failed\n"));
        let with_skipped = render(&[row(3, 0, 2)]);
        assert!(with_skipped.ends_with("\n3 passed, 0 failed, 2 skipped\n"));
        assert!(with_skipped.contains("1 min 01 s"));
    }
}
