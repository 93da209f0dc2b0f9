// Makes session files with real agent clients of several versions, against a scripted model, and
// checks that Hookward reads exactly the calls that the model asked for, each once, however often a
// session was resumed or forked.
//
//   node transcripts.mjs PATH_OF_READER [--only NAME] [--keep DIR]
//
// The reader prints the calls of a folder as JSON lines: `target/release/examples/calls`, which
// `cargo build --release -p hookward-replay --example calls` makes. `--keep` copies the session files
// to a folder. Each client has a home and a project of its own in a temporary folder; no account is
// needed, no other host is reached.

import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";

import { startModel } from "./model-server.mjs";

const RUN_LIMIT_MS = 60_000;
const MODULES = process.env.CLIENT_MODULES ?? path.join(path.dirname(fileURLToPath(import.meta.url)), "node_modules");

const bash = (command) => ({ name: "Bash", input: { command, description: "check" } });

/** Claude Code: a session with a subagent, resumed, then forked. */
function claudeCode(name, program, subagentTool) {
  const child = { description: "check", prompt: "CHILD", subagent_type: "general-purpose" };
  return {
    name,
    program,
    sessions: ".claude/projects",
    scripts: ({ project }) => [
      { prompt: "CHILD", steps: [bash("echo child")] },
      {
        prompt: "FIRST",
        steps: [
          bash("echo first"),
          { name: "Write", input: { file_path: path.join(project, "a.txt"), content: "caf\u00e9 \ud83d\ude00\n" } },
          { name: subagentTool, input: child },
        ],
      },
      { prompt: "SECOND", steps: [bash("echo second")] },
      { prompt: "THIRD", steps: [bash("echo third"), bash("echo third > b.txt")] },
    ],
    env: (model) => ({
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
    }),
    async drive(start) {
      const run = async (...args) =>
        JSON.parse(
          await start("-p", ...args, "--output-format", "json", "--allowedTools", `Bash,Write,${subagentTool}`),
        ).session_id;
      const session = await run("FIRST");
      await run("SECOND", "--resume", session);
      await run("THIRD", "--resume", session, "--fork-session");
    },
  };
}

const PATCH = "*** Begin Patch\n*** Add File: a.txt\n+caf\u00e9\n*** End Patch\n";

/** Codex: a session with commands and a patch, resumed, then forked where the version can. */
function codex(name, shell, { patch, forks = false }) {
  const command = (text) => ({ ...shell(text), expect: { command: text } });
  return {
    name,
    program: [process.execPath, `${MODULES}/${name}/bin/codex.js`],
    sessions: ".codex/sessions",
    scripts: () => [
      { prompt: "FIRST", steps: [command("echo first"), { ...patch(PATCH), expect: { command: PATCH } }] },
      { prompt: "SECOND", steps: [command("echo second")] },
      { prompt: "THIRD", steps: [command("echo third"), command("echo third > b.txt")] },
    ],
    env: () => ({ CHECK_KEY: "none" }),
    async prepare({ home }, model) {
      const config = [
        'model = "gpt-5"',
        'model_provider = "check"',
        "[model_providers.check]",
        'name = "check"',
        `base_url = "${model.url}/v1"`,
        'wire_api = "responses"',
        'env_key = "CHECK_KEY"',
      ];
      await mkdir(path.join(home, ".codex"));
      await writeFile(path.join(home, ".codex/config.toml"), config.join("\n"));
    },
    async drive(start, { home }) {
      const flags = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
      await start(...flags, "FIRST");
      const files = await readdir(path.join(home, ".codex/sessions"), { recursive: true });
      const session = files.join("\n").match(/rollout-.*?-([0-9a-f]{8}-[0-9a-f-]{27})\.jsonl/)[1];
      await start(...flags, "resume", session, "SECOND");
      if (forks) await start(...flags, "fork", session, "THIRD");
    },
  };
}

/** Gemini CLI: a session, resumed where the version can. */
function geminiCli(name, entry, { flags = [], resumes = true } = {}) {
  const shell = (command) => ({ name: "run_shell_command", input: { command, description: "check" } });
  return {
    name,
    program: [process.execPath, `${MODULES}/${name}/${entry}`],
    sessions: ".gemini/tmp",
    scripts: ({ project }) => [
      {
        prompt: "FIRST",
        steps: [
          shell("echo first"),
          { name: "write_file", input: { file_path: path.join(project, "a.txt"), content: "caf\u00e9\n" } },
        ],
      },
      { prompt: "SECOND", steps: [shell("echo second")] },
    ],
    env: (model) => ({ GOOGLE_GEMINI_BASE_URL: model.url, GEMINI_API_KEY: "none", GEMINI_CLI_NO_RELAUNCH: "true" }),
    async prepare({ home }) {
      await mkdir(path.join(home, ".gemini"));
      const security = { auth: { selectedType: "gemini-api-key" } };
      const settings = { security, privacy: { usageStatisticsEnabled: false }, general: { disableAutoUpdate: true } };
      await writeFile(path.join(home, ".gemini/settings.json"), JSON.stringify(settings));
    },
    async drive(start) {
      const common = ["-m", "gemini-2.5-pro", "--yolo", ...flags];
      await start(...common, "-p", "FIRST");
      if (resumes) await start(...common, "--resume", "latest", "-p", "SECOND");
    },
  };
}

const CLIENTS = [
  claudeCode("claude-code-1", [process.execPath, `${MODULES}/claude-code-1/cli.js`], "Task"),
  claudeCode("claude-code-2", [process.execPath, `${MODULES}/claude-code-2/cli.js`], "Task"),
  claudeCode("claude-code", [nativeClaude()], "Agent"),
  codex("codex-0-44", (text) => ({ name: "shell", input: { command: ["bash", "-lc", text] } }), {
    patch: (text) => ({ name: "shell", input: { command: ["apply_patch", text] } }),
  }),
  codex("codex-0-98", (text) => ({ name: "shell_command", input: { command: text } }), {
    patch: (text) => ({ name: "apply_patch", text }),
  }),
  codex("codex-0-171", (text) => ({ name: "exec_command", input: { cmd: text } }), {
    patch: (text) => ({ name: "apply_patch", text }),
    forks: true,
  }),
  geminiCli("gemini-0-20", "dist/index.js"),
  geminiCli("gemini-0-29", "dist/index.js"),
  geminiCli("gemini-0-61", "bundle/gemini.js", { flags: ["--skip-trust"] }),
];

/** The native program of Claude Code's package, which works without its install script. */
function nativeClaude() {
  const require = createRequire(path.join(MODULES, "x.js"));
  const musl = process.report?.getReport?.()?.header?.glibcVersionRuntime === undefined ? "-musl" : "";
  const name = `@anthropic-ai/claude-code-linux-${process.arch}${musl}`;
  return path.join(path.dirname(require.resolve(`${name}/package.json`)), "claude");
}

async function main() {
  const options = { only: { type: "string" }, keep: { type: "string" } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [reader] = positionals;
  if (!reader) {
    console.error("usage: node transcripts.mjs PATH_OF_READER [--only NAME] [--keep DIR]");
    return 1;
  }
  const chosen = CLIENTS.filter(({ name }) => !values.only || name === values.only);
  let failed = 0;
  for (const client of chosen) {
    const problem = await check(client, await realpath(reader), values.keep);
    failed += problem ? 1 : 0;
    console.log(problem ? `FAILED ${client.name}\n${problem}` : `passed ${client.name}`);
  }
  console.log(`${chosen.length - failed} passed, ${failed} failed`);
  return failed === 0 && chosen.length > 0 ? 0 : 1;
}

/** Drives a client in a world of its own; resolves to what went wrong, or undefined. */
async function check(client, reader, keep) {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), "hookward transcripts-")));
  const world = { home: path.join(root, "home"), project: path.join(root, "project") };
  const scripts = client.scripts(world);
  const model = await startModel(scripts);
  try {
    await mkdir(world.home);
    await mkdir(world.project);
    await client.prepare?.(world, model);
    const env = { PATH: process.env.PATH, HOME: world.home, LANG: "C.UTF-8", ...client.env(model) };
    const [program, ...first] = client.program;
    await client.drive((...args) => run(program, [...first, ...args], { cwd: world.project, env }), world);
    if (keep) await cp(path.join(world.home, client.sessions), path.join(keep, client.name), { recursive: true });
    const lines = await run(reader, ["--cwd", world.project, path.join(world.home, client.sessions)], { cwd: root, env });
    const found = lines.trim().split("\n").filter(Boolean).map((line) => JSON.parse(line));
    return difference([...model.asked.values()], found, world);
  } catch (error) {
    return String(error.stack ?? error);
  } finally {
    await model.close();
    await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** What of the calls that were asked for was not found, and what was found beside them. */
function difference(asked, found, { project }) {
  const rest = [...found];
  const missing = asked.filter((call) => {
    const at = rest.findIndex(
      ({ tool, native, input, cwd }) =>
        [tool, native].includes(call.name) && cwd === project && isDeepStrictEqual(input, call.expect ?? call.input),
    );
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
  if (asked.length > 1 && missing.length === 0 && rest.length === 0) return undefined;
  return JSON.stringify({ asked: asked.length, found: found.length, missing, unexpected: rest }, null, 2);
}

/** Runs a program to its end; resolves to what it printed. Its process group ends with it or at the limit. */
function run(program, args, { cwd, env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    const output = { stdout: "", stderr: "" };
    const end = () => {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // Nobody is left in the group.
      }
    };
    const limit = setTimeout(end, RUN_LIMIT_MS);
    for (const name of ["stdout", "stderr"]) {
      child[name].setEncoding("utf8").on("data", (text) => {
        output[name] = (output[name] + text).slice(-1_000_000);
      });
    }
    child.once("error", (error) => {
      clearTimeout(limit);
      reject(error);
    });
    child.once("exit", end);
    child.once("close", (status, signal) => {
      clearTimeout(limit);
      if (status === 0) return resolve(output.stdout);
      const said = `${output.stdout.slice(-2_000)}\n${output.stderr.slice(-2_000)}`;
      return reject(new Error(`${program} ${args.join(" ")}: ${status ?? signal}\n${said}`));
    });
  });
}

process.exitCode = await main();
