//! From the runs of all matching hooks to one verdict: deny wins over ask, ask over allow, reasons
//! in configuration order. The only place that says what *no verdict* means.

use hookward_contract::{
    Cause, FailureMode, HookRun, HookVerdict, MAX_REASON_CHARS, NoVerdict, Reason, Verdict, bounded,
};
use hookward_policy::Hook;

/// What a hook's run means for the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settled {
    pub(crate) verdict: HookVerdict,
    /// For the person, where the hook gave no verdict.
    pub(crate) notice: Option<String>,
    /// Whether the verdict is a denial because of a failure, not of a decision.
    pub(crate) blocked: bool,
}

/// Turns a run into a verdict: a decision stands, a failure means what the hook's failure mode
/// says. A definition that was never reviewed has no say, so its failure mode has none either.
pub(crate) fn settle(hook: &Hook, run: &HookRun) -> Settled {
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
    let NoVerdict { cause, detail } = failure;
    if hook.on_failure == FailureMode::Block && *cause != Cause::Untrusted {
        let text = format!(
            "hook {} gave no verdict ({cause}): {detail}. Its failure mode is `block`, so the call \
             is refused until a person mends it",
            hook.id
        );
        let text = bounded(&text, MAX_REASON_CHARS);
        return Settled {
            verdict: HookVerdict::Deny(text.clone()),
            notice: Some(text),
            blocked: true,
        };
    }
    let notice = format!(
        "hook {} gave no verdict ({cause}): {detail}. The call was not judged by it",
        hook.id
    );
    Settled {
        verdict: HookVerdict::Allow,
        notice: Some(bounded(&notice, MAX_REASON_CHARS)),
        blocked: false,
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
