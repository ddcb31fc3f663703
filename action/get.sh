#!/usr/bin/env bash
# Gets `perf-gate`: from a named folder, from the pinned release, or (`get.sh build`) by a build. bash 3.2 is enough.
# `get.sh sources` prints the fingerprint of the sources.
#
# A release is pinned in release.txt by its address, the SHA-256 of every archive, and the fingerprint of its sources.
# What does not match is not unpacked, and nothing else is tried instead: whoever can make a download fail must not choose
# what runs. A release of other sources than these is not used: between releases, the program is built.
set -euo pipefail

slashes() { if [[ ${RUNNER_OS:-} == Windows ]]; then printf '%s' "${1//\\//}"; else printf '%s' "$1"; fi; }

action=$(slashes "${GITHUB_ACTION_PATH%[/\\]setup}") # the action `setup` is a folder of this one
pin=$action/action/release.txt
temporary=$(slashes "${RUNNER_TEMP:-${TMPDIR:-/tmp}}")
kept=$temporary/perf-gate-program

fail() { # MESSAGE HINT
  local text=${1//'%'/%25}
  text=${text//$'\r'/%0D}
  printf '::error title=perf-gate::%s%%0Ahint: %s\n' "${text//$'\n'/%0A}" "$2"
  exit 2
}

random() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

output() { # NAME VALUE
  local end
  end=perf-gate-$(random)
  printf '%s<<%s\n%s\n%s\n' "$1" "$end" "$2" "$end" >>"$GITHUB_OUTPUT"
}

# Runs a command whose output may repeat what a stranger wrote: the workflow obeys none of it.
guarded() { # COMMAND…
  local status=0 token
  token=$(random)
  printf '::stop-commands::%s\n' "$token"
  "$@" 2>&1 || status=$?
  printf '\n::%s::\n' "$token"
  return "$status"
}

sha256() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d ' ' -f 1; }

# As in the names of archives.
target() {
  case ${RUNNER_OS:-}-${RUNNER_ARCH:-} in
    Linux-X64) echo x86_64-linux ;;
    Linux-ARM64) echo aarch64-linux ;;
    macOS-X64) echo x86_64-macos ;;
    macOS-ARM64) echo aarch64-macos ;;
    Windows-X64) echo x86_64-windows ;;
    Windows-ARM64) echo aarch64-windows ;;
    *) echo none ;;
  esac
}

# The lines of the pin without comments: `sources HASH`, `url ADDRESS`, then `HASH  ARCHIVE` for each archive.
pinned() { # FIRST-WORD-OR-ARCHIVE
  awk -v wanted="$1" '{ sub(/\r$/, "") } $1 == wanted { print $2 } $2 == wanted { print $1 }' "$pin"
}

found() { # FOLDER BUILD
  output folder "$1"
  output program "$1/perf-gate"
  output build "$2"
}

download() { # URL HASH ARCHIVE
  local folder=$kept/$2 archive
  command -v curl >/dev/null || fail 'there is no `curl` to download the release' 'install it in a step before this one'
  archive=$(mktemp "$temporary/perf-gate-download.XXXXXX")
  guarded curl --fail --silent --show-error --location --proto '=https,file' --proto-redir '=https' \
    --retry 3 --connect-timeout 20 --max-time 300 --output "$archive" -- "$1/$3" ||
    fail "cannot download \`$1/$3\`" 'is the network there? `binaries: build` builds the program instead'
  if [[ $(sha256 <"$archive") != "$2" ]]; then
    rm -f "$archive"
    fail "\`$1/$3\` does not have the pinned SHA-256" 'nothing of it was run; please report this'
  fi
  rm -rf "$folder"
  mkdir -p "$folder"
  # From standard input, as tar takes `C:` for the name of a computer.
  (cd "$folder" && tar -xzf -) <"$archive"
  rm -f "$archive"
  found "$folder" false
}

# Everything that a build depends on, and the scripts that use it.
sources() {
  cd "$action"
  find . -type f \( -name '*.rs' -o -name '*.toml' -o -name '*.hbs' -o -name Cargo.lock -o -name action.yml \
    -o -path './action/*.sh' \) -not -path './target/*' -not -path './.git/*' | LC_ALL=C sort
}

# Their names and contents, in few processes: Windows starts them slowly.
fingerprint() { (sources && sources | tr '\n' '\0' | xargs -0 cat) | sha256; }

plan_build() {
  if ! command -v cargo >/dev/null || ! command -v rustc >/dev/null; then
    fail 'there is neither a pinned release of these sources for this system nor a Rust toolchain' \
      'install one, from https://rustup.rs'
  fi
  output key "perf-gate-${RUNNER_OS:-unknown}-${RUNNER_ARCH:-unknown}-$( (rustc --version && fingerprint) | sha256)"
  found "$kept/built" true
}

# Where the workspace may be a pull request's head, whose programs must not get the rights of the base.
use() { # FOLDER
  local folder
  folder=$(slashes "$1")
  folder=$(cd -- "$folder" 2>/dev/null && pwd -P) || fail "there is no folder \`$1\`" 'see the input `binaries`'
  case ${GITHUB_EVENT_NAME:-}:$folder/ in
    pull_request_target:"$(pwd -P)"/* | workflow_run:"$(pwd -P)"/*)
      fail "the programs in \`$1\` are of the workspace, which has the rights of the base in \`$GITHUB_EVENT_NAME\`" \
        'put them into a folder of `runner.temp`' ;;
  esac
  if [[ ! -f $folder/perf-gate && ! -f $folder/perf-gate.exe ]]; then
    fail "the folder \`$1\` has no \`perf-gate\`" 'the input `binaries` is `auto`, `build` or a folder with the program'
  fi
  found "$folder" false
}

# Away from the caller's toolchain files and cargo configuration.
build() {
  cd "$action"
  unset RUSTFLAGS CARGO_BUILD_RUSTFLAGS CARGO_BUILD_TARGET CARGO_ENCODED_RUSTFLAGS RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER
  export CARGO_TARGET_DIR=$kept/target
  guarded cargo build --locked --release --bin perf-gate ||
    fail 'cannot build the program' 'the toolchain may be older than `rust-version` in Cargo.toml'
  mkdir -p "$kept/built"
  cp "$CARGO_TARGET_DIR"/release/perf-gate{,.exe} "$kept/built/" 2>/dev/null || true
  if [[ ! -f $kept/built/perf-gate && ! -f $kept/built/perf-gate.exe ]]; then
    fail 'the build left no `perf-gate`' 'a cargo configuration on this runner may say where else it is'
  fi
}

if [[ ${1:-} == build ]]; then build; exit; fi
if [[ ${1:-} == sources ]]; then fingerprint; exit; fi
case $PERF_BINARIES in
  build) plan_build ;;
  auto)
    archive=perf-gate-$(target).tar.gz
    url=$(pinned url) hash=$(pinned "$archive")
    if [[ -n $url && $hash =~ ^[0-9a-f]{64}$ && $(pinned sources) == "$(fingerprint)" ]]; then
      download "$url" "$hash" "$archive"
    else
      plan_build
    fi
    ;;
  *) use "$PERF_BINARIES" ;;
esac
