//! The totals of a replay, natively: for the page's tests to compare with, and to see the speed.
//!
//! `replay FILE [SETTINGS-JSON]` prints one line of JSON; with `--requests` one more for each request and for the one that
//! would come next; the time taken, with the file in memory, goes to stderr.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "it reads a file and takes the time; the core does not"
)]

use decant::json::{Value, parse, stringify};
use decant::replay::{Replay, Request};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let all = arguments.iter().position(|argument| argument == "--requests").map(|at| arguments.remove(at)).is_some();
    let path = arguments.first().ok_or("usage: replay FILE [SETTINGS-JSON] [--requests]")?;
    let settings = arguments.get(1).map_or(Ok(Value::Null), |text| parse(text.as_bytes()))?;
    let bytes = std::fs::read(path)?;
    let start = std::time::Instant::now();
    let mut replay = Replay::new(&bytes, &settings, &mut |_, _| true)?;
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("{:.1} ms, {:.1} MB/s", seconds * 1e3, bytes.len() as f64 / 1e6 / seconds);
    let (off, on) = replay.totals();
    let overview = serde_json::to_string(&replay.overview())?;
    println!(
        "{{\"off\":{},\"on\":{},\"overview\":{overview}}}",
        serde_json::to_string(off)?,
        serde_json::to_string(on)?
    );
    for index in 0..=replay.requests().len() {
        let sides = replay.requests().get(index).map(sides);
        let Some(outline) = all.then(|| replay.request(index)).flatten() else { break };
        let sides = sides.map_or_else(|| "null".to_owned(), |sides| stringify(&sides));
        println!("{{\"sides\":{sides},\"outline\":{}}}", serde_json::to_string(outline)?);
    }
    Ok(())
}

fn sides(request: &Request) -> Value {
    let (off, on) = (request.off.sent, request.on.sent);
    let tokens = [off.tokens, off.cached, off.fresh, on.tokens, on.cached, on.fresh];
    let numbers = tokens.into_iter().chain([request.off.cost, request.on.cost, request.output]);
    Value::Array(numbers.map(Value::from).collect())
}
