#!/bin/sh
# Print a Python that can run the project: CPython 3.11 or newer, with venv and its headers.
# `find_python.sh --all` prints one for each minor version instead.

usable() {
    "$1" - 2>/dev/null <<'CODE'
import ensurepip, pathlib, platform, sys, sysconfig, venv
headers = pathlib.Path(sysconfig.get_path("include"), "Python.h")
if platform.python_implementation() == "CPython" and sys.version_info >= (3, 11) and headers.exists():
    print("%d.%d" % sys.version_info[:2], sys.executable)
CODE
}

candidates() {
    command -v python3
    for minor in 11 12 13 14 15 16; do command -v "python3.$minor"; done
    for folder in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*; do
        [ -x "$folder/bin/python" ] && echo "$folder/bin/python"
    done
}

seen=" "
candidates | while read -r candidate; do
    found=$(usable "$candidate")
    [ -n "$found" ] || continue
    if [ "$1" != "--all" ]; then
        echo "${found#* }"
        break
    fi
    case "$seen" in *" ${found%% *} "*) continue ;; esac
    seen="$seen${found%% *} "
    echo "$found"
done
