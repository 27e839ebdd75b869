//! Is the context full enough to flush in the middle of a task (condense.md section 16)?

use crate::config::Config;

/// Which trigger is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// `autoBudgetThreshold` is reached.
    Budget,
    /// One turn added `budgetTurnDelta`.
    Delta,
}

impl Trigger {
    /// The word in the epoch and in notices.
    pub fn name(self) -> &'static str {
        match self {
            Self::Budget => "budget",
            Self::Delta => "delta",
        }
    }
}

/// What is known of the context's size when a turn ends.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// Tokens as the host reports them; none, zero or nonsense from some providers (reports 68-71).
    pub reported: Option<f64>,
    /// The model's window in tokens.
    pub window: f64,
    /// Our own estimate of what the next request carries, in tokens.
    pub estimate: f64,
    /// Whether the history was rewritten after the reply that the report is of.
    pub outdated: bool,
}

/// The answer for one turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Check {
    pub due: Option<Trigger>,
    /// The figure that was used.
    pub tokens: f64,
    /// Whether that is the host's report.
    pub reported: bool,
}

/// What is remembered from turn to turn. Not part of the ledger: it decides when, never what.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budget {
    previous: Option<f64>,
    /// How many tokens an estimated one was at the last good report: system prompt, tools and thinking are not in the
    /// estimate, which is 19 to 46 % too low without them (report 71).
    calibration: Option<f64>,
}

impl Budget {
    /// Takes the figures of a finished turn.
    pub fn check(&mut self, config: &Config, measure: Measure) -> Check {
        let good = measure.reported.filter(|tokens| {
            !measure.outdated
                && tokens.is_finite()
                && *tokens > 0.0
                && (measure.window <= 0.0 || *tokens <= 4.0 * measure.window)
        });
        let tokens = if let Some(tokens) = good {
            if measure.estimate > 0.0 {
                self.calibration = Some((tokens / measure.estimate).clamp(1.0, 3.0));
            }
            tokens
        } else {
            measure.estimate * self.calibration.unwrap_or(1.0)
        };
        let reported = good.is_some();
        if !(measure.window.is_finite() && measure.window > 0.0) {
            return Check { due: None, tokens, reported };
        }
        let ceiling = config.budget_ceiling_tokens.map_or(f64::INFINITY, f64::from);
        let fraction = tokens / measure.window.min(ceiling);
        let full = config.auto_budget_threshold.is_some_and(|share| tokens >= ceiling.min(share * measure.window));
        let jumped =
            config.budget_turn_delta.zip(self.previous).is_some_and(|(delta, previous)| fraction - previous >= delta);
        self.previous = Some(fraction);
        let due = if full { Some(Trigger::Budget) } else { jumped.then_some(Trigger::Delta) };
        Check { due, tokens, reported }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> Config {
        Config { auto_budget_threshold: Some(0.8), budget_turn_delta: Some(0.25), ..Config::default() }
    }

    fn measure(reported: Option<f64>, window: f64, estimate: f64) -> Measure {
        Measure { reported, window, estimate, outdated: false }
    }

    #[test]
    fn it_is_due_at_the_share_and_not_below() {
        let due = |tokens| Budget::default().check(&config(), measure(Some(tokens), 1_000.0, 1.0)).due;
        assert_eq!((due(799.0), due(800.0), due(1_000.0)), (None, Some(Trigger::Budget), Some(Trigger::Budget)));
    }

    #[test]
    fn an_advertised_window_of_millions_does_not_put_it_out_of_reach() {
        let check = |config: &Config, tokens| Budget::default().check(config, measure(Some(tokens), 2e6, 1.0)).due;
        assert_eq!(check(&config(), 300_000.0), Some(Trigger::Budget));
        let open = Config { budget_ceiling_tokens: None, ..config() };
        assert_eq!(check(&open, 300_000.0), None);
    }

    #[test]
    fn a_jump_counts_from_the_turn_before() {
        let mut budget = Budget::default();
        let mut due = |tokens| budget.check(&config(), measure(Some(tokens), 1_000.0, 1.0)).due;
        assert_eq!([due(300.0), due(500.0), due(750.0), due(760.0)], [None, None, Some(Trigger::Delta), None]);
    }

    #[test]
    fn a_report_that_cannot_be_is_not_believed() {
        for bad in [None, Some(0.0), Some(-5.0), Some(f64::NAN), Some(f64::INFINITY), Some(1e9)] {
            let low = Budget::default().check(&config(), measure(bad, 1_000.0, 100.0));
            assert_eq!(low, Check { due: None, tokens: 100.0, reported: false }, "{bad:?}");
            let high = Budget::default().check(&config(), measure(bad, 1_000.0, 900.0));
            assert_eq!(high.due, Some(Trigger::Budget), "{bad:?}");
        }
        let outdated = Measure { outdated: true, ..measure(Some(950.0), 1_000.0, 100.0) };
        assert_eq!(Budget::default().check(&config(), outdated).due, None);
        assert_eq!(Budget::default().check(&config(), measure(Some(900.0), 0.0, 900.0)).due, None);
    }

    #[test]
    fn the_estimate_learns_from_good_reports() {
        let mut budget = Budget::default();
        budget.check(&config(), measure(Some(600.0), 1_000.0, 400.0));
        let check = budget.check(&config(), measure(None, 1_000.0, 500.0));
        assert!((check.tokens - 750.0).abs() < 1e-9);
    }
}
