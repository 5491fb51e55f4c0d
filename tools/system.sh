#!/bin/sh
# Install the system libraries that a PDF needs (Pango and HarfBuzz) and the packages given, once. Debian 12 and 13, Ubuntu 24.04.
set -eu
needed="libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 $*"
# The environment itself needs venv, which Debian and Ubuntu package apart.
python="${PYTHON:-python3}"
"$python" -c 'import ensurepip' 2>/dev/null || needed="$needed $("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')"
missing=""
for name in $needed; do
    # Ubuntu and Debian 13 rename some libraries with a t64 suffix; either name provides the same files.
    status=$(dpkg-query -W -f='${Status}\n' "$name" "${name}t64" 2>/dev/null || true)
    case "$status" in *"install ok installed"*) ;; *) missing="$missing $name" ;; esac
done
[ -z "$missing" ] && exit 0
install="apt-get install -y --no-install-recommends$missing"
if ! command -v apt-get >/dev/null 2>&1; then
    echo "suanli needs the system libraries$missing; install them with this system's package manager, then run make again." >&2
    exit 4
fi
run=""
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        run="sudo"
    else
        echo "suanli needs the system libraries$missing, and installing them needs root. Run:" >&2
        echo "    sudo apt-get update && sudo $install" >&2
        echo "and then make again." >&2
        exit 4
    fi
fi
echo "Installing system libraries:$missing"
$run apt-get update -qq
# shellcheck disable=SC2086 - a list of names
DEBIAN_FRONTEND=noninteractive $run $install >/dev/null
