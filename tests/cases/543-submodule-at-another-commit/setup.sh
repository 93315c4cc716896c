#!/bin/sh
# usage: setup.sh DIR   makes the state in DIR; the payload's @REPO@ is DIR, or DIR/<suffix> as the payload says
set -e
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_CONFIG_NOSYSTEM=1
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
g() { git -c user.name=Dev -c user.email=dev@example.invalid -c commit.gpgsign=false -c init.defaultBranch=main -c protocol.file.allow=always "$@"; }
mkdir -p "$1"; cd "$1"; d=$(pwd)
g init -q -b lib lib; (cd lib; echo 1 > f; g add f; g commit -q -m l); g init -q -b main top; cd top; g submodule --quiet add "$d/lib" lib; g commit -q -m s; cd lib; g commit -q --allow-empty -m another; echo 2 > f
