#!/bin/sh
# Make the virtual environment: an up-to-date pip, the dependencies of a lock by hash, then the project itself without dependencies.
set -eu
python="${PYTHON:-python3}"
venv="${VENV:-.venv}"
lock="$1"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "suanli needs Python 3.11 or newer; $("$python" --version) was found. Name another with: make PYTHON=python3.12 ..." >&2
    exit 4
}
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
echo "Installing the dependencies of $lock into $venv"
"$venv/bin/python" -m pip install --quiet --quiet --disable-pip-version-check --upgrade pip
"$venv/bin/python" -m pip install --quiet --quiet --disable-pip-version-check --require-hashes -r "$lock"
"$venv/bin/python" -m pip install --quiet --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
