//! Hookward's audit, as it lies in its folder or as it was exported. Records have no inputs, so
//! that nothing in them can be judged again: what was decided then is counted by tool.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Text, check_shape, or_empty};
use crate::skipped::SkipReason;

const MARKS: &[&str] = &["\"time\"", "\"prev\""];

#[derive(Deserialize)]
struct Line<'a> {
    /// The record within a link of the chain.
    #[serde(borrow)]
    record: Option<Record<'a>>,
    #[serde(flatten, borrow)]
    exported: Record<'a>,
}

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    tool_name: Option<Text<'a>>,
    #[serde(borrow)]
    status: Option<Text<'a>>,
}

/// How often a hook was settled in which way, by tool and status.
#[derive(Debug, Default)]
pub(crate) struct AuditCounts(pub(crate) BTreeMap<(String, String), u64>);

impl AuditCounts {
    pub(crate) fn line(&mut self, line: &str) -> Result<(), SkipReason> {
        check_shape(line, MARKS)?;
        let line: Line<'_> = serde_json::from_str(line).map_err(|_| SkipReason::NotJson)?;
        let record = line.record.unwrap_or(line.exported);
        if or_empty(record.kind.as_ref()) == "hook_completed" {
            let tool = or_empty(record.tool_name.as_ref()).to_owned();
            let status = or_empty(record.status.as_ref()).to_owned();
            *self.0.entry((tool, status)).or_default() += 1;
        }
        Ok(())
    }
}
