//! Tests of a whole policy file: call documents in a folder beside it, `hooks.tests/*.json` for
//! `hooks.json`, each with the verdict that all rules of the file together are meant to give.

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::Call;
use hookward_policy::{Expected, Hook};
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::calls;
use super::trial::{NO_VERDICT, Stage};
use crate::context;
use crate::error::CliError;

/// A call and what is expected.
pub(super) struct Fixture {
    pub(super) path: Utf8PathBuf,
    call: Call,
    now: Option<Timestamp>,
    pub(super) expect: Expected,
}

/// What the rules of a file say about a fixture.
pub(super) struct Said {
    pub(super) got: &'static str,
    /// Which rules say more than allow, and why.
    pub(super) why: Vec<String>,
}

/// The fixtures of a policy file, in the order of their names; none where there is no such folder.
pub(super) fn of_file(file: &Utf8Path, project: &Utf8Path) -> Result<Vec<Fixture>, CliError> {
    let folder = file.with_extension("tests");
    let entries = match folder.read_dir_utf8() {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(CliError::file("reading", folder)(error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry.map_err(CliError::file("reading", &folder))?;
        if entry.path().extension() == Some("json") {
            paths.push(entry.into_path());
        }
    }
    paths.sort();
    paths.into_iter().map(|path| read(path, project)).collect()
}

/// A fixture without `cwd` is one of the project, and one with a relative `cwd` of a folder in it.
fn read(path: Utf8PathBuf, project: &Utf8Path) -> Result<Fixture, CliError> {
    let wrong = |message: String| {
        CliError::new(
            format!("{path}: {message}"),
            "a fixture is a call as `hookward test` reads it, with `expect`: allow, ask or deny, and \
             `now` where that matters",
        )
    };
    let bytes = context::read_bounded(&path, calls::MAX_FIXTURE_BYTES)
        .map_err(CliError::file("reading", &path))?;
    let mut document: Map<String, Value> =
        serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
    let expect = document.remove("expect");
    let expect = expect.as_ref().and_then(Value::as_str);
    let expect = Expected::ALL
        .into_iter()
        .find(|known| Some(known.as_str()) == expect)
        .ok_or_else(|| wrong("`expect` is neither allow, ask nor deny".to_owned()))?;
    let now = document.remove("now").map(|now| {
        let now = now.as_str().and_then(|now| now.parse().ok());
        now.ok_or_else(|| wrong("`now` is no RFC 3339 time".to_owned()))
    });
    let now = now.transpose()?;
    let cwd = document.get("cwd").and_then(Value::as_str).unwrap_or("");
    let cwd = project.join(cwd);
    let cwd = cwd.as_str().trim_end_matches('/').to_owned();
    document.insert("cwd".to_owned(), cwd.into());
    let document = serde_json::to_vec(&document).map_err(|error| wrong(error.to_string()))?;
    let call = calls::decoded(&path, &document)?;
    Ok(Fixture {
        path,
        call,
        now,
        expect,
    })
}

impl Fixture {
    /// What the rules among `hooks` say. Programs are left out.
    pub(super) fn run(&self, hooks: &[Hook], stage: &Stage<'_>) -> Said {
        let mut said = Said {
            got: "allow",
            why: Vec::new(),
        };
        for hook in hooks.iter().filter(|hook| hook.enabled) {
            let Some(rule) = hook.rule().and_then(|handler| handler.rule.as_ref()) else {
                continue;
            };
            let trial = stage.judge(hook, rule, &self.call, self.now, &[]);
            if strictness(trial.got) > strictness(said.got) {
                said.got = trial.got;
            }
            if trial.got != "allow" {
                said.why.push(format!("{} says {}", hook.id, trial.got));
                said.why
                    .extend(trial.why.iter().map(|line| format!("  {line}")));
            }
        }
        said
    }
}

/// The order in which verdicts win.
fn strictness(verdict: &str) -> usize {
    let order = ["allow", "ask", "deny", NO_VERDICT];
    order
        .iter()
        .position(|known| *known == verdict)
        .unwrap_or(0)
}
