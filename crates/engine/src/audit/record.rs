use hookward_contract::{
    Cause, DefinitionHash, EventName, HookId, HookVerdict, SnapshotDigest, SourceKind, ToolName,
};
use serde::{Deserialize, Serialize};

/// One thing that happened, without any value of a call: never tool input, never a hook's output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum AuditEvent {
    /// A handler was settled for a call: it decided, gave no verdict, was skipped or was aborted.
    HookCompleted(Box<HookCompleted>),
    /// A call was judged while a source or the trust store could not be read.
    SourceBroken {
        /// Digest of the snapshot in force.
        snapshot: SnapshotDigest,
        /// `user`, `project` or `trust`.
        source: String,
        /// Codes of the diagnostics, `HW0xx`.
        codes: Vec<String>,
    },
    /// A person changed what is trusted or enabled.
    TrustChanged {
        /// `trusted`, `workspace_trusted`, `revoked`, `enabled`, `disabled`, `store_set_aside`.
        action: String,
        /// The hook's name, where one hook is concerned.
        hook_id: Option<HookId>,
        /// The definition, where one is concerned.
        definition_hash: Option<DefinitionHash>,
        /// The source, where one is concerned.
        source: Option<SourceKind>,
        /// Identity of the project, or `user`.
        project: String,
    },
    /// A call was refused because it would have changed Hookward itself.
    ProtectionDenied {
        /// Digest of the snapshot in force.
        snapshot: SnapshotDigest,
        /// Canonical name of the tool.
        tool_name: ToolName,
        /// Identity of the call; empty where the agent gives none.
        tool_use_id: String,
    },
    /// A person let the protection of Hookward itself sleep, or woke it.
    NapChanged {
        /// Until when it sleeps, RFC 3339, UTC; absent when it was woken.
        until: Option<String>,
    },
    /// The chain had to be started again, because the file did not end where the head says it does.
    ChainRestarted {
        /// What was found.
        found: String,
    },
}

/// How a handler was settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookStatus {
    /// The hook did not object.
    Allowed,
    /// The hook wanted a question asked.
    Asked,
    /// The hook objected.
    Denied,
    /// The hook ran, or should have run, and gave no verdict.
    Failed,
    /// Not started: never reviewed.
    SkippedUntrusted,
    /// Not started: changed since its review.
    SkippedChanged,
    /// Not started: its source or the trust store cannot be read.
    SkippedBroken,
    /// The call was aborted first.
    Aborted,
}

impl HookStatus {
    pub(crate) fn of_decision(verdict: &HookVerdict) -> Self {
        match verdict {
            HookVerdict::Allow => Self::Allowed,
            HookVerdict::Ask(_) => Self::Asked,
            HookVerdict::Deny(_) => Self::Denied,
        }
    }

    pub(crate) fn of_failure(cause: Cause) -> Self {
        match cause {
            Cause::Untrusted => Self::SkippedUntrusted,
            Cause::Changed => Self::SkippedChanged,
            Cause::BrokenSource => Self::SkippedBroken,
            _ => Self::Failed,
        }
    }
}

/// The record of one handler in one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookCompleted {
    /// Digest of the snapshot in force.
    pub snapshot: SnapshotDigest,
    /// The hook's name.
    pub hook_id: HookId,
    /// The exact definition.
    pub definition_hash: DefinitionHash,
    /// Where the hook comes from.
    pub source: SourceKind,
    /// The event.
    pub event: EventName,
    /// Canonical name of the tool.
    pub tool_name: ToolName,
    /// Identity of the call; empty where the agent gives none.
    pub tool_use_id: String,
    /// How the handler was settled.
    pub status: HookStatus,
    /// The cause where it gave no verdict, for example `timeout` or `exit(1)`.
    pub failure: Option<String>,
    /// Whether the failure denied the call (`onFailure: "block"`).
    pub blocked: bool,
    /// Exit status, where it exited.
    pub exit: Option<i32>,
    /// From the start of the process to its end, in microseconds.
    pub duration_us: u64,
    /// Time spent in the queue, in microseconds.
    pub queue_us: u64,
    /// Bytes that the hook wrote to standard output, kept or not.
    pub stdout_bytes: u64,
    /// Bytes that the hook wrote to standard error, kept or not.
    pub stderr_bytes: u64,
    /// Whether the hook is in the shadow: the status says what it would have done, and did not
    /// count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shadow: bool,
}

/// An event and when it was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditRecord {
    /// RFC 3339, UTC, milliseconds.
    pub time: String,
    /// What happened.
    #[serde(flatten)]
    pub event: AuditEvent,
}

impl AuditRecord {
    /// A record of now.
    pub fn now(event: AuditEvent) -> Self {
        Self {
            time: format!("{:.3}", jiff::Timestamp::now()),
            event,
        }
    }
}
