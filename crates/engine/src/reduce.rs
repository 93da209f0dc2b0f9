//! From the runs of all matching hooks to one verdict: deny wins over ask, ask over allow, reasons
//! in configuration order. The only place that says what *no verdict* means.

use hookward_contract::{
    Cause, FailureMode, HookRun, HookVerdict, MAX_REASON_CHARS, NoVerdict, Reason, Verdict, bounded,
};
use hookward_policy::{Hook, HookMode};

/// What a hook's run means for the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settled {
    pub(crate) verdict: HookVerdict,
    /// For the person, where the hook gave no verdict.
    pub(crate) notice: Option<String>,
    /// Whether the verdict is a denial because of a failure, not of a decision.
    pub(crate) blocked: bool,
}

/// Turns a run into a verdict, and drops the verdict of a hook in the shadow.
pub(crate) fn settle(hook: &Hook, run: &HookRun) -> Settled {
    let settled = settle_enforced(hook, run);
    match hook.mode {
        HookMode::Enforce => settled,
        HookMode::Shadow => Settled {
            verdict: HookVerdict::Allow,
            notice: None,
            blocked: false,
        },
    }
}

/// Turns a run into a verdict: a decision stands, a failure means what the hook's failure mode
/// says. A definition that was never reviewed has no say, so its failure mode has none either.
fn settle_enforced(hook: &Hook, run: &HookRun) -> Settled {
    let failure = match run {
        HookRun::Decided(verdict) => {
            return Settled {
                verdict: verdict.clone(),
                notice: None,
                blocked: false,
            };
        }
        HookRun::NoVerdict(failure) => failure,
    };
    let NoVerdict {
        cause,
        detail,
        advice,
    } = failure;
    let did = if cause.is_skip() {
        "was not run"
    } else {
        "gave no verdict"
    };
    let what = format!("hook {} {did} ({cause}): {detail}", hook.id);
    let blocked = hook.on_failure == FailureMode::Block && *cause != Cause::Untrusted;
    let (verdict, consequence) = if blocked {
        let text = format!("{what}. The call is refused until a person has mended the hook");
        let text = bounded(&text, MAX_REASON_CHARS);
        (HookVerdict::Deny(text), "its failure mode is `block`")
    } else {
        (HookVerdict::Allow, "the call was not judged by it")
    };
    let parts = [what.as_str(), consequence, advice];
    let notice = parts.iter().filter(|part| !part.is_empty());
    let notice = notice.copied().collect::<Vec<_>>().join("; ");
    Settled {
        verdict,
        notice: Some(bounded(&notice, MAX_REASON_CHARS)),
        blocked,
    }
}

/// Joins the verdicts of all hooks, given in configuration order.
pub(crate) fn reduce<'a>(settled: impl Iterator<Item = (&'a Hook, &'a Settled)>) -> Verdict {
    let (mut asks, mut denials) = (Vec::new(), Vec::new());
    for (hook, settled) in settled {
        let (list, text) = match &settled.verdict {
            HookVerdict::Allow => continue,
            HookVerdict::Ask(text) => (&mut asks, text),
            HookVerdict::Deny(text) => (&mut denials, text),
        };
        list.push(Reason {
            hook: hook.id.clone(),
            text: text.clone(),
        });
    }
    if !denials.is_empty() {
        Verdict::Deny(denials)
    } else if !asks.is_empty() {
        Verdict::Ask(asks)
    } else {
        Verdict::Allow
    }
}
