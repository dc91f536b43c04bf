# Shared by scripts/test, scripts/check and scripts/demo: finds Python, makes .venv, installs from uv.lock.
# Sourced, never run.  Needs bash and Python 3.11 or newer; everything else it installs, or says what it left out.
# shellcheck shell=bash

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$ROOT"

say() { printf '· %s\n' "$*"; }
left_out() { printf '· skipped: %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# A shim may be on PATH for a version that is not there: only running it tells.
works() { command -v "$1" >/dev/null 2>&1 && "$@" >/dev/null 2>&1; }

# Runs a command quietly; its output is shown only when it fails.
quietly() {
  local log status=0
  log="$(mktemp)"
  "$@" >"$log" 2>&1 || status=$?
  [ "$status" -eq 0 ] || tail -n 25 "$log" >&2
  rm -f "$log"
  return "$status"
}

find_python() {
  local name
  for name in python3.13 python3.12 python3.11 python3.14 python3 python; do
    if works "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
      "$name" -c 'import sys; print(sys.executable)'
      return 0
    fi
  done
  return 1
}

# System packages by apt, when there is an apt and we may use it (MF_NO_APT=1 forbids it).
apt_install() {
  local as_root=()
  [ -z "${MF_NO_APT:-}" ] && command -v apt-get >/dev/null 2>&1 || return 1
  if [ "$(id -u)" -ne 0 ]; then
    works sudo -n true || return 1
    as_root=(sudo -n)
  fi
  say "installing $* with apt-get"
  export DEBIAN_FRONTEND=noninteractive
  "${as_root[@]}" apt-get install -y -q --no-install-recommends "$@" >/dev/null 2>&1 && return 0
  "${as_root[@]}" apt-get update -q >/dev/null 2>&1 || true
  quietly "${as_root[@]}" apt-get install -y -q --no-install-recommends "$@"
}

need_git() {
  works git --version && return 0
  apt_install git || left_out "git (tests that need a repository will fail; install git)"
}

# Where things may be written: the checkout and HOME, or a temporary folder in their place.
settle_places() {
  unset VIRTUAL_ENV CONDA_PREFIX
  VENV="${UV_PROJECT_ENVIRONMENT:-$ROOT/.venv}"
  if [ ! -d "$VENV" ] && [ ! -w "$ROOT" ]; then
    SCRATCH="$(mktemp -d)"
    VENV="$SCRATCH/venv"
    export HYPOTHESIS_STORAGE_DIRECTORY="$SCRATCH/hypothesis"
    say "the checkout is read-only: installing into $VENV"
  fi
  if [ -z "${HOME:-}" ] || ! mkdir -p "$HOME" 2>/dev/null || [ ! -w "$HOME" ]; then
    HOME="$(mktemp -d)"
    export HOME
    say "no writable home folder: using $HOME"
  fi
  export UV_PROJECT_ENVIRONMENT="$VENV" UV_PYTHON_DOWNLOADS=never UV_NO_PROGRESS=1
  BIN="$VENV/bin"
  if [ -d "$VENV/Scripts" ]; then BIN="$VENV/Scripts"; fi
}

# Makes the virtual environment.  Debian's Python comes without ensurepip, so there is more than one way.
make_venv() {
  local python
  works "$BIN/python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' && return 0
  python="$(find_python)" || fail "Python 3.11 or newer is needed; none was found on PATH"
  say "making $VENV with $("$python" --version)"
  if works uv --version; then
    quietly uv venv --quiet --clear --python "$python" "$VENV" || fail "uv could not make $VENV"
  elif works "$python" -m ensurepip --version || { apt_install python3-venv && works "$python" -m ensurepip --version; }; then
    quietly "$python" -m venv --clear "$VENV" || fail "$python could not make $VENV"
  elif works "$python" -m pip --version; then
    quietly "$python" -m venv --clear --without-pip "$VENV" || fail "$python could not make $VENV"
  else
    fail "this Python has neither ensurepip nor pip; install one of them (Debian: apt-get install python3-venv) or uv"
  fi
  if [ -d "$VENV/Scripts" ]; then BIN="$VENV/Scripts"; fi
}

# uv from PATH, else into the environment itself.
find_uv() {
  if works uv --version; then
    UV=(uv)
    return 0
  fi
  UV=("$BIN/uv")
  works "${UV[@]}" --version && return 0
  say "installing uv"
  if works "$BIN/python" -m pip --version; then
    quietly "$BIN/python" -m pip install --quiet --disable-pip-version-check uv
  else
    quietly "$(find_python)" -m pip --python "$BIN/python" install --quiet --disable-pip-version-check uv
  fi || fail "uv could not be installed; is there a network?"
}

# The npm programs that some tests talk to; those tests are skipped where they are not there.
need_peers() {
  local at="$ROOT/tests/peers" installed="$ROOT/tests/peers/node_modules/.installed"
  [ -z "${MF_NO_PEERS:-}" ] || { left_out "npm peers (MF_NO_PEERS is set)"; return 0; }
  works node --version && works npm --version || apt_install nodejs npm \
    || { left_out "npm peers: no Node.js (their tests are skipped; install Node.js 20 or newer)"; return 0; }
  cmp -s "$at/package-lock.json" "$installed" && return 0
  [ -w "$at" ] || { left_out "npm peers: the checkout is read-only"; return 0; }
  say "installing what tests/peers/package-lock.json names"
  if (cd "$at" && quietly npm ci --ignore-scripts --no-progress --fetch-retries=1); then
    cp "$at/package-lock.json" "$installed"
  else
    left_out "npm peers (the lines above say why; their tests are skipped)"
  fi
}

# install dev   what tests and checks need;   install use   what running needs (keeps what is there).
install() {
  local group=(--group dev)
  settle_places
  make_venv
  find_uv
  # uv would take itself away from the environment it manages; an inexact sync leaves it.
  if [ "$1" = use ]; then group=(--no-dev); fi
  say "installing what uv.lock names"
  local sync=("${UV[@]}" sync --frozen --inexact --quiet --python "$BIN/python" "${group[@]}")
  # The second try trusts the system's certificates, for networks that bring their own.
  "${sync[@]}" >/dev/null 2>&1 || UV_SYSTEM_CERTS=1 UV_NATIVE_TLS=1 quietly "${sync[@]}" \
    || fail "the dependencies could not be installed; the lines above say why"
}
