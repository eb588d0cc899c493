#!/bin/sh
# List the commits since a tag (default: the last one) up to HEAD, without merges.
# usage: commits_since.sh [TAG]
set -eu

if ! git rev-parse --git-dir >/dev/null 2>&1; then
    echo "not inside a git repository" >&2
    exit 2
fi

start=${1:-$(git describe --tags --abbrev=0 2>/dev/null || true)}
if [ -z "$start" ]; then
    range=HEAD
    echo "no tag found: listing every commit" >&2
elif git rev-parse --verify --quiet "$start^{commit}" >/dev/null; then
    range=$start..HEAD
else
    echo "unknown tag or commit: $start" >&2
    exit 2
fi

git log --no-merges --date=short --format='%h %ad %s' "$range"
