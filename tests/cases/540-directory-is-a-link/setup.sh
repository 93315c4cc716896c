#!/bin/sh
# usage: setup.sh DIR   makes the state in DIR; the payload's @REPO@ is DIR, or DIR/<suffix> as the payload says
set -e
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_CONFIG_NOSYSTEM=1
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
g() { git -c user.name=Dev -c user.email=dev@example.invalid -c commit.gpgsign=false -c init.defaultBranch=main -c protocol.file.allow=always "$@"; }
mkdir -p "$1"; cd "$1"; d=$(pwd)
g init -q -b holds holds; (cd holds; g commit -q --allow-empty -m one); g init -q -b target target; (cd target; g commit -q --allow-empty -m one; mkdir -p packages/app); ln -s ../target/packages/app holds/app
