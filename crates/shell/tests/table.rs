//! What is read in texts of every construct, one row per text.

mod support;

use hookward_shell::{MAX_DEPTH, SyntaxErrorKind, parse};
use support::dump;

fn check(rows: &[(&str, &str)]) {
    for (text, expected) in rows {
        assert_eq!(dump(text), *expected, "{text:?}");
    }
}

#[test]
fn lists_and_pipelines() {
    check(&[
        ("", ""),
        ("\n # a\n", ""),
        ("a; b & c", "(a); (b) &; (c)"),
        ("a && b || c\nd", "(a) && (b) || (c); (d)"),
        ("a |& b |\n\nc", "(a) | (b) | (c)"),
        ("! a | b; ! ! c", "! (a) | (b); (c)"),
        ("time -p -- a; time ! b; time; !", "(a); ! (b); (); ! ()"),
        ("time -f x", "(-f x)"),
        ("a &\\\n& b", "(a) && (b)"),
        ("a b#c #d", "(a b#c)"),
        ("a \\\n#b\nc", "(a); (c)"),
        ("a # b \\\nc", "(a); (c)"),
        ("a\\\nb \\", "(ab '\\')"),
    ]);
}

#[test]
fn reserved_words_stand_where_commands_start() {
    check(&[
        ("echo if then } { ! fi", "(echo if then } { ! fi)"),
        ("a=1 if", "(a=1 if)"),
        ("{echo", "({echo)"),
        ("i\\\nf a; then b; fi", "(if {(a)} {(b)})"),
        ("\\if; 'if'; if''", "('i'f); ('if'); (if'')"),
        ("!(a)", "! (sub {(a)})"),
        ("! !(a|b)", "(sub {(a) | (b)})"),
        ("{ (a) }", "(group {(sub {(a)})})"),
        ("if (a) then (b) fi", "(if {(sub {(a)})} {(sub {(b)})})"),
        ("{ a }", "!UnexpectedEnd@5"),
        ("then", "!Unexpected@0"),
    ]);
}

#[test]
fn b146_words_are_read_without_their_quotes() {
    check(&[
        ("g''it pu\"sh\"", "(g''it pu'sh')"),
        ("g\\it push", "(g'i't push)"),
        ("git${IFS}push", "(git${IFS}push)"),
        ("\"\" '' \"a\\\"\\$\\`\\\\\\b\"", "('' '' 'a\"$`\\\\b')"),
        ("'a\\\nb' \"a\\\nb\"", "('a\\\nb' 'ab')"),
        (
            "\"a'b\" 'a\"b' \"$'a'\" \"a$\" $ $; $\"a $b\"",
            "('a'b' 'a\"b' '$'a'' 'a$' $ $); ('a '\"${b})",
        ),
        ("\"\\é\" \\é", "('\\é' 'é')"),
        ("'a", "!UnexpectedEnd@2"),
    ]);
}

#[test]
fn b136_ansi_c_strings_are_decoded() {
    check(&[
        ("$'\\x67it' $'pu\\x73h'", "('git' 'push')"),
        ("$'\\147it' $'\\u67\\U00000069t'", "('git' 'git')"),
        ("$'a\\'b\\\\'", "('a'b\\')"),
        (
            "$'\\a\\b\\e\\E\\f\\n\\r\\t\\v\\\"\\?'",
            "('\x07\x08\x1b\x1b\x0c\n\r\t\x0b\"?')",
        ),
        ("$'\\cA\\c?\\c\\\\z'", "('\x01\x7f\x1cz')"),
        ("$'a\\0b'c $'\\u0000b'", "('a'c '')"),
        ("$'\\xzz\\uzz\\z\\x{41}'", "('\\xzz\\uzz\\zA')"),
        ("$'\\xff' $'\\ud800' $'\\xc3\\xa9'", "(<?> <?> 'é')"),
        ("$'a", "!UnexpectedEnd@3"),
    ]);
}

#[test]
fn parameters() {
    check(&[
        (
            "$a$1 $10 $@ $*$#$?$-$$$!",
            "(${a}${1} ${1}0 ${@} ${*}${#}${?}${-}${$}${!})",
        ),
        (
            "${a} ${10} ${a[1]} ${a[$b]}",
            "(${a} ${10} ${a['1']} ${a[\"${b}]})",
        ),
        (
            "${#a} ${#} ${##} ${#-} ${#a[@]} ${#:-b}",
            "(${a length} ${#} ${# length} ${- length} ${a['@'] length} ${#:-b})",
        ),
        (
            "${!a} ${!a*} ${!a@} ${!a[@]} ${!} ${!1}",
            "(${a indirect} ${a indirect} ${a indirect} ${a['@'] indirect} ${!} ${1 indirect})",
        ),
        ("${!a:-$(b)}", "(${a other ${(b)}})"),
        (
            "${a:-b}${a-b}${a:=b}${a=b}${a:+b}${a+b}${a:?b}${a?b}",
            "(${a:-b}${a:-b}${a:=b}${a:=b}${a:+b}${a:+b}${a:?b}${a:?b})",
        ),
        (
            "${a/b/$c} ${a:1:$b} ${a^^} ${a@Q} ${a##*/}",
            "(${a other /b/${c}} ${a other :1:${b}} ${a other ^^} ${a other @Q} ${a other ##*/})",
        ),
        ("\"${a:-\"$(git push)\"}\"", "(\"${a:-\"${(git push)}})"),
        ("\"${a:-'}'}\"", "(\"${a:-''}''})"),
        ("\"${a:-'$(b)'}\"", "(\"${a:-'''\"${(b)}'''})"),
        ("\"${a#'}'}\"", "(\"${a other '#}'})"),
        ("${a:-\\}'}'<(b)}", "(${a:-'}}'<{(b)}})"),
        ("${a:-{b}}", "(${a:-{b}})"),
        ("${a b}${}", "(${a other  b}${})"),
        ("${a:-", "!UnexpectedEnd@5"),
        ("$a\\\nb", "!SplitName@2"),
        ("a\\\nb=c", "!SplitName@1"),
        ("a\\\nb() { c; }", "!SplitName@1"),
        ("for a\\\nb in c; do d; done", "!SplitName@5"),
    ]);
}

#[test]
fn b132_b140_substitutions_are_read() {
    check(&[
        (
            "echo hi > \"$(git push)\"",
            "(echo hi 1:Write:\"${(git push)})",
        ),
        ("cat <(git push)", "(cat <{(git push)})"),
        ("tee >(git push)", "(tee >{(git push)})"),
        ("a 2>(b) < <(c)", "(a 2>{(b)} 0:Read:<{(c)})"),
        (
            "$(a $(b)) `a \\`b\\`` \"`a \\\"b\\\"`\"",
            "(${(a ${(b)})} `a `b`` \"`a \"b\"`)",
        ),
        ("$() $(# )\n) $(a # )\n)", "(${} ${} ${(a)})"),
        ("$(case a in b) c;; esac)", "(${(case a [b] {(c)})})"),
        ("${ a; } ${|b;}", "(${(a)} ${(b)})"),
        (
            "$((1+$(a))) $[b[1]] $(( (1) ))",
            "($(('1+'\"${(a)})) $(('b[1]')) $((' (1) ')))",
        ),
        (
            "$((a); (b)) $((c) )",
            "(${(sub {(a)}); (sub {(b)})} ${(sub {(c)})})",
        ),
        ("$((a", "!UnexpectedEnd@4"),
    ]);
}

/// The end of such a substitution is known before its commands are read, and Bash goes on there.
#[test]
fn comments_hide_no_end_of_two_parentheses() {
    check(&[
        ("echo $((a) ); b", "(echo ${(sub {(a)})}); (b)"),
        ("echo $((a # ) ); b # \n) )", "!UnexpectedEnd@15"),
        ("echo <((a # ) ); b # \n) )", "!UnexpectedEnd@15"),
        ("echo $( (a # ) ); b\n) )", "(echo ${(sub {(a)})})"),
    ]);
}

#[test]
fn assignments_and_arrays() {
    check(&[
        ("CI=1 git push", "(CI=1 git push)"),
        ("A='x y' B= git push", "(A='x y' B= git push)"),
        ("a=1 >f b+=2 c d=3", "(a=1 b+=2 c d=3 1:Write:f)"),
        ("a[1 + 2]=3 a[$(b)]+=c", "(a['1 + 2']=3 a[\"${(b)}]+=c)"),
        ("a[1 2]b c", "(a['1 2']b c)"),
        (
            "a=(b # c\n[d e]=f $(g)) h=()",
            "(a=(b ['d e']=f ${(g)}) h=())",
        ),
        ("declare -a a=(b) c=(d e)", "(declare -a a=(b) c=(d e))"),
        ("echo a=(b)", "!Unexpected@7"),
        ("a=(b;c)", "!Unexpected@4"),
        ("1a=b a-b=c", "(1a=b a-b=c)"),
    ]);
}

#[test]
fn redirections() {
    check(&[
        (
            "a >f >>g >|h <i <>j",
            "(a 1:Write:f 1:Append:g 1:Write:h 0:Read:i 0:ReadWrite:j)",
        ),
        (
            "a 2>&1 >&2 >&- <&3 2>&$b",
            "(a 2:Duplicate:1 1:Duplicate:2 1:Duplicate:- 0:Duplicate:3 2:Duplicate:${b})",
        ),
        (
            "a >&f &>g &>>h",
            "(a 1:WriteBoth:f 1:WriteBoth:g 1:AppendBoth:h)",
        ),
        (
            "a {b}>c {d[1]}<e {1}>f",
            "(a {1} {}:Write:c {}:Read:e 1:Write:f)",
        ),
        (
            "a 2 >f b3>g 99999999999>h",
            "(a 2 b3 99999999999 1:Write:f 1:Write:g 1:Write:h)",
        ),
        ("a <<<\"b $c\" d", "(a d 0:HereString:'b '\"${c})"),
        (
            ">f a; { b; } 2>g <h",
            "(a 1:Write:f); (group {(b)} 2:Write:g 0:Read:h)",
        ),
        ("a &>f & b", "(a 1:WriteBoth:f) &; (b)"),
        ("a >", "!UnexpectedEnd@3"),
    ]);
}

#[test]
fn b132_here_documents() {
    check(&[
        (
            "a <<E\n$(git push) \\$b \"c\"\nE\nd",
            "(a 0:HereDocument:\"${(git push)}' $b \"c\"\n'); (d)",
        ),
        (
            "a <<'E'\n$(git push)\nE",
            "(a 0:HereDocument:'$(git push)\n')",
        ),
        ("a <<E\"O\"F\n$b\nEOF\n", "(a 0:HereDocument:'$b\n')"),
        ("a <<\\E\n$b\nE\n", "(a 0:HereDocument:'$b\n')"),
        ("a <<$b\n$c\n$b\nd", "(a 0:HereDocument:\"${c}'\n'); (d)"),
        ("a <<\"$b\"\n$c\n$b\nd", "(a 0:HereDocument:'$c\n'); (d)"),
        (
            "a <<E | b <<-'F' && c\nd\nE\n\t\te\n\tF\nf",
            "(a 0:HereDocument:'d\n') | (b 0:HereDocument:'e\n') && (c); (f)",
        ),
        (
            "a <<-E\n\tb $(c\n\td)\n\t\tE\ne",
            "(a 0:HereDocument:'b '\"${(c); (d)}'\n'); (e)",
        ),
        ("a <<E\nb", "(a 0:HereDocument:'b')"),
        ("a <<E", "(a 0:HereDocument:)"),
        (
            "a <<E\nb\\\nE\nE\\\n\nE\n",
            "(a 0:HereDocument:'bE\n'); (E)",
        ),
        ("a <<EOF\nb\nE\\\nOF\nc", "(a 0:HereDocument:'b\n'); (c)"),
        ("a <<E \"b\nc\"\nd\nE", "(a 'b\nc' 0:HereDocument:'d\n')"),
        (
            "a <<E $(b\nc)\nd\nE",
            "(a ${(b); (c)} 0:HereDocument:'d\n')",
        ),
        (
            "if a <<E; then\nb\nE\nc <<F; fi\nd\nF",
            "(if {(a 0:HereDocument:'b\n')} {(c 0:HereDocument:'d\n')})",
        ),
        (
            "f() { a <<E; }\nb\nE\nc",
            "(function f (group {(a 0:HereDocument:'b\n')})); (c)",
        ),
        ("a <<", "!UnexpectedEnd@4"),
    ]);
}

#[test]
fn here_documents_within_substitutions() {
    check(&[
        ("$(a <<E\nb\nE\n)", "(${(a 0:HereDocument:'b\n')})"),
        ("$(a <<E\nb\nE) c", "(${(a 0:HereDocument:'b\n')} c)"),
        ("$(a <<E\nb\nEc) d", "(${(a 0:HereDocument:'b\n'); (c)} d)"),
        (
            "$(a <<E) b\nc\nE\nd",
            "(${(a 0:HereDocument:'c\n')} b); (d)",
        ),
        (
            "$(a <<E)$(b <<F)\nc\nE\nd\nF\ne",
            "(${(a 0:HereDocument:'c\n')}${(b 0:HereDocument:'d\n')}); (e)",
        ),
        ("$(a <<E) \"b\nc\"", "!Unexpected@11"),
        (
            "a <<E\n$(b <<F\n$c\nF\n)\nE",
            "(a 0:HereDocument:\"${(b 0:HereDocument:\"${c}'\n')}'\n')",
        ),
    ]);
}

#[test]
fn b52_a_carriage_return_belongs_to_delimiter_and_line() {
    check(&[
        (
            "cat <<E\r\nE\r\ngit push\r\n",
            "(cat 0:HereDocument:); (git push\r)",
        ),
        (
            "cat <<E\nE\r\ngit push\n",
            "(cat 0:HereDocument:'E\r\ngit push\n')",
        ),
        (
            "cat <<E\r\nE\ngit push\n",
            "(cat 0:HereDocument:'E\ngit push\n')",
        ),
    ]);
}

#[test]
fn compound_commands() {
    check(&[
        (
            "if a; b; then c; elif d\nthen e; else f; fi >g",
            "(if {(a); (b)} {(c)} {(d)} {(e)} else {(f)} 1:Write:g)",
        ),
        (
            "while a; do b; done | until c\ndo d\ndone",
            "(loop {(a)} {(b)}) | (loop {(c)} {(d)})",
        ),
        ("for a in b \"$c\"\ndo d; done", "(for a [b \"${c}] {(d)})"),
        (
            "for a; do b; done; for a do b; done; for a in; do b; done",
            "(for a [@] {(b)}); (for a [@] {(b)}); (for a [] {(b)})",
        ),
        (
            "for a in b; { c; }; select d in e; do f; done",
            "(for a [b] {(c)}); (for d [e] {(f)})",
        ),
        (
            "for ((a;$(b);c)) { d; }",
            "(for (('a;'\"${(b)}';c')) {(d)})",
        ),
        (
            "case $a in (b|'c') d;; e) f;& g) h;;& *) esac",
            "(case ${a} [b 'c'] {(d)} [e] {(f)} [g] {(h)} [*] {})",
        ),
        (
            "case a in esac; case a\nin\nb)\nc\n;;\nesac",
            "(case a); (case a [b] {(c)})",
        ),
        (
            "f() { a; } >b; function g { c; }; function h() ( d ); function i (e)",
            "(function f (group {(a)} 1:Write:b)); (function g (group {(c)})); (function h (sub {(d)})); (function i (sub {(e)}))",
        ),
        ("f ( )\nif a; then b; fi", "(function f (if {(a)} {(b)}))"),
        ("f@() { a; }", "(function f@ (group {(a)}))"),
        (
            "coproc a b; coproc N { c; }; coproc (d)",
            "(coproc (a b)); (coproc (group {(c)})); (coproc (sub {(d)}))",
        ),
        ("( (a); b ) & c", "(sub {(sub {(a)}); (b)}) &; (c)"),
        (
            "((a)) && ((b) || (c)); ((d) )",
            "((('a'))) && (sub {(sub {(b)}) || (sub {(c)})}); (sub {(sub {(d)})})",
        ),
        ("(a) b", "!Unexpected@4"),
        ("{ }", "!Unexpected@2"),
        ("f() a", "!Unexpected@4"),
    ]);
}

#[test]
fn conditional_expressions() {
    check(&[
        (
            "[[ -f $a && ! ( b == c* ||\nd < e ) ]]",
            "(test [${a} b c* d e])",
        ),
        (
            "[[ $a =~ ^(b c|[d]+)$ && f ]]",
            "(test [${a} ^(b c|[d]+)$ f])",
        ),
        ("[[ a == @(b|$(c))d ]]", "(test [a <pattern b|${(c)}>d])"),
        ("[[ <(a) -nt b ]] >c", "(test [<{(a)} b] 1:Write:c)"),
        ("[[ -f ]]", "!UnexpectedEnd@8"),
        ("[[ a b ]]", "!Unexpected@5"),
        ("[[ ( a ]]", "!Unexpected@7"),
    ]);
}

#[test]
fn extended_patterns_are_parts_of_words() {
    check(&[
        (
            "rm !(a|$(b)) x@(c)y*(d(e))",
            "(rm <pattern a|${(b)}> x<pattern c>y<pattern d(e)>)",
        ),
        ("a \\@(b)", "!Unexpected@4"),
    ]);
}

#[test]
fn what_stands_on_lines_before_an_error_is_read() {
    check(&[
        ("a\nb; c; )\nd", "(a) !Unexpected@8"),
        ("a\nif b\nthen c\n", "(a) !UnexpectedEnd@14"),
        (
            "a <<E; b\nc\nE\n;",
            "(a 0:HereDocument:'c\n'); (b) !Unexpected@13",
        ),
        ("a\n$(b;;)", "(a) !Unexpected@5"),
        ("a\0b", "!Nul@1"),
    ]);
}

#[test]
fn b138_lines_are_commands() {
    check(&[(
        "# one\n# two\necho a\ngit push\necho b\n",
        "(echo a); (git push); (echo b)",
    )]);
}

#[test]
fn b148_quoted_commands_are_text() {
    check(&[
        ("printf '%s\\n' 'git push'", "(printf '%s\\n' 'git push')"),
        (
            "if true; then echo \"git push\"; fi",
            "(if {(true)} {(echo 'git push')})",
        ),
        (
            "git commit -m 'git push later'",
            "(git commit -m 'git push later')",
        ),
    ]);
}

/// Units that nest when they are repeated, with what may go between.
const NESTING: &[&str] = &[
    "(",
    "$(",
    "((",
    "$((",
    "${x:-",
    "\"${x:-",
    "\"$(",
    "`",
    "{ ",
    "if ",
    "while ",
    "f() { ",
    "case x in a) ",
    "a=($(",
    "x[$(",
    "[[ $(",
    "[[ ( ",
    "<(",
    "@(a$(",
    "coproc { ",
    "$[",
    "{a,",
    "for ((a$(",
    "cat <<E\n$(",
    "cat <<-E\n\t$(",
    "(($((",
    "a[$((",
    "$(( $(",
    " ${ ",
    ">$(",
    "! ",
    "\"`",
    "case $(",
    "for x in $(",
    "$(a <<E) ",
    "((a) ",
    "$((a) ",
    "{a[ ",
    "a[ ",
    "{x}<(",
    "'\"${x:-'",
];

#[test]
fn deep_and_long_texts_end_on_a_small_stack() {
    let small = std::thread::Builder::new().stack_size(256 * 1024);
    let thread = small.spawn(|| {
        for unit in NESTING {
            let text = unit.repeat(100_000 / unit.len());
            let script = parse(&text);
            // Dropped here, on the same stack.
            assert!(script.lists.len() <= text.len(), "{unit:?}");
        }
    });
    thread.unwrap().join().unwrap();
}

#[test]
fn nesting_is_bounded_not_guessed() {
    let nested = |levels: u32| {
        let levels = levels as usize;
        format!("{}a{}", "( ".repeat(levels), " )".repeat(levels))
    };
    assert_eq!(parse(&nested(MAX_DEPTH - 1)).error, None);
    let error = parse(&nested(MAX_DEPTH)).error.unwrap();
    assert_eq!(error.kind, SyntaxErrorKind::TooDeep);
}
