//! What is wrong with a settings object as a whole: a group that is no object, a key that is nearly one of ours. Any other
//! unknown key is somebody else's, or that of another version, and is left alone.

use super::schema::{Problem, SCHEMA};
use crate::json::Value;

/// Letters that may be missing, wrong or exchanged in a key that is taken for a misspelt one.
const SLIPS: usize = 2;

/// Everything that would otherwise be passed over without a word.
pub(super) fn problems(raw: &Value) -> Vec<Problem> {
    let mut problems = Vec::new();
    let Some(object) = raw.as_object() else { return problems };
    for (key, value) in object.iter().filter_map(|(key, value)| Some((key.as_str()?, value))) {
        let group = format!("{key}.");
        let is_group = SCHEMA.iter().any(|row| row.key.starts_with(&group));
        match value.as_object() {
            Some(inner) if is_group => {
                let names = inner.iter().filter_map(|(name, _)| name.as_str());
                problems.extend(names.filter_map(|name| misspelt(&group, name)));
            }
            None if is_group && !value.is_null() => {
                let message =
                    format!("{key}: expected an object such as {{\"enabled\": false}}; using the defaults of {key}");
                problems.push(Problem { key: key.to_owned(), message });
            }
            _ if is_group => {}
            _ => problems.extend(misspelt("", key)),
        }
    }
    problems
}

/// `group`: what stands before the key, with its point; empty at the top, where a setting of a group is named by the group.
fn misspelt(group: &str, key: &str) -> Option<Problem> {
    let full = format!("{group}{key}");
    let known = || SCHEMA.iter().filter_map(|row| row.key.strip_prefix(group));
    let names = || known().map(|name| name.split('.').next().unwrap_or_default());
    if names().any(|name| name == key) {
        return None;
    }
    if let Some((outer, inner)) = key.split_once('.').filter(|_| known().any(|name| name == key)) {
        let message = format!("{full}: does nothing as one key; write \"{outer}\": {{\"{inner}\": ...}}");
        return Some(Problem { key: full, message });
    }
    // A short word is near to many that have nothing to do with it.
    let slips = SLIPS.min(key.len() / 4);
    let near = |name: &&str| strsim::osa_distance(&name.to_lowercase(), &key.to_lowercase()) <= slips;
    let meant = names().find(near)?;
    let message = format!("{full}: there is no such setting, it does nothing; is {group}{meant} meant?");
    Some(Problem { key: full, message })
}

#[cfg(test)]
mod tests {
    use crate::config::Config;
    use crate::json;

    fn problems(text: &str) -> Vec<String> {
        let (config, problems) = Config::read(&json::parse(text.as_bytes()).expect("JSON"));
        assert_eq!(config, Config::default(), "what is reported has its default");
        problems.into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn a_group_that_is_none_is_named() {
        for text in [r#"{"chainCompression":false}"#, r#"{"purgeErrors":5}"#, r#"{"thinkingStrip":[1]}"#] {
            let found = problems(text);
            assert!(found.len() == 1 && found[0].contains("expected an object"), "{text}: {found:?}");
        }
        assert_eq!(problems(r#"{"chainCompression":null,"purgeErrors":{}}"#), [""; 0]);
    }

    #[test]
    fn a_misspelt_key_is_named_and_a_foreign_one_is_not() {
        for (text, meant) in [
            (r#"{"protectedTool":["bash"]}"#, "protectedTools"),
            (r#"{"Enabled":false}"#, "enabled"),
            (r#"{"purgeError":{"enabled":false}}"#, "purgeErrors"),
            (r#"{"purgeErrors":{"colldownTurns":9}}"#, "purgeErrors.cooldownTurns"),
            (r#"{"flsh":"blocking"}"#, "flush"),
        ] {
            let found = problems(text);
            assert!(found.len() == 1 && found[0].ends_with(&format!("is {meant} meant?")), "{text}: {found:?}");
        }
        let foreign = r#"{"later":[1],"purgeErrors":{"bogus":1,"x":1},"\ud83d":1,"push":1,"plus":1,"_flash":1}"#;
        assert_eq!(problems(foreign), [""; 0]);
        let dotted = problems(r#"{"purgeErrors.enabled":false}"#);
        assert!(dotted.len() == 1 && dotted[0].contains(r#"write "purgeErrors": {"enabled": ...}"#), "{dotted:?}");
    }
}
