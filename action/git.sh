# Reading a commit of the repository. It is sourced, after lib.sh.
#
# The benchmark may have run in this checkout, so nothing that the checkout says is obeyed: no hooks, no replaced
# objects, no remote's address.
# shellcheck shell=bash

# A full id of a commit.
is_commit() { [[ $1 =~ ^([0-9a-f]{40}|[0-9a-f]{64})$ ]]; }

repository() {
  GIT_NO_REPLACE_OBJECTS=1 GIT_TERMINAL_PROMPT=0 LC_ALL=C git -c safe.directory='*' -c core.hooksPath=/dev/null \
    -c core.fsmonitor=false "$@"
}

has_commit() { repository cat-file -e "$1^{commit}" 2>/dev/null; }

# The parents of a commit, also where a shallow checkout has none of them.
parents() { repository cat-file commit "$1" | sed -n -e '/^$/q' -e 's/^parent //p'; }

# Fetches a commit that a shallow checkout does not have. The token is in no argument and on no disk.
fetch_commit() { # COMMIT
  local url=${GITHUB_SERVER_URL%/}/$GITHUB_REPOSITORY
  local depth=()
  if [[ $(repository rev-parse --is-shallow-repository) == true ]]; then depth=(--depth=1); fi
  if [[ -n ${PERF_TOKEN:-} ]]; then
    # The empty value takes away what `actions/checkout` may have left: two such headers are refused.
    export GIT_CONFIG_COUNT=2
    export GIT_CONFIG_KEY_0="http.${GITHUB_SERVER_URL%/}/.extraheader" GIT_CONFIG_VALUE_0=
    export GIT_CONFIG_KEY_1="http.${GITHUB_SERVER_URL%/}/.extraheader"
    GIT_CONFIG_VALUE_1="AUTHORIZATION: basic $(printf 'x-access-token:%s' "$PERF_TOKEN" | base64 | tr -d '\n')"
    export GIT_CONFIG_VALUE_1
  fi
  guarded repository fetch --quiet --no-tags --no-recurse-submodules --no-write-fetch-head \
    ${depth[@]+"${depth[@]}"} -- "$url" "$1" || true
  unset GIT_CONFIG_COUNT
  has_commit "$1"
}

# Makes sure that a commit is there.
need_commit() { # COMMIT
  if has_commit "$1" || fetch_commit "$1"; then return; fi
  fail "the commit \`$1\` that the numbers are compared with cannot be read from the checkout" \
    "give \`actions/checkout\` a \`fetch-depth: 0\`, or the action a \`token\` that may read the repository"
}

# The object of a file in a commit: empty when there is none. Anything but a plain file is refused.
object_of() { # COMMIT PATH
  local entry
  entry=$(repository ls-tree "$1" -- "$(path "$2")") ||
    fail "\`$2\` cannot be looked up in the commit \`$1\`" "give its path in the repository, below \`working-directory\`"
  case $entry in
    '') ;;
    100*) entry=${entry#* * } && printf '%s' "${entry%%$'\t'*}" ;;
    *) fail "\`$2\` is no plain file in the commit \`$1\`" ;;
  esac
}

# Writes an object to a file.
write_object() { repository cat-file blob "$1" >"$2"; }
