//! Words: quotes, expansions, names of files.

use super::{Generator, Manner};

const TEXTS: &[&str] = &[
    "push", "status", "one", "a-b", "x.y", "-f", "--all", "n=1", "10", "k:v", "é",
];

const TAME: &[&str] = &[
    "@t",
    "@t",
    "@t",
    "'@t'",
    "\"@t\"",
    "\\@t",
    "\"$@n\"",
    "${@n}",
    "$@n",
    "\"${@n}\"",
    "@t'@t'",
    "'a b'",
    "\"@t $@n\"",
    "$'@t'",
    "$'a\\tb'",
    "{@t,@t}",
    "@t{1..3}",
    "x\"y\"z",
    "''",
    "'*'",
    "\"it's\"",
    "~/@t",
    "pu\\\nsh",
    "\"$PWD\"",
    "a\\ b",
    "'$@n'",
    "\\$@n",
    "@t=@t",
    "\"$HOME/@t\"",
    "'{a,b}'",
    "{a}",
    "@t#@t",
];

const WILD: &[&str] = &[
    "$(word)",
    "\"$(two)\"",
    "$(two)",
    "`word`",
    "\"`two`\"",
    "$(@c)",
    "\"$(@c)\"",
    "`alpha @t`",
    "$((1+2))",
    "$((@n))",
    "$((@n=3))",
    "$((@n++))",
    "${@n:-@w}",
    "${@n-@w}",
    "${@n:=@w}",
    "${@n=@t}",
    "${@n:+@w}",
    "${@n:?}",
    "\"${@n:-'@t'}\"",
    "\"${@n:-@t $(beta)}\"",
    "${#@n}",
    "${@n#p}",
    "${@n%%h}",
    "${@n/s/t}",
    "${@n//[a-z]/@t}",
    "${@n:1}",
    "${@n:0:2}",
    "${@n^^}",
    "${@n,}",
    "${@n@Q}",
    "${!@n}",
    "${!p*}",
    "$@",
    "\"$@\"",
    "$*",
    "\"$*\"",
    "$1",
    "\"$2\"",
    "${10}",
    "$#",
    "$?",
    "$0",
    "$_",
    "\"a$@b\"",
    "d*",
    "*.sh",
    "[ds]1",
    "?1",
    "\"d\"*",
    "[d\"1\"]1",
    "d[1\"2\"]",
    "<(@c)",
    "<(alpha)",
    "{@w,@w}",
    "@t{@t,{1..2}}",
    "{a..c}{x,y}",
    "{3..1..2}",
    "{01..3}",
    "~",
    "~+",
    "~root",
    "@t:~/x",
    "@t=~/x",
    "${@n[0]}",
    "${@n[@]}",
    "\"${@n[@]}\"",
    "${@n[*]}",
    "$GIVEN",
    "\"$GIVEN\"",
    "${GIVEN#* }",
    "$'\\x70ush'",
    "$'\\u0070ush'",
    "$'a\\'b'",
    "$\"@t\"",
    "$IFS",
    "a$IFS@t",
    "${@n}${@n}",
    "$@n@t",
    "@t$@n",
    "\"@w\"",
    "\\\n@t",
    "'\n'",
    "\"a\nb\"",
    "$OLDPWD",
    "$[1+1]",
    "$LINENO",
    "$SECONDS",
    "{@t",
    "@t}",
    "{,@t}",
    "%1",
    "!x",
    "^a",
    "$",
    "a$",
    "$'",
    "'",
];

/// Words of which Bash sees only that a quote is open are rare.
const BROKEN: usize = 2;

impl Generator {
    pub(super) fn word(&mut self) -> String {
        self.depth += 1;
        let deep = self.depth > 6;
        let wild = self.manner == Manner::Wild && !deep && self.below(2) == 0;
        let word = if deep {
            self.plain()
        } else if wild {
            let broken = if self.below(200) == 0 { 0 } else { BROKEN };
            self.fill(&WILD[..WILD.len() - broken])
        } else {
            self.fill(TAME)
        };
        self.depth -= 1;
        word
    }

    pub(super) fn plain(&mut self) -> String {
        self.pick(TEXTS).to_owned()
    }

    pub(super) fn directory(&mut self) -> String {
        let inside = [
            "d1",
            "d2",
            "d1/sub",
            "d1/sub/..",
            "./d2",
            "d3",
            "'a b'",
            "missing",
            "\"$PWD\"",
            "~",
            ".",
        ];
        let outside = [
            "..",
            "d3/..",
            "../work/d1",
            "-",
            "/",
            "$@n",
            "${@n:-d1}",
            "d[12]",
            "$(word)",
            "sub",
            "",
        ];
        if self.relative || self.manner == Manner::Tame || self.below(3) > 0 {
            self.pick(&inside).to_owned()
        } else {
            self.fill(&outside)
        }
    }

    pub(super) fn output(&mut self) -> String {
        let tame = [
            "out1",
            "out2",
            "./out3",
            "d1/out",
            "'out 4'",
            "\"out1\"",
            "/dev/null",
        ];
        let wild = [
            "$@n",
            "out$@n",
            "\"out$(word)\"",
            "out*",
            "d1/../out5",
            "{a,b}",
            "~/out",
            "$PWD/out",
            "out${@n:-6}",
            "missing/out",
            "[o]ut",
        ];
        if self.relative || self.manner == Manner::Tame || self.below(2) == 0 {
            self.pick(&tame).to_owned()
        } else {
            self.fill(&wild)
        }
    }
}
