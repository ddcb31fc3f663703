#!/usr/bin/env bash
# Gets `perf-gate`: from a given folder, from the pinned release, or (`get.sh build`) by a build. bash 3.2 is enough.
# `get.sh sources` prints the fingerprint of the sources.
#
# release.txt pins a release by its URL, the SHA-256 of every archive, and the fingerprint of its sources. An archive
# with another checksum is not unpacked, and there is no fallback: an attacker who can make a download fail must not
# choose what runs. A release of other sources than these is not used: between releases, the program is built.
#
# Nothing has been checked when this runs, and the workspace may be a pull request's head. So the script restarts
# itself isolated from the workspace: in the root folder, where cargo and rustup find no `.cargo/config.toml` or
# `rust-toolchain.toml` of the workspace, and with only the environment variables listed below.
set -euo pipefail

slashes() { if [[ ${RUNNER_OS:-} == Windows ]]; then printf '%s' "${1//\\//}"; else printf '%s' "$1"; fi; }

# Windows and macOS ignore case in paths, and Windows in variable names.
shopt -s nocasematch

# Whether a path is absolute and does not lead into the workspace.
is_outside() { # PATH
  local folder=$1
  [[ $1 == /* || $1 == [a-z]:* ]] || return 1
  [[ -d $1 ]] || folder=${1%[/\\]*}
  folder=$(cd -- "$folder/" 2>/dev/null && pwd -P) || return 1
  [[ $folder/ != "$workspace"/* ]]
}

start_again() { # ARGUMENT…
  local folder folders='' name clean=() IFS=:
  set -f
  for folder in $PATH; do if is_outside "$folder"; then folders+=:$folder; fi; done
  # An empty entry would mean the current folder.
  folders=${folders:-:/usr/bin:/bin}
  export PATH=${folders#:}
  IFS=$'\n'
  for name in $(compgen -e); do
    case $name in
      PATH | PERF_BINARIES | GITHUB_ACTION_PATH | GITHUB_EVENT_NAME | GITHUB_OUTPUT | RUNNER_ARCH | RUNNER_OS | RUNNER_TEMP) ;;
      HTTP_PROXY | HTTPS_PROXY | ALL_PROXY | NO_PROXY | LANG | LC_ALL | USER | LOGNAME) ;;
      # Set by Windows.
      COMSPEC | NUMBER_OF_PROCESSORS | OS | PATHEXT | PROCESSOR_ARCHITECTURE | SYSTEMDRIVE) ;;
      # A path instead of a toolchain's name could select any program.
      RUSTUP_TOOLCHAIN) [[ ${!name} =~ ^[a-z0-9][a-z0-9._-]*$ ]] || continue ;;
      HOME | CARGO_HOME | RUSTUP_HOME | TMPDIR | TEMP | TMP | SSL_CERT_FILE | SSL_CERT_DIR | DEVELOPER_DIR | SDKROOT | \
        APPDATA | LOCALAPPDATA | PROGRAMDATA | PROGRAMFILES | SYSTEMROOT | USERPROFILE | WINDIR)
        is_outside "${!name}" || continue ;;
      *) continue ;;
    esac
    clean+=("$name=${!name}")
  done
  # This variable, which the Windows linker needs, has a name that bash cannot read.
  if [[ -d '/c/Program Files (x86)' ]]; then clean+=('PROGRAMFILES(X86)=C:\Program Files (x86)'); fi
  # `-p`: ignores `BASH_ENV`, and functions in the environment.
  exec env -i "${clean[@]}" "$BASH" -p "${BASH_SOURCE[0]}" clean "$workspace" "$@"
}

if [[ ${1:-} != clean ]]; then
  workspace=$(cd -- "${GITHUB_WORKSPACE:-.}" && pwd -P)
  start_again "$@"
fi
workspace=$2
shift 2
cd /

action=$(slashes "${GITHUB_ACTION_PATH%[/\\]setup}") # the action `setup` is in a folder of this one
pin=$action/action/release.txt
temporary=$(slashes "${RUNNER_TEMP:-${TMPDIR:-/tmp}}")
kept=$temporary/perf-gate-program

fail() { # MESSAGE HINT
  local text=${1//'%'/%25}
  text=${text//$'\r'/%0D}
  printf '::error title=perf-gate::%s%%0Ahint: %s\n' "${text//$'\n'/%0A}" "$2"
  exit 2
}

# A random delimiter that no value and no log can contain.
end=perf-gate-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')

output() { # NAME VALUE
  printf '%s<<%s\n%s\n%s\n' "$1" "$end" "$2" "$end" >>"$GITHUB_OUTPUT"
}

# Runs a command whose output may contain untrusted text, with workflow commands disabled.
guarded() { # COMMAND…
  local status=0
  printf '::stop-commands::%s\n' "$end"
  "$@" 2>&1 || status=$?
  printf '\n::%s::\n' "$end"
  return "$status"
}

sha256() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d ' ' -f 1; }

# The system and architecture, as in the names of archives.
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

# The pin contains these lines, without comments: `sources HASH`, `url ADDRESS`, then `HASH  ARCHIVE` for each
# archive.
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
    fail "cannot download \`$1/$3\`" 'check the network; `binaries: build` builds the program instead'
  if [[ $(sha256 <"$archive") != "$2" ]]; then
    rm -f "$archive"
    fail "\`$1/$3\` does not have the pinned SHA-256" 'nothing was run; please report this'
  fi
  rm -rf "$folder"
  mkdir -p "$folder"
  # From standard input, because tar takes `C:` for the name of a computer.
  (cd "$folder" && tar -xzf -) <"$archive"
  rm -f "$archive"
  found "$folder" false
}

# Every file that a build depends on, and the scripts that use it.
sources() {
  cd "$action"
  find . -type f \( -name '*.rs' -o -name '*.toml' -o -name '*.hbs' -o -name Cargo.lock -o -name action.yml \
    -o -path './action/*.sh' \) -not -path './target/*' -not -path './.git/*' | LC_ALL=C sort
}

# The hash of their names and contents, with few processes, which are slow on Windows. Fails if there are no files.
fingerprint() {
  local files
  files=$(sources) && [[ -n $files ]] || return 1
  (cd "$action" && printf '%s\n' "$files" && printf '%s\n' "$files" | tr '\n' '\0' | xargs -0 cat) | sha256
}

plan_build() { # FINGERPRINT
  local version
  if ! command -v cargo >/dev/null || ! command -v rustc >/dev/null; then
    fail 'no pinned release matches these sources and this system, and there is no Rust toolchain outside of the workspace' \
      'install a toolchain from https://rustup.rs'
  fi
  version=$(rustc --version 2>/dev/null) || version=''
  if [[ $version != rustc\ * ]]; then
    fail '`rustc --version` prints no version, so the build cannot be cached' \
      'install a default toolchain on the runner: toolchain files and folders in the workspace are ignored'
  fi
  output key "perf-gate-${RUNNER_OS:-unknown}-${RUNNER_ARCH:-unknown}-$(printf '%s\n%s\n' "$version" "$1" | sha256)"
  # Whatever is in that folder now is not trusted.
  rm -rf "$kept/built"
  found "$kept/built" true
}

refuse() { # FOLDER
  fail "the programs in \`$1\` are in the workspace, but \`$GITHUB_EVENT_NAME\` runs with the permissions of the base" \
    'put them into a folder in `runner.temp`, and pass its absolute path'
}

# The workspace may be a pull request's head, whose programs must not get the permissions of the base.
use() { # FOLDER
  local folder path
  folder=$(slashes "$1")
  [[ $folder == /* || $folder == [a-z]:* ]] || folder=$workspace/$folder
  if [[ ! -d $folder ]]; then fail "there is no folder \`$1\`" 'see the input `binaries`'; fi
  case ${GITHUB_EVENT_NAME:-} in
    pull_request_target | workflow_run | issue_comment)
      # Nor may a link in the workspace lead to the folder.
      path=$folder
      while [[ $path == */* ]]; do
        is_outside "$path" || refuse "$1"
        path=${path%/*}
      done ;;
  esac
  if [[ ! -f $folder/perf-gate && ! -f $folder/perf-gate.exe ]]; then
    fail "the folder \`$1\` does not contain \`perf-gate\`" 'the input `binaries` is `auto`, `build` or a folder with the program'
  fi
  found "$(cd -- "$folder" && pwd -P)" false
}

build() {
  # Next to the sources, because a job may unpack anything into its temporary folder.
  export CARGO_TARGET_DIR=$action/target
  if [[ ! -w $action ]]; then CARGO_TARGET_DIR=$(mktemp -d "$temporary/perf-gate-target.XXXXXX"); fi
  guarded cargo build --locked --release --package perf-gate --features github --manifest-path "$action/Cargo.toml" ||
    fail 'cannot build the program' 'the toolchain may be older than `rust-version` in Cargo.toml'
  rm -rf "$kept/built"
  mkdir -p "$kept/built"
  cp "$CARGO_TARGET_DIR"/release/perf-gate{,.exe} "$kept/built/" 2>/dev/null || true
  if [[ ! -f $kept/built/perf-gate && ! -f $kept/built/perf-gate.exe ]]; then
    fail 'the build did not write `perf-gate`' 'a cargo configuration on this runner may write it elsewhere'
  fi
}

get() {
  local archive hash sources url
  case $PERF_BINARIES in
    auto | build) ;;
    *) use "$PERF_BINARIES"; return ;;
  esac
  sources=$(fingerprint) || fail 'the sources of the action cannot be read' 'is the action complete in `_actions`?'
  archive=perf-gate-$(target).tar.gz
  url=$(pinned url) hash=$(pinned "$archive")
  if [[ $PERF_BINARIES == auto && -n $url && $hash =~ ^[0-9a-f]{64}$ && $(pinned sources) == "$sources" ]]; then
    download "$url" "$hash" "$archive"
  else
    plan_build "$sources"
  fi
}

case ${1:-} in
  build) build ;;
  sources) fingerprint ;;
  *) get ;;
esac
