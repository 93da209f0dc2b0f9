//! The one table, and the same as a document with samples. A target that is missed is shown and
//! never fails a run: time depends on the machine, and a slow machine is no defect.

use std::fmt;

use comfy_table::{Cell, Table, presets};
use serde_json::{Value, json};

use crate::machine::Machine;
use crate::samples::Series;

/// A named series.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) what: String,
    pub(crate) series: Series,
}

/// What a row should reach.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    /// Median over the baseline's median.
    Ratio(f64),
    /// Median, in nanoseconds.
    P50(f64),
    /// 99th percentile, in nanoseconds.
    P99(f64),
}

/// One line of the table.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) baseline: Measured,
    pub(crate) ours: Series,
    pub(crate) targets: Vec<Target>,
}

impl Row {
    /// The median next to that of the baseline.
    fn ratio(&self) -> f64 {
        self.ours.p50() / self.baseline.series.p50()
    }

    fn is_met(&self, target: Target) -> bool {
        match target {
            Target::Ratio(most) => self.ratio() <= most,
            Target::P50(most) => self.ours.p50() <= most,
            Target::P99(most) => self.ours.p99() <= most,
        }
    }

    /// `yes`, `no`, or how many of several.
    fn met(&self) -> String {
        let met = self
            .targets
            .iter()
            .filter(|target| self.is_met(**target))
            .count();
        match (met, self.targets.len()) {
            (_, 0) => String::new(),
            (met, all) if met == all => "yes".to_owned(),
            (0, _) => "no".to_owned(),
            (met, all) => format!("{met} of {all}"),
        }
    }

    fn json(&self) -> Value {
        let targets = self.targets.iter();
        json!({
            "what": self.what,
            "baseline": { "what": self.baseline.what, "times": times(&self.baseline.series) },
            "ours": times(&self.ours),
            "ratio": self.ratio(),
            "targets": targets
                .map(|target| json!({ "target": target.to_string(), "met": self.is_met(*target) }))
                .collect::<Vec<_>>(),
        })
    }
}

fn times(series: &Series) -> Value {
    json!({
        "samples": series.len(),
        "p50_ns": rounded(series.p50()),
        "p90_ns": rounded(series.percentile(90)),
        "p99_ns": rounded(series.p99()),
        "max_ns": rounded(series.percentile(100)),
        "sorted_samples_ns": series.thinned().into_iter().map(rounded).collect::<Vec<_>>(),
    })
}

/// To a tenth of a nanosecond, and to a nanosecond where that is less than a thousandth.
fn rounded(ns: f64) -> f64 {
    if ns < 1e3 {
        (ns * 10.0).round() / 10.0
    } else {
        ns.round()
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ratio(most) => write!(f, "≤ {most} ×"),
            Self::P50(most) => write!(f, "p50 ≤ {}", Time(*most)),
            Self::P99(most) => write!(f, "p99 ≤ {}", Time(*most)),
        }
    }
}

/// Nanoseconds for a person: three digits and a unit.
struct Time(f64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, unit) = match self.0 {
            ns if ns < 1e3 => (ns, "ns"),
            ns if ns < 1e6 => (ns / 1e3, "µs"),
            ns => (ns / 1e6, "ms"),
        };
        let digits = match value {
            value if value.fract() == 0.0 || value >= 100.0 => 0,
            value if value >= 10.0 => 1,
            _ => 2,
        };
        write!(f, "{value:.digits$} {unit}")
    }
}

/// Everything a run has found.
#[derive(Debug, Default)]
pub(crate) struct Report {
    rows: Vec<Row>,
    notes: Vec<String>,
}

impl Report {
    /// Adds a line, and says on standard error that it is done: a full run takes minutes.
    pub(crate) fn add(&mut self, row: Row) {
        crate::progress(&format!("{}: {}", row.what, Time(row.ours.p50())));
        self.rows.push(row);
    }

    /// Adds a sentence below the table.
    pub(crate) fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// The table and the notes, as Markdown.
    pub(crate) fn markdown(&self) -> String {
        let mut table = Table::new();
        table.load_style(presets::ASCII_MARKDOWN);
        table.set_header([
            "what", "baseline", "p50", "p99", "ours p50", "ours p99", "ratio", "target", "met",
        ]);
        for row in &self.rows {
            let (base, ours) = (&row.baseline.series, &row.ours);
            let targets: Vec<String> = row.targets.iter().map(ToString::to_string).collect();
            let times = [base.p50(), base.p99(), ours.p50(), ours.p99()];
            let times = times.map(|ns| Cell::new(Time(ns)));
            table.add_row(
                [Cell::new(&row.what), Cell::new(&row.baseline.what)]
                    .into_iter()
                    .chain(times)
                    .chain([
                        Cell::new(format!("{:.2}", row.ratio())),
                        Cell::new(targets.join(", ")),
                        Cell::new(row.met()),
                    ]),
            );
        }
        let notes = self.notes.iter().map(|note| format!("\n- {note}"));
        format!("{table}\n{}\n", notes.collect::<String>())
    }

    /// The same with samples, as a JSON document with one line for each row.
    pub(crate) fn json(&self, machine: &Machine, short: bool) -> String {
        let rows: Vec<String> = self.rows.iter().map(|row| row.json().to_string()).collect();
        let (machine, notes) = (json!(machine), json!(self.notes));
        format!(
            "{{\"schema_version\":1,\n\"machine\":{machine},\n\"short\":{short},\n\"notes\":{notes},\n\
             \"rows\":[\n{}\n]}}\n",
            rows.join(",\n")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(targets: Vec<Target>) -> Row {
        let series = |ns: f64| Series::new(vec![ns; 3]);
        let baseline = Measured {
            what: "base".to_owned(),
            series: series(100.0),
        };
        Row {
            what: "row".to_owned(),
            baseline,
            ours: series(130.0),
            targets,
        }
    }

    #[test]
    fn targets_are_met_up_to_their_bound_and_not_beyond() {
        use Target::{P50, P99, Ratio};
        for (targets, met) in [
            (vec![], ""),
            (vec![Ratio(1.3)], "yes"),
            (vec![Ratio(1.29)], "no"),
            (vec![P50(130.0), P99(129.0)], "1 of 2"),
            (vec![P50(129.0), P99(129.0)], "no"),
        ] {
            assert_eq!(row(targets.clone()).met(), met, "{targets:?}");
        }
    }

    #[test]
    fn table_and_document_say_the_same() {
        let mut report = Report::default();
        report.add(row(vec![Target::Ratio(1.05), Target::P99(1e6)]));
        report.note("a note");
        let text = report.markdown();
        let line = text.lines().find(|line| line.contains("row")).unwrap();
        for part in ["100 ns", "130 ns", "1.30", "≤ 1.05 ×, p99 ≤ 1 ms", "1 of 2"] {
            assert!(line.contains(part), "{part} in {line}");
        }
        assert!(text.ends_with("- a note\n"));
        let document = report.json(&Machine::look(), true);
        let document: Value = serde_json::from_str(&document).unwrap();
        assert_eq!(document["rows"][0]["ours"]["p50_ns"], 130.0);
        assert_eq!(document["rows"][0]["targets"][0]["met"], false);
        assert_eq!(document["rows"][0]["targets"][1]["met"], true);
    }

    #[test]
    fn times_have_a_unit_that_fits() {
        for (ns, text) in [
            (0.5, "0.50 ns"),
            (50.0, "50 ns"),
            (1_300_000.0, "1.30 ms"),
            (62_340.0, "62.3 µs"),
            (1_300.5, "1.30 µs"),
        ] {
            assert_eq!(Time(ns).to_string(), text);
        }
    }
}
