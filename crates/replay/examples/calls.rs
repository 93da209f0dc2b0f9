//! Prints the calls of histories as JSON lines: `calls [--cwd FOLDER] PATH…`. What it prints can be
//! read back as a history of its own. What was not read goes to standard error.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it prints")]

use std::process::ExitCode;

use camino::Utf8PathBuf;
use hookward_replay::{Histories, ReadOptions};
use serde_json::json;

fn main() -> ExitCode {
    let mut paths: Vec<Utf8PathBuf> = std::env::args().skip(1).map(Utf8PathBuf::from).collect();
    let mut cwd = Utf8PathBuf::from("/");
    if paths.len() > 1 && paths[0] == "--cwd" {
        cwd = paths.remove(1);
        paths.remove(0);
    }
    let mut histories = Histories::open(&paths, ReadOptions { format: None, cwd });
    for recorded in histories.by_ref() {
        let call = &recorded.call;
        let line = json!({
            "tool": call.tool, "native": call.native_tool, "input": call.input.raw(),
            "cwd": call.cwd, "session": call.session_id, "at": recorded.at,
            "agent_id": call.agent_id, "id": call.tool_use_id, "outcome": recorded.outcome,
            "file": recorded.place.file.as_str(), "line": recorded.place.line,
        });
        println!("{line}");
    }
    let skipped = histories.skipped();
    for one in &skipped {
        eprintln!("{}: {} ({})", one.file, one.reason, one.count);
    }
    eprintln!("{} copies", histories.repeated());
    if skipped.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
