//! Scripts that people and agents write, and the programs that stand in for those that they start.

use std::fs;
use std::path::Path;

/// Largest script that is taken from the machine, in bytes: what an argument can hold.
const MAX_FOUND_BYTES: usize = 100_000;

/// Where scripts are found on a machine.
const FOLDERS: [&str; 9] = [
    "/usr/bin",
    "/usr/sbin",
    "/etc/init.d",
    "/etc/profile.d",
    "/etc/cron.daily",
    "/var/lib/dpkg/info",
    "/usr/lib/git-core",
    "/usr/share",
    "/lib/init",
];

const STUBS: &str = "alpha beta gamma delta fails failure word two lines \
    a b c d e f g h i j k l m n o p q r s t u v w x y z \
    git npm npx node yarn make cargo python3 pip docker kubectl curl wget ssh scp rsync tar gzip zip \
    ls cat rm cp mv mkdir rmdir touch ln chmod chown grep egrep fgrep sed awk cut sort uniq head tail \
    wc tr tee date id uname hostname whoami basename dirname readlink realpath mktemp stat du df ps \
    seq sleep tput stty expr diff patch jq find locale getent dpkg update-rc.d invoke-rc.d systemctl \
    deb-systemd-helper deb-systemd-invoke update-alternatives ldconfig adduser addgroup useradd \
    usermod groupadd start-stop-daemon dpkg-maintscript-helper dpkg-trigger perl python ruby \
    sudo doas su chroot setsid stdbuf time env nohup nice timeout xargs flock watch ionice strace \
    md5sum sha256sum base64 gpg openssl file install sync mount umount kill pgrep pkill which less \
    more man vi ed ar ld cc gcc as nm ranlib strip objdump bzip2 xz zstd lzma cmp comm join paste \
    od fold fmt nl split csplit tsort tac rev mkfifo mknod logger crontab at go rustc printenv rg fd";

pub(crate) fn stub_names() -> Vec<String> {
    STUBS.split_whitespace().map(str::to_owned).collect()
}

/// One script in a line; `¶` is a line end and `→` a tab.
pub(crate) fn written() -> Vec<String> {
    let texts = [
        include_str!("corpus/agents.txt"),
        include_str!("corpus/awkward.txt"),
        include_str!("../../../shell/tests/corpus.txt"),
    ];
    let lines = texts.iter().flat_map(|text| text.lines());
    lines
        .filter(|line| !line.is_empty() && !line.starts_with("# "))
        .map(|line| line.replace('¶', "\n").replace('→', "\t"))
        .collect()
}

/// Shell scripts of the machine.
pub(crate) fn found() -> Vec<String> {
    let mut scripts = Vec::new();
    for folder in FOLDERS {
        collect(Path::new(folder), 0, &mut scripts);
    }
    scripts
}

fn collect(folder: &Path, depth: usize, scripts: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() && depth < 5 {
            collect(&path, depth + 1, scripts);
        } else if kind.is_file()
            && entry
                .metadata()
                .is_ok_and(|meta| meta.len() < MAX_FOUND_BYTES as u64)
            && let Ok(text) = fs::read_to_string(&path)
            && is_shell(&path, &text)
        {
            scripts.push(text);
        }
    }
}

fn is_shell(path: &Path, text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    let named = path
        .extension()
        .is_some_and(|extension| extension == "sh" || extension == "bash");
    !text.contains('\0') && (named || first.starts_with("#!") && first.contains("sh"))
}
