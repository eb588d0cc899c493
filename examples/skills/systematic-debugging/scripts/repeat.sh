#!/bin/sh
# Run a command many times, count its failures and keep the output of the first one.
# usage: repeat.sh TIMES COMMAND [ARGUMENT...]
set -u

case ${1:-} in
    '' | *[!0-9]*)
        echo "usage: repeat.sh TIMES COMMAND [ARGUMENT...]" >&2
        exit 2
        ;;
esac
times=$1
shift
if [ "$#" -eq 0 ]; then
    echo "usage: repeat.sh TIMES COMMAND [ARGUMENT...]" >&2
    exit 2
fi

output=$(mktemp) || exit 2
first=
failed=0
run=1
while [ "$run" -le "$times" ]; do
    if ! "$@" >"$output" 2>&1; then
        failed=$((failed + 1))
        if [ -z "$first" ]; then
            first=$(mktemp) || exit 2
            cp "$output" "$first"
            echo "run $run failed; its output is in $first"
        fi
    fi
    run=$((run + 1))
done
rm -f "$output"
echo "$failed of $times runs failed"
[ "$failed" -eq 0 ]
