//! Under which settings a request was made: short enough for every epoch to carry, so that a change is noticed in a running
//! session and after a restart alike (law 2).

use super::{Config, ThinkingPolicy, ThinkingStrip, Timing};
use crate::text::hash::{hex, sha1};

/// The settings that decide how messages that were already sent are shown. All others act on what comes, or at the next
/// flush, which is an epoch of its own. Reads `off`, `on 1a2b3c4d`, or `on 1a2b3c4d 5e6f7a8b` with what ages live.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stamp(String);

impl Stamp {
    /// The stamp of these settings.
    pub fn of(config: &Config) -> Self {
        if !config.enabled {
            return Self("off".to_owned());
        }
        let Config { protected_tools, protected_paths, chain_compression, purge_errors, thinking_strip, .. } = config;
        let blocks = if chain_compression.enabled { "blocks" } else { "" };
        let shown = [protected_tools.join("\n").as_str(), &protected_paths.join("\n"), blocks].join("\n\n");
        let mut stamp = format!("on {}", short(&shown));
        let purge = (purge_errors.enabled && purge_errors.timing == Timing::Live).then_some(purge_errors);
        let strip = (thinking_strip.enabled && thinking_strip.boundary == Timing::Live).then_some(thinking_strip);
        let purge = purge.map(|purge| format!("purge {} {}", purge.cooldown_turns, purge.min_arg_chars));
        let always = |strip: &ThinkingStrip| if strip.policy == ThinkingPolicy::Always { "always" } else { "" };
        let strip = strip.map(|strip| format!("strip {} {}", strip.keep_last_turns, always(strip)));
        if purge.is_some() || strip.is_some() {
            stamp.push(' ');
            stamp.push_str(&short(&[purge.unwrap_or_default(), strip.unwrap_or_default()].concat()));
        }
        Self(stamp)
    }

    /// The stamp an entry carries; none where it carries nothing.
    pub fn read(text: String) -> Option<Self> {
        (!text.is_empty()).then_some(Self(text))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether something ages with every turn.
    pub fn ages(&self) -> bool {
        self.0.split(' ').count() > 2
    }

    /// Why sent bytes change from these settings to `after`: `switched-on`, `switched-off`, `live` (what ages with every
    /// turn), `settings`; none where nothing that was sent is shown otherwise.
    pub fn reason(&self, after: &Self) -> Option<&'static str> {
        let parts = |stamp: &Self| {
            let mut parts = stamp.0.split(' ').map(str::to_owned);
            [(); 3].map(|()| parts.next().unwrap_or_default())
        };
        let ([was_on, was_shown, was_live], [is_on, is_shown, is_live]) = (parts(self), parts(after));
        match () {
            () if was_on != is_on => Some(if is_on == "on" { "switched-on" } else { "switched-off" }),
            () if was_live != is_live => Some("live"),
            () => (was_shown != is_shown).then_some("settings"),
        }
    }
}

fn short(text: &str) -> String {
    let mut digest = hex(sha1(text.as_bytes()));
    digest.truncate(8);
    digest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn stamp(settings: &str) -> Stamp {
        Stamp::of(&Config::read(&json::parse(settings.as_bytes()).expect("JSON")).0)
    }

    #[test]
    fn what_changes_sent_bytes_at_once_has_a_name() {
        let live = r#"{"purgeErrors":{"timing":"live"}}"#;
        let cases = [
            ("{}", r#"{"enabled":false}"#, Some("switched-off")),
            (r#"{"enabled":false}"#, "{}", Some("switched-on")),
            ("{}", r#"{"protectedTools":["bash"]}"#, Some("settings")),
            ("{}", r#"{"protectedPaths":["a"]}"#, Some("settings")),
            ("{}", r#"{"chainCompression":{"enabled":false}}"#, Some("settings")),
            ("{}", live, Some("live")),
            (live, r#"{"purgeErrors":{"timing":"live","cooldownTurns":9}}"#, Some("live")),
            (live, "{}", Some("live")),
            ("{}", r#"{"thinkingStrip":{"boundary":"live"}}"#, Some("live")),
            (
                r#"{"thinkingStrip":{"boundary":"live"}}"#,
                r#"{"thinkingStrip":{"boundary":"live","keepLastTurns":4}}"#,
                Some("live"),
            ),
            ("{}", r#"{"purgeErrors":{"timing":"live","enabled":false}}"#, None),
            ("{}", r#"{"purgeErrors":{"cooldownTurns":9},"thinkingStrip":{"keepLastTurns":4}}"#, None),
            ("{}", r#"{"chainCompression":{"rollingWindow":9},"minBatchChars":9}"#, None),
            (r#"{"enabled":false}"#, r#"{"enabled":false,"protectedTools":["bash"]}"#, None),
        ];
        for (before, after, reason) in cases {
            assert_eq!(stamp(before).reason(&stamp(after)), reason, "{before} to {after}");
        }
    }

    #[test]
    fn a_stamp_survives_its_entry() {
        for settings in ["{}", r#"{"enabled":false}"#, r#"{"thinkingStrip":{"boundary":"live"}}"#] {
            let one = stamp(settings);
            assert_eq!(Stamp::read(one.as_str().to_owned()), Some(one));
        }
    }
}
