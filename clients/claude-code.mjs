// Drives the real Claude Code against a scripted model and checks that it asks the hook and obeys.
//
//   node claude-code.mjs PATH_OF_HOOKWARD
//   node claude-code.mjs --stand-in PATH_OF_A_HOOK_PROGRAM
//
// A stand-in is registered as it is, called with `hook claude-code`; it has to deny every call in
// whose payload `forbidden` occurs, with the reason `blocked by the check`. `CLAUDE_CODE` names
// another client than the one that `npm install` put here. Nothing outside of a temporary folder is
// read or written, no account is needed, no other host is reached.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";

import { startModel, toolResults } from "./model-server.mjs";

const RUN_LIMIT_MS = 90_000;
const REASON = "blocked by the check";

/** A policy in plain shell, as a person would write it, that also keeps what it was shown. */
const POLICY = `#!/bin/sh
payload=$(cat)
printf '%s' "$payload" > "$0.payload"
case "$payload" in
  *forbidden*) echo "${REASON}" >&2; exit 2 ;;
  *doubtful*) echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse",
    "permissionDecision": "ask", "permissionDecisionReason": "is this wanted?"}}' ;;
esac
`;

const bash = (command) => ({ name: "Bash", input: { command, description: "check" } });

/**
 * Each case: what the model asks for, how the client is started, and what must be true after.
 * `at.file(name)` is a path in the project, `at.shell(name)` the same as a word of a command line.
 */
const CASES = [
  {
    name: "a denied call does not run and the model reads why",
    steps: (at) => [bash(`touch ${at.shell("forbidden")}`)],
    check: ({ exists, results }) =>
      !exists("forbidden") && results.length === 1 && results[0].isError && results[0].text.includes(REASON),
  },
  {
    name: "an allowed call runs",
    steps: (at) => [bash(`touch ${at.shell("fine")}`)],
    check: ({ exists, results }) => exists("fine") && results.length === 1 && !results[0].isError,
  },
  {
    name: "a call after a denied one is judged on its own",
    steps: (at) => [bash(`touch ${at.shell("forbidden")}`), bash(`touch ${at.shell("fine")}`)],
    check: ({ exists, results }) => !exists("forbidden") && exists("fine") && results.length === 2,
  },
  {
    name: "a denied Write leaves no file",
    steps: (at) => [{ name: "Write", input: { file_path: at.file("forbidden"), content: "x" } }],
    check: ({ exists, results }) => !exists("forbidden") && results[0]?.text.includes(REASON),
  },
  {
    name: "a denied call of a subagent does not run",
    steps: () => [
      {
        name: "Agent",
        input: { description: "check", prompt: "CHILD", subagent_type: "general-purpose", run_in_background: false },
      },
    ],
    childSteps: (at) => [bash(`touch ${at.shell("forbidden")}`), bash(`touch ${at.shell("fine")}`)],
    check: ({ exists, results }) =>
      !exists("forbidden") && exists("fine") && results.some(({ text }) => text.includes(REASON)),
  },
  {
    name: "a denial holds where permissions are bypassed",
    args: ["--dangerously-skip-permissions"],
    // The client refuses this mode to root outside of a sandbox.
    env: { IS_SANDBOX: "1" },
    steps: (at) => [bash(`touch ${at.shell("forbidden")}`), bash(`touch ${at.shell("fine")}`)],
    check: ({ exists, results }) =>
      !exists("forbidden") && exists("fine") && results[0]?.text.includes(REASON),
  },
];

const FAITHFUL = {
  command: "true # 7960607143101464577 \u00e9 \ud83d\ude00 for\u200bbidden\ttab",
  timeout: 60000,
  description: "check",
};

/** Cases that need the program itself, not a stand-in. */
const WITH_HOOKWARD = [
  {
    name: "a question that nobody can answer is a denial with the question's text",
    steps: (at) => [bash(`touch ${at.shell("doubtful")}`)],
    check: ({ exists, results }) => !exists("doubtful") && results[0]?.text.includes("is this wanted?"),
  },
  {
    name: "the hook is shown the input that the model wrote",
    steps: () => [{ name: "Bash", input: FAITHFUL }],
    check: async ({ payload, results }) =>
      !results[0]?.isError && isDeepStrictEqual((await payload()).tool_input, FAITHFUL),
  },
  {
    name: "uninstalled, the settings are as before and the client runs everything",
    before: (hookward) => hookward("uninstall", "claude-code", "--scope", "user"),
    steps: (at) => [bash(`touch ${at.shell("forbidden")}`)],
    check: async ({ exists, settings }) => exists("forbidden") && (await settings()) === SETTINGS_BEFORE,
  },
];

/** What the person had in the settings before. */
const SETTINGS_BEFORE = '{\n  "env": { "CHECK": "1" }\n}\n';

async function main() {
  const [first, second] = process.argv.slice(2);
  const standIn = first === "--stand-in" ? second : undefined;
  const program = standIn ?? first;
  if (!program || program.startsWith("--")) {
    console.error("usage: node claude-code.mjs PATH_OF_HOOKWARD | --stand-in PATH_OF_A_HOOK_PROGRAM");
    return 1;
  }
  const client = process.env.CLAUDE_CODE ?? installedClient();
  const version = await run(client, ["--version"], { env: { PATH: process.env.PATH, HOME: tmpdir() } });
  console.log(`client: ${version.stdout.trim()}`);
  const cases = standIn ? CASES : [...CASES, ...WITH_HOOKWARD];
  let failed = 0;
  for (const one of cases) {
    const problem = await runCase(one, { client, program: await realpath(program), standIn });
    failed += problem ? 1 : 0;
    console.log(problem ? `FAILED ${one.name}\n${problem}` : `passed ${one.name}`);
  }
  console.log(`${cases.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** The native program of the package, which works without the package's install script. */
function installedClient() {
  const require = createRequire(import.meta.url);
  const musl = process.report?.getReport?.()?.header?.glibcVersionRuntime === undefined ? "-musl" : "";
  const suffix = process.platform === "linux" ? musl : "";
  const name = `@anthropic-ai/claude-code-${process.platform}-${process.arch}${suffix}`;
  return path.join(path.dirname(require.resolve(`${name}/package.json`)), "claude");
}

/** Runs a case in a world of its own; resolves to what went wrong, or undefined. */
async function runCase(one, { client, program, standIn }) {
  // A blank in the path: nothing on the way may split it.
  const root = await realpath(await mkdtemp(path.join(tmpdir(), "hookward check-")));
  const world = makeWorld(root);
  const file = (name) => path.join(world.project, name);
  const at = { file, shell: (name) => `'${file(name)}'` };
  const model = await startModel([
    { prompt: "CHILD", steps: one.childSteps?.(at) ?? [] },
    { prompt: "PARENT", steps: one.steps(at) },
  ]);
  const hookward = (...args) =>
    mustRun(program, [...world.flags, ...args], { cwd: world.project, env: world.env });
  try {
    await (standIn ? registerStandIn(world, program) : registerHookward(world, hookward));
    await one.before?.(hookward);
    const args = ["-p", "PARENT", ...(one.args ?? ["--allowedTools", "Bash,Write,Agent"])];
    const env = { ...world.env, ...one.env, ANTHROPIC_BASE_URL: model.url };
    const outcome = await run(client, args, { cwd: world.project, env });
    const results = toolResults(model.requests);
    const holds = await one.check({
      exists: (name) => existsSync(file(name)),
      results,
      settings: () => readFile(world.settings, "utf8"),
      payload: async () => JSON.parse(await readFile(`${world.policy}.payload`, "utf8")),
    });
    if (holds && outcome.status === 0) return undefined;
    return JSON.stringify({ ...outcome, results }, null, 2);
  } catch (error) {
    return String(error.stack ?? error);
  } finally {
    await model.close();
    await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

function makeWorld(root) {
  const home = path.join(root, "home");
  const project = path.join(root, "project");
  const state = path.join(root, "state");
  return {
    home,
    project,
    state,
    settings: path.join(home, ".claude/settings.json"),
    policy: path.join(root, "policy.sh"),
    flags: ["--state-root", state, "--project", project],
    env: {
      PATH: process.env.PATH,
      HOME: home,
      LANG: "C.UTF-8",
      HOOKWARD_STATE_ROOT: state,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
    },
  };
}

async function makeFolders(world) {
  await mkdir(path.dirname(world.settings), { recursive: true });
  await mkdir(world.project);
}

async function registerStandIn(world, program) {
  await makeFolders(world);
  const handler = { type: "command", command: program, args: ["hook", "claude-code"], timeout: 60, onFailure: "block" };
  const hooks = { PreToolUse: [{ matcher: "*", hooks: [handler] }] };
  await writeFile(world.settings, JSON.stringify({ hooks }));
}

async function registerHookward(world, hookward) {
  await makeFolders(world);
  await writeFile(world.settings, SETTINGS_BEFORE);
  await writeFile(world.policy, POLICY, { mode: 0o700 });
  await hookward("init", "--empty");
  const handler = { id: "check", type: "command", command: world.policy, onFailure: "block" };
  const hooks = { version: 2, hooks: { PreToolUse: [{ matcher: "*", hooks: [handler] }] } };
  await writeFile(path.join(world.state, "hooks.json"), JSON.stringify(hooks), { mode: 0o600 });
  await hookward("trust", "--all", "--yes");
  await hookward("install", "claude-code", "--scope", "user");
}

async function mustRun(program, args, options) {
  const outcome = await run(program, args, options);
  if (outcome.status !== 0) throw new Error(`${program} ${args.join(" ")}: ${JSON.stringify(outcome)}`);
  return outcome;
}

/** Runs a program in a process group of its own, which ends with it or at the limit. */
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
        output[name] = (output[name] + text).slice(-4_000);
      });
    }
    child.once("error", (error) => {
      clearTimeout(limit);
      reject(error);
    });
    child.once("exit", end);
    child.once("close", (status, signal) => {
      clearTimeout(limit);
      resolve({ status, signal, ...output });
    });
  });
}

process.exitCode = await main();
