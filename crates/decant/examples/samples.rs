//! Makes the playground's sample sessions, out of nothing but this file: `samples coding|long|branchy > FILE`.
//!
//! Every name, file and output in them is invented. The same name makes the same bytes.

#![allow(clippy::print_stdout, reason = "the file goes to the standard output")]

use serde_json::{Value, json};

const START: u64 = 1_767_603_600_000;
const MODEL: &str = "claude-sonnet-4-5";

/// Tokens of what each request carries and no session file holds: the tools and the rest of the prompt, as large as pi's.
const TOOLS: u64 = 2_900;

/// A 12 by 12 picture of a ferry's flag.
const PICTURE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAwAAAAMCAIAAADZF8uwAAAAH0lEQVR42mOQj5pDEDHQWdF/VHDBwOA/BqC3okEYTgAPBvAdU7TgTgAAAABJRU5ErkJggg==";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).ok_or("usage: samples coding|long|branchy")?;
    let mut session = Session::new(&name);
    match name.as_str() {
        "coding" => coding(&mut session),
        "long" => long(&mut session),
        "branchy" => branchy(&mut session),
        _ => return Err(format!("no sample is called {name}").into()),
    }
    println!("{}", session.lines.join("\n"));
    Ok(())
}

/// A session being written.
struct Session {
    lines: Vec<String>,
    count: u32,
    last: Option<String>,
    clock: u64,
    seed: u64,
    calls: u32,
    /// Characters that the next request carries.
    sent: u64,
}

impl Session {
    fn new(name: &str) -> Self {
        let header = json!({"type": "session", "version": 3, "id": format!("sample-{name}"),
            "timestamp": iso(START), "cwd": "/home/mira/ferry"});
        let mut session = Self {
            lines: vec![header.to_string()],
            count: 0,
            last: None,
            clock: START,
            seed: 0x5EED ^ name.len() as u64,
            calls: 0,
            sent: 0,
        };
        session.entry(json!({"type": "model_change", "provider": "anthropic", "modelId": MODEL}));
        session.message(json!({"role": "system", "content": SYSTEM}));
        session
    }

    fn pick(&mut self, below: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) as usize % below
    }

    fn word(&mut self, words: &[&'static str]) -> &'static str {
        words[self.pick(words.len())]
    }

    fn entry(&mut self, mut entry: Value) -> String {
        let id = format!("{:08x}", 0x5a00_0000 + self.count);
        self.count += 1;
        entry["id"] = json!(id);
        entry["parentId"] = json!(self.last);
        entry["timestamp"] = json!(iso(self.clock));
        self.lines.push(entry.to_string());
        self.last = Some(id.clone());
        id
    }

    fn message(&mut self, mut message: Value) -> String {
        message["timestamp"] = json!(self.clock);
        self.sent += message["content"].to_string().len() as u64;
        self.entry(json!({"type": "message", "message": message}))
    }

    fn wait(&mut self, seconds: u64) {
        self.clock += seconds * 1_000;
    }

    fn user(&mut self, text: &str) -> String {
        self.wait(40);
        self.message(json!({"role": "user", "content": [{"type": "text", "text": text}]}))
    }

    fn assistant(&mut self, content: &Value, stop: &str) -> String {
        self.wait(6);
        let input = TOOLS + self.sent / 4;
        let output = content.to_string().len() as u64 / 4;
        let (read, write) = (input * 9 / 10, input / 10);
        let cost = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
        let usage = json!({"input": 4, "output": output, "cacheRead": read, "cacheWrite": write,
            "totalTokens": 4 + output + read + write,
            "cost": {"input": cost(4, 3.0), "output": cost(output, 15.0), "cacheRead": cost(read, 0.3),
                "cacheWrite": cost(write, 3.75), "total": cost(output, 15.0) + cost(read, 0.3) + cost(write, 3.75)}});
        self.message(json!({"role": "assistant", "content": content, "api": "anthropic-messages",
            "provider": "anthropic", "model": MODEL, "usage": usage, "stopReason": stop}))
    }

    fn say(&mut self, text: &str) -> String {
        self.assistant(&json!([{"type": "text", "text": text}]), "stop")
    }

    /// A turn: what it thinks, its calls, their results.
    fn turn(&mut self, thought: &str, calls: &[(&str, Value, String, bool)]) {
        let mut content = Vec::new();
        if !thought.is_empty() {
            content.push(json!({"type": "thinking", "thinking": thought, "thinkingSignature": "c2FtcGxl"}));
        }
        let mut ids = Vec::new();
        for (tool, arguments, ..) in calls {
            self.calls += 1;
            let id = format!("toolu_sample{:04}", self.calls);
            content.push(json!({"type": "toolCall", "id": id, "name": tool, "arguments": arguments}));
            ids.push(id);
        }
        self.assistant(&Value::Array(content), "toolUse");
        for ((tool, _, output, failed), id) in calls.iter().zip(ids) {
            self.wait(2);
            self.result(&id, tool, output, *failed);
        }
    }

    fn result(&mut self, id: &str, tool: &str, output: &str, failed: bool) -> String {
        self.message(json!({"role": "toolResult", "toolCallId": id, "toolName": tool,
            "content": [{"type": "text", "text": output}], "isError": failed}))
    }

    /// A made-up source file of about this many lines.
    fn source(&mut self, lines: usize) -> String {
        let mut out =
            String::from("import { Clock } from \"./clock\";\nimport type { Pier, Sailing } from \"./types\";\n");
        let mut at = 2;
        while at < lines {
            let verb = self.word(&VERBS);
            let noun = self.word(&NOUNS);
            let number = self.pick(90) + 5;
            put(
                &mut out,
                format_args!(
                    "\n/** {verb}s the {noun} of a pier; at most {number} minutes ahead. */\nexport function {verb}{}{number}(pier: \
                 Pier, sailings: readonly Sailing[]): Sailing[] {{\n\tconst limit = Clock.now() + {number} * 60_000;\n\tconst \
                 {noun} = sailings.filter((sailing) => sailing.pier === pier.id && sailing.leaves <= limit);\n\treturn \
                 {noun}.sort((a, b) => a.leaves - b.leaves);\n}}\n",
                    capital(noun)
                ),
            );
            at += 7;
        }
        out
    }

    /// What a test run prints.
    fn tests(&mut self, count: usize, failing: usize) -> String {
        let mut out = String::from("> ferry@0.4.0 test\n> vitest run\n\n");
        for nth in 0..count {
            let verb = self.word(&VERBS);
            let noun = self.word(&NOUNS);
            let ms = self.pick(40) + 1;
            let mark = if nth < failing { "FAIL" } else { "ok" };
            put(&mut out, format_args!(" {mark}  test/{noun}.test.ts > {verb}s the {noun} of pier {nth} ({ms} ms)\n"));
            if nth < failing {
                out.push_str("      AssertionError: expected 07:40 to be 06:40 // the clock went back at 03:00\n");
            }
        }
        put(&mut out, format_args!("\n Tests  {failing} failed | {} passed ({count})\n", count - failing));
        out
    }

    fn search(&mut self, hits: usize) -> String {
        let mut out = String::new();
        for _ in 0..hits {
            let (verb, noun) = (self.word(&VERBS), self.word(&NOUNS));
            let line = self.pick(400) + 1;
            put(
                &mut out,
                format_args!("src/{noun}.ts:{line}:\tconst {noun} = {verb}{}(pier, sailings);\n", capital(noun)),
            );
        }
        out
    }
}

const SYSTEM: &str = "You are a coding agent in a small TypeScript project, the timetable of a ferry. Read before you write, run \
the tests after each change, and say in the end what you did.";
const VERBS: [&str; 8] = ["find", "sort", "merge", "delay", "cancel", "list", "count", "plan"];
const NOUNS: [&str; 8] = ["sailings", "berths", "crews", "fares", "tides", "tickets", "notices", "routes"];
const THOUGHTS: [&str; 4] = [
    "The failing test compares wall-clock times. The table is kept in minutes since midnight, so an hour is lost when the \
     clock goes back. I should look at how the minutes are made before I change the sort.",
    "The same helper is used for fares. If I change its result I must look at every caller first; a search will show them.",
    "This output is long; what matters is the one assertion at the top. The others passed before too.",
    "The edit did not apply since the file has changed. I read it again and take the text as it stands now.",
];
const PROMPTS: [&str; 10] = [
    "Sailings in the night of the clock change are listed an hour late. Find out why.",
    "Good. Now fix it without touching the fares.",
    "Add a test for the other change, in spring.",
    "The list of notices is slow with many piers. Where does the time go?",
    "Make it one pass over the sailings.",
    "Rename berths to quays everywhere but in the stored data.",
    "Which of the exported functions does nobody use?",
    "Remove those, and run everything again.",
    "Write down what a crew planner needs to know about tides.",
    "Summarize what we changed today.",
];

fn read(path: &str, text: String) -> (&'static str, Value, String, bool) {
    ("read", json!({"path": path}), text, false)
}

fn bash(command: &str, text: String) -> (&'static str, Value, String, bool) {
    ("bash", json!({"command": command}), text, false)
}

fn coding(session: &mut Session) {
    let clock = session.source(90);
    for (nth, prompt) in PROMPTS.iter().take(8).enumerate() {
        session.user(prompt);
        let hits = session.search(30);
        session.turn(THOUGHTS[nth % 4], &[bash("rg -n 'Clock.now' src", hits)]);
        // The same file again and again: what deduplication is for.
        let noun = session.word(&NOUNS);
        let other = session.source(70);
        session.turn("", &[read("src/clock.ts", clock.clone()), read(&format!("src/{noun}.ts"), other)]);
        let body = session.source(40);
        let edit = json!({"path": format!("src/{noun}.ts"), "oldText": "const limit = Clock.now()", "newText": body});
        let failed = nth % 3 == 1;
        let answer = if failed { "Error: oldText was not found in the file" } else { "Edited 1 place" };
        session.turn(THOUGHTS[(nth + 1) % 4], &[("edit", edit, answer.to_owned(), failed)]);
        let failing = 8_usize.saturating_sub(nth) / 3;
        let run = session.tests(60, failing);
        session.turn("", &[bash("npm test", run)]);
        session.say(&format!(
            "Done: {noun} are now counted in UTC minutes, and the tests say {failing} are left to look at."
        ));
    }
    session.user(PROMPTS[9]);
    session.say("We moved all times to UTC minutes, made the notices one pass, and removed what nobody used.");
}

fn long(session: &mut Session) {
    for nth in 0..22 {
        // Every fifth time somebody went for lunch, and the cache forgot.
        session.wait(if nth % 5 == 4 { 1_800 } else { 20 });
        session.user(PROMPTS[nth % 9]);
        for step in 0..4 {
            let noun = session.word(&NOUNS);
            let thought = if step % 2 == 0 { THOUGHTS[(nth + step) % 4] } else { "" };
            match session.pick(3) {
                0 => {
                    let text = session.source(30);
                    session.turn(thought, &[read(&format!("src/{noun}.ts"), text)]);
                }
                1 => {
                    let run = session.tests(35, step % 2);
                    session.turn(thought, &[bash("npm test", run)]);
                }
                _ => {
                    let hits = session.search(30);
                    session.turn(thought, &[bash(&format!("rg -n {noun} src"), hits)]);
                }
            }
        }
        session.say("That part is done; the tests pass, and the change is as small as I could make it.");
    }
}

fn branchy(session: &mut Session) {
    let first = session.user(PROMPTS[0]);
    let text = session.source(60);
    session.turn(THOUGHTS[0], &[read("src/clock.ts", text)]);
    let told =
        session.say("The clock counts local minutes. I can use UTC, or keep local time and carry the offset along.");
    // One way,
    session.user("Use UTC.");
    let run = session.tests(40, 2);
    session.turn("", &[bash("npm test", run)]);
    session.say("Two tests still fail; both compare wall-clock times.");
    // and back, to try another.
    session.last = Some(told);
    session.user("Carry the offset along.");
    session.turn("", &[("read", json!({"path": "docs/flag.png"}), "Read image file [image/png]".to_owned(), false)]);
    session.message(json!({"role": "user", "content": [{"type": "text", "text": "This is the flag I mean:"},
        {"type": "image", "data": PICTURE, "mimeType": "image/png"}]}));
    let run = session.tests(50, 0);
    session.turn(THOUGHTS[2], &[bash("npm test", run.clone())]);
    // What can go wrong in a file: a doubled result, one without a call, a line cut off.
    let doubled = format!("toolu_sample{:04}", session.calls);
    session.result(&doubled, "bash", &run, false);
    session.result("toolu_nobody", "read", "a result that nothing asked for", false);
    session.say("All tests pass with the offset carried along.");
    session.lines.push("{\"type\":\"message\",\"id\":\"5affffff\",\"parentId\":\"5a00".to_owned());
    let kept = session.user("Now the notices.");
    let hits = session.search(60);
    session.turn("", &[bash("rg -n notices src", hits)]);
    session.say("The notices are sorted once for each pier; once is enough.");
    session.entry(json!({"type": "compaction", "summary": "Times carry their offset; all tests pass. Next: the notices, which are \
        sorted once for each pier.", "firstKeptEntryId": kept, "tokensBefore": 14_000}));
    session.user("Do that.");
    let text = session.source(80);
    session.turn("", &[read("src/notices.ts", text)]);
    let run = session.tests(60, 0);
    session.turn("", &[bash("npm test", run)]);
    let tried = session.assistant(&json!([{"type": "text", "text": ""}]), "error");
    session.entry(json!({"type": "context_edit", "targetId": tried, "replacement": null}));
    session.say("One pass now, and all tests pass.");
    session.user("Thank you. What is left?");
    session.say("Nothing that I know of.");
    session.entry(json!({"type": "label", "targetId": first, "label": "the question"}));
}

/// Writes to a text, which cannot fail.
fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    _ = std::fmt::Write::write_fmt(out, text);
}

fn capital(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

/// A time of January 2026 as pi writes it.
fn iso(ms: u64) -> String {
    let seconds = (ms - START) / 1_000 + 9 * 3_600;
    let (day, rest) = (5 + seconds / 86_400, seconds % 86_400);
    format!("2026-01-{day:02}T{:02}:{:02}:{:02}.{:03}Z", rest / 3_600, rest / 60 % 60, rest % 60, ms % 1_000)
}
