//! Programs that touch files.

use super::check;

#[test]
fn copies() {
    check(&[
        ("cp x secrets/", "read x; write secrets/x"),
        ("cp x secrets", "read x; write secrets/x"),
        ("cp x newfile", "read x; write newfile"),
        ("cp x y", "read x; write y; write y/x"),
        (
            "cp -t secrets a b/c",
            "read a; read b/c; write secrets/a; write secrets/c",
        ),
        ("cp a b dir", "read a; read b; write dir/a; write dir/b"),
        ("cp -r adir bdir", "read adir/**; write bdir/adir/**"),
        (
            "cp -al adir newb",
            "read adir/**; write adir/**; write newb/**",
        ),
        ("cp *.txt out", "read ~*.txt; write ~out/*.txt"),
        ("cp --target-dir=secrets a", "read a; write secrets/a"),
        ("cp $x y", "unknown read; write y; unknown write"),
        ("cp x $y", "read x; unknown write"),
        ("cp a", "read a"),
        (
            "cp -r a/. secrets",
            "read a/./**; write secrets/a/**; write secrets/**",
        ),
        (
            "cp --parents a/b secrets",
            "read a/b; write secrets/b; write secrets/**",
        ),
        ("rsync -R a/b secrets", "read a/b/**; write secrets/**"),
        (
            "mv x secrets/y",
            "delete x/**; write secrets/y/**; write secrets/y/x/**",
        ),
        (
            "mv a b secrets",
            "delete a/**; delete b/**; write secrets/a/**; write secrets/b/**",
        ),
        ("mv -T x secrets", "delete x/**; write secrets/**"),
        ("install -m 600 x secrets/", "read x; write secrets/x"),
        ("install -d a b", "write a; write b"),
        (
            "install -Dm755 x secrets/y",
            "read x; write secrets/y; write secrets/y/x",
        ),
        (
            "ln x secrets/y",
            "write x; write secrets/y; write secrets/y/x",
        ),
        ("ln secrets/a b", "write secrets/a; write b; write b/a"),
        ("ln -s secrets/a newb", "write newb; newb -> secrets/a"),
        ("ln -s ../a", "write ./a; ./a -> ../a"),
        ("rsync a secrets/", "read a; write secrets/a"),
        ("rsync -a adir/ host:b", "net host; read adir//**"),
        (
            "rsync -a --delete a/ secrets",
            "read a//**; delete secrets/**; write secrets/**",
        ),
        (
            "rsync -e 'ssh -p 2' u@h.org:a .",
            "text [ssh -p 2]; net h.org; write ./**",
        ),
        ("scp a u@h.org:b", "net h.org; read a"),
        ("scp u@h.org:a secrets", "net h.org; write secrets/**"),
        (
            "scp -o 'ProxyCommand=nc x 1' a h:b",
            "text [nc x 1]; net h; read a",
        ),
    ]);
}

#[test]
fn files() {
    check(&[
        ("rm -rf secrets", "delete secrets/**"),
        ("rm -r -- -x", "delete -x/**"),
        ("rm --rec x", "delete x/**"),
        ("rm a b", "delete a; delete b"),
        ("rm $x", "unknown delete"),
        ("rmdir a", "delete a"),
        ("unlink a", "delete a"),
        ("shred -u a", "write a; delete a"),
        ("tee secrets/a", "write secrets/a"),
        ("tee -a a b", "write a; write b"),
        ("sponge a", "write a"),
        ("touch -r x a", "read x; write a"),
        ("truncate -s0 secrets/a", "write secrets/a"),
        ("mkdir -p a/b", "write a/b"),
        ("mkfifo a", "write a"),
        ("mknod a p", "write a"),
        ("mktemp secrets/XXXX", "write secrets/XXXX"),
        ("chmod 600 a", "write a"),
        ("chmod -x a", "write a"),
        ("chmod -R u+x a", "write a/**"),
        ("chmod --reference=x a", "read x; write a"),
        ("chown -R me a b", "write a/**; write b/**"),
        ("setfacl -m u:me:r a", "write a"),
        ("chattr +i a", "write a"),
        ("dd if=a of=secrets/a bs=1", "read a; write secrets/a"),
        ("dd of=$x", "unknown write"),
        ("cat a - b", "read a; read b"),
        ("cat $x", "unknown read"),
        ("cat /dev/fd/63", ""),
        ("head -n 5 a", "read a"),
        ("tail -5 a", "read a"),
        ("wc -l a b", "read a; read b"),
        ("sort -o out in", "write out; read in"),
        ("sort --output=out -k 2 in", "write out; read in"),
        ("sort -oout in", "write out; read in"),
        ("uniq in out", "read in; write out"),
        ("uniq -c in", "read in"),
        ("xxd in out", "read in; write out"),
        ("xxd -r -p in out", "read in; write out"),
        ("cut -d , -f 1 a", "read a"),
        ("diff -u a b", "read a; read b"),
        ("diff -r a b", "read a/**; read b/**"),
        ("ls", "read ."),
        ("ls -la a", "read a"),
        ("ls -R", "read ./**"),
        ("du -sh a", "read a/**"),
        ("tree -o out a", "write out; read a/**"),
        ("stat -c %s a", "read a"),
        ("less +/x a", "read a"),
        ("less '+!rm x' a", "code; read a"),
        ("md5sum a", "read a"),
        ("jq .a f", "read f"),
        ("jq -f prog f", "read prog; read f"),
        ("jq --arg a b .x f", "read f"),
        ("jq --slurpfile n data .x f", "read data; read f"),
        ("yq -i .a=1 f", "read f; write f"),
        ("yq eval .a f", "read f"),
        ("patch secrets/a", "write secrets/a"),
        ("patch -p1 < x.patch", "unknown write"),
        (
            "patch -d sub -i x.patch",
            "in sub {read x.patch; unknown write}",
        ),
        ("patch --dry-run -i x", "read x"),
        ("split -l 10 in secrets/p", "read in; write ~secrets/p*"),
        (
            "split --filter 'gzip > x' in",
            "text [gzip > x]; read in; write ~x*",
        ),
        ("csplit -f secrets/p in /x/", "read in; write ~secrets/p*"),
        ("sqlite3 db 'select 1'", "read db; write db"),
        ("sqlite3 db '.shell rm x'", "read db; write db; code"),
        ("at now <<< 'rm x'", "text [rm x]"),
        ("| at now", "unknown_text"),
        ("at -l", ""),
        ("crontab -l", ""),
        ("| crontab -", "unknown_text"),
        ("crontab file", "read file; unknown_text"),
        ("paste -s a", "read a"),
        ("comm -1 a b", "read a; read b"),
        ("readlink -e a", "read a"),
    ]);
}

#[test]
fn editors() {
    check(&[
        ("sed -i s/a/b/ secrets/a", "read secrets/a; write secrets/a"),
        ("sed s/a/b/ f", "read f"),
        ("sed 's/a/w/' f", "read f"),
        ("sed -n '/x/w secrets/a' f", "write secrets/a; read f"),
        ("sed -i.bak s/a/b/ f", "read f; write f; write f.bak"),
        ("sed -e s/a/b/ -e 's/c/d/w out' f", "write out; read f"),
        ("sed 's/a/b/e' f", "code; read f"),
        ("sed -f prog f", "read prog; read f"),
        ("sed $x f", "code; read f"),
        ("sed 1d", ""),
        ("awk '{print $1}' f", "read f"),
        ("awk '$1>2' f", "read f"),
        ("awk '{print > \"secrets/a\"}' f", "write secrets/a; read f"),
        ("awk 'BEGIN{system(\"id\")}'", "code"),
        ("awk -F: -v a=b '{print}' f a=b", "read f"),
        ("awk -f prog f", "read prog; read f"),
        ("gawk -i inplace '{print}' f", "read f; write f"),
        ("ed secrets/a", "read secrets/a; write secrets/a"),
        ("ed a <<< 'w\\nq'", "read a; write a"),
        ("ed a <<< '!rm x'", "read a; write a; code"),
        ("vim -c 'wq' f", "read f; write f"),
        ("vim +'w secrets/a' f", "read f; write f; code"),
        ("vim '+!rm x' f", "read f; write f; code"),
        ("nano f", "read f; write f"),
        ("emacs --eval '(x)' f", "code; write f"),
    ]);
}

#[test]
fn search() {
    check(&[
        ("grep secrets/x file", "read file"),
        ("grep -r x", "read ./**"),
        ("grep -r x adir", "read adir/**"),
        ("grep -e x -f pats file", "read pats; read file"),
        ("grep -c x $f", "unknown read"),
        ("rg x", "read ./**"),
        ("rg --pre cat x adir", "run [cat ?FILE]; read adir/**"),
        ("rg -g '*.rs' x", "read ./**"),
        ("find . -name '*.pyc' -delete", "read ./**; delete ./**"),
        (
            "find secrets -exec rm {} ;",
            "read secrets/**; run [rm ?secrets/{}]",
        ),
        (
            "find a b -type f -exec grep -l x {} + -print",
            "read a/**; read b/**; run [grep -l x ?a/{}]",
        ),
        ("find . -fprint secrets/a", "read ./**; write secrets/a"),
        (
            "find . -execdir sh x.sh ;",
            "read ./**; in ? {run [sh x.sh]}",
        ),
        ("find $x -name a", "unknown read"),
        ("fd x adir", "read adir/**"),
        ("fd -e rs . src -x rm", "read src/**; run [rm ?src/{}]"),
        ("fd x -X rm -f {}", "read ./**; run [rm -f ?./{}]"),
    ]);
}

#[test]
fn archives() {
    check(&[
        ("tar xf a.tar -C secrets", "read a.tar; write secrets/**"),
        (
            "tar -czf out.tgz a b",
            "write out.tgz; read a/**; read b/**",
        ),
        ("tar xzf a.tgz", "read a.tgz; write ./**"),
        ("tar tf a.tar", "read a.tar"),
        ("tar cf - a", "read a/**"),
        ("tar -xf a --to-command=sh", "text [sh]; read a; write ./**"),
        (
            "tar -cf a --checkpoint-action=exec=id x",
            "text [id]; write a; read x/**",
        ),
        (
            "tar -I 'zstd -1' -cf a x",
            "text [zstd -1]; write a; read x/**",
        ),
        (
            "tar --remove-files -cf a x",
            "write a; read x/**; delete x/**",
        ),
        ("tar -cf a -C sub x", "write a; read sub/x/**"),
        ("tar $x", "unknown_arguments"),
        ("gzip a", "read a; write a.gz; delete a"),
        ("gzip -k a", "read a; write a.gz"),
        ("gunzip a.gz", "read a.gz; write a; delete a.gz"),
        ("gzip -c a", "read a"),
        ("xz -d a.xz", "read a.xz; write a; delete a.xz"),
        ("zstd a", "read a; write a.zst"),
        ("zstd --rm a -o b", "read a; write b; delete a"),
        ("zip -r out.zip a", "write out.zip; read a/**"),
        ("unzip a.zip -d secrets", "read a.zip; write secrets/**"),
        ("unzip -l a.zip", "read a.zip"),
        ("7z x a.7z -osecrets", "read a.7z; write secrets/**"),
        ("| cpio -o -O out", "write out; unknown read"),
        ("cpio -i -F a", "read a; write ./**"),
        ("ar rcs lib.a x.o", "write lib.a; read x.o"),
    ]);
}
