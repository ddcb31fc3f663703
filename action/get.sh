#!/usr/bin/env bash
# Gets `perf-gate`: from a given folder, from the release that release.txt pins, or (`get.sh build`) from the sources.
# `get.sh sources` prints the fingerprint of the sources. bash 3.2 is enough.
# A release is used only if it was built from these sources. If the hash of a download is wrong, the script fails and
# tries nothing else, because an attacker who can break a download must not choose the program.
set -euo pipefail
# Paths are case-insensitive on Windows and macOS, and variable names on Windows.
shopt -s nocasematch
slashes() { if [[ ${RUNNER_OS:-} == Windows ]]; then printf -v "$1" '%s' "${2//\\//}"; else printf -v "$1" '%s' "$2"; fi; }

# Whether a path is absolute and does not lead into the workspace. Changes the folder, because a subshell is a process.
is_outside() { # PATH
  local folder=$1
  [[ $1 == /* || $1 == [a-z]:* ]] || return 1
  [[ -d $1 ]] || folder=${1%[/\\]*}
  cd -P -- "$folder/" 2>/dev/null && [[ $PWD/ != "$workspace"/* ]]
}

# The workspace may be a pull request's head. So the script restarts itself in the root folder, where no `rust-toolchain.toml`
# or `.cargo/config.toml` of the workspace applies, with few environment variables.
restart() { # ARGUMENT…
  local folder folders='' here=$PWD name clean=() IFS=:
  cd -P -- "${GITHUB_WORKSPACE:-.}"; workspace=$PWD
  set -f
  for folder in $PATH; do if is_outside "$folder"; then folders+=${folders:+:}$folder; fi; done
  export PATH=${folders:-/usr/bin:/bin} # an empty PATH would mean the current folder
  IFS=$'\n'
  for name in $(compgen -e); do
    case $name in
      PATH | PERF_BINARIES | GITHUB_ACTION_PATH | GITHUB_EVENT_NAME | GITHUB_OUTPUT | RUNNER_ARCH | RUNNER_OS | RUNNER_TEMP) ;;
      HTTP_PROXY | HTTPS_PROXY | ALL_PROXY | NO_PROXY | LANG | LC_ALL | USER | LOGNAME) ;;
      COMSPEC | NUMBER_OF_PROCESSORS | OS | PATHEXT | PROCESSOR_ARCHITECTURE | SYSTEMDRIVE) ;; # set by Windows
      # A path instead of a toolchain's name could select any program.
      RUSTUP_TOOLCHAIN) [[ ${!name} =~ ^[a-z0-9][a-z0-9._-]*$ ]] || continue ;;
      HOME | CARGO_HOME | RUSTUP_HOME | TMPDIR | TEMP | TMP | SSL_CERT_FILE | SSL_CERT_DIR | DEVELOPER_DIR | SDKROOT | \
        APPDATA | LOCALAPPDATA | PROGRAMDATA | PROGRAMFILES | SYSTEMROOT | USERPROFILE | WINDIR)
        is_outside "${!name}" || continue ;;
      *) continue ;;
    esac
    clean+=("$name=${!name}")
  done
  # For the Windows linker. bash cannot read this name.
  if [[ -d '/c/Program Files (x86)' ]]; then clean+=('PROGRAMFILES(X86)=C:\Program Files (x86)'); fi
  cd -- "$here" # the script's path may be relative
  # `-p` ignores `BASH_ENV` and functions from the environment.
  exec env -i "${clean[@]}" "$BASH" -p "${BASH_SOURCE[0]}" clean "$workspace" "$@"
}
if [[ ${1:-} != clean ]]; then restart "$@"; fi
cd / && workspace=$2 action='' temporary=''
slashes action "${GITHUB_ACTION_PATH%[/\\]setup}" # `setup` is another action in a folder of this one
slashes temporary "${RUNNER_TEMP:-${TMPDIR:-/tmp}}"
kept=$temporary/perf-gate-program
fail() { local text=${1//'%'/%25}; printf '::error title=perf-gate::%s%%0Ahint: %s\n' "${text//[$'\r\n']/ }" "$2"; exit 2; }

# Outputs the folder with the program, and whether it must be built.
found() { # FOLDER BUILD
  local folder=${1//[$'\r\n']/}
  printf '%s\n' "folder=$folder" "program=$folder/perf-gate" "build=$2" >>"$GITHUB_OUTPUT"
}
empty() { rm -rf "${1:?}" && mkdir -p "$1"; } # FOLDER
sha256() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d ' ' -f 1; }

# Runs a command with workflow commands in its output disabled, until a line that no log contains.
guarded() { # COMMAND…
  local status=0 end
  end=perf-gate-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  printf '::stop-commands::%s\n' "$end"
  "$@" 2>&1 || status=$?
  printf '\n::%s::\n' "$end"
  return "$status"
}

# Prints a hash of the names and contents of everything that a build depends on, and of the scripts.
fingerprint() {
  local files
  cd "$action" || return 1
  files=$(find . -type f \( -name '*.rs' -o -name '*.toml' -o -name '*.hbs' -o -name Cargo.lock -o -name action.yml \
    -o -path './action/*.sh' \) -not -path './target/*' -not -path './.git/*' | LC_ALL=C sort)
  [[ -n $files ]] && (printf '%s\n' "$files" && printf '%s\n' "$files" | tr '\n' '\0' | xargs -0 cat) | sha256
}

# The lines of release.txt are `sources HASH`, `url ADDRESS`, then `HASH  ARCHIVE` for each archive.
pinned() { # KEY-OR-ARCHIVE
  awk -v wanted="$1" '{ sub(/\r$/, "") } $1 == wanted { print $2 } $2 == wanted { print $1 }' "$action/action/release.txt"
}

download() { # URL HASH
  local archive
  command -v curl >/dev/null || fail 'there is no `curl` to download the release' 'install it in a step before this one'
  archive=$(mktemp "$temporary/perf-gate-download.XXXXXX")
  guarded curl --fail --silent --show-error --location --proto '=https,file' --proto-redir '=https' \
    --retry 3 --connect-timeout 20 --max-time 300 --output "$archive" -- "$1" ||
    fail "cannot download \`$1\`" 'check the network; `binaries: build` builds the program instead'
  [[ $(sha256 <"$archive") == "$2" ]] || fail "\`$1\` does not have the pinned SHA-256" 'nothing was run; please report this'
  empty "$kept/$2"
  # From standard input, because tar takes `C:` for the name of a computer.
  (cd "$kept/$2" && tar -xzf -) <"$archive"
  found "$kept/$2" false
}

build() {
  # Next to the sources, because a job may unpack anything into its temporary folder.
  export CARGO_TARGET_DIR=$action/target
  if [[ ! -w $action ]]; then CARGO_TARGET_DIR=$(mktemp -d "$temporary/perf-gate-target.XXXXXX"); fi
  guarded cargo build --locked --release --package perf-gate --features github --manifest-path "$action/Cargo.toml" ||
    fail 'cannot build the program' 'the toolchain may be older than `rust-version` in Cargo.toml'
  empty "$kept/built"
  cp "$CARGO_TARGET_DIR"/release/perf-gate{,.exe} "$kept/built/" 2>/dev/null ||
    [[ -f $kept/built/perf-gate || -f $kept/built/perf-gate.exe ]] ||
    fail 'the build did not write `perf-gate`' 'a cargo configuration of this runner may set another target folder'
}

use_folder() {
  local folder path
  slashes folder "$PERF_BINARIES"
  [[ $folder == /* || $folder == [a-z]:* ]] || folder=$workspace/$folder
  path=$folder
  # The workspace may be a head whose programs must not get the base's permissions, not even through a link.
  while [[ ${GITHUB_EVENT_NAME:-} =~ ^(pull_request_target|workflow_run|issue_comment)$ && $path == */* ]]; do
    is_outside "$path" || fail "the programs in \`$PERF_BINARIES\` are in the workspace, but \`$GITHUB_EVENT_NAME\` runs with \
the permissions of the base" 'put them into a folder in `runner.temp`, and pass its absolute path'
    path=${path%/*}
  done
  [[ -f $folder/perf-gate || -f $folder/perf-gate.exe ]] || fail "the folder \`$PERF_BINARIES\` does not contain \`perf-gate\`" \
    'the input `binaries` is `auto`, `build` or a folder with the program'
  cd -P -- "$folder" && found "$PWD" false
}

get() {
  local archive hash sources version
  case $PERF_BINARIES in auto | build) ;; *) use_folder; return ;; esac
  sources=$(fingerprint) || fail 'the sources of the action cannot be read' 'is the action complete in `_actions`?'
  archive=$(printf 'perf-gate-%s-%s.tar.gz' "${RUNNER_ARCH:-none}" "${RUNNER_OS:-none}" | tr '[:upper:]' '[:lower:]')
  archive=${archive/x64/x86_64} archive=${archive/arm64/aarch64}
  hash=$(pinned "$archive")
  if [[ $PERF_BINARIES == auto && -n $(pinned url) && $hash =~ ^[0-9a-f]{64}$ && $(pinned sources) == "$sources" ]]; then
    download "$(pinned url)/$archive" "$hash"
    return
  fi
  command -v cargo >/dev/null && version=$(rustc --version 2>/dev/null) && [[ $version == rustc\ * ]] ||
    fail 'no pinned release matches, and there is no working Rust toolchain outside of the workspace' \
      'install one from https://rustup.rs as the default of the runner'
  printf 'key=perf-gate-%s-%s-%s\n' "${RUNNER_OS:-unknown}" "${RUNNER_ARCH:-unknown}" \
    "$(printf '%s\n%s\n' "$version" "$sources" | sha256)" >>"$GITHUB_OUTPUT"
  # Only the cache and the build write to this folder.
  empty "$kept/built"
  found "$kept/built" true
}

case ${3:-} in build) build ;; sources) fingerprint ;; *) get ;; esac
