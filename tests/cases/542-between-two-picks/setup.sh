#!/bin/sh
# usage: setup.sh DIR   makes the state in DIR; the payload's @REPO@ is DIR, or DIR/<suffix> as the payload says
set -e
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_CONFIG_NOSYSTEM=1
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
g() { git -c user.name=Dev -c user.email=dev@example.invalid -c commit.gpgsign=false -c init.defaultBranch=main -c protocol.file.allow=always "$@"; }
mkdir -p "$1"; cd "$1"; d=$(pwd)
echo 1 > f; g init -q -b main .; g add f; g commit -q -m 1; g checkout -q -b topic; for n in a b c; do echo $n > f; g commit -qam $n; done; g checkout -q main; echo m > f; g commit -qam m; g cherry-pick main..topic >/dev/null 2>&1 || true; echo r > f; g add f; g commit -q -m r
