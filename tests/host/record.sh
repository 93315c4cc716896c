#!/bin/sh
# record.sh FOLDER COMMAND: runs a status line command and keeps what it saw and said; for each run
#   N.stdin  N.env  N.stdout  N.stderr  N.end (the exit status, or `killed`)
mkdir -p "$1"
run=$1/$(date +%s%N)
trap 'echo killed >"$run.end"; exit 143' TERM
cat >"$run.stdin"
env >"$run.env"
sh -c "$2" <"$run.stdin" >"$run.stdout" 2>"$run.stderr"
status=$?
cat "$run.stdout"
echo $status >"$run.end"
exit $status
