//! What policies rely on: ways to write a file that are found, and mentions that are not.

use super::fake::told;

/// Every way to write, make or remove what is below `secrets` says so.
#[test]
fn nothing_writes_below_a_folder_unseen() {
    for command in [
        "cp x secrets/",
        "cp x secrets",
        "cp -t secrets x",
        "mv x secrets/y",
        "mv secrets/y x",
        "tee secrets/a",
        "sed -i s/a/b/ secrets/a",
        "sed --in-pl s/a/b/ secrets/a",
        "sed -n 'w secrets/a' f",
        "sed 's/x/y/w secrets/a' f",
        "awk '{print > \"secrets/a\"}' f",
        "dd of=secrets/a",
        "install -m 600 x secrets/",
        "ln x secrets/y",
        "ln secrets/a b",
        "ln -s x secrets/y",
        "git checkout -- secrets/a",
        "git checkout secrets/a",
        "git checkout HEAD secrets/a",
        "git restore secrets/a",
        "git rm secrets/a",
        "git mv a secrets",
        "git clean -fd secrets",
        "git -C . checkout -- secrets/a",
        "git diff --output=secrets/a",
        "git archive -o secrets/a HEAD",
        "git clone x secrets",
        "git worktree add secrets",
        "truncate -s0 secrets/a",
        "touch secrets/a",
        "mkdir -p secrets/a",
        "chmod 777 secrets/a",
        "tar xf a.tar -C secrets",
        "tar -cf secrets/a x",
        "unzip a.zip -d secrets",
        "gzip secrets/a",
        "curl -o secrets/a https://example.com",
        "curl --output secrets/a https://example.com",
        "curl -osecrets/a https://example.com",
        "wget -P secrets https://example.com/a",
        "wget -O secrets/a https://example.com",
        "rsync a secrets/",
        "rsync -a --delete a/ secrets",
        "scp h:a secrets",
        "patch secrets/a",
        "rm -rf secrets",
        "rm secrets/*",
        "shred secrets/a",
        "unlink secrets/a",
        "find secrets -delete",
        "find . -fprint secrets/a",
        "sort -o secrets/a x",
        "uniq x secrets/a",
        "xxd -r x secrets/a",
        "split x secrets/a",
        "sponge secrets/a",
        "perl -i -pe s/a/b/ secrets/a",
        "yq -i .a=1 secrets/a",
        "ed secrets/a",
        "vim -c wq secrets/a",
        "openssl enc -in x -out secrets/a",
        "gpg -o secrets/a -d x",
        "script -c ls secrets/a",
        "docker run -v ./secrets:/x image",
        "docker cp c:/x secrets",
        "sqlite3 secrets/a 'select 1'",
    ] {
        let told = told(command);
        let found = told.split("; ").any(|part| {
            let changes = ["write ", "delete "].iter().any(|kind| part.contains(kind));
            changes && part.contains("secrets")
        });
        assert!(found, "{command}: {told}");
    }
}

/// Case B148: a mention is no use, and honest work is left alone.
#[test]
fn b148_mentions_touch_nothing() {
    for (command, expected) in [
        ("grep secrets/x file", "read file"),
        ("grep -n 'git push' f", "read f"),
        ("echo secrets/a", ""),
        ("printf '%s\\n' 'git push'", ""),
        ("git commit -m 'secrets/a'", ""),
        ("git push\r", ""),
        ("git commit -m 'git push later'", ""),
        ("git log --grep 'git push'", ""),
        ("sed 's/a/w/' f", "read f"),
        ("sed 's/w secrets/e/' f", "read f"),
        ("awk '$1>2' f", "read f"),
        ("awk '{if ($1 > 2) print \"a|b\"}' f", "read f"),
        ("jq '.a | .b' f", "read f"),
        ("cut -d / -f 1 f", "read f"),
        ("head -n 3 f", "read f"),
        ("sort -k 2 f", "read f"),
        (
            "curl -H 'X: secrets/a' https://example.com",
            "net example.com",
        ),
        ("tar tf a.tar", "read a.tar"),
        ("node secrets.js", "read secrets.js"),
        ("make all", ""),
        ("npm run build", ""),
        ("cargo build", ""),
        ("docker ps", ""),
    ] {
        assert_eq!(told(command), expected, "{command}");
    }
}

/// Arguments that are not known never end in silence where they decide.
#[test]
fn what_is_not_known_is_told() {
    for command in [
        "rm $x",
        "cp a $x",
        "cp $x b",
        "tee $x",
        "dd of=$x",
        "sed -i s/a/b/ $x",
        "sed $x f",
        "tar $x",
        "git $x",
        "git checkout $x",
        "git -c $x status",
        "curl $x",
        "curl -o $x https://example.com",
        "curl -K f",
        "ssh $x",
        "ssh h $x",
        "find . $x",
        "npm $x",
        "npx -c $x",
        "python $x",
        "| python",
        "| at now",
        "patch -p1",
        "git foo",
        "git push $x",
        "xxd a $x",
        "chmod 600 $x",
        "mv $x",
    ] {
        let told = told(command);
        let opaque = ["unknown", "code", "?"];
        assert!(
            opaque.iter().any(|sign| told.contains(sign)),
            "{command}: {told}"
        );
    }
}

/// Options that lack their value, and other text that is no call, end in no panic.
#[test]
fn odd_arguments_are_read() {
    let words = [
        "-",
        "--",
        "-o",
        "--output=",
        "=",
        ";",
        "{}",
        "-c",
        "-exec",
        "-é",
        "",
    ];
    for row in super::super::table::TABLES.iter().copied().flatten() {
        for program in row.names.split(' ') {
            for first in words {
                told(&format!("{program} {first}"));
                for second in words {
                    told(&format!("{program} x {first} $x {second}"));
                }
            }
        }
    }
}

/// Hosts are written in one way whoever is spoken to.
#[test]
fn hosts_are_told_in_lower_case_without_port_and_user() {
    for command in [
        "curl https://u:p@EXAMPLE.com:8443/x",
        "wget -q -O - EXAMPLE.com.",
        "ssh u@EXAMPLE.com",
        "git ls-remote ssh://git@EXAMPLE.com:22/a",
        "git ls-remote git@EXAMPLE.com:a",
        "scp EXAMPLE.com:a -",
        "nc EXAMPLE.com 80",
        "socat - TCP:EXAMPLE.com:80",
        "openssl s_client -connect EXAMPLE.com:443",
    ] {
        let told = told(command);
        assert!(
            told.split("; ").any(|part| part == "net example.com"),
            "{command}: {told}"
        );
    }
}
