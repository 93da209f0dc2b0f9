//! `hookward demo`: a policy in a temporary folder, from its first review to the edit that costs it
//! its trust. Real files, real processes, the same code as for an agent; nothing outside of the
//! folder is touched, and it is removed at the end.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::process::ExitCode;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::{Call, ToolInput, ToolName, Verdict, join_reasons};
use hookward_engine::audit::verify;
use hookward_engine::{Gate, Judgement};
use hookward_policy::{Consent, Project, StateRoot};
use hookward_process::Abort;
use serde_json::{Value, json};

use super::{review, trust};
use crate::context;
use crate::error::CliError;
use crate::output::{Output, Tone, escape_lines};
use crate::world::World;

const SCRIPT: &str = include_str!("../../assets/work-hours.sh");
const PUSH: &str = "git push origin main";

struct Demo<'a> {
    world: World,
    clock: Utf8PathBuf,
    script: Utf8PathBuf,
    output: &'a Output,
    steps: Vec<(String, bool)>,
}

pub(crate) fn run(output: &Output) -> Result<ExitCode, CliError> {
    let folder = tempfile::tempdir().map_err(CliError::file("creating", "a temporary folder"))?;
    let root = folder
        .path()
        .canonicalize()
        .ok()
        .and_then(|path| Utf8PathBuf::from_path_buf(path).ok())
        .ok_or_else(|| CliError::new("the temporary folder has no UTF-8 path", "set TMPDIR"))?;
    let mut demo = Demo::set_up(&root, output)?;
    demo.play()?;
    let failed = demo.steps.iter().filter(|(_, ok)| !ok).count();
    output.document(&json!({
        "ok": failed == 0,
        "steps": demo.steps.iter().map(|(name, ok)| json!({"name": name, "ok": ok})).collect::<Vec<_>>(),
    }))?;
    let total = demo.steps.len();
    output.line(format!(
        "\n{} of {total} steps went as they should",
        total - failed
    ));
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

impl<'a> Demo<'a> {
    fn set_up(root: &Utf8Path, output: &'a Output) -> Result<Self, CliError> {
        let (state, clock, project) =
            (root.join("state"), root.join("clock"), root.join("project"));
        for path in [&state, &clock, &project.join(".git")] {
            fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(path)
                .map_err(CliError::file("creating", path))?;
        }
        let script = state.join("work-hours.sh");
        write(&script, SCRIPT)?;
        fs::set_permissions(&script, fs::Permissions::from_mode(0o700))
            .map_err(CliError::file("writing", &script))?;
        let world = World {
            state: StateRoot::new(state),
            project: Project::discover(&project).map_err(CliError::policy)?,
        };
        let demo = Self {
            world,
            clock,
            script,
            output,
            steps: Vec::new(),
        };
        demo.write_policy(1, &json!({}))?;
        Ok(demo)
    }

    /// Writes the policy as a file of this version, with fields more.
    fn write_policy(&self, version: u32, more: &Value) -> Result<(), CliError> {
        let mut hook = json!({
            "id": "work-hours", "type": "command", "command": self.script, "args": [self.clock],
        });
        for (field, value) in more.as_object().into_iter().flatten() {
            hook[field] = value.clone();
        }
        let file = json!({
            "version": version,
            "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]},
        });
        let text = serde_json::to_string_pretty(&file).map_err(CliError::policy)?;
        write(&self.world.state.hooks_file(), &text)
    }

    fn play(&mut self) -> Result<(), CliError> {
        self.title("A new policy does nothing before it was reviewed");
        self.hour(19)?;
        let judged = self.judge(PUSH)?;
        self.expect(
            "unreviewed: goes on, and says so",
            &judged,
            "allow",
            "never reviewed",
        );

        self.title("Review it, then trust exactly this definition");
        self.trust()?;

        self.title("It is 14:00");
        self.hour(14)?;
        let judged = self.judge(PUSH)?;
        self.expect("in work hours: no objection", &judged, "allow", "");

        self.title("It is 19:00");
        self.hour(19)?;
        let judged = self.judge(PUSH)?;
        self.expect(
            "after hours: denied, with the policy's own words",
            &judged,
            "deny",
            "after 18:00",
        );
        let judged = self.judge("cargo test")?;
        self.expect(
            "after hours: other commands are not its business",
            &judged,
            "allow",
            "",
        );

        self.title("The policy breaks: its clock is gone");
        let hour = self.clock.join("hour");
        fs::remove_file(&hour).map_err(CliError::file("removing", &hour))?;
        let judged = self.judge(PUSH)?;
        self.expect(
            "broken: goes on, loudly (onFailure: \"block\" would deny)",
            &judged,
            "allow",
            "no verdict",
        );

        self.title("Somebody edits the script: `exit 2` becomes `exit 0`");
        self.hour(19)?;
        write(&self.script, &SCRIPT.replace("exit 2", "exit 0"))?;
        let judged = self.judge(PUSH)?;
        self.expect(
            "edited: not run any more until it is reviewed again",
            &judged,
            "allow",
            "changed since it was reviewed",
        );

        self.title("A guard that has to hold: the script is restored, and onFailure is `block`");
        write(&self.script, SCRIPT)?;
        self.write_policy(2, &json!({"onFailure": "block"}))?;
        self.trust()?;
        write(&self.script, &SCRIPT.replace("exit 2", "exit 0"))?;
        let judged = self.judge(PUSH)?;
        self.expect(
            "edited again: denied until a person looks at it",
            &judged,
            "deny",
            "changed since it was reviewed",
        );

        let report = verify(&self.world.state.audit_dir()).map_err(CliError::policy)?;
        let records = report.records;
        self.output.say(format!(
            "\nThe audit holds {records} chained records and no word of any call."
        ));
        if let Some(problem) = report.problem {
            self.steps.push((format!("audit: {}", problem.what), false));
        }
        Ok(())
    }

    fn title(&self, text: &str) {
        self.output
            .say(format!("\n{}", self.output.paint(Tone::Strong, text)));
    }

    fn hour(&self, hour: u32) -> Result<(), CliError> {
        write(&self.clock.join("hour"), &hour.to_string())
    }

    fn trust(&self) -> Result<(), CliError> {
        let snapshot = self.world.snapshot();
        for hook in snapshot.hooks() {
            let review = snapshot.review(hook).map_err(CliError::policy)?;
            review::show(&review, &snapshot, self.output);
            trust::grant(&self.world, &[review], Consent::Hooks, self.output)?;
        }
        Ok(())
    }

    fn judge(&self, command: &str) -> Result<Judgement, CliError> {
        let input = json!({"command": command}).to_string();
        let tool = ToolName::try_from("Bash").map_err(CliError::policy)?;
        let input = ToolInput::parse(&input).map_err(CliError::policy)?.0;
        let cwd = self.world.project.root.clone();
        let call = Call::hand_written("demo", tool, input, cwd);
        let gate = Gate::new(&context::hook_environment(), Arc::new(self.world.audit()));
        let abort = Abort::new().map_err(CliError::policy)?;
        self.output.say(format!("  Bash: {command}"));
        gate.judge(&self.world.snapshot(), &call, &abort)
            .map_err(CliError::policy)
    }

    /// Shows what happened and notes whether it is what should have.
    fn expect(&mut self, name: &str, judged: &Judgement, verdict: &str, words: &str) {
        let tone = if judged.verdict == Verdict::Allow {
            Tone::Good
        } else {
            Tone::Bad
        };
        let said = join_reasons(judged.verdict.reasons());
        let shown = self.output.paint(tone, judged.verdict.as_str());
        self.output
            .say(format!("  {shown}  {}", escape_lines(&said)).trim_end());
        let notices = judged.all_notices();
        for notice in &notices {
            self.output.say(format!(
                "  {} {}",
                self.output.paint(Tone::Warning, "notice:"),
                escape_lines(notice)
            ));
        }
        let everything = format!("{said}\n{}", notices.join("\n"));
        let ok = judged.verdict.as_str() == verdict
            && everything.contains(words)
            && (words.is_empty() == everything.trim().is_empty());
        let mark = if ok {
            self.output.paint(Tone::Good, "as it should be")
        } else {
            self.output.paint(Tone::Bad, "UNEXPECTED")
        };
        self.output
            .line(format!("  [{}] {name}: {mark}", self.steps.len() + 1));
        self.steps.push((name.to_owned(), ok));
    }
}

fn write(path: &Utf8Path, text: &str) -> Result<(), CliError> {
    let mut options = fs::OpenOptions::new();
    let file = options
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(CliError::file("writing", path))
}
