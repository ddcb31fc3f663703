#!/usr/bin/env bash
# Finds the folder with the programs: one that is named, the pinned release, or one that they are built into.
#
# A release is pinned in release.txt by its address and the SHA-256 of every archive. What does not match is not
# unpacked, and nothing else is tried instead: whoever can make a download fail must not choose what runs. A release of
# another version than these scripts is not theirs: between releases, the programs are built.
# shellcheck source=action/lib.sh
source "${BASH_SOURCE[0]%/*}/lib.sh"

action=$(slashes "$GITHUB_ACTION_PATH")
pin=$action/action/release.txt
kept=$(temporary)/perf-gate-programs

sha256() {
  if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d ' ' -f 1
}

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

# The lines of the pin without comments: `version VERSION`, `url ADDRESS`, then `HASH  ARCHIVE` for each archive.
pinned() { # FIRST-WORD-OR-ARCHIVE
  awk -v wanted="$1" '{ sub(/\r$/, "") } $1 == wanted { print $2 } $2 == wanted { print $1 }' "$pin"
}

# The version of the scripts.
own_version() { sed -n 's/^version = "\([^"]*\)".*/\1/p' "$action/Cargo.toml" | head -n 1; }

download() { # URL HASH ARCHIVE
  local folder=$kept/$2 archive
  archive=$(mktemp "$(temporary)/perf-gate-download.XXXXXX")
  if ! guarded curl --fail --silent --show-error --location --proto '=https,file' --proto-redir '=https' \
    --retry 3 --connect-timeout 20 --max-time 300 --output "$archive" -- "$1/$3"; then
    fail "\`$1/$3\` cannot be downloaded" 'is the network there? `binaries: build` builds the programs instead'
  fi
  if [[ $(sha256 <"$archive") != "$2" ]]; then
    rm -f "$archive"
    fail "\`$1/$3\` is not what was released: its SHA-256 is not the pinned one" 'nothing of it was run; please report this'
  fi
  rm -rf "$folder"
  mkdir -p "$folder"
  # From standard input, as tar takes `C:` for the name of a computer.
  (cd "$folder" && tar -xzf -) <"$archive"
  rm -f "$archive"
  output folder "$folder"
  output build false
}

# Everything that a build depends on.
fingerprint() {
  cd "$action"
  rustc --version
  find . -type f \( -name '*.rs' -o -name '*.toml' -o -name '*.hbs' -o -name Cargo.lock \) \
    -not -path './target/*' -not -path './.git/*' | LC_ALL=C sort | while IFS= read -r file; do
    printf '%s ' "$file"
    sha256 <"$file"
  done
}

plan_build() {
  if ! command -v cargo >/dev/null || ! command -v rustc >/dev/null; then
    fail 'there is neither a pinned release of this version for this system nor a Rust toolchain' \
      'install one, from https://rustup.rs'
  fi
  local key
  key=$(fingerprint | sha256)
  output folder "$kept/built"
  output key "perf-gate-${RUNNER_OS:-unknown}-${RUNNER_ARCH:-unknown}-$key"
  output build true
}

use() { # FOLDER
  local folder
  folder=$(slashes "$1")
  if [[ ! -f $folder/render-perf-deltas && ! -f $folder/render-perf-deltas.exe ]]; then
    fail "the folder \`$1\` has no \`render-perf-deltas\`" 'the input `binaries` is `auto`, `build` or a folder with the programs'
  fi
  # Other steps begin elsewhere.
  output folder "$(cd -- "$(path "$folder")" && pwd)"
  output build false
}

case $PERF_BINARIES in
  auto)
    archive=perf-gate-$(target).tar.gz
    version=$(pinned version) url=$(pinned url) hash=$(pinned "$archive")
    if [[ -n $version && $version == "$(own_version)" && -n $url && $hash =~ ^[0-9a-f]{64}$ ]]; then
      download "$url" "$hash" "$archive"
    else
      plan_build
    fi
    ;;
  build) plan_build ;;
  *) use "$PERF_BINARIES" ;;
esac
