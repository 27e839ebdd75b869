//! The replay as a page of Markdown, to keep or to send.

use super::cache::tokens;
use super::explain::{count, dollars};
use super::overview::Overview;
use super::run::Run;
use super::terms::PriceSource;
use super::totals::Totals;
use std::fmt::Write;

/// The report of a path.
pub fn report(overview: &Overview, run: &Run) -> String {
    let mut out = String::from("# pi-decant: what pruning would have done\n\n");
    let model = overview.model.as_deref().unwrap_or("unknown model");
    _ = writeln!(
        out,
        "{} ({}), {}, {}, {model}.\n",
        overview.title.as_deref().unwrap_or("A session"),
        overview.format,
        plural(f64::from(overview.messages), "message", "messages"),
        plural(run.requests.len() as f64, "request", "requests")
    );
    out.push_str("| | without | with pruning | difference |\n|---|---:|---:|---:|\n");
    let numbers = |totals: &Totals| [totals.sent, totals.cached, totals.fresh, totals.largest, totals.rewrites];
    let labels = ["tokens sent", "from the cache", "read anew", "largest request", "rewrites of history"];
    for ((label, off), on) in labels.into_iter().zip(numbers(&run.off)).zip(numbers(&run.on)) {
        _ = writeln!(out, "| {label} | {} | {} | {} |", count(off), count(on), difference(off, on));
    }
    let known = run.speakers.prices_are_known();
    if known {
        let (off, on) = (run.off.cost, run.on.cost);
        _ = writeln!(out, "| cost | {} | {} | {} |", dollars(off), dollars(on), difference(off, on));
    }
    let summaries = &run.on.summaries;
    let charged = if known {
        let prices = prices(&overview.prices);
        format!(
            "They are charged at the price of the session's model, {} in all. Prices: {prices}.",
            dollars(summaries.cost)
        )
    } else {
        "The prices of a model are not known, so cost is left out.".to_owned()
    };
    _ = writeln!(
        out,
        "\n{} assumed: {} stood in the session, {} made without a model as a stand-in. {charged} {}, {}, {} in files.",
        plural(summaries.calls, "summary was", "summaries were"),
        count(summaries.recorded),
        count(summaries.deterministic),
        plural(run.on.epochs, "flush", "flushes"),
        plural(run.on.blocks, "block", "blocks"),
        plural(run.on.spilled, "result", "results")
    );
    let unseen = tokens(run.unseen);
    let counted = if unseen > 0.0 {
        format!("counted on both sides with {} tokens, from the first bill", count(unseen))
    } else {
        "not counted on either side".to_owned()
    };
    _ = writeln!(
        out,
        "\nTokens are a quarter of the characters, as pi estimates them; what the log does not hold of a request (system \
         prompt, tools) is {counted}."
    );
    if run.billed.requests > 0.0 {
        _ = writeln!(
            out,
            "The provider counted {} tokens in {}, {} in the largest.",
            count(run.billed.sent),
            plural(run.billed.requests, "request", "requests"),
            count(run.billed.largest)
        );
    }
    if let Some(next) = &run.next {
        _ = writeln!(
            out,
            "\nA next request would carry {} tokens without pruning, {} with it.",
            count(next.off.sent.tokens),
            count(next.on.sent.tokens)
        );
    }
    list(
        &mut out,
        "Findings",
        overview.findings.iter().map(|finding| {
            let line = finding.line.map_or_else(String::new, |line| format!("line {line}: "));
            format!("{line}{}; {}", finding.message, finding.render)
        }),
    );
    list(&mut out, "Not understood", overview.not_understood.iter().map(|one| format!("{} x {}", one.count, one.what)));
    out
}

/// `1 block`, `2 blocks`.
fn plural(number: f64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if count(number) == "1" { one } else { many })
}

fn prices(sources: &[PriceSource]) -> String {
    let name = |source: &PriceSource| match source {
        PriceSource::Set => "as set",
        PriceSource::Bills => "the session's own bills",
        PriceSource::List => "list prices",
        PriceSource::Unknown => "unknown",
    };
    sources.iter().map(name).collect::<Vec<_>>().join(" and ")
}

fn difference(off: f64, on: f64) -> String {
    if off > 0.0 { format!("{:+.1} %", (on - off) / off * 100.0) } else { "-".to_owned() }
}

fn list(out: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    let mut lines = lines.peekable();
    if lines.peek().is_some() {
        _ = writeln!(out, "\n## {title}\n");
    }
    for line in lines {
        // A line of somebody else's must not become a heading or a table.
        let plain: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        _ = writeln!(out, "- {plain}");
    }
}

#[cfg(test)]
mod tests {
    use super::super::Replay;
    use crate::json::parse;

    fn of(model: &str, settings: &str) -> Replay {
        let usage = r#""usage":{"input":1000,"output":10,"cacheRead":0,"cacheWrite":0}"#;
        let log = "a line of a log\n".repeat(400);
        let lines = [
            r#"{"type":"session","version":3,"id":"s","cwd":"/w"}"#.to_owned(),
            r#"{"type":"message","id":"1","parentId":null,"message":{"role":"user","content":"Look"}}"#.to_owned(),
            format!(
                r#"{{"type":"message","id":"2","parentId":"1","message":{{"role":"assistant","model":"{model}",{usage},"content":[{{"type":"toolCall","id":"c","name":"bash","arguments":{{}}}}]}}}}"#
            ),
            format!(
                r#"{{"type":"message","id":"3","parentId":"2","message":{{"role":"toolResult","toolCallId":"c","toolName":"bash","content":{log:?}}}}}"#
            ),
            format!(
                r#"{{"type":"message","id":"4","parentId":"3","message":{{"role":"assistant","model":"{model}",{usage},"content":[{{"type":"text","text":"Done"}}]}}}}"#
            ),
            r#"{"type":"message","id":"5","parentId":"4","message":{"role":"user","content":"And?"}}"#.to_owned(),
            format!(
                r#"{{"type":"message","id":"6","parentId":"5","message":{{"role":"assistant","model":"{model}",{usage},"content":[{{"type":"text","text":"Nothing"}}]}}}}"#
            ),
        ];
        let settings = parse(settings.as_bytes()).expect("JSON");
        Replay::new(lines.join("\n").as_bytes(), &settings, &mut |_, _| true).expect("a transcript")
    }

    #[test]
    fn one_of_something_is_one() {
        let report = of("claude-sonnet-4-5", "{}").report();
        assert!(report.contains("6 messages, 3 requests"), "{report}");
        assert!(report.contains("\n1 summary was assumed:"), "{report}");
        assert!(report.contains("| cost | $") && report.contains("Prices: list prices."), "{report}");
    }

    #[test]
    fn what_nobody_knows_the_price_of_has_no_cost() {
        let replay = of("nobody-knows", "{}");
        let said = replay.report() + &(0..3).flat_map(|at| replay.explain_cache(at)).collect::<String>();
        assert!(!said.contains('$') && said.contains("are not known, so cost is left out"), "{said}");
        let set = of("nobody-knows", r#"{"replay":{"prices":{"input":1,"output":2}}}"#).report();
        assert!(set.contains("| cost | $") && set.contains("Prices: as set."), "{set}");
    }
}
