//! The command line.

use camino::Utf8PathBuf;
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Policy hooks between AI agents and their tools.
#[derive(Debug, Parser)]
#[command(
    name = "hookward",
    version,
    max_term_width = 100,
    after_help = "Start here: hookward init, then hookward review, hookward trust --all, hookward \
                  install claude-code.\nExit codes: 0 done or allowed, 1 failed, 2 denied, 3 nobody \
                  could be asked, 4 no verdict from a hook that must give one."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command takes.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Folder of your own hooks, trust and audit [default: ~/.hookward]
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "HOOKWARD_STATE_ROOT",
        hide_env_values = true
    )]
    pub(crate) state_root: Option<Utf8PathBuf>,
    /// A folder of the project [default: the current directory]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) project: Option<Utf8PathBuf>,
    /// Print JSON for programs on standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print results only, no explanations
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ColorChoice {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create the folder of your hooks, with a first policy to review
    Init(Init),
    /// Show every hook of every source, with its state
    List {
        /// Refuse (exit 4) if a source is broken or a hook is not trusted
        #[arg(long)]
        require_trusted: bool,
    },
    /// Show the exact definitions that wait for your trust
    Review {
        /// Hooks to show, by id or hash [default: all that are not trusted]
        hooks: Vec<String>,
        /// Show trusted hooks too
        #[arg(long)]
        all: bool,
    },
    /// Trust exact definitions, after you have reviewed them
    Trust(Trust),
    /// Take trust back
    Revoke {
        /// Hooks, by hash (its first 8 digits or more) or by id
        #[arg(required_unless_present = "workspace", value_name = "HOOKS")]
        hashes: Vec<String>,
        /// Take back the trust in this project as a whole
        #[arg(long)]
        workspace: bool,
    },
    /// Switch a hook on in its file
    Enable {
        /// The hook's id, or `source/id` where two sources use it
        id: String,
    },
    /// Switch a hook off in its file
    Disable {
        /// The hook's id, or `source/id` where two sources use it
        id: String,
    },
    /// Judge a call without ever running its tool; nothing is recorded
    Test(Test),
    /// Say what a call would do, and why each rule does or does not fire
    Explain(Test),
    /// Check rules
    Rules {
        #[command(subcommand)]
        action: Rules,
    },
    /// Let the protection of Hookward's own files sleep for a while; hooks stay awake
    Nap {
        /// How long, from 1 minute to 8 hours: 10m, 1h 30m [default: say whether it sleeps]
        #[arg(value_name = "TIME", num_args = 0.., conflicts_with = "end")]
        time: Vec<String>,
        /// Wake it
        #[arg(long)]
        end: bool,
    },
    /// Say what a policy would have done about what agents did so far; no tool is run
    Replay(Replay),
    /// Look for everything that keeps a policy from holding, and say what to do
    Doctor {
        /// Put a broken trust store aside, so that a new one can be started
        #[arg(long)]
        set_aside_trust: bool,
    },
    /// What an agent starts: read its payload, judge it, answer in its protocol
    #[command(after_help = "Exit codes are those of the agent's own protocol.")]
    Hook {
        /// The agent: claude-code
        agent: String,
    },
    /// Register Hookward as the hook of an agent
    Install(Install),
    /// Take Hookward out of an agent's settings
    Uninstall(Install),
    /// Read the record of what hooks decided
    Audit {
        #[command(subcommand)]
        action: Audit,
    },
    /// Print a JSON Schema
    Schema {
        /// Which document
        what: SchemaName,
    },
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Watch a policy being reviewed, trusted, obeyed and tampered with, in a temporary folder
    Demo,
}

#[derive(Debug, Args)]
pub(crate) struct Init {
    /// Create a file for the hooks of this project instead: .maka/hooks.json
    #[arg(long)]
    pub(crate) project_hooks: bool,
    /// Without the example policy
    #[arg(long)]
    pub(crate) empty: bool,
    /// Add these policies of the library in place of the example
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        conflicts_with = "empty"
    )]
    pub(crate) with: Vec<String>,
    /// Show the library and change nothing
    #[arg(long, conflicts_with_all = ["with", "empty"])]
    pub(crate) list: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Rules {
    /// Run the tests that hooks bring along, and report all that is wrong with their files
    #[command(after_help = "Exit codes: 0 all is well, 1 a file is broken or a test failed.")]
    Test {
        /// Files in the form of hooks.json [default: those in force here]
        files: Vec<Utf8PathBuf>,
        /// Start the programs of trusted hooks, too
        #[arg(long)]
        run_commands: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Trust {
    /// Hooks, by hash (its first 8 digits or more), by id or by source/id
    #[arg(value_name = "HOOKS")]
    pub(crate) hashes: Vec<String>,
    /// Every hook that waits; after a question, the hooks of this project and it, too
    #[arg(long, conflicts_with = "hashes")]
    pub(crate) all: bool,
    /// Trust this project too, so that its hooks can be trusted
    #[arg(long)]
    pub(crate) workspace: bool,
    /// Trust what this reviewed list allows
    #[arg(long, value_name = "FILE", conflicts_with_all = ["hashes", "all"])]
    pub(crate) lockfile: Option<Utf8PathBuf>,
    /// Write what is trusted here as such a list
    #[arg(long, value_name = "FILE", conflicts_with_all = ["hashes", "all", "lockfile"])]
    pub(crate) export: Option<Utf8PathBuf>,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Test {
    /// Files that hold a call, as a hook would read it
    #[arg(conflicts_with = "tool")]
    pub(crate) fixtures: Vec<Utf8PathBuf>,
    /// Name of the tool, for example Bash
    #[arg(long, requires = "input")]
    pub(crate) tool: Option<String>,
    /// Its input as JSON, for example '{"command": "git push"}'
    #[arg(long, value_name = "JSON", requires = "tool")]
    pub(crate) input: Option<String>,
    /// The folder in which the tool would run [default: the project, or what the file says]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<Utf8PathBuf>,
    /// The time that rules see, RFC 3339: 2026-03-02T19:30:00+01:00 [default: now]
    #[arg(long, value_name = "TIME")]
    pub(crate) now: Option<jiff::Timestamp>,
    /// Refuse (exit 4) if a source is broken or a matching hook is not trusted
    #[arg(long)]
    pub(crate) require_trusted: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 done, 1 nothing could be read.")]
pub(crate) struct Replay {
    /// Histories: files, or folders of them [default: those of the agents in your home directory]
    pub(crate) paths: Vec<Utf8PathBuf>,
    /// Try the hooks of this file [default: those in force here]
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<Utf8PathBuf>,
    /// Say where the hooks of this file would have decided otherwise
    #[arg(long, value_name = "FILE")]
    pub(crate) against: Option<Utf8PathBuf>,
    /// Who wrote the histories: claude-code, codex, gemini-cli, audit or calls [default: told by
    /// what is in each file]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<hookward_replay::Format>,
    /// Write the report as one page
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<Utf8PathBuf>,
    /// Different calls to show for each rule
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) examples: usize,
    /// Leave out calls before this date, and those without one: 2026-03-01 or
    /// 2026-03-01T18:00:00Z
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub(crate) since: Option<jiff::Timestamp>,
    /// Start the programs of trusted hooks, too: one process for each call and hook
    #[arg(long)]
    pub(crate) run_commands: bool,
}

/// A day, from its beginning in UTC, or a point in time.
fn date(text: &str) -> Result<jiff::Timestamp, String> {
    let midnight = || format!("{text}T00:00:00Z").parse();
    let wanted = "a date is written 2026-03-01 or 2026-03-01T18:00:00Z";
    text.parse()
        .or_else(|_: jiff::Error| midnight())
        .map_err(|_: jiff::Error| wanted.to_owned())
}

#[derive(Debug, Args)]
pub(crate) struct Install {
    /// The agent: claude-code
    pub(crate) agent: String,
    /// Whose settings
    #[arg(long, default_value = "user")]
    pub(crate) scope: Scope,
    /// Show the change without making it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// Your own settings: every project
    User,
    /// The settings of this project
    Project,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Audit {
    /// The newest records
    Tail {
        /// How many
        #[arg(long, short = 'n', default_value_t = 20)]
        lines: usize,
    },
    /// Check that no record was cut or changed; exit 1 at the first broken link
    Verify,
    /// Every record that is kept, as JSON lines
    Export,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaName {
    /// hooks.json
    Config,
    /// What a hook reads
    Payload,
    /// What a hook may answer
    Answer,
}
