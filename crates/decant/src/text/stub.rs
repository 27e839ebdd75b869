//! What stands in the place of a result (condense.md section 6). Fixed English, whatever language the talk is in: the
//! text never changes between two requests, and the model of every language reads it.

/// The stub of a summarized result. `reference` is its short name, or the raw call id where it never got one.
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
