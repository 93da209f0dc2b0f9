//! The sections of the table, one module each.

mod abort;
mod audit;
mod hook_path;
mod lookup;
mod parallel;
mod payload;
mod policies;
mod probes;
mod resident;
mod rules;
mod start;

use crate::Bench;
use crate::error::BenchError;

/// Measures a few things and adds them to the report.
pub(crate) type Section = fn(&mut Bench) -> Result<(), BenchError>;

/// All sections by name, in the order of the table.
pub(crate) const SECTIONS: &[(&str, Section)] = &[
    ("lookup", lookup::measure),
    ("start", start::measure),
    ("resident", resident::measure),
    ("parallel", parallel::measure),
    ("hook-path", hook_path::measure),
    ("rules", rules::measure),
    ("abort", abort::measure),
    ("payload", payload::measure),
    ("audit", audit::measure),
];
