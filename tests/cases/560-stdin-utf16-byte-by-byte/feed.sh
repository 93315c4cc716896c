#!/bin/sh
# usage: sh feed.sh | ohud   (run it in this directory)
n=$(wc -c < payload.json); head -c 1 payload.json; sleep 0.03; tail -c +2 payload.json | head -c $((n-3)); sleep 0.03; tail -c 2 payload.json | head -c 1; sleep 0.03; tail -c 1 payload.json; exec sleep 30
