//! How many tests a runner says it ran.

use std::ops::AddAssign;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
}

impl Counts {
    pub const SUCCESS: Self = Self { passed: 1, failed: 0, skipped: 0 };
    pub const FAILURE: Self = Self { passed: 0, failed: 1, skipped: 0 };
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// The closing lines of `cargo test` and of wasm-bindgen's runner (one a test binary, added up), and of nextest.
pub fn cargo(output: &str) -> Option<Counts> {
    let mut sum: Option<Counts> = None;
    for line in output.lines().map(str::trim) {
        let parts = if let Some(rest) = line.strip_prefix("test result: ") {
            rest.split_once(". ").map(|(_, counts)| counts)
        } else if line.starts_with("Summary [") {
            line.split_once(" run: ").map(|(_, counts)| counts)
        } else {
            None
        };
        if let Some(parts) = parts {
            *sum.get_or_insert_default() += parse(parts);
        }
    }
    sum
}

/// `3 passed; 1 failed; ...` or `3 passed (1 slow), 1 failed, ...`.
fn parse(parts: &str) -> Counts {
    let mut counts = Counts::default();
    for part in parts.split([',', ';']) {
        let mut words = part.split_whitespace();
        let number = words.next().and_then(|word| word.parse::<usize>().ok()).unwrap_or(0);
        match words.next() {
            Some("passed") => counts.passed += number,
            // nextest names time-outs and failures to start apart.
            Some("failed" | "timed" | "exec") => counts.failed += number,
            Some("skipped" | "ignored") => counts.skipped += number,
            _ => {}
        }
    }
    counts
}

/// The closing lines of `node --test`, as its `spec` (`ℹ pass 3`) or `tap` (`# pass 3`) reporter writes them.
pub fn node(output: &str) -> Option<Counts> {
    let mut counts: Option<Counts> = None;
    for line in output.lines() {
        let Some(rest) = line.strip_prefix("ℹ ").or_else(|| line.strip_prefix("# ")) else { continue };
        let Some((word, number)) = rest.split_once(' ') else { continue };
        let Ok(number) = number.trim().parse::<usize>() else { continue };
        let field = |counts: &mut Counts| match word {
            "pass" => counts.passed += number,
            "fail" | "cancelled" => counts.failed += number,
            "skipped" | "todo" => counts.skipped += number,
            _ => {}
        };
        field(counts.get_or_insert_default());
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nextest_in_all_its_forms() {
        let green = "     Summary [   0.005s] 12 tests run: 12 passed, 3 skipped\n";
        assert_eq!(cargo(green), Some(Counts { passed: 12, failed: 0, skipped: 3 }));
        let red = "     Summary [   1.2s] 9/12 tests run: 5 passed (1 slow, 1 flaky), 2 failed, 1 exec failed, 1 timed out, 0 skipped\n";
        assert_eq!(cargo(red), Some(Counts { passed: 5, failed: 4, skipped: 0 }));
    }

    #[test]
    fn cargo_test_adds_up_its_binaries() {
        let text = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
                    test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
        assert_eq!(cargo(text), Some(Counts { passed: 4, failed: 2, skipped: 1 }));
        assert_eq!(cargo("error: could not compile"), None);
    }

    #[test]
    fn node_in_both_reporters() {
        let spec = "✔ a (1ms)\nℹ tests 6\nℹ suites 0\nℹ pass 3\nℹ fail 1\nℹ cancelled 1\nℹ skipped 1\nℹ todo 0\nℹ duration_ms 44.1\n";
        let expected = Some(Counts { passed: 3, failed: 2, skipped: 1 });
        assert_eq!(node(spec), expected);
        assert_eq!(node(&spec.replace('ℹ', "#")), expected);
        assert_eq!(node("nothing"), None);
    }
}
