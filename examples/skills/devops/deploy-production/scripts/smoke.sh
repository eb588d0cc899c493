#!/bin/sh
# Ask each path of a service for an answer; stop with 1 at the first that is not 2xx.
# usage: smoke.sh BASE_URL PATH...
set -eu

if [ "$#" -lt 2 ]; then
    echo "usage: smoke.sh BASE_URL PATH..." >&2
    exit 2
fi

base=${1%/}
shift

for path in "$@"; do
    case $path in
        /*) ;;
        *) path=/$path ;;
    esac
    result=$(curl --silent --output /dev/null --max-time 10 --write-out '%{http_code} %{time_total}' "$base$path") || true
    status=${result%% *}
    seconds=${result#* }
    printf '%s %ss %s\n' "$status" "$seconds" "$path"
    case $status in
        2??) ;;
        *)
            echo "failed: $base$path answered ${status:-nothing}" >&2
            exit 1
            ;;
    esac
done
