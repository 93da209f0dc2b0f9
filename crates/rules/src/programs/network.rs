//! Programs that speak to a host which their arguments name.
//!
//! Sources: the manuals of `OpenSSH`, ncat, socat, `OpenSSL`, `GnuPG`, the tools of BIND, and
//! whois.

use super::arguments::{Arguments, Item, Mark, Means, Opt, Style, opt};
use super::table::{Does, Row, Run, row};
use super::{Field, Stdin};
use crate::effect::Access;

const NC: &[Opt] = &[
    opt("-e --exec -c --sh-exec --lua-exec", Means::Text),
    opt("-o --output --hex-dump", Means::File(Access::Write)),
    opt("-x --proxy", Means::Is(Mark::Host)),
    opt("-l --listen", Means::Flag(Mark::Nothing)),
    opt(
        "-p -s -w -i -q -X -T -O -I -W --source --source-port --wait --idle-timeout \
             --proxy-type -m -g -G",
        Means::Value,
    ),
];

/// Options of `ssh`; `-o` is looked into.
const SSH: &[Opt] = &[
    opt("-o", Means::Is(Mark::Script)),
    opt("-J", Means::Is(Mark::Host)),
    opt("-E", Means::File(Access::Write)),
    opt("-F -i -I", Means::File(Access::Read)),
    opt("-W", Means::Is(Mark::Host)),
    opt("-B -b -c -D -e -L -l -m -O -p -P -Q -R -S -w", Means::Value),
];

const SFTP: &[Opt] = &[
    opt("-b -F -i", Means::File(Access::Read)),
    opt("-S", Means::Text),
    opt("-o", Means::Is(Mark::Script)),
    opt("-J", Means::Is(Mark::Host)),
    opt("-P -B -c -D -l -R -s -X", Means::Value),
];

const PING: &[Opt] = &[opt(
    "-c -i -I -s -t -W -w -l -M -m -p -Q -S -T -q -f -g -z -N -h -H -k -x -D -b -y -r -A -o -X",
    Means::Maybe(Mark::Other),
)];

const OPENSSL: &[Opt] = &[
    opt(
        "-in -inkey -key -cert -CAfile -CAkey -CA -config -extfile -content -signature -verify \
             -prverify -kfile -rand -certfile -untrusted",
        Means::File(Access::Read),
    ),
    opt(
        "-out -keyout -signkey -writerand -sess_out -keylogfile -CAserial",
        Means::File(Access::Write),
    ),
    opt("-connect -proxy -host", Means::Is(Mark::Host)),
    opt(
        "-passin -passout -pass -k -K -iv -S -subj -days -newkey -keyform -inform -outform \
             -servername -starttls -nameopt -iter -md -set_serial -port -cipher -ciphersuites \
             -engine -provider",
        Means::Value,
    ),
];

const GPG: &[Opt] = &[
    opt(
        "-o --output --status-file --logger-file --log-file",
        Means::File(Access::Write),
    ),
    opt("--keyserver", Means::Is(Mark::Host)),
    opt(
        "--recv-keys --search-keys --send-keys --refresh-keys --auto-key-locate",
        Means::Flag(Mark::Send),
    ),
    opt(
        "--import --delete-keys --delete-secret-keys --export --export-secret-keys --list-keys \
             -k -K --list-secret-keys --fingerprint",
        Means::Flag(Mark::Other),
    ),
    opt(
        "--options --passphrase-file --keyring",
        Means::File(Access::Read),
    ),
    opt(
        "--agent-program --dirmngr-program --pinentry-program --photo-viewer --gpg-agent-program",
        Means::Text,
    ),
    opt(
        "-r --recipient -u --local-user --default-key -R --passphrase --passphrase-fd \
             --cipher-algo --digest-algo --homedir --pinentry-mode --status-fd --trust-model \
             --compress-algo -z",
        Means::Value,
    ),
];

/// Programs that speak to hosts.
pub(super) const TABLE: &[Row] = &[
    row("nc ncat netcat telnet", Style::Mixed, NC, Does::By(netcat)),
    row(
        "socat",
        Style::Mixed,
        &[
            opt("-L -W -lf -r -R", Means::File(Access::Write)),
            opt("-b -t -T -S", Means::Value),
        ],
        Does::By(socat),
    ),
    row(
        "ssh autossh mosh slogin",
        Style::Leading,
        SSH,
        Does::By(ssh),
    ),
    row("sftp", Style::Leading, SFTP, Does::By(sftp)),
    row(
        "ftp lftp tftp ncftp",
        Style::Mixed,
        &[
            opt("-c -e", Means::Code),
            opt("-f", Means::File(Access::Read)),
            opt("-u -p -P", Means::Value),
        ],
        Does::By(one_host),
    ),
    row(
        "ping ping6 traceroute traceroute6 tracepath mtr nmap whois nslookup host drill rlogin rsh",
        Style::Mixed,
        PING,
        Does::By(one_host),
    ),
    row(
        "dig kdig",
        Style::Mixed,
        &[opt("-t -p -b -c -q -y -k -f", Means::Value)],
        Does::By(dig),
    ),
    row("openssl", Style::OneDash, OPENSSL, Does::By(openssl)),
    row("gpg gpg2", Style::Mixed, GPG, Does::By(gpg)),
];

/// The first operand is the host.
fn one_host(read: &Arguments, run: &mut Run<'_>) {
    match read.operands().next() {
        Some(host) => run.address(host),
        None => run.network(),
    }
}

fn netcat(read: &Arguments, run: &mut Run<'_>) {
    for proxy in read.values(Mark::Host) {
        run.address(proxy);
    }
    if read.has(Mark::Nothing) {
        run.network();
    } else {
        one_host(read, run);
    }
}

/// Addresses are `KIND:value,option…`, two of them, each perhaps of two kinds joined by `!!`.
fn socat(read: &Arguments, run: &mut Run<'_>) {
    for address in read.operands().flat_map(|field| {
        field.text.split("!!").map(|text| Field {
            text: text.to_owned(),
            ..field.clone()
        })
    }) {
        let (kind, value) = address.text.split_once(':').unwrap_or((&address.text, ""));
        let kind = kind.to_ascii_uppercase();
        let field = |text: &str| Field {
            text: text.to_owned(),
            ..address.clone()
        };
        let first = value.split(',').next().unwrap_or_default();
        match kind.as_str() {
            "EXEC" | "SYSTEM" | "SHELL" => run.text(&field(value)),
            "OPEN" | "FILE" | "GOPEN" | "CREATE" | "CREAT" => {
                run.touch(Access::Read, &field(first), false);
                run.touch(Access::Write, &field(first), false);
            }
            _ if kind.contains("LISTEN") || kind.contains("RECV") => run.network(),
            _ if [
                "TCP", "UDP", "SSL", "OPENSSL", "SCTP", "DTLS", "PROXY", "SOCKS",
            ]
            .iter()
            .any(|known| kind.starts_with(known)) =>
            {
                run.address(&field(first));
            }
            _ if kind.contains('/') => {
                run.touch(Access::Read, &address, false);
                run.touch(Access::Write, &address, false);
            }
            _ => {}
        }
    }
}

/// Settings of OpenSSH that run a program here or lead over another host.
pub(super) fn ssh_settings(read: &Arguments, run: &mut Run<'_>) {
    for host in read.values(Mark::Host).flat_map(|field| {
        field.text.split(',').map(|text| Field {
            text: text.to_owned(),
            ..field.clone()
        })
    }) {
        run.address(&host);
    }
    for setting in read.values(Mark::Script) {
        let (name, value) = setting
            .text
            .split_once(['=', ' '])
            .unwrap_or((&setting.text, ""));
        let value = Field {
            text: value.trim_matches([' ', '=']).to_owned(),
            ..setting.clone()
        };
        match name.trim().to_ascii_lowercase().as_str() {
            "proxycommand" | "localcommand" | "knownhostscommand" | "xauthlocation"
                if value.text != "none" =>
            {
                run.text(&value);
            }
            "proxyjump" | "hostname" => run.address(&value),
            "include" | "pkcs11provider" | "securitykeyprovider" => run.unknown_arguments(),
            _ if !setting.known => run.unknown_arguments(),
            _ => {}
        }
    }
}

/// What is run there is told as run elsewhere.
fn ssh(read: &Arguments, run: &mut Run<'_>) {
    ssh_settings(read, run);
    let mut operands = read.operands();
    let Some(host) = operands.next() else { return };
    run.address(host);
    let rest: Vec<Field> = operands.cloned().collect();
    // Options may stand after the host, too.
    let later = Arguments::read(Style::Leading, SSH, &rest);
    ssh_settings(&later, run);
    let mut words: Vec<Field> = later.operands().cloned().collect();
    if words.is_empty() {
        match run.around.stdin() {
            Stdin::Inherited => return,
            Stdin::Text(text) => words.push(Field::known(text.clone())),
            Stdin::File(_) | Stdin::Unknown => words.push(Field::unknown(run.raw)),
        }
    }
    let (program, args, raw) = (run.program, run.args, run.raw);
    run.around.elsewhere(&mut |around| {
        Run {
            program,
            args,
            raw,
            around,
        }
        .joined(&words);
    });
}

/// What is copied stands in its own commands.
fn sftp(read: &Arguments, run: &mut Run<'_>) {
    ssh_settings(read, run);
    one_host(read, run);
    let mut operands = read.operands();
    if let (Some(_), Some(target)) = (operands.next(), operands.next()) {
        run.touch(Access::Write, target, true);
    }
    let commands = read
        .items
        .iter()
        .any(|item| matches!(item, Item::Option(Means::File(_), _)));
    if commands || *run.around.stdin() != Stdin::Inherited {
        run.unknown_path(Access::Write);
    }
}

fn dig(read: &Arguments, run: &mut Run<'_>) {
    let mut named = false;
    for field in read.operands().filter(|field| field.text.starts_with('@')) {
        named = true;
        run.address(&field.after("@"));
    }
    let name = read
        .operands()
        .find(|field| !field.text.starts_with(['@', '+']));
    match name {
        Some(name) => run.address(name),
        None if !named => run.network(),
        None => {}
    }
}

fn openssl(read: &Arguments, run: &mut Run<'_>) {
    for host in read.values(Mark::Host) {
        run.address(host);
    }
    let mut operands = read.operands();
    let command = operands.next().map_or("", |field| field.text.as_str());
    if matches!(
        command,
        "dgst" | "sha256" | "sha1" | "md5" | "storeutl" | "verify"
    ) {
        run.each(Access::Read, operands, false);
    }
}

fn gpg(read: &Arguments, run: &mut Run<'_>) {
    for server in read.values(Mark::Host) {
        run.address(server);
    }
    if read.has(Mark::Send) {
        run.network();
        return;
    }
    let is_file = |field: &&Field| !read.has(Mark::Other) || field.text.contains(['/', '.']);
    run.each(Access::Read, read.operands().filter(is_file), false);
    let decrypts = run.args.iter().any(|field| {
        matches!(
            field.text.as_str(),
            "-d" | "--decrypt" | "--list-packets" | "--verify"
        )
    });
    let output = read
        .items
        .iter()
        .any(|item| matches!(item, Item::Option(Means::File(Access::Write), _)));
    if !decrypts && !output && !read.has(Mark::Other) {
        for field in read.operands() {
            let suffixes = [".gpg", ".asc", ".sig"];
            for suffix in suffixes {
                let beside = Field {
                    text: format!("{}{suffix}", field.text),
                    pattern: None,
                    ..field.clone()
                };
                run.touch(Access::Write, &beside, false);
            }
        }
    }
}
