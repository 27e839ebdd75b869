//! What stands in the place of a result (condense.md section 6). Fixed English, whatever language the talk is in: the
//! text never changes between two requests, and the model of every language reads it.

use super::units;

/// The stub of a summarized result. `reference` is its short name, or the id of its entry where it never got one.
pub fn summarized(reference: &str) -> String {
    format!("[Summarized in pruner summary, ref `{reference}`. Use context_tree_query to retrieve full output.]")
}

/// The stub of a result that stands in a file beside the session.
pub fn spilled(tool: &str, bytes: Option<f64>, preview: &str, path: &str, reference: &str) -> String {
    let bytes = bytes.map_or_else(|| "?".to_owned(), |n| ryu_js::Buffer::new().format(n).to_owned());
    format!(
        "[Oversized output spilled to file — {bytes} bytes.]\nTool: {tool}\nPreview (head):\n{preview}\n\
         Full output — read this file (offset/limit supported): {path}\n\
         Or use context_tree_query with ref `{reference}`."
    )
}

/// The stub of a result that says the same as one archived before (condense.md B6): it names its own call, so that equal
/// outputs of different calls stay apart (case 17).
pub fn same(tool: &str, path: &str, reference: &str, original: &str) -> String {
    // A path is a line of somebody else's: short, and without what would end the sentence.
    let path: String =
        units::head(path, 200).chars().map(|c| if c.is_control() || c == '`' { ' ' } else { c }).collect();
    let call = if path.is_empty() { tool.to_owned() } else { format!("{tool} {path}") };
    format!(
        "[{call}: same output as `{original}`, summarized there. This call is ref `{reference}`. Use context_tree_query to \
         retrieve full output.]"
    )
}

/// The stub of an output that was fetched back some prompts ago. The call beside it still names what was asked for.
pub const RECOVERED: &str =
    "[Recovered output, shown here earlier. Use context_tree_query with the same ids to see it again.]";

/// The mark in the place of a failed call's arguments (condense.md section 10), `units` long as JSON. It stands under a key
/// that no tool has, never in an argument of its own: a mark inside content was copied into files (reports 99-100).
pub fn purged(units: u32, reference: &str) -> String {
    if reference.is_empty() {
        return format!("<purged-errored-args size=\"{units}\"/>");
    }
    format!("<purged-errored-args size=\"{units}\" ref=\"{reference}\"/>")
}

/// The key that the mark stands under.
pub const PURGED_KEY: &str = "_purged";

/// UTF-16 units that the arguments take beside the mark, as JSON: key, braces, quotes, and a backslash for each quote in it.
pub const PURGED_UNITS: u32 = 18;

/// What opens a block.
pub fn block(id: &str, refs: &[String], body: &str) -> String {
    format!("<compressed-chain id=\"{id}\" tools=\"{}\">\n{body}", refs.join(","))
}

/// What closes a block.
pub const BLOCK_END: &str = "\n</compressed-chain>";

/// What opens a protected output inside a block.
pub fn protected(tool: &str) -> String {
    format!("\n\n<protected-output tool=\"{tool}\">\n")
}

/// What closes it.
pub const PROTECTED_END: &str = "\n</protected-output>";
