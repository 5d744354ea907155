#!/bin/sh
# need_program.sh PROGRAM PACKAGE: install Debian's PACKAGE if PROGRAM is missing.
command -v "$1" >/dev/null && exit 0
if ! command -v apt-get >/dev/null; then
    echo "there is no program $1 here, and no apt-get to install it with: it is in the package $2 of most systems" >&2
    exit 1
fi
if [ "$(id -u)" = 0 ]; then
    as=
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as="sudo -n"
else
    echo "there is no program $1 here: apt-get install $2 (as root; this user may not)" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
$as apt-get install -q -y --no-install-recommends "$2" </dev/null ||
    { $as apt-get update -q && $as apt-get install -q -y --no-install-recommends "$2" </dev/null; } ||
    { echo "the package $2, with the program $1, could not be installed" >&2; exit 1; }
command -v "$1" >/dev/null || { echo "the package $2 has no program $1" >&2; exit 1; }
