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
        "What a token of every model here costs is not known, so cost is left out.".to_owned()
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
