//! The gate: judges a call by every matching hook of a snapshot, before anything durable happens.
//! It reads the call, starts handlers, reduces their answers and records the audit; it never
//! changes a call, grants anything, or asks a person.

use std::sync::Arc;
use std::time::Duration;

use hookward_contract::{
    Call, Cause, DefinitionHash, EventName, HookId, HookRun, HookVerdict, Reason, SnapshotDigest,
    SourceKind, Verdict, bounded,
};
use hookward_policy::{
    FormatVersion, HookMode, KindSet, Severity, Snapshot, SourceReport, SourceState,
};
use hookward_process::{Abort, Containment};
use serde_json::value::RawValue;

use crate::answer::Reading;
use crate::attempt::{Attempt, Attempts, ProcessReport};
use crate::audit::{AuditEvent, AuditRecord, AuditSink, HookCompleted, HookStatus};
use crate::environment::HookEnvironment;
use crate::limiter::Limiter;
use crate::protection::{PROTECTION_ID, Protection};
use crate::reduce::{Settled, reduce, settle};
use crate::rules::{Candidate, Stage};
use crate::world::{Seen, World};

/// The call was aborted while it was judged. Not a denial: nothing is published for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the call was aborted while hooks were judging it")]
pub struct Aborted;

/// What the gate found.
#[derive(Debug, Clone)]
pub struct Judgement {
    /// The verdict over all hooks.
    pub verdict: Verdict,
    /// One report per matching hook, in configuration order.
    pub runs: Vec<RunReport>,
    /// Sentences for the person about the gate itself: broken sources, guards that are gone, an
    /// audit that failed. Those about single hooks are in their reports.
    pub notices: Vec<String>,
    /// Digest of the snapshot that judged.
    pub snapshot: SnapshotDigest,
    /// Whether the call is denied because nobody can tell which guards were reviewed.
    pub guards_unknown: bool,
}

impl Judgement {
    /// Every sentence for the person. Hooks that were reviewed come first; those that never were
    /// share one sentence, so that a crowd of them hides nothing.
    pub fn all_notices(&self) -> Vec<String> {
        let unreviewed = |run: &&RunReport| matches!(&run.run, HookRun::NoVerdict(failure) if failure.cause == Cause::Untrusted);
        let reviewed = self.runs.iter().filter(|run| !unreviewed(run));
        let of_hooks = reviewed.filter_map(|run| run.notice.clone());
        let waiting: Vec<&RunReport> = self.runs.iter().filter(unreviewed).collect();
        let of_waiting = match waiting[..] {
            [] => None,
            [only] => only.notice.clone(),
            [first, .., last] => Some(format!(
                "{} hooks were not run (untrusted), among them {} and {}: they were never \
                 reviewed; `hookward review` shows them",
                waiting.len(),
                first.hook,
                last.hook
            )),
        };
        let own = self.notices.iter().cloned();
        own.chain(of_hooks).chain(of_waiting).collect()
    }

    /// Whether the call is denied only because something failed, not because a hook decided so.
    pub fn denied_by_failure(&self) -> bool {
        let mut denials = self.runs.iter().filter(|run| run.denied()).peekable();
        (self.guards_unknown || denials.peek().is_some()) && denials.all(|run| run.blocked)
    }
}

/// What became of one hook.
#[derive(Debug, Clone)]
pub struct RunReport {
    /// The hook.
    pub hook: HookId,
    /// Where it comes from.
    pub source: SourceKind,
    /// Its exact definition.
    pub hash: DefinitionHash,
    /// Whether it counts.
    pub mode: HookMode,
    /// Its decision, or why there is none.
    pub run: HookRun,
    /// What it counts as: its decision, or what its failure mode makes of a failure.
    pub counted_as: HookVerdict,
    /// Whether it counts as a denial because it failed under `onFailure: "block"`.
    pub blocked: bool,
    /// For the person, where it gave no verdict: what happened, what follows, what to do.
    pub notice: Option<String>,
    /// How its process went; `None` where none was started.
    pub process: Option<ProcessReport>,
    /// Time in the queue.
    pub queue: Duration,
}

impl RunReport {
    fn denied(&self) -> bool {
        matches!(self.counted_as, HookVerdict::Deny(_))
    }
}

/// Judges calls. One gate serves all sessions of a process; it is safe to share between threads.
pub struct Gate {
    variables: Vec<(String, String)>,
    world: World,
    protection: Protection,
    audit: Arc<dyn AuditSink>,
    limiter: Option<Limiter>,
    containment: Option<Containment>,
}

impl Gate {
    /// A gate whose hooks get this environment and whose records go to `audit`. Handlers of all
    /// gates of the process share one limit.
    pub fn new(environment: &HookEnvironment, audit: Arc<dyn AuditSink>) -> Self {
        let variables = environment.variables();
        Self {
            variables,
            world: World::real(environment),
            protection: Protection::Off,
            audit,
            limiter: None,
            containment: None,
        }
    }

    /// The same gate whose rules get their facts from `world`.
    #[must_use]
    pub fn with_world(self, world: World) -> Self {
        Self { world, ..self }
    }

    /// The same gate that refuses calls which would change Hookward itself.
    #[must_use]
    pub fn with_protection(self, protection: Protection) -> Self {
        Self { protection, ..self }
    }

    /// The same gate with a handler limit of its own.
    #[must_use]
    pub fn with_limit(self, limit: usize) -> Self {
        Self {
            limiter: Some(Limiter::new(limit)),
            ..self
        }
    }

    /// The same gate with this containment instead of the strongest that the machine allows.
    #[must_use]
    pub fn with_containment(self, containment: Containment) -> Self {
        Self {
            containment: Some(containment),
            ..self
        }
    }

    /// Judges `call` by every hook of `snapshot` that matches it. Blocks until all of them have
    /// answered, failed or been stopped.
    ///
    /// # Errors
    ///
    /// [`Aborted`] when `abort` is raised; every handler is dead or being killed by then, and
    /// whatever they answered is void.
    pub fn judge(
        &self,
        snapshot: &Snapshot,
        call: &Call,
        abort: &Abort,
    ) -> Result<Judgement, Aborted> {
        let seen = Seen::new(call, &self.world, &snapshot.project().root);
        let stage = Stage::new(&seen);
        let candidates: Vec<Candidate<'_>> = snapshot
            .matching(EventName::PreToolUse, call.tool_names(), &|| seen.kinds())
            .filter_map(|hook| stage.candidate(hook))
            .collect();
        let mut judgement = Judgement {
            verdict: Verdict::Allow,
            runs: Vec::new(),
            notices: Vec::new(),
            snapshot: snapshot.digest().clone(),
            guards_unknown: guards_unknown(snapshot),
        };
        let mut events = broken_sources(snapshot, &mut judgement.notices);
        judgement
            .notices
            .extend(missing_guards(snapshot, call, &|| seen.kinds()));
        let protected = self.protect(&stage, &mut judgement.notices);
        events.extend(protected.as_ref().map(|_| AuditEvent::ProtectionDenied {
            snapshot: snapshot.digest().clone(),
            tool_name: call.tool.clone(),
            tool_use_id: bounded(&call.tool_use_id, MAX_ID_CHARS),
        }));
        if candidates.is_empty() && events.is_empty() {
            return Ok(judgement);
        }
        let effects = effects_for_commands(&candidates, &seen);
        let attempts = Attempts {
            snapshot,
            call,
            abort,
            variables: &self.variables,
            limiter: self.limiter.as_ref(),
            containment: self.containment,
            effects: effects.as_deref(),
        }
        .make(candidates);
        let aborted = abort.is_aborted() || attempts.iter().any(|a| a.reading == Reading::Aborted);
        let settled = attempts.iter().map(|attempt| match &attempt.reading {
            Reading::Run(run) if !aborted => Some(settle(attempt.hook, run)),
            _ => None,
        });
        let settled: Vec<Option<Settled>> = settled.collect();
        events.extend(attempts.iter().zip(&settled).map(|(attempt, settled)| {
            AuditEvent::HookCompleted(Box::new(completed(
                snapshot,
                call,
                attempt,
                settled.as_ref(),
            )))
        }));
        let records: Vec<AuditRecord> = events.into_iter().map(AuditRecord::now).collect();
        let written = self.audit.append(&records);
        if aborted {
            return Err(Aborted);
        }
        judgement.verdict = reduce(
            attempts
                .iter()
                .zip(&settled)
                .filter_map(|(a, s)| s.as_ref().map(|s| (a.hook, s))),
        );
        for (attempt, settled) in attempts.into_iter().zip(settled) {
            if let (Reading::Run(run), Some(settled)) = (attempt.reading, settled) {
                judgement.runs.push(RunReport {
                    hook: attempt.hook.id.clone(),
                    source: attempt.hook.source,
                    hash: attempt.hook.hash.clone(),
                    mode: attempt.hook.mode,
                    run,
                    counted_as: settled.verdict,
                    blocked: settled.blocked,
                    notice: settled.notice,
                    process: attempt.process,
                    queue: attempt.queue,
                });
            }
        }
        if judgement.guards_unknown {
            judgement.verdict = denied(judgement.verdict, unknown_guards());
        }
        judgement.verdict = denied(judgement.verdict, protected);
        if let Err(error) = written {
            judgement
                .notices
                .push(format!("the audit was not written: {error}"));
        }
        Ok(judgement)
    }
}

impl Gate {
    pub(crate) const fn world(&self) -> &World {
        &self.world
    }

    /// Why the call is refused for Hookward's own sake.
    fn protect(&self, stage: &Stage<'_>, notices: &mut Vec<String>) -> Option<Reason> {
        match &self.protection {
            Protection::Off => None,
            Protection::Of(_) => self.protection.judge(stage.scene()),
            Protection::Napping(until) => {
                notices.push(format!(
                    "Hookward does not protect its own files until {until:.0}; `hookward nap --end` \
                     wakes it"
                ));
                None
            }
        }
    }
}

/// Longest id of a call that is recorded, in characters.
const MAX_ID_CHARS: usize = 200;

/// Whether the user's hooks and the memory of what was reviewed of them are both damaged: then
/// nobody can tell which guards would have judged a call.
fn guards_unknown(snapshot: &Snapshot) -> bool {
    let broken = |source: &SourceReport| {
        source.source == SourceKind::User && source.state == SourceState::Broken
    };
    snapshot.trust_report().state == SourceState::Broken && snapshot.sources().iter().any(broken)
}

/// The refusal of a call whose guards are unknown.
fn unknown_guards() -> Option<Reason> {
    let hook = HookId::try_from(PROTECTION_ID).ok()?;
    let text = "neither the user's hooks nor the trust store can be read, so nobody can tell \
                which guards hold. The call is refused until a person has mended them";
    Some(Reason {
        hook,
        text: text.to_owned(),
    })
}

/// Adds a refusal of the gate itself to a verdict.
fn denied(verdict: Verdict, reason: Option<Reason>) -> Verdict {
    let Some(reason) = reason else {
        return verdict;
    };
    let mut reasons = match verdict {
        Verdict::Deny(reasons) => reasons,
        Verdict::Allow | Verdict::Ask(_) => Vec::new(),
    };
    reasons.push(reason);
    Verdict::Deny(reasons)
}

/// What hooks of version 2 files read of the effects; nothing is found out if none will start.
fn effects_for_commands(candidates: &[Candidate<'_>], seen: &Seen<'_>) -> Option<Box<RawValue>> {
    let reads = |candidate: &Candidate<'_>| {
        let hook = candidate.hook;
        hook.format == FormatVersion::V2 && hook.command().is_some() && hook.trust.may_run()
    };
    candidates.iter().any(reads).then(|| {
        // Strings, booleans and lists: there is nothing in them that cannot be serialized.
        serde_json::value::to_raw_value(seen.effects().all()).unwrap_or_default()
    })
}

/// One event and one notice for each source that cannot be read, the trust store included.
fn broken_sources(snapshot: &Snapshot, notices: &mut Vec<String>) -> Vec<AuditEvent> {
    let sources = snapshot
        .sources()
        .iter()
        .filter(|s| s.state == SourceState::Broken);
    let sources = sources.map(|s| {
        (
            s.source.as_str(),
            format!("{} hooks file", s.source),
            s.path.as_str(),
            &s.diagnostics,
        )
    });
    let trust = snapshot.trust_report();
    let trust = (trust.state == SourceState::Broken).then(|| {
        (
            "trust",
            "trust store".to_owned(),
            trust.path.as_str(),
            &trust.diagnostics,
        )
    });
    sources
        .chain(trust)
        .map(|(source, what, path, diagnostics)| {
            let first = diagnostics
                .iter()
                .find(|diagnostic| diagnostic.severity == Severity::Error)
                .map_or_else(String::new, |d| format!(": {}", d.message));
            notices.push(format!(
                "the {what} {path} cannot be used{first}; `hookward doctor` has more"
            ));
            AuditEvent::SourceBroken {
                snapshot: snapshot.digest().clone(),
                source: source.to_owned(),
                codes: diagnostics.iter().map(|d| d.code.to_string()).collect(),
            }
        })
        .collect()
}

/// A notice for each reviewed guard for this tool that is not in its file any more, or switched off
/// in it. A person may have done that, so it does not deny; that it is so is never silent.
fn missing_guards<'a>(
    snapshot: &'a Snapshot,
    call: &'a Call,
    kinds: &'a dyn Fn() -> KindSet,
) -> impl Iterator<Item = String> + 'a {
    let report = snapshot.trust_report();
    let gone = report.missing.iter().map(|hook| {
        let (id, source) = (&hook.id, hook.source);
        let text = format!(
            "the guard {id} was trusted and is not in the {source} hooks file any more; put it \
             back, or forget it with `hookward revoke {id}`"
        );
        (hook, text)
    });
    let off = report.switched_off.iter().map(|hook| {
        let (id, source) = (&hook.id, hook.source);
        let text = format!(
            "the guard {id} is switched off in the {source} hooks file; `hookward enable {id}`, \
             or forget it with `hookward revoke {id}`"
        );
        (hook, text)
    });
    gone.chain(off)
        .filter(|(hook, _)| hook.guards(call.tool_names(), kinds))
        .map(|(_, text)| text)
}

fn completed(
    snapshot: &Snapshot,
    call: &Call,
    attempt: &Attempt<'_>,
    settled: Option<&Settled>,
) -> HookCompleted {
    let hook = attempt.hook;
    // What the hook said, whether it counts or not.
    let (status, cause) = match (settled, &attempt.reading) {
        (Some(_), Reading::Run(HookRun::Decided(verdict))) => {
            (HookStatus::of_decision(verdict), None)
        }
        (Some(_), Reading::Run(HookRun::NoVerdict(failure))) => {
            (HookStatus::of_failure(failure.cause), Some(failure.cause))
        }
        (None, _) | (_, Reading::Aborted) => (HookStatus::Aborted, None),
    };
    let process = attempt.process;
    HookCompleted {
        snapshot: snapshot.digest().clone(),
        hook_id: hook.id.clone(),
        definition_hash: hook.hash.clone(),
        source: hook.source,
        event: hook.event,
        tool_name: call.tool.clone(),
        tool_use_id: bounded(&call.tool_use_id, MAX_ID_CHARS),
        status,
        failure: cause.map(|cause| cause.to_string()),
        blocked: settled.is_some_and(|settled| settled.blocked),
        exit: process.and_then(|process| process.exit),
        duration_us: micros(process.map(|process| process.duration).unwrap_or_default()),
        queue_us: micros(attempt.queue),
        stdout_bytes: process.map_or(0, |process| process.stdout_bytes),
        stderr_bytes: process.map_or(0, |process| process.stderr_bytes),
        shadow: hook.mode == HookMode::Shadow,
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
