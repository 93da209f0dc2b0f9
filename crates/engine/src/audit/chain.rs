//! The line format of the chain: one place that writes it and one that reads it.

use hookward_contract::sha256_hex;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::AuditRecord;

/// The `prev` of the very first line.
pub(super) const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Where the chain ends: the last sequence number and its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Link {
    pub(super) seq: u64,
    pub(super) hash: String,
}

impl Link {
    pub(super) fn genesis() -> Self {
        Self {
            seq: 0,
            hash: GENESIS.to_owned(),
        }
    }

    /// Appends `record` as a line to `out` and returns the new end of the chain.
    pub(super) fn append(
        &self,
        record: &AuditRecord,
        out: &mut String,
    ) -> serde_json::Result<Self> {
        let text = serde_json::to_string(record)?;
        let next = Self {
            seq: self.seq + 1,
            hash: link_hash(&self.hash, self.seq + 1, &text),
        };
        out.push_str(&line_text(next.seq, &self.hash, &next.hash, &text));
        out.push('\n');
        Ok(next)
    }
}

fn line_text(seq: u64, prev: &str, hash: &str, record: &str) -> String {
    format!(r#"{{"seq":{seq},"prev":"{prev}","hash":"{hash}","record":{record}}}"#)
}

fn link_hash(prev: &str, seq: u64, record: &str) -> String {
    sha256_hex(format!("{prev}\n{seq}\n{record}").as_bytes())
}

/// A line as it stands in the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line<'a> {
    pub(super) seq: u64,
    pub(super) prev: String,
    pub(super) hash: String,
    #[serde(borrow)]
    pub(super) record: &'a RawValue,
}

impl<'a> Line<'a> {
    /// Reads one line; `None` where it is not one, byte for byte as it is written, or its hash does
    /// not fit its content.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let line: Self = serde_json::from_str(text).ok()?;
        let record = line.record.get();
        let holds = line.hash == link_hash(&line.prev, line.seq, record)
            && text == line_text(line.seq, &line.prev, &line.hash, record);
        holds.then_some(line)
    }

    pub(super) fn link(&self) -> Link {
        Link {
            seq: self.seq,
            hash: self.hash.clone(),
        }
    }
}
