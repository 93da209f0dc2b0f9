//! The report on a terminal.

use comfy_table::{CellAlignment, Table, presets};
use hookward_contract::escape_for_display;
use hookward_replay::{Difference, Example, Report, RuleRow};

use super::policy::Policy;
use crate::output::{Output, Tone, counted};

/// Rows of a table that are shown; `--json` and `--html` have more.
const MAX_ROWS: usize = 15;

pub(super) fn report(report: &Report, policy: &Policy, output: &Output) {
    summary(report, policy, output);
    if let Some(difference) = &report.difference {
        self::difference(difference, output);
    }
    rules(report, policy, output);
    let tools = report.tools.iter();
    let tools = tools.map(|row| (row.tool.as_str(), [row.calls, row.denied, row.asked]));
    counts("TOOL", tools, output);
    let objected = report
        .sessions
        .iter()
        .filter(|row| row.denied + row.asked > 0);
    let sessions = objected.map(|row| (row.session.as_str(), [row.calls, row.denied, row.asked]));
    counts("SESSION", sessions, output);
    audit(report, output);
    skipped(report, output);
}

fn number(count: u64, one: &str, many: &str) -> String {
    counted(usize::try_from(count).unwrap_or(usize::MAX), one, many)
}

fn summary(report: &Report, policy: &Policy, output: &Output) {
    let span = match (report.first, report.last) {
        (Some(first), Some(last)) => format!(", {first:.0} to {last:.0}"),
        _ => String::new(),
    };
    output.say(format!("Policy: {}", escape_for_display(&policy.name)));
    output.line(format!(
        "{} in {} of {}{span}",
        number(report.calls, "call", "calls"),
        number(report.session_count, "session", "sessions"),
        number(report.files, "file", "files"),
    ));
    output.line(format!(
        "  {}  {}  {}",
        output.paint(Tone::Bad, &format!("{} denied", report.denied)),
        output.paint(Tone::Warning, &format!("{} asked", report.asked)),
        output.paint(Tone::Good, &format!("{} allowed", report.allowed)),
    ));
    let notes = [
        (
            report.repeated,
            "copies in resumed or forked sessions, not counted again",
        ),
        (
            report.left_out,
            "left out: older than wanted, or without a date",
        ),
        (
            report.unknown_cwd,
            "do not say in which folder they were made; judged as if made here",
        ),
    ];
    for (count, what) in notes.iter().filter(|(count, _)| *count > 0) {
        output.say(output.paint(Tone::Faint, &format!("  {count} {what}")));
    }
}

fn difference(difference: &Difference, output: &Output) {
    output.line(format!(
        "\n{} another verdict, {} the same",
        number(difference.changed, "call has", "calls have"),
        difference.same
    ));
    for group in &difference.groups {
        let rules: Vec<String> = group
            .rules
            .iter()
            .map(|rule| format!("{} ({})", rule.rule, rule.calls))
            .collect();
        output.line(format!(
            "  {} -> {}: {}  {}",
            group.from,
            group.to,
            number(group.calls, "call", "calls"),
            output.paint(Tone::Faint, &rules.join(", "))
        ));
        examples(&group.examples, output);
    }
}

fn rules(report: &Report, policy: &Policy, output: &Output) {
    if report.rules.is_empty() {
        output.line("\nNo hook had anything to say about these calls.");
        return;
    }
    output.line("");
    for rule in &report.rules {
        let words = effects(rule, output);
        output.line(format!(
            "{}  {}",
            output.paint(Tone::Strong, &rule.rule),
            words.join(", ")
        ));
        examples(&rule.examples, output);
    }
    if policy.leaves_out_programs() && report.rules.iter().any(|rule| rule.not_judged > 0) {
        output.say(
            "Hooks that are programs were not started. --run-commands starts those in force that \
             you trust.",
        );
    }
}

fn effects(rule: &RuleRow, output: &Output) -> Vec<String> {
    let words = [
        (rule.denied, Tone::Bad, "denied"),
        (rule.asked, Tone::Warning, "asked"),
        (rule.would_deny, Tone::Warning, "would be denied (shadow)"),
        (rule.would_ask, Tone::Warning, "would be asked (shadow)"),
        (rule.failed, Tone::Bad, "failed"),
        (rule.not_judged, Tone::Faint, "not judged"),
    ];
    let said = words.iter().filter(|(count, ..)| *count > 0);
    said.map(|(count, tone, word)| output.paint(*tone, &format!("{count} {word}")))
        .collect()
}

fn examples(examples: &[Example], output: &Output) {
    for one in examples {
        output.line(format!("    {}  {}", one.tool, one.shown));
        output.say(output.paint(Tone::Faint, &format!("      {}:{}", one.file, one.line)));
    }
}

fn counts<'a>(title: &str, rows: impl Iterator<Item = (&'a str, [u64; 3])>, output: &Output) {
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return;
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([title, "CALLS", "DENIED", "ASKED"]);
    for (name, [calls, denied, asked]) in rows.iter().take(MAX_ROWS) {
        let row = [calls, denied, asked].map(ToString::to_string);
        let name = if name.is_empty() { "(not named)" } else { name };
        table.add_row(std::iter::once(name.to_owned()).chain(row));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    output.line("");
    output.line(table.trim_fmt());
    if rows.len() > MAX_ROWS {
        output.say(format!("  and {} more", rows.len() - MAX_ROWS));
    }
}

fn audit(report: &Report, output: &Output) {
    if report.audit.is_empty() {
        return;
    }
    output.line("\nFrom the audit, which keeps no inputs, so that nothing in it was judged again:");
    for row in &report.audit {
        output.line(format!("  {}  {} {}", row.tool, row.records, row.status));
    }
}

fn skipped(report: &Report, output: &Output) {
    if report.skipped.is_empty() {
        return;
    }
    let heading = format!(
        "{} not or not wholly read:",
        number(report.skipped.len() as u64, "file was", "files were")
    );
    output.line(format!("\n{}", output.paint(Tone::Warning, &heading)));
    for one in report.skipped.iter().take(MAX_ROWS) {
        let place = one
            .first_line
            .map_or_else(String::new, |line| format!(":{line}"));
        let count = match one.first_line {
            Some(_) => format!("{} ", one.count),
            None => String::new(),
        };
        let file = escape_for_display(&one.file);
        output.line(format!("  {file}{place}  {count}{}", one.reason));
    }
    if report.skipped.len() > MAX_ROWS {
        output.say(format!("  and {} more", report.skipped.len() - MAX_ROWS));
    }
}
