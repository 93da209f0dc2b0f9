//! `hookward explain`: what a call would do, and why each rule does or does not fire for it. The
//! verdict is that of `hookward test`.

use std::process::ExitCode;

use serde_json::json;

use super::{test, why};
use crate::args;
use crate::error::CliError;
use crate::output::{Output, Tone};
use crate::world::World;

pub(crate) fn run(
    world: &World,
    options: &args::Test,
    output: &Output,
) -> Result<ExitCode, CliError> {
    test::judge_all(world, options, output, |gate, snapshot, call, document| {
        let explanation = gate.explain(snapshot, call);
        let effects = &explanation.effects;
        output.line(output.paint(Tone::Strong, "effects"));
        if effects.is_empty() {
            output.line("  none that is known of");
        }
        for effect in effects {
            output.line(format!("  {}", why::effect(effect, call, output)));
        }
        output.line(output.paint(Tone::Strong, "rules"));
        if explanation.rules.is_empty() {
            output.line("  none");
        }
        let mut rules = Vec::new();
        for rule in &explanation.rules {
            let finding = why::Finding::of(rule.hook, rule.covered, rule.judged.as_ref(), effects);
            finding.show(output);
            rules.push(finding.document());
        }
        document["effects"] = json!(effects);
        document["rules"] = json!(rules);
    })
}
