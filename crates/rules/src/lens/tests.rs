//! Tables: tool and input to effects.

use crate::effect::{Canonical, Effect, Unresolvable};
use crate::observation::{Files, NoFiles};
use crate::testing::{FakeFiles, call, effects};

/// An effect in a line: `write /w/p/a`, `delete /w/p/a **`, `network host`, `opaque unknown_host`.
fn line(effect: &Effect) -> String {
    let kind = effect.kind().as_str();
    match effect {
        Effect::Path(path) => {
            let pattern = if path.pattern { " pattern" } else { "" };
            let tree = if path.tree { " **" } else { "" };
            format!("{kind} {}{pattern}{tree}", path.path)
        }
        Effect::Network(network) => format!("{kind} {}", network.host.as_deref().unwrap_or("?")),
        Effect::Mcp { server, tool } => format!("{kind} {server}/{tool}"),
        Effect::Agent { agent_type } => format!("{kind} {}", agent_type.as_deref().unwrap_or("?")),
        Effect::Exec(exec) => format!("{kind} {}", exec.raw),
        Effect::Opaque(opaque) => format!("{kind} {}", opaque.cause),
    }
}

fn lines_with(tool: &str, input: &str, files: &dyn Files) -> Vec<String> {
    let effects = effects(&call(tool, input), files);
    effects.all().iter().map(line).collect()
}

fn lines(tool: &str, input: &str) -> Vec<String> {
    lines_with(tool, input, &NoFiles)
}

/// Checks a table with a line for each call: the tool, its input, `=>` and the effects, with `; `
/// between them.
fn check(table: &str) {
    let rows = table.lines().map(str::trim).filter(|row| !row.is_empty());
    for row in rows {
        let (tool, rest) = row.split_once(' ').expect(row);
        let (input, expected) = rest.split_once("=>").expect(row);
        assert_eq!(lines(tool, input).join("; "), expected.trim(), "{row}");
    }
}

#[test]
fn tools_for_files() {
    check(
        r#"
        Read {"file_path":"/etc/hosts"} => read /etc/hosts
        Read {"file_path":"../x","offset":3} => read /w/x
        Read {"file_path":"~/.ssh/id"} => read /home/me/.ssh/id
        Read {"file_path":" a"} => read /w/p/a; read /w/p/ a
        Read {"file_path":"~root/x"} => opaque unknown_path
        Write {"file_path":"a","content":"/etc/passwd"} => write /w/p/a
        Write {"path":"a","file_path":"b","content":""} => write /w/p/a; write /w/p/b
        Edit {"file_path":"a","old_string":"/x","new_string":"/y"} => write /w/p/a
        MultiEdit {"file_path":"a","edits":[{"old_string":"x","new_string":"y"}]} => write /w/p/a
        NotebookEdit {"notebook_path":"/n.ipynb","new_source":"x"} => write /n.ipynb
        LSP {"operation":"hover","filePath":"a.rs","line":1} => read /w/p/a.rs
        read_file {"absolute_path":"/a"} => read /a
        read_files {"paths":["a","b"]} => read /w/p/a; read /w/p/b
        read_files {"files":[{"path":"a","lines":[1,2]},{"path":"b"}]} => read /w/p/a; read /w/p/b
        fs_read {"operations":[{"mode":"Line","path":"a"}]} => read /w/p/a
        read_many_files {"paths":["a","src/**/*.rs"]} => read /w/p/a; read /w/p/src **
        write_file {"file_path":"a","content":"x"} => write /w/p/a
        create_file {"filePath":"a","content":"x"} => write /w/p/a
        replace {"file_path":"a","instruction":"x"} => write /w/p/a
        multi_replace_string_in_file {"replacements":[{"filePath":"a"},{"filePath":"b"}]} => write /w/p/a; write /w/p/b
        str_replace_editor {"command":"view","path":"/a"} => read /a
        str_replace_editor {"command":"create","path":"/a","file_text":"x"} => write /a
        str_replace_editor {"command":["view"],"path":"/a"} => write /a
        fs_write {"command":"append","path":"a","new_str":"x"} => write /w/p/a
        delete_file {"target_file":"a"} => delete /w/p/a **
        move_file {"source":"a","destination":"b"} => delete /w/p/a **; write /w/p/b **
        copy_file {"from":"a","to":"b"} => read /w/p/a **; write /w/p/b **
        "#,
    );
}

#[test]
fn known_tools_with_an_input_of_another_shape_are_opaque() {
    for tool in [
        "Read",
        "Write",
        "Edit",
        "NotebookEdit",
        "delete_file",
        "apply_patch",
        "read_many_files",
    ] {
        for input in [
            "{}",
            "7",
            "null",
            "[]",
            r#"{"file_path":7}"#,
            r#"{"file_path":null}"#,
            r#"{"x":"a"}"#,
            r#"{"file_path":{"a":true}}"#,
        ] {
            let found = lines(tool, input);
            assert!(
                found.contains(&"opaque unknown_input".to_owned()),
                "{tool} {input} {found:?}"
            );
        }
    }
    check(
        r#"
        Bash {} => opaque unknown_input
        Bash {"command":7} => opaque unknown_input
        Glob {"path":"a"} => opaque unknown_input
        Grep {"pattern":"x","path":7} => opaque unknown_input; read /w/p **
        WebFetch {"url":7} => opaque unknown_host
        WebSearch {} => network ?; opaque unknown_input
        Agent {"subagent_type":7} => opaque unknown_input; agent ?
        Agent {"subagent_type":"a","agent":"b"} => agent a; agent b
        Batch {"calls":{}} => opaque unknown_input
        WriteStdin {"data":7} => opaque unknown_input
        "#,
    );
}

#[test]
fn tools_that_search() {
    check(
        r#"
        LS {} => read /w/p
        list_files {"path":"a","recursive":true} => read /w/p/a **
        Grep {"pattern":"/etc/x"} => read /w/p **
        Grep {"query":"x","target_directories":["/a"]} => read /a **
        Grep {"pattern":"x","path":"/a"} => read /a **
        Glob {"pattern":"*.rs"} => read /w/p/*.rs pattern
        Glob {"pattern":"a.rs","path":"src"} => read /w/p/src/a.rs
        Glob {"pattern":"/etc/*/x"} => read /etc/*/x pattern
        Glob {"pattern":"/**"} => read / **
        Glob {"pattern":"../../*"} => read /* pattern
        Glob {"pattern":"src/**"} => read /w/p/src **
        Glob {"pattern":"{a,b}/*.rs","path":"/c"} => read /c **
        Glob {"pattern":"src/**/*.rs"} => read /w/p/src/*.rs pattern; read /w/p/src/*/*.rs pattern; read /w/p/src/*/*/*.rs pattern; read /w/p/src/*/*/*/*.rs pattern
        "#,
    );
}

const PATCH: &str = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+*** Delete File: no\n *** Add \
    File: no\n*** Add File: b.txt\n+y\n*** Delete File: c.txt\n*** Update File: .env\n*** End Patch\n";
const TARGETS: &str = "write /w/p/a.txt; write /w/p/b.txt; delete /w/p/c.txt; write /w/p/.env";

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Cases B119 and B121: a patch names all its files, in whichever field it comes.
#[test]
fn b119_b121_every_file_of_a_patch_is_a_target() {
    let patch = json(PATCH);
    for (tool, input) in [
        ("apply_patch", format!(r#"{{"patch":{patch}}}"#)),
        ("apply_patch", format!(r#"{{"input":{patch}}}"#)),
        ("apply_patch", format!(r#"{{"command":{patch}}}"#)),
        (
            "apply_patch",
            format!(r#"{{"command":["apply_patch",{patch}]}}"#),
        ),
        ("apply_patch", patch.clone()),
        ("ApplyPatch", format!(r#"{{"patchText":{patch}}}"#)),
        ("some_tool", format!(r#"{{"text":{patch}}}"#)),
    ] {
        assert_eq!(lines(tool, &input).join("; "), TARGETS, "{tool} {input}");
    }
    // A shell runs the lines of a text that it is given, patch or not.
    for input in [
        format!(r#"{{"command":{patch},"cmd":"git log"}}"#),
        format!(r#"{{"command":["apply_patch",{patch}],"cmd":"git log"}}"#),
    ] {
        let found = lines("shell", &input).join("; ");
        assert!(found.starts_with(TARGETS), "{found}");
        assert!(found.ends_with("exec git log"), "{found}");
    }
    let kinds = effects(&call("apply_patch", &patch), &NoFiles).kinds();
    assert!(kinds.has(crate::EffectKind::Write) && kinds.has(crate::EffectKind::Delete));
}

#[test]
fn patches_in_every_form() {
    for (patch, expected) in [
        (
            "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n*** End Patch",
            "delete /w/p/a; write /w/p/b",
        ),
        (
            "<<'EOF'\n  *** Begin Patch\n  *** Add File: a\n+x\nEOF",
            "write /w/p/a",
        ),
        (
            "*** Begin Patch\r\n*** Delete File: /a b\r\n*** End Patch",
            "delete /a b",
        ),
        ("*** Begin Patch\n*** End Patch", "opaque unknown_input"),
        ("hello", "opaque unknown_input"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "write /w/p/x"),
        (
            "--- x/y\t2026-01-01\n+++ x/y\t2026-01-02\n",
            "write /w/p/x/y",
        ),
        ("--- /dev/null\n+++ b/x\n@@\n+a", "write /w/p/x"),
        ("--- a/x\n+++ /dev/null\n", "delete /w/p/x"),
        ("--- x\n+++ y\n", "write /w/p/y; write /w/p/x"),
        (
            "diff --git a/x b/x\nindex 1..2\n--- x/a\n+++ x/a\n",
            "write /w/p/a",
        ),
        (
            "diff --git a/x b/y\nrename from x\nrename to y\n",
            "delete /w/p/x; write /w/p/y",
        ),
        (
            "diff --git a/x b/x\nold mode 1\nnew mode 2\ndiff --git a/y z b/y z\n",
            "write /w/p/x; write /w/p/y z",
        ),
        (
            "--- \"a/\\303\\251 \\\"\"\n+++ \"b/\\303\\251 \\\"\"\n",
            "write /w/p/\u{e9} \"",
        ),
    ] {
        assert_eq!(
            lines("apply_patch", &json(patch)).join("; "),
            expected,
            "{patch}"
        );
    }
    let moved = format!(
        r#"{{"workdir":"sub","patch":{}}}"#,
        json("*** Begin Patch\n*** Add File: a")
    );
    assert_eq!(lines("apply_patch", &moved), ["write /w/p/sub/a"]);
}

#[test]
fn tools_for_the_web_and_for_agents() {
    check(
        r#"
        WebFetch {"url":"https://u@Example.COM.:8/x","prompt":"https://no.example"} => network example.com
        WebFetch {"url":"https://"} => opaque unknown_host
        WebFetch {"url":"file:///etc/passwd"} => read /etc/passwd
        WebFetch {"url":"http://a.example\\@b.example/"} => network a.example; opaque unknown_host
        web_fetch {"prompt":"sum up (https://a.example/x), HTTP://b.example."} => network a.example; network b.example
        web_fetch {"url":"http://a.example","prompt":"see http://b.example"} => network a.example; network b.example
        web_fetch {"prompt":"hello"} => opaque unknown_host
        fetch_webpage {"urls":["https://a.example","https://b.example"]} => network a.example; network b.example
        WebSearch {"query":"x"} => network ?
        Agent {"subagent_type":"Explore","prompt":"rm -rf /"} => agent Explore
        Task {"prompt":"x"} => agent ?
        SendMessage {"to":"a","message":"x"} => agent ?
        Workflow {"script":"x"} => agent ?; opaque tool_calls
        TodoWrite {"todos":[{"content":"/etc/passwd"}]} =>
        BashOutput {"bash_id":"1"} =>
        KillShell {"shell_id":"1"} =>
        "#,
    );
}

#[test]
fn tools_for_programs_are_opaque() {
    check(
        r#"
        exec {"code":"await tools.Bash({})"} => opaque tool_calls
        exec "await tools.Bash({})" => opaque tool_calls
        exec {} => opaque tool_calls
        PowerShell {"command":"rm x"} => opaque code
        python {"code":"x"} => opaque code
        computer {"action":"type","text":"x"} => opaque process_input
        "#,
    );
}

/// Case B115: every call of a batch is read as a call.
#[test]
fn b115_inner_calls_are_calls() {
    check(
        r#"
        Batch {"calls":[{"tool":"Read","input":{"file_path":"a"}},{"tool":"Write","input":{"file_path":"b","content":"x"}}]} => read /w/p/a; write /w/p/b
        batch {"tool_calls":[{"tool":"read","parameters":{"filePath":"a"}},{"tool":"write","parameters":{"filePath":"b"}}]} => read /w/p/a; write /w/p/b
        x {"tool_calls":[{"function":{"name":"Read","arguments":"{\"file_path\":\"a\"}"}},{"name":"Write","file_path":"b"}]} => read /w/p/a; write /w/p/b
        multi_tool_use.parallel {"tool_uses":[{"recipient_name":"functions.Read","parameters":{"file_path":"a"}}]} => read /w/p/a
        Batch {"calls":[{"tool":"apply_patch","input":"*** Begin Patch\n*** Add File: a"}]} => write /w/p/a
        Batch {"calls":[7,{"tool":7},{}]} => opaque tool_calls; opaque tool_calls; opaque tool_calls
        Batch {"calls":[{"tool":"Read","name":"Write","input":{"file_path":"a"}}]} => opaque tool_calls; read /w/p/a
        Batch {"calls":[],"tool_calls":[{"name":"Read","input":{"file_path":"a"}}]} => read /w/p/a
        Batch {"calls":[{"tool":"Batch","input":{"calls":[{"tool":"Read","input":{"file_path":"a"}}]}}]} => read /w/p/a
        "#,
    );
    let mut deep = r#"{"file_path":"a"}"#.to_owned();
    let mut tool = "Write";
    for _ in 0..6 {
        deep = format!(r#"{{"calls":[{{"tool":"{tool}","input":{deep}}}]}}"#);
        tool = "Batch";
    }
    assert_eq!(lines("Batch", &deep), ["opaque tool_calls"]);
}

/// Case B117: what is typed into a process is its own event.
#[test]
fn b117_input_of_a_process_is_opaque() {
    for (tool, input, expected) in [
        ("ExecInput", r#"{"id":1,"data":"git log\n"}"#, true),
        ("WriteStdin", r#"{"data":"y"}"#, true),
        ("write_stdin", r#"{"session_id":1,"chars":"\u0003"}"#, true),
        (
            "mcp__x__interact_with_process",
            r#"{"pid":1,"input":"x"}"#,
            true,
        ),
        ("write_stdin", r#"{"session_id":1,"chars":""}"#, false),
        ("write_stdin", r#"{"session_id":1}"#, false),
    ] {
        let found = lines(tool, input);
        assert_eq!(
            found.contains(&"opaque process_input".to_owned()),
            expected,
            "{tool} {input}"
        );
    }
}

/// Case B117: and what a shell would do with a complete line is told besides.
#[test]
fn b117_complete_lines_are_read_as_a_shell_reads_them() {
    check(
        r#"
        ExecInput {"id":1,"data":"git log\n"} => opaque process_input; exec git log
        WriteStdin {"data":"git log\r"} => opaque process_input; exec git log
        WriteStdin {"data":"git log"} => opaque process_input
        "#,
    );
}

/// Shells of every agent, in every spelling of their input.
#[test]
fn shell_tools_hand_their_text_to_the_shell() {
    check(
        r#"
        Bash {"command":"git log"} => exec git log
        Bash {"command":"git log","cmd":"id"} => exec git log; exec id
        run_shell_command {"command":"git log","directory":7} => opaque unknown_input
        run_commands {"commands":["git log","id"]} => exec git log; exec id
        frobnicate {"cmd":"git log"} => exec git log
        mcp__x__run {"command":"git log"} => mcp x/run; exec git log
        Batch {"calls":[{"tool":"Bash","input":{"command":"git log"}}]} => exec git log
        exec {"command":"git log"} => exec git log
        exec {"command":"git log","code":"x"} => exec git log; opaque tool_calls
        "#,
    );
    let call = call("shell", r#"{"command":["git","log"],"workdir":"sub"}"#);
    let found = effects(&call, &NoFiles);
    let [Effect::Exec(exec)] = found.all() else {
        panic!("{found:?}");
    };
    assert_eq!(
        (exec.program.as_str(), exec.cwd.as_deref()),
        ("git", Some("/w/p/sub".into()))
    );
}

/// Case B123: names of fields are no standard, every string may be a target.
#[test]
fn b123_every_string_of_a_foreign_tool_may_be_a_target() {
    check(
        r#"
        mcp__x__download {"path":"/v1/y","outputPath":"hooks.json"} => mcp x/download; write /v1/y; write /w/p/hooks.json
        mcp__x__get {"a":{"b":[".env","src/x y","no such thing"]}} => mcp x/get; read /w/p/.env
        mcp__x__get {"files":{"src/a.rs":"/b"}} => mcp x/get; read /w/p/src/a.rs; read /b
        mcp__fs__move_file {"source":"a","destination":"b"} => mcp fs/move_file; delete /w/p/a **; write /w/p/a **; write /w/p/b **
        mcp__fs__upload {"x":"~/.ssh/id"} => mcp fs/upload; read /home/me/.ssh/id; write /home/me/.ssh/id
        mcp__fs__list {"path":"Makefile","n":1.5,"v":"1.5","q":"Is it so."} => mcp fs/list; read /w/p/Makefile
        mcp__fs__thing {"path":"a","content":"x"} => mcp fs/thing; read /w/p/a; write /w/p/a
        mcp__web__get {"url":"https://A.example/x","host":"b.example:80","u":"file:///etc/x"} => mcp web/get; network a.example; network b.example; read /etc/x
        mcp__db__query {"dsn":"postgres://u:p@DB/x"} => mcp db/query; network db
        mcp__x__say {"text":"read and/or write\n/etc/passwd"} => mcp x/say
        mcp__ide__executeCode {"code":"x"} => mcp ide/executeCode; opaque code
        mcp__x__eval {"code":"f()"} => mcp x/eval; opaque code
        mcp__x__edit {"command":"view","path":"a"} => mcp x/edit; write /w/p/a
        mcp__x {} => mcp x/
        ReadMcpResourceTool {"server":"s","uri":"file:///a"} => mcp s/resources/read; read /a
        ReadMcpResourceTool {} => opaque tool_calls
        ListMcpResourcesTool {} =>
        frobnicate {"where":"./a"} => read /w/p/a
        save_thing {"where":"./a"} => write /w/p/a
        frobnicate {"what":"a thing"} =>
        "#,
    );
}

/// A tool that nobody knows is a shell if it is given a command.
#[test]
fn commands_of_unknown_tools_are_read_as_a_shell_reads_them() {
    for tool in [
        "frobnicate",
        "mcp__x__run",
        "exec",
        "Bash",
        "shell",
        "exec_command",
    ] {
        for key in ["command", "cmd"] {
            let found = lines(tool, &format!(r#"{{"{key}":"\"$x\""}}"#));
            assert!(
                found.iter().any(|line| line.starts_with("opaque unknown_")),
                "{tool} {found:?}"
            );
            assert!(
                !found.contains(&"opaque unknown_input".to_owned()),
                "{tool} {found:?}"
            );
        }
    }
}

/// Case B154: a file of which it cannot be told which one it is is opaque, never the typed one.
#[test]
fn b154_links_are_followed_or_opaque() {
    let mut files = FakeFiles::with_links(&[
        ("/w/ok/dangling", "/w/keep/new"),
        ("/w/loop", "/w/loop"),
        ("/w/there", "keep"),
    ]);
    files.closed.insert("/w/closed".into());
    files.hard_links.insert("/w/two".into());
    for (tool, key) in [("Write", "file_path"), ("mcp__x__write", "p")] {
        let of = |path: &str| {
            let call = call(tool, &format!(r#"{{"{key}":"{path}"}}"#));
            let effects = effects(&call, &files);
            let canonical = effects.all().iter().find_map(|effect| match effect {
                Effect::Path(path) => Some(path.canonical.clone()),
                _ => None,
            });
            let might = effects.all().iter().any(|effect| {
                matches!(effect, Effect::Opaque(opaque) if opaque.might(crate::EffectKind::Write))
            });
            (canonical.unwrap(), might)
        };
        let known = |path: &str| (Canonical::Known(path.into()), false);
        let unknown = |why| (Canonical::Unknown(why), true);
        assert_eq!(of("/w/ok/dangling"), known("/w/keep/new"));
        assert_eq!(of("/w/there/b"), known("/w/keep/b"));
        assert_eq!(of("/w/keep/new-file"), known("/w/keep/new-file"));
        assert_eq!(of("/w/loop/x"), unknown(Unresolvable::Loop));
        assert_eq!(of("/w/closed/x"), unknown(Unresolvable::NoPermission));
        let shared = (Canonical::Shared("/w/two".into()), true);
        assert_eq!(of("/w/two"), shared);
    }
}

/// A tool may take `..` out of the text, the system follows the link before it: both count.
#[test]
fn parents_after_links_are_two_files() {
    let files = FakeFiles::with_links(&[("/w/p/link", "/other/place"), ("/w/p/there", "/w/keep")]);
    let call = call("Read", r#"{"file_path":"link/../there/x"}"#);
    let effects = effects(&call, &files);
    let canonical: Vec<_> = effects
        .all()
        .iter()
        .filter_map(|effect| match effect {
            Effect::Path(path) => path.canonical.known().map(|path| path.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(canonical, ["/other/there/x", "/w/keep/x"]);
}

/// Case B156: links that mean another file to everyone are opaque to file tools.
#[test]
fn b156_magic_links_are_opaque() {
    for path in [
        "/proc/self/root/w/keep/.env",
        "/proc/self/cwd/.env",
        "/dev/fd/9",
        "/proc/./self/../self/cwd/x",
    ] {
        for tool in ["Read", "mcp__x__get"] {
            let found = lines(tool, &format!(r#"{{"file_path":"{path}"}}"#));
            assert!(
                found.contains(&"opaque unresolvable".to_owned()),
                "{tool} {path} {found:?}"
            );
        }
    }
}

#[test]
fn many_effects_are_cut_and_opaque() {
    let paths = vec!["\"a\""; 1_000_000].join(",");
    let found = lines("read_files", &format!(r#"{{"paths":[{paths}]}}"#));
    assert_eq!(found.len(), crate::collector::MAX_EFFECTS + 1);
    assert_eq!(found.last().unwrap(), "opaque unparsable");
}
