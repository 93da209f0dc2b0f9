//! What each event of Claude Code means for a tool call, and how a verdict is worded on it.

/// When an event fires, relative to the tool call that it carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// Before the call; the payload always carries a tool and its input.
    Before,
    /// After the call, or after it was refused: nothing is left to judge.
    After,
    /// Not in the table: judged if the payload carries a tool and its input.
    ByContent,
}

/// The JSON by which an event takes a refusal or a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wording {
    /// `permissionDecision` and `permissionDecisionReason`; knows `ask`.
    PermissionDecision,
    /// The same for a denial, but nothing is known about `ask`, so a question becomes a denial.
    DenyOnly,
    /// `decision: {behavior, message}`. The event means that the person is about to be asked, so a
    /// question needs no answer of its own.
    Behavior,
}

/// One row of the table.
pub(super) struct Event {
    pub(super) name: &'static str,
    pub(super) moment: Moment,
    pub(super) wording: Wording,
}

/// The event that a payload without a name is taken for.
pub(super) const DEFAULT_EVENT: &str = "PreToolUse";

/// Every event that carries a tool call. All other events, present and future, are
/// [`Moment::ByContent`] and [`Wording::DenyOnly`].
pub(super) const TABLE: &[Event] = &[
    row(DEFAULT_EVENT, Moment::Before, Wording::PermissionDecision),
    row(
        "PreSkillShellCommand",
        Moment::Before,
        Wording::PermissionDecision,
    ),
    row("PermissionRequest", Moment::Before, Wording::Behavior),
    row("PostToolUse", Moment::After, Wording::DenyOnly),
    row("PostToolUseFailure", Moment::After, Wording::DenyOnly),
    row("PostToolBatch", Moment::After, Wording::DenyOnly),
    row("PermissionDenied", Moment::After, Wording::DenyOnly),
];

const fn row(name: &'static str, moment: Moment, wording: Wording) -> Event {
    Event {
        name,
        moment,
        wording,
    }
}

/// The moment of the event called `name`.
pub(super) fn moment(name: &str) -> Moment {
    find(name).map_or(Moment::ByContent, |event| event.moment)
}

/// The wording of the event called `name`.
pub(super) fn wording(name: &str) -> Wording {
    find(name).map_or(Wording::DenyOnly, |event| event.wording)
}

fn find(name: &str) -> Option<&'static Event> {
    TABLE.iter().find(|event| event.name == name)
}
