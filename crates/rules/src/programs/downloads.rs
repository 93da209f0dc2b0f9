//! Programs that fetch from addresses and put what they get into files.
//!
//! Sources: the manuals of curl, GNU Wget, aria2 and `HTTPie`.

use super::arguments::{Arguments, Mark, Means, Opt, Style, opt};
use super::table::{Does, Row, Run, base_name, row, within};
use super::{Field, Surroundings};
use crate::effect::Access;

const CURL: &[Opt] = &[
    opt("-o --output", Means::Is(Mark::Output)),
    opt("--output-dir", Means::Is(Mark::Directory)),
    opt(
        "-O --remote-name --remote-name-all",
        Means::Flag(Mark::RemoteName),
    ),
    opt(
        "--url -x --proxy --preproxy --socks4 --socks4a --socks5 --socks5-hostname --doh-url",
        Means::Is(Mark::Host),
    ),
    opt("--connect-to", Means::Is(Mark::Into)),
    opt("--resolve", Means::Is(Mark::Other)),
    opt("-K --config", Means::Is(Mark::ScriptFile)),
    opt(
        "-d --data --data-ascii --data-binary --data-urlencode --json -F --form -H --header \
             --proxy-header -b --cookie",
        Means::Is(Mark::Send),
    ),
    opt(
        "-c --cookie-jar -D --dump-header --trace --trace-ascii --stderr --libcurl --etag-save \
             --hsts --alt-svc",
        Means::File(Access::Write),
    ),
    opt(
        "-T --upload-file -E --cert --key --cacert --capath --netrc-file --etag-compare \
             --unix-socket --pubkey --crlfile",
        Means::File(Access::Read),
    ),
    opt(
        "-A --user-agent -C --continue-at -e --referer -m --max-time -P --ftp-port -Q --quote \
             -r --range -t --telnet-option -u --user -U --proxy-user -w --write-out -X \
             --request -y --speed-time -Y --speed-limit -z --time-cond --ciphers \
             --connect-timeout --data-raw --form-string --interface --keepalive-time \
             --limit-rate --local-port --max-filesize --max-redirs --noproxy --pass --proto \
             --proto-default --proto-redir --rate --request-target --retry --retry-delay \
             --retry-max-time --tls-max --tls13-ciphers --variable --oauth2-bearer --aws-sigv4 \
             --cert-type --key-type --dns-servers --parallel-max --expand-url --login-options \
             --mail-from --mail-rcpt",
        Means::Value,
    ),
];

const WGET: &[Opt] = &[
    opt("-O --output-document", Means::Is(Mark::Output)),
    opt("-P --directory-prefix", Means::Is(Mark::Directory)),
    opt(
        "-r --recursive -m --mirror -p --page-requisites -x --force-directories",
        Means::Flag(Mark::Recursive),
    ),
    opt(
        "-o --output-file -a --append-output --save-cookies --warc-file --hsts-file --rejected-log",
        Means::File(Access::Write),
    ),
    opt("-i --input-file", Means::Is(Mark::ScriptFile)),
    opt(
        "--post-file --body-file --load-cookies --config --certificate --private-key \
             --ca-certificate",
        Means::File(Access::Read),
    ),
    opt("--use-askpass", Means::Text),
    opt("-e --execute", Means::Is(Mark::Script)),
    opt("--spider", Means::Flag(Mark::Nothing)),
    opt(
        "-t --tries -T --timeout -w --wait -Q --quota -U --user-agent -B --base -l --level -A \
             --accept -R --reject -D --domains -I -X --header --method --body-data --post-data \
             --user --password --limit-rate --referer --waitretry --cut-dirs --bind-address \
             --max-redirect --secure-protocol --progress --local-encoding --remote-encoding \
             --accept-regex --reject-regex --exclude-domains --dns-timeout --connect-timeout \
             --read-timeout --start-pos --default-page --http-user --http-password",
        Means::Value,
    ),
];

const ARIA: &[Opt] = &[
    opt("-o --out", Means::Is(Mark::Output)),
    opt("-d --dir", Means::Is(Mark::Directory)),
    opt("-i --input-file", Means::Is(Mark::ScriptFile)),
    opt(
        "-l --log --save-session --save-cookies",
        Means::File(Access::Write),
    ),
    opt(
        "--on-download-complete --on-download-start --on-download-stop --on-download-error \
             --on-bt-download-complete",
        Means::Text,
    ),
    opt(
        "--all-proxy --http-proxy --https-proxy",
        Means::Is(Mark::Host),
    ),
    opt(
        "-s --split -x --max-connection-per-server -j --max-concurrent-downloads -k \
             --min-split-size -m --max-tries -t --timeout -U --user-agent --header --referer \
             --checksum",
        Means::Value,
    ),
];

const HTTPIE: &[Opt] = &[
    opt("-o --output", Means::File(Access::Write)),
    opt("--proxy", Means::Is(Mark::Host)),
    opt(
        "--cert --cert-key --session --session-read-only",
        Means::File(Access::Read),
    ),
    opt(
        "-a --auth -A --auth-type -p --print -s --style --verify --timeout --max-redirects \
             --pretty --raw --ssl --default-scheme --bearer -b",
        Means::Maybe(Mark::Other),
    ),
];

/// Programs that fetch.
pub(super) const TABLE: &[Row] = &[
    row("curl", Style::Mixed, CURL, Does::By(curl)),
    row("wget wget2", Style::Mixed, WGET, Does::By(wget)),
    row("aria2c axel", Style::Mixed, ARIA, Does::By(wget)),
    row(
        "http https httpie xh xhs",
        Style::Mixed,
        HTTPIE,
        Does::By(httpie),
    ),
];

/// Does the rest in the folder that an option names.
fn in_folder(folder: Option<&Field>, run: &mut Run<'_>, work: &dyn Fn(&mut Run<'_>)) {
    let (program, args, raw) = (run.program, run.args, run.raw);
    let mut work = |around: &mut dyn Surroundings| {
        work(&mut Run {
            program,
            args,
            raw,
            around,
        });
    };
    match folder {
        Some(folder) => run.around.within(folder.known.then_some(folder), &mut work),
        None => work(run.around),
    }
}

/// Where a download without a name goes: the last name of its address.
fn named_by(address: &Field) -> Field {
    let bare = address.text.split(['?', '#']).next().unwrap_or_default();
    let path = bare.split_once("://").map_or(bare, |(_, rest)| rest);
    match base_name(&Field::known(path)).filter(|_| address.known && path.contains('/')) {
        Some(name) if !path.ends_with('/') => Field::known(name),
        _ if address.known => Field::known("index.html"),
        _ => Field::unknown(address.text.as_str()),
    }
}

fn curl(read: &Arguments, run: &mut Run<'_>) {
    if read.has(Mark::ScriptFile) {
        run.unknown_arguments();
    }
    for address in read.operands().chain(read.values(Mark::Host)) {
        run.address(address);
    }
    for sent in read.values(Mark::Send) {
        let file = match sent.text.split_once(['@', '<']) {
            Some((before, file)) if before.is_empty() || before.ends_with('=') => file,
            _ => continue,
        };
        let file = file.split(';').next().unwrap_or(file);
        run.touch(
            Access::Read,
            &Field {
                text: file.to_owned(),
                pattern: None,
                ..sent.clone()
            },
            false,
        );
    }
    for value in read.values(Mark::Into) {
        let mut parts = value.text.splitn(3, ':');
        if let Some(place) = parts.nth(2).filter(|place| !place.starts_with(':')) {
            run.address(&Field {
                text: place.to_owned(),
                ..value.clone()
            });
        }
    }
    for value in read.values(Mark::Other) {
        let addresses = value.text.splitn(3, ':').nth(2).unwrap_or_default();
        for address in addresses.split(',').filter(|address| !address.is_empty()) {
            let bare = address.trim_matches(['[', ']']);
            run.around
                .network(Some(bare.to_lowercase()), None, run.program);
        }
    }
    in_folder(read.values(Mark::Directory).last(), run, &|run| {
        run.each(Access::Write, read.values(Mark::Output), false);
        if read.has(Mark::RemoteName) {
            for address in read.operands().chain(read.values(Mark::Host)) {
                run.touch(Access::Write, &named_by(address), false);
            }
        }
    });
}

fn wget(read: &Arguments, run: &mut Run<'_>) {
    for setting in read.values(Mark::Script) {
        if setting.text.trim() != "robots=off" {
            run.unknown_arguments();
        }
    }
    if read.has(Mark::ScriptFile) {
        run.network();
    }
    for address in read.operands().chain(read.values(Mark::Host)) {
        run.address(address);
    }
    if read.has(Mark::Nothing) {
        return;
    }
    let output = read.values(Mark::Output).last();
    let aria = run.program != "wget" && run.program != "wget2";
    let folder = read.values(Mark::Directory).last();
    if let Some(output) = output.filter(|_| !aria) {
        run.touch(Access::Write, output, false);
        return;
    }
    let here = Field::known(".");
    let folder = folder.unwrap_or(&here);
    if read.has(Mark::Recursive) || read.has(Mark::ScriptFile) {
        run.touch(Access::Write, folder, true);
        return;
    }
    for address in read.operands() {
        let name = output.map_or_else(|| named_by(address), Field::clone);
        let place = if folder.text == "." {
            name
        } else {
            within(folder, &name)
        };
        run.touch(Access::Write, &place, false);
    }
}

fn httpie(read: &Arguments, run: &mut Run<'_>) {
    let method = |field: &&Field| field.text.chars().all(|c| c.is_ascii_uppercase());
    let mut operands = read.operands().skip_while(method);
    if let Some(address) = operands.next() {
        match address.text.strip_prefix(':').filter(|_| address.known) {
            Some(rest) => run.address(&Field::known(format!(
                "localhost:{}",
                rest.trim_start_matches(':')
            ))),
            None => run.address(address),
        }
    }
    for item in operands {
        if let Some((_, file)) = item.text.split_once('@').filter(|_| item.known) {
            run.touch(Access::Read, &Field::known(file), false);
        }
    }
    for proxy in read.values(Mark::Host) {
        let address = proxy
            .text
            .split_once(':')
            .filter(|(_, rest)| rest.contains("//"));
        let address = address.map_or(proxy.text.as_str(), |(_, rest)| rest);
        run.address(&Field {
            text: address.to_owned(),
            ..proxy.clone()
        });
    }
}
