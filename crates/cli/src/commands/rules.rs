//! `hookward rules test`: all that is wrong with policy files, in one run: their errors, and the tests
//! of their hooks that do not come out. Rules of untrusted files are run, too, as they can do nothing
//! but judge; programs are started only if they are trusted and it is asked for.

use std::process::ExitCode;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::{HookRun, SourceKind, bounded, escape_for_display};
use hookward_engine::Gate;
use hookward_engine::audit::MemoryAudit;
use hookward_policy::{
    CheckedFile, Diagnostic, Handler, Hook, HookTest, Project, Severity, Snapshot, check_file,
    limits,
};
use hookward_process::Abort;
use serde_json::{Value, json};

use super::trial::{NO_VERDICT, Stage, Trial};
use crate::args::Rules;
use crate::context;
use crate::error::CliError;
use crate::output::{Output, Tone, counted};
use crate::world::World;

/// Longest call of a test that is shown, in characters.
const MAX_SHOWN_CALL: usize = 200;

pub(crate) fn run(world: &World, action: &Rules, output: &Output) -> Result<ExitCode, CliError> {
    let Rules::Test {
        files,
        run_commands,
    } = action;
    let files = if files.is_empty() {
        in_force(world)
    } else {
        let given = files.iter().map(|path| File::given(path, world));
        given.collect::<Result<_, _>>()?
    };
    let programs = run_commands.then(|| Programs::new(world)).transpose()?;
    let mut reports = Vec::new();
    for file in &files {
        let report = Report::of(file, programs.as_ref())?;
        report.show(output);
        reports.push(report);
    }
    let sum = |count: fn(&Report) -> usize| reports.iter().map(count).sum::<usize>();
    let (passed, failed) = (
        sum(|report| report.passed),
        sum(|report| report.failures.len()),
    );
    let (skipped, errors) = (sum(|report| report.skipped), sum(Report::errors));
    let ok = failed == 0 && errors == 0;
    output.document(&json!({
        "ok": ok, "passed": passed, "failed": failed, "skipped": skipped, "errors": errors,
        "files": reports.iter().map(Report::document).collect::<Vec<_>>(),
    }))?;
    let tone = if ok { Tone::Good } else { Tone::Bad };
    let (tests, errors) = (
        counted(passed, "test passed", "tests passed"),
        counted(errors, "error", "errors"),
    );
    output.line(output.paint(tone, &format!("{tests}, {failed} failed, {errors}")));
    if skipped > 0 {
        output.say(format!(
            "{} of programs left out; --run-commands runs those of trusted hooks",
            counted(skipped, "test", "tests")
        ));
    }
    Ok(ExitCode::from(u8::from(!ok)))
}

/// A policy file to look at.
struct File {
    path: Utf8PathBuf,
    source: SourceKind,
    project: Project,
}

impl File {
    /// A file that was named: a project's where it lies as one, else one of the user.
    fn given(path: &Utf8Path, world: &World) -> Result<Self, CliError> {
        let whole = context::absolute(path)?;
        let (source, project) = match root_of(&whole) {
            Some(root) => {
                let project = Project::discover(root).map_err(CliError::policy)?;
                (SourceKind::Project, project)
            }
            None => (SourceKind::User, world.project.clone()),
        };
        Ok(Self {
            path: path.to_owned(),
            source,
            project,
        })
    }
}

/// The root of the project whose hooks file this is, by its name alone.
fn root_of(path: &Utf8Path) -> Option<&Utf8Path> {
    let folder = path.ends_with(".maka/hooks.json").then(|| path.parent())?;
    folder?.parent()
}

/// The files of the sources that are there.
fn in_force(world: &World) -> Vec<File> {
    let project = &world.project;
    [
        (SourceKind::User, world.state.hooks_file()),
        (SourceKind::Project, project.hooks_file()),
    ]
    .into_iter()
    .filter(|(_, path)| path.symlink_metadata().is_ok())
    .map(|(source, path)| File {
        path,
        source,
        project: project.clone(),
    })
    .collect()
}

/// Starts the programs of trusted hooks.
struct Programs {
    snapshot: Arc<Snapshot>,
    abort: Abort,
}

impl Programs {
    fn new(world: &World) -> Result<Self, CliError> {
        Ok(Self {
            snapshot: world.snapshot(),
            abort: Abort::new().map_err(CliError::policy)?,
        })
    }

    /// What a program says about its test; `None` if it is not trusted as it is.
    fn run(&self, hook: &Hook, test: &HookTest, stage: &Stage<'_>) -> Option<Trial> {
        let trusted = |other: &&Hook| other.hash == hook.hash && other.trust.may_run();
        let hook = self.snapshot.hooks().iter().find(trusted)?;
        let environment = context::hook_environment();
        let gate = Gate::new(&environment, Arc::new(MemoryAudit::default()));
        let call = stage.call(test);
        let judgement = gate.judge(&self.snapshot, &call, &self.abort).ok()?;
        let mut runs = judgement.runs.iter();
        let run = runs.find(|run| run.hash == hook.hash && run.source == hook.source);
        Some(match run.map(|run| &run.run) {
            None => Trial {
                got: "allow",
                why: vec!["its matcher does not cover the call".to_owned()],
            },
            Some(HookRun::Decided(verdict)) => Trial {
                got: verdict.as_str(),
                why: Vec::new(),
            },
            Some(HookRun::NoVerdict(failure)) => Trial {
                got: NO_VERDICT,
                why: vec![escape_for_display(&failure.detail)],
            },
        })
    }
}

/// A test that did not come out.
struct Failure {
    hook: Hook,
    test: HookTest,
    trial: Trial,
}

/// What was found about one file.
struct Report {
    path: String,
    source: SourceKind,
    diagnostics: Vec<Diagnostic>,
    failures: Vec<Failure>,
    passed: usize,
    skipped: usize,
}

impl Report {
    fn of(file: &File, programs: Option<&Programs>) -> Result<Self, CliError> {
        let bytes = context::read_bounded(&file.path, limits::MAX_FILE_BYTES)
            .map_err(CliError::file("reading", &file.path))?;
        let CheckedFile { diagnostics, hooks } = check_file(&bytes, file.source, &file.project);
        let home = context::home().ok();
        let stage = Stage {
            project: &file.project.root,
            home: home.as_deref(),
            now: jiff::Timestamp::now(),
        };
        let mut report = Self {
            path: file.path.to_string(),
            source: file.source,
            diagnostics,
            failures: Vec::new(),
            passed: 0,
            skipped: 0,
        };
        for hook in &hooks {
            for test in hook.tests() {
                let trial = match &hook.handler {
                    Handler::Rule(handler) => {
                        let rule = handler.rule.as_ref();
                        rule.map(|rule| stage.rule(hook, rule, test))
                    }
                    Handler::Command(_) => {
                        programs.and_then(|programs| programs.run(hook, test, &stage))
                    }
                };
                report.count(hook, test, trial);
            }
        }
        Ok(report)
    }

    fn count(&mut self, hook: &Hook, test: &HookTest, trial: Option<Trial>) {
        match trial {
            None => self.skipped += 1,
            Some(trial) if trial.passes(test) => self.passed += 1,
            Some(trial) => self.failures.push(Failure {
                hook: hook.clone(),
                test: test.clone(),
                trial,
            }),
        }
    }

    fn errors(&self) -> usize {
        let severities = self.diagnostics.iter().map(|found| found.severity);
        severities
            .filter(|severity| *severity == Severity::Error)
            .count()
    }

    fn show(&self, output: &Output) {
        let path = escape_for_display(&self.path);
        output.line(output.paint(Tone::Strong, &path));
        for diagnostic in &self.diagnostics {
            output.diagnostic(&self.path, diagnostic);
        }
        for failure in &self.failures {
            failure.show(&path, output);
        }
    }

    fn document(&self) -> Value {
        json!({
            "path": self.path, "source": self.source, "diagnostics": self.diagnostics,
            "passed": self.passed, "skipped": self.skipped,
            "failures": self.failures.iter().map(Failure::document).collect::<Vec<_>>(),
        })
    }
}

impl Failure {
    fn show(&self, path: &str, output: &Output) {
        let Self { hook, test, trial } = self;
        let at = &test.location;
        output.line(format!(
            "  {} {path}:{}:{}: {} says {}, and {} is expected",
            output.paint(Tone::Bad, "failed"),
            at.line,
            at.column,
            hook.id,
            trial.got,
            test.expect.as_str(),
        ));
        output.line(format!("      at {}", escape_for_display(&at.pointer)));
        let call = format!("{} {}", test.tool.as_str(), test.input.get());
        let call = bounded(&escape_for_display(&call), MAX_SHOWN_CALL);
        output.line(format!("      {call}"));
        for line in &trial.why {
            output.line(format!("      {line}"));
        }
    }

    fn document(&self) -> Value {
        let Self { hook, test, trial } = self;
        let at = &test.location;
        json!({
            "hook": hook.id, "line": at.line, "column": at.column, "pointer": at.pointer,
            "expected": test.expect, "got": trial.got, "why": trial.why,
        })
    }
}
