//! A session as a running pi has it, natively: entries appended one by one, requests rendered, flushes written.

#![allow(dead_code, reason = "each test file uses its part")]

pub mod files;
pub mod judge;
pub mod message;
pub mod original;
pub mod outline;
pub mod player;
pub mod recall;
pub mod script;
pub mod texts;
pub mod walk;

use decant::capture::entries::Entries;
use decant::capture::source::Source;
use decant::config::Config;
use decant::epoch::commit::Committed;
use decant::epoch::flush::{Answer, Model};
use decant::epoch::spill::Written;
use decant::json::{JsText, Value, parse};
use decant::ledger::EPOCH_TYPE;
use decant::ledger::epoch::Usage;
use decant::render::apply::apply;
use decant::render::plan::Plan;
use decant::session::Session;
use decant::transcript::projection::project;
use decant::transcript::read_head;
use decant::transcript::window::Seen;
use decant::transcript::{Projected, SessionEntry};

/// `{ "key": value, ... }`.
macro_rules! object {
    ($($key:literal : $value:expr),* $(,)?) => {{
        let pairs: Vec<(&str, ::decant::json::Value)> = vec![$(($key, ::decant::json::Value::from($value))),*];
        ::decant::json::Value::from(pairs.into_iter().collect::<::decant::json::Object>())
    }};
}
pub(crate) use object;

/// Where the session runs.
pub const CWD: &str = "/work";

/// Settings with which short test texts are worth a summary.
pub fn config() -> Config {
    let mut config = Config { min_batch_chars: 200, ..Config::default() };
    config.chain_compression.rolling_window = 1;
    config.purge_errors.min_arg_chars = 60;
    config.purge_errors.cooldown_turns = 1;
    config
}

/// A branch and the session that follows it.
#[derive(Debug)]
pub struct World {
    pub config: Config,
    pub session: Session,
    pub entries: Vec<SessionEntry>,
    /// ms since 1970.
    pub clock: f64,
    /// How far the clock goes on with each entry, ms.
    pub pace: f64,
    next_id: u32,
}

/// 2026-01-05T00:00:00Z.
const START: f64 = 1_767_571_200_000.0;
const DAY: f64 = 86_400_000.0;

impl World {
    pub fn new(config: Config) -> Self {
        let session = Session::new(config.clone(), CWD);
        Self { config, session, entries: Vec::new(), clock: START, pace: 0.0, next_id: 0 }
    }

    /// A world that stands at the end of `entries`.
    pub fn at_end_of(entries: Vec<SessionEntry>, config: Config) -> Self {
        let mut world = Self::new(config);
        world.session = load(&entries, &world.config);
        world.entries = entries;
        world
    }

    /// Moves the clock, within its day.
    pub fn tick(&mut self, ms: f64) {
        self.clock = (self.clock + ms).clamp(START, START + DAY - 1.0);
    }

    /// Appends an entry of this type with these fields and folds it. Its id.
    pub fn append(&mut self, kind: &str, fields: Value) -> String {
        self.next_id += 1;
        self.tick(self.pace);
        let id = format!("e{:07x}", self.next_id);
        let parent = self.entries.last().map_or(Value::Null, |entry| entry.id.clone().into());
        let mut value = object! { "type": kind, "id": id.as_str(), "parentId": parent, "timestamp": iso(self.clock) };
        if let (Some(value), Value::Object(fields)) = (value.as_object_mut(), fields) {
            for (key, field) in fields {
                value.insert(key, field);
            }
        }
        self.push(SessionEntry { line: self.entries.len() as u32 + 2, id: id.as_str().into(), value });
        id
    }

    /// Appends an entry as it is.
    pub fn push(&mut self, entry: SessionEntry) {
        let read = read_head::entry(&entry.value, self.session.symbols());
        self.session.extend([read]);
        self.entries.push(entry);
    }

    /// Appends the entries of JSON lines, one a line.
    pub fn push_lines(&mut self, lines: &str) {
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            let value = parse(line.as_bytes()).expect("a line of JSON");
            let id = value.get("id").and_then(Value::as_text).expect("an id").clone();
            self.push(SessionEntry { line: self.entries.len() as u32 + 2, id, value });
        }
    }

    /// `/tree` to the entry behind which `keep` entries stand on the branch: pi loads the branch again.
    pub fn back_to(&mut self, keep: usize) {
        self.entries.truncate(keep.max(1));
        self.session.clear();
        extend(&mut self.session, &self.entries);
    }

    pub fn message(&mut self, message: Value) -> String {
        self.append("message", object! { "message": message })
    }

    pub fn user(&mut self, content: impl Into<Value>) -> String {
        let message = message::user(content, self.clock);
        self.message(message)
    }

    pub fn reply(&mut self, text: &str) -> String {
        let message = message::assistant(vec![message::text(text)], "stop", self.clock);
        self.message(message)
    }

    /// An assistant message with these calls (id, tool, arguments) and nothing else.
    pub fn calls(&mut self, calls: &[(&str, &str, Value)]) -> String {
        let blocks = calls.iter().map(|(id, tool, args)| message::call(*id, tool, args.clone())).collect();
        let message = message::assistant(blocks, "toolUse", self.clock);
        self.message(message)
    }

    pub fn result(&mut self, call: &str, tool: &str, content: impl Into<Value>) -> String {
        let message = message::result(call, tool, content, false, self.clock);
        self.message(message)
    }

    /// One call of `read` and its result; the id of the result's entry.
    pub fn turn(&mut self, call: &str, text: &str) -> String {
        self.tick(1_000.0);
        self.calls(&[(call, "read", object! { "path": "src/lib.rs" })]);
        self.tick(1_000.0);
        self.result(call, "read", text)
    }

    pub fn source(&self) -> Entries<'_> {
        self.entries.iter().collect()
    }

    /// The messages that pi is about to send.
    pub fn request(&self) -> Vec<Value> {
        messages(&self.entries)
    }

    /// What goes out.
    pub fn render(&mut self) -> Rendered {
        let request = self.request();
        render(&mut self.session, &request)
    }

    /// What a session that is loaded here sends.
    pub fn render_reloaded(&self) -> Rendered {
        render(&mut load(&self.entries, &self.config), &self.request())
    }

    /// Plans a flush; the id of the plan and how many batches it asks about.
    pub fn plan(&mut self, trigger: &str) -> Option<(u32, usize)> {
        let entries = &self.entries;
        let source: Entries<'_> = entries.iter().collect();
        self.session.plan_flush(trigger, &model(), &source).map(|plan| (plan.id, plan.due.len()))
    }

    /// Commits a plan and appends its epoch, if it came to one.
    pub fn commit(&mut self, plan: u32, answers: &[Option<Answer>]) -> Committed {
        let committed = self.session.commit_flush(plan, answers, &[]).expect("an open plan");
        if let Ok(epoch) = &committed.epoch {
            self.append_epoch(epoch.write());
        }
        committed
    }

    /// Ends a turn: results that are too long go into files at once.
    pub fn capture(&mut self, results: &[String]) {
        let source: Entries<'_> = self.entries.iter().collect();
        let (_, _, spills) = self.session.capture(results, &source);
        let files = spills.into_iter().map(|spill| Written {
            bytes: source.text(&spill.entry).map_or(0.0, |text| text.len() as f64),
            path: format!("/blobs/{}", spill.file_name),
            entry: spill.entry,
        });
        if let Some(epoch) = self.session.commit_spill(&files.collect::<Vec<_>>(), &source) {
            self.append_epoch(epoch.write());
        }
    }

    pub fn append_epoch(&mut self, data: Value) -> String {
        self.append("custom", object! { "customType": EPOCH_TYPE, "data": data })
    }

    /// A flush of everything that is due, each batch with a summary of one line a call.
    pub fn flush(&mut self) -> Option<Committed> {
        let (plan, due) = self.plan("now")?;
        let answers = vec![Some(answer("- [[1:read]] seen.")); due];
        Some(self.commit(plan, &answers))
    }

    /// Everything that the ref or id `id` brings back, page by page of at most `limit` units.
    pub fn recall(&self, id: &str, limit: usize) -> Vec<recall::Recalled> {
        recall::recall(&self.session, &self.source(), id, limit)
    }
}

/// The model that the requests go to.
pub fn model() -> Model {
    Model { api: "anthropic-messages".to_owned(), id: "faux-1".to_owned(), window: 200_000 }
}

/// A summarizer's answer for ten tokens.
pub fn answer(text: &str) -> Answer {
    Answer { text: text.to_owned(), usage: Usage { input: 100.0, output: 10.0, cost: 0.001, calls: 1.0 } }
}

fn iso(ms: f64) -> String {
    let ms = (ms - START) as u64;
    let (hours, minutes, seconds) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1_000 % 60);
    format!("2026-01-05T{hours:02}:{minutes:02}:{seconds:02}.{:03}Z", ms % 1_000)
}

/// Continues the branch that `session` has.
pub fn extend<'e>(session: &mut Session, entries: impl IntoIterator<Item = &'e SessionEntry>) {
    let read: Vec<_> = entries.into_iter().map(|entry| read_head::entry(&entry.value, session.symbols())).collect();
    session.extend(read);
}

/// A new session that is handed the whole branch at once.
pub fn load(entries: &[SessionEntry], config: &Config) -> Session {
    let mut session = Session::new(config.clone(), CWD);
    extend(&mut session, entries);
    session
}

pub fn projected(entries: &[SessionEntry]) -> Vec<Projected<'_>> {
    project(&entries.iter().collect::<Vec<_>>())
}

pub fn messages(entries: &[SessionEntry]) -> Vec<Value> {
    projected(entries).into_iter().map(|one| one.message.into_owned()).collect()
}

/// A plan and what it makes of the messages.
#[derive(Clone, Debug)]
pub struct Rendered {
    pub plan: Plan,
    pub out: Vec<Value>,
}

/// Renders `messages`, all of them read anew.
pub fn render(session: &mut Session, messages: &[Value]) -> Rendered {
    render_known(session, messages, 0)
}

/// Renders `messages`, of which the session knows the first `known`.
pub fn render_known(session: &mut Session, messages: &[Value], known: usize) -> Rendered {
    let known = known.min(session.window_len());
    let tail: Vec<Seen> = messages[known..]
        .iter()
        .map(|message| Seen::Head(read_head::message_head(message, session.symbols())))
        .collect();
    session.read_window(known, tail);
    match session.render() {
        Some(plan) => {
            let out = apply(&plan, session.forms().texts(), messages);
            Rendered { plan, out }
        }
        None => Rendered { plan: Plan::default(), out: messages.to_vec() },
    }
}

/// How many of the first messages have role, time and call id of those of the last request, as the boundary looks at it.
pub fn known(before: &[Value], messages: &[Value]) -> usize {
    let same = |a: &Value, b: &Value| ["role", "timestamp", "toolCallId"].iter().all(|key| a.get(key) == b.get(key));
    before.iter().zip(messages).take_while(|(a, b)| same(a, b)).count()
}

/// The role of a message.
pub fn role(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or("")
}

/// The text blocks of a message joined by newlines.
pub fn text_of(message: &Value) -> String {
    let content = match message.get("content") {
        Some(Value::Array(blocks)) => blocks.as_slice(),
        Some(Value::String(text)) => return text.to_string(),
        _ => &[],
    };
    let texts = content.iter().filter_map(|block| block.get("text")?.as_text());
    texts.map(JsText::to_string).collect::<Vec<_>>().join("\n")
}
