//! Plain structs that cross as objects. Flat on purpose: internally tagged enums are slow inbound (style.md 0).

use decant::capture::batch::{self, Pending};
use decant::config::Config;
use decant::config::schema::Problem;
use decant::epoch::budget::{Check, Trigger};
use decant::epoch::commit::{Committed, Note, Reason};
use decant::epoch::flush::{Answer, FlushPlan, Model};
use decant::epoch::spill::{Spill, Written};
use decant::ledger::epoch::{Outcome, Usage};
use decant::ledger::record::Stats;
use decant::recall::query::{Ask, Found};
use decant::session::{Metrics, Session};
use serde::{Deserialize, Serialize};

#[derive(Serialize)]
pub struct SettingsDto {
    pub config: Config,
    pub problems: Vec<Problem>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnDto {
    pub result_entry_ids: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CapturedDto {
    calls: u32,
    pending_batches: u32,
    pending_calls: u32,
    pending_units: f64,
    spill: Vec<SpillDto>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SpillDto {
    entry_id: String,
    file_name: String,
}

impl CapturedDto {
    pub fn new(calls: u32, pending: Pending, spills: Vec<Spill>) -> Self {
        Self {
            spill: spills
                .into_iter()
                .map(|spill| SpillDto { entry_id: spill.entry, file_name: spill.file_name })
                .collect(),
            calls,
            pending_batches: pending.batches,
            pending_calls: pending.calls,
            pending_units: pending.units as f64,
        }
    }
}

/// A file that was written.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WrittenDto {
    entry_id: String,
    path: String,
    bytes: f64,
}

impl From<WrittenDto> for Written {
    fn from(file: WrittenDto) -> Self {
        Self { entry: file.entry_id, path: file.path, bytes: file.bytes }
    }
}

/// `ctx.getContextUsage()`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UsageReportDto {
    pub tokens: Option<f64>,
    pub context_window: Option<f64>,
}

#[derive(Serialize)]
pub struct BudgetDto {
    #[serde(skip_serializing_if = "Option::is_none")]
    due: Option<&'static str>,
    tokens: f64,
    source: &'static str,
}

impl From<Check> for BudgetDto {
    fn from(check: Check) -> Self {
        Self {
            due: check.due.map(Trigger::name),
            tokens: check.tokens,
            source: if check.reported { "reported" } else { "estimated" },
        }
    }
}

/// The model that the next request goes to.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelDto {
    api: String,
    id: String,
    context_window: Option<f64>,
}

impl From<ModelDto> for Model {
    fn from(model: ModelDto) -> Self {
        Self { api: model.api, id: model.id, window: model.context_window.unwrap_or(0.0) as u32 }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanDto {
    id: u32,
    leaf_id: String,
    batches: Vec<DueDto>,
    skipped: Vec<SkippedDto>,
    fusions: Vec<FusionDto>,
}

#[derive(Serialize)]
struct FusionDto {
    block: String,
    prompt: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DueDto {
    prompt: String,
    turn: u32,
    raw_units: f64,
    calls: Vec<CallDto>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallDto {
    entry_id: String,
    tool_name: String,
    r#ref: String,
}

#[derive(Serialize)]
struct SkippedDto {
    turn: u32,
    outcome: &'static str,
    calls: usize,
}

impl PlanDto {
    pub fn new(plan: &FlushPlan, session: &Session) -> Self {
        let batches = plan.due.iter().map(|due| DueDto {
            prompt: due.prompt.clone(),
            turn: due.batch.turn,
            raw_units: due.raw_units as f64,
            calls: (due.batch.results.iter().zip(&due.refs))
                .map(|(&pos, reference)| CallDto {
                    entry_id: session.branch().id(pos).map_or("", |id| session.name(id)).to_owned(),
                    tool_name: session.name(batch::tool(session.branch(), pos)).to_owned(),
                    r#ref: reference.clone(),
                })
                .collect(),
        });
        let skipped = plan.skipped.iter().map(|(batch, outcome)| SkippedDto {
            turn: batch.turn,
            outcome: outcome.name(),
            calls: batch.results.len(),
        });
        let duplicates = plan.duplicates.iter().map(|duplicate| SkippedDto {
            turn: session.branch().turn_of_result(duplicate.pos).unwrap_or(0),
            outcome: Outcome::SkippedDeduped.name(),
            calls: 1,
        });
        Self {
            id: plan.id,
            leaf_id: session.name(plan.leaf).to_owned(),
            batches: batches.collect(),
            skipped: skipped.chain(duplicates).collect(),
            fusions: (plan.blocks.iter())
                .filter_map(|block| Some(FusionDto { block: block.id.clone(), prompt: block.fusion.clone()? }))
                .collect(),
        }
    }
}

#[derive(Deserialize)]
pub struct AnswerDto {
    text: String,
    usage: Option<UsageDto>,
}

#[derive(Deserialize)]
struct UsageDto {
    input: f64,
    output: f64,
    cost: f64,
}

impl From<AnswerDto> for Answer {
    fn from(answer: AnswerDto) -> Self {
        let usage = answer.usage.map_or(Usage::default(), |usage| Usage {
            input: usage.input,
            output: usage.output,
            cost: usage.cost,
            calls: 1.0,
        });
        Self { text: answer.text, usage }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OutcomeDto {
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    summarized: u32,
    calls: u32,
    saved_units: f64,
    blocks: Vec<String>,
    notes: Vec<NoteDto>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NoteDto {
    turn: u32,
    outcome: &'static str,
    calls: u32,
    raw_units: f64,
    summary_units: f64,
}

impl From<&Committed> for OutcomeDto {
    fn from(committed: &Committed) -> Self {
        let summarized = || committed.notes.iter().filter(|note| note.outcome == Outcome::Summarized);
        Self {
            reason: committed.epoch.as_ref().err().map(|reason| match reason {
                Reason::Stale => "stale",
                Reason::Failed => "failed",
                Reason::Empty => "empty",
            }),
            summarized: summarized().count() as u32,
            calls: summarized().map(|note| note.calls).sum(),
            saved_units: committed
                .epoch
                .as_ref()
                .map_or(0.0, |epoch| epoch.removed_units as f64 - epoch.added_units as f64),
            blocks: (committed.epoch.iter().flat_map(|epoch| &epoch.blocks)).map(|block| block.id.clone()).collect(),
            notes: committed.notes.iter().map(note).collect(),
        }
    }
}

fn note(note: &Note) -> NoteDto {
    NoteDto {
        turn: note.turn,
        outcome: note.outcome.name(),
        calls: note.calls,
        raw_units: note.raw_units as f64,
        summary_units: note.summary_units as f64,
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct PageDto {
    offset: Option<f64>,
    limit: Option<f64>,
}

impl From<PageDto> for Ask {
    fn from(page: PageDto) -> Self {
        // A float cast saturates: a negative or absurd number becomes the nearest that makes sense.
        let limit = page.limit.filter(|limit| *limit >= 1.0).map_or(usize::MAX, |limit| limit as usize);
        Self { offset: page.offset.map_or(0, |offset| offset as usize), limit }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundDto<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#ref: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entry_id: Option<&'a str>,
    found: bool,
}

impl<'a> From<&'a Found> for FoundDto<'a> {
    fn from(found: &'a Found) -> Self {
        Self { id: &found.id, r#ref: found.reference.as_deref(), entry_id: found.entry.as_deref(), found: found.found }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportDto<'a> {
    enabled: bool,
    refs: usize,
    epochs: usize,
    pending_batches: u32,
    pending_calls: u32,
    pending_units: f64,
    stats: &'a Stats,
    sizes: SizesDto,
    shown_stubs: u32,
    dropped_results: u32,
    shown_blocks: u32,
    unresolved_blocks: u32,
    metrics: MetricsDto,
    context_tokens: f64,
    protected_unmatched: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MetricsDto {
    open_thinking_tokens: f64,
    largest_chain_percent: f64,
    gap_tokens: f64,
}

impl From<Metrics> for MetricsDto {
    fn from(metrics: Metrics) -> Self {
        Self {
            open_thinking_tokens: (metrics.open_thinking_units as f64 / 4.0).ceil(),
            largest_chain_percent: (metrics.largest_chain_units as f64 * 100.0 / metrics.units.max(1) as f64).round(),
            gap_tokens: (metrics.gap_units as f64 / 4.0).ceil(),
        }
    }
}

#[derive(Serialize)]
struct SizesDto {
    before: f64,
    after: f64,
}

impl<'a> ReportDto<'a> {
    pub fn new(session: &'a Session) -> Self {
        let sizes = session.sizes();
        let pending = session.pending();
        Self {
            enabled: session.config().enabled,
            refs: session.ledger().records().len(),
            epochs: session.ledger().epochs().len(),
            pending_batches: pending.batches,
            pending_calls: pending.calls,
            pending_units: pending.units as f64,
            stats: session.ledger().stats(),
            sizes: SizesDto { before: sizes.before as f64, after: sizes.after as f64 },
            shown_stubs: sizes.stubs,
            dropped_results: sizes.dropped,
            shown_blocks: sizes.blocks,
            unresolved_blocks: sizes.unresolved,
            metrics: session.metrics().into(),
            context_tokens: (session.estimate() as f64 / 4.0).ceil(),
            protected_unmatched: session.protected_unmatched(),
        }
    }
}
