#!/usr/bin/env bash
# Runs fuzz targets, each for a while, and prints one line per target.
#
#   fuzz/run.sh [seconds per target, default 600] [target...]
#
# Exits with 1 if there were findings; their inputs lie in fuzz/artifacts/<target>/. Seeds are never
# changed: what the fuzzer learns is kept below the build folder. FUZZ_SANITIZER=address looks for
# memory errors too, which costs most of the speed and finds nothing in crates without `unsafe`.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-600}
shift || true
targets=("$@")
((${#targets[@]})) || mapfile -t targets < <(sed -n 's/^name = "\(.*\)"$/\1/p' Cargo.toml | tail -n +2)

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
# Coverage is an unstable option of the compiler, which a stable one grants under this name.
export RUSTC_BOOTSTRAP=1
tools=$CARGO_TARGET_DIR/tools
export PATH=$PATH:$tools/bin
command -v cargo-fuzz >/dev/null || cargo install --quiet --locked --root "$tools" cargo-fuzz

status=0
for target in "${targets[@]}"; do
    learned=$CARGO_TARGET_DIR/corpus/$target
    log=$CARGO_TARGET_DIR/$target.log
    mkdir -p "$learned" "artifacts/$target"
    marker=$(mktemp)
    cargo fuzz run --sanitizer "${FUZZ_SANITIZER:-none}" "$target" "$learned" "corpus/$target" -- \
        -max_total_time="$seconds" -timeout=10 -dict=words.dict -print_final_stats=1 \
        >"$log" 2>&1 || true
    found=$(find "artifacts/$target" -type f -newer "$marker" | wc -l)
    rm -f "$marker"
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
    rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log" | tail -n 1)
    printf '%-10s %10s runs %8s per second %4s findings\n' "$target" "${runs:-none}" "${rate:-0}" "$found"
    if ((found)) || [[ -z $runs ]]; then
        status=1
        echo "  see $log" >&2
    fi
done
exit "$status"
