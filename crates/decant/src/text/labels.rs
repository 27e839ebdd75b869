//! Labels, refs and the footer of a summary (condense.md section 5).
//!
//! The summarizer sees each call under a label `[[N:tool]]` and begins that call's first bullet with it; the label then
//! becomes the call's ref, so that the model can go from a bullet to the original.

/// The label of call `index` (0-based) of a batch.
pub fn label(index: usize, tool: &str) -> String {
    format!("[[{}:{tool}]]", index + 1)
}

/// One call of the batch that a summary speaks of.
#[derive(Clone, Copy, Debug)]
pub struct Labelled<'a> {
    pub tool: &'a str,
    pub reference: &'a str,
}

/// The summary as the model will read it: labels turned into refs, the footer with all refs below.
pub fn decorate(summary: &str, calls: &[Labelled<'_>]) -> String {
    let mut text = rewrite(summary.trim(), calls);
    text.push_str(&footer(calls));
    text
}

/// A text without any label: for one that no calls stand behind.
pub fn strip(text: &str) -> String {
    rewrite(text.trim(), &[])
}

fn footer(calls: &[Labelled<'_>]) -> String {
    let refs: Vec<String> = calls.iter().map(|call| format!("`{}`", call.reference)).collect();
    format!(
        "\n\n---\n**Summarized tool refs**: {}\nUse `context_tree_query` with these refs to retrieve the original full \
         outputs.",
        refs.join(", ")
    )
}

/// Turns the label that begins a line into its ref where number and tool agree, drops every other label, and leaves
/// fenced code alone: a label there is the tool's own output.
fn rewrite(summary: &str, calls: &[Labelled<'_>]) -> String {
    let mut fenced = false;
    let mut out = String::with_capacity(summary.len());
    for (nth, line) in summary.split('\n').enumerate() {
        if nth > 0 {
            out.push('\n');
        }
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            out.push_str(line);
        } else if fenced {
            out.push_str(line);
        } else {
            rewrite_line(line, calls, &mut out);
        }
    }
    out
}

fn rewrite_line(line: &str, calls: &[Labelled<'_>], out: &mut String) {
    let start = line_start(line);
    let mut rest = line;
    if let Some(found) = read_label(&line[start..]) {
        out.push_str(&line[..start]);
        let call = found.number.checked_sub(1).and_then(|index| calls.get(index));
        if let Some(call) = call.filter(|call| same_tool(call.tool, found.tool)) {
            out.push('`');
            out.push_str(call.reference);
            out.push_str("` ");
        }
        rest = line[start + found.len..].trim_start();
    }
    while let Some(at) = rest.find("[[") {
        out.push_str(&rest[..at]);
        if let Some(found) = read_label(&rest[at..]) {
            rest = rest[at + found.len..].trim_start();
        } else {
            out.push_str("[[");
            rest = &rest[at + 2..];
        }
    }
    out.push_str(rest);
}

/// Where a line's text begins: behind white space and a `-` or `*` bullet.
fn line_start(line: &str) -> usize {
    let text = line.trim_start();
    let bullet = text.strip_prefix(['-', '*']).and_then(|after| {
        let inner = after.trim_start();
        (inner.len() < after.len()).then_some(inner)
    });
    line.len() - bullet.unwrap_or(text).len()
}

struct Found<'a> {
    number: usize,
    tool: &'a str,
    len: usize,
}

/// Reads `[[digits:name]]` at the start of `text`; the name is anything but `]` and newline, so that dotted and
/// namespaced tools work.
fn read_label(text: &str) -> Option<Found<'_>> {
    let inner = text.strip_prefix("[[")?;
    let (number, after) = inner.split_once(':')?;
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (tool, rest) = after.split_once(']')?;
    if tool.is_empty() || !rest.starts_with(']') {
        return None;
    }
    // A number too long for usize names no call: still a label, so it goes.
    Some(Found { number: number.parse().unwrap_or(usize::MAX), tool, len: 2 + number.len() + 1 + tool.len() + 2 })
}

fn same_tool(ours: &str, echoed: &str) -> bool {
    ours.trim().to_lowercase() == echoed.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls() -> Vec<Labelled<'static>> {
        vec![
            Labelled { tool: "read", reference: "t4" },
            Labelled { tool: "web.fetch", reference: "t5" },
            Labelled { tool: "bash", reference: "t6" },
        ]
    }

    fn body(summary: &str) -> String {
        let text = decorate(summary, &calls());
        let (body, footer) = text.split_once("\n\n---\n").expect("a footer");
        assert!(footer.starts_with("**Summarized tool refs**: `t4`, `t5`, `t6`\nUse `context_tree_query`"));
        body.to_owned()
    }

    #[test]
    fn a_label_that_begins_a_line_becomes_its_ref() {
        assert_eq!(body("[[1:read]] config has 3 exports"), "`t4` config has 3 exports");
        assert_eq!(body("- [[2:web.fetch]] docs"), "- `t5` docs");
        assert_eq!(body("  *  [[3:BASH ]]ok"), "*  `t6` ok");
    }

    #[test]
    fn a_label_of_another_tool_or_number_goes() {
        assert_eq!(body("- [[2:read]] x"), "- x");
        assert_eq!(body("- [[0:read]] x\n- [[9:read]] y"), "- x\n- y");
        assert_eq!(body("- [[99999999999999999999999:read]] x"), "- x");
    }

    #[test]
    fn a_label_inside_a_line_goes_and_look_alikes_stay() {
        assert_eq!(body("**[[2:bash]]** y"), "**** y");
        assert_eq!(body("see [[1:read]]  and [[x]] [[ 1 ]]"), "see and [[x]] [[ 1 ]]");
    }

    #[test]
    fn fenced_code_is_left_alone() {
        assert_eq!(body("```\n[[1:read]] raw\n```\n[[1:read]] x"), "```\n[[1:read]] raw\n```\n`t4` x");
    }
}
