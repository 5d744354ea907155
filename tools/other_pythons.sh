#!/bin/sh
# Run the core tests of arrays, namespace, memory and sharing under each other minor version of Python
# on this machine, each in its own virtual environment, and print which. The argument is the Python
# that needs no further run. What differs between Pythons is their C API and multiprocessing, so
# forkserver, which is fork and spawn in turn, is left to the main one; so are tests of what the C
# core does by itself. Nothing here is about speed: the compiler need not optimise.
SHAREDARRAY_CFLAGS="${SHAREDARRAY_CFLAGS--O0}"
export SHAREDARRAY_CFLAGS
here=$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
found=$(mktemp)
trap 'rm -f "$found"' EXIT
sh tools/find_python.sh --all >"$found"
status=0
sharing="by_value collect exit fork handles is_shared keeper lost threads transport_managers transport_nested
    transport_pool transport_process"
tests="tests/array tests/memory tests/namespace tests/standard"
for name in $sharing; do tests="$tests tests/sharing/test_$name.py"; done
tests="$tests -k 'not forkserver'"
while read -r version python; do
    if [ "$version" = "$here" ]; then
        echo "Python $version: the main one, not here"
        continue
    fi
    echo "Python $version: $python"
    "${MAKE:-make}" --no-print-directory test PYTHON="$python" VENV=".venv-$version" \
        PYTEST_ARGS="$tests" </dev/null || {
        echo "Python $version: failed"
        status=1
    }
done <"$found"
exit $status
