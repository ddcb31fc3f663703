# Reading a commit of the repository. It is sourced, after lib.sh, and `enter` comes before anything of it.
#
# The benchmark may have run in this checkout, and its files are a stranger's. So the repository is the one that `enter`
# found and no other, whatever a folder looks like; files are looked up in commits by their path alone, wherever links
# on the disk lead; and no hooks, no replaced objects and no remote's address are obeyed.
#
# Functions in parentheses export what is meant for their one command and for nothing after it: SC2030 and SC2031.
# shellcheck shell=bash disable=SC2154,SC2030,SC2031

# A folder of objects that were fetched, if there is one.
fetched=
# The repository that has the base, where there is one.
store=

# A full id of a commit.
is_commit() { [[ $1 =~ ^([0-9a-f]{40}|[0-9a-f]{64})$ ]]; }

# What a partial clone lacks is not fetched from where its configuration says.
repository() {
  GIT_NO_REPLACE_OBJECTS=1 GIT_NO_LAZY_FETCH=1 GIT_ALTERNATE_OBJECT_DIRECTORIES=$fetched LC_ALL=C \
    git --git-dir="$checkout/.git" -c safe.directory='*' -c core.hooksPath=/dev/null -c core.fsmonitor=false "$@"
}

has_commit() { repository cat-file -e "$1^{commit}" 2>/dev/null; }

# The parents of a commit, also where a shallow checkout has none of them.
parents() { repository cat-file commit "$1" | sed -n -e '/^$/q' -e 's/^parent //p'; }

# Runs git with the token, which is in no argument and on no disk. No configuration counts that the benchmark could have
# written: only that of the system, which has the certificates.
with_token() ( # ARGUMENT…
  if [[ -n ${PERF_TOKEN:-} ]]; then
    export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="http.${GITHUB_SERVER_URL%/}/.extraheader"
    GIT_CONFIG_VALUE_0="AUTHORIZATION: basic $(printf 'x-access-token:%s' "$PERF_TOKEN" | base64 | tr -d '\n')"
    export GIT_CONFIG_VALUE_0
  fi
  GIT_CONFIG_GLOBAL=/dev/null GIT_TERMINAL_PROMPT=0 git -c core.hooksPath=/dev/null "$@"
)

# Fetches a commit that a shallow checkout does not have, into a repository of its own: the checkout stays as it is,
# and what its configuration says of addresses does not count.
fetch_commit() { # COMMIT
  local own=$PERF_FOLDER/fetched
  if [[ ! -d $own ]]; then GIT_CONFIG_GLOBAL=/dev/null git init --quiet --bare --template= "$own"; fi
  guarded with_token --git-dir="$own" fetch --quiet --no-tags --depth=1 --no-write-fetch-head \
    -- "${GITHUB_SERVER_URL%/}/$GITHUB_REPOSITORY" "$1" || true
  fetched=$own/objects
  has_commit "$1"
}

# Makes sure that a commit is there.
need_commit() { # COMMIT
  if has_commit "$1" || fetch_commit "$1"; then return; fi
  fail "the commit \`$1\` that the numbers are compared with cannot be read from the checkout" \
    "give \`actions/checkout\` a \`fetch-depth: 0\`, or the action a \`token\` that may read the repository"
}

# Decides where a program finds the base and what was before it: in the checkout, or where the base was fetched to. Only
# there is it known where a history that was not fetched whole ends.
choose_store() {
  store=$checkout/.git
  if [[ -n $fetched ]]; then store=$PERF_FOLDER/fetched; fi
}

# Runs a program that asks git, which then obeys as little of what the benchmark may have written as it does here.
in_store() ( # COMMAND…
  export GIT_NO_REPLACE_OBJECTS=1 GIT_NO_LAZY_FETCH=1 GIT_CONFIG_COUNT=3
  export GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'
  export GIT_CONFIG_KEY_1=core.hooksPath GIT_CONFIG_VALUE_1=/dev/null
  export GIT_CONFIG_KEY_2=core.fsmonitor GIT_CONFIG_VALUE_2=false
  if [[ -n $store ]]; then export GIT_DIR=$store; fi
  if [[ -n $store && -n $fetched ]]; then export GIT_ALTERNATE_OBJECT_DIRECTORIES=$fetched; fi
  "$@"
)

# The path in the repository of a file that is named from the folder of the suite.
in_repository() { # PATH
  local file
  file=$(slashes "$1")
  if [[ $file =~ ^(/|[A-Za-z]:) ]]; then
    if [[ $file != "$checkout"/* ]]; then return 1; fi
    plain "${file#"$checkout"/}"
  else
    plain "$suite/$file"
  fi
}

# The line of a commit's tree for this path in the repository: empty when there is none.
entry_of() { repository ls-tree --full-tree "$1" -- ":(literal)$2"; }

# The object of a file in a commit: empty when there is none. Anything but a plain file is refused.
object_of() { # COMMIT PATH
  local entry file
  if ! file=$(in_repository "$2") || ! entry=$(entry_of "$1" "$file"); then
    fail "\`$2\` cannot be looked up in the commit \`$1\`" "give its path in the repository, below \`working-directory\`"
  fi
  case $entry in
    '') ;;
    100*) entry=${entry#* * } && printf '%s' "${entry%%$'\t'*}" ;;
    *) fail "\`$2\` is no plain file in the commit \`$1\`" ;;
  esac
}

# Fails when a commit has a link or a submodule where this path needs a folder: what is there cannot be told.
refuse_links() { # COMMIT PATH
  local rest part=
  rest=$(in_repository "$2") || return 0 # as the look-up says
  while [[ $rest == */* ]]; do
    part=${part:+$part/}${rest%%/*} rest=${rest#*/}
    case $(entry_of "$1" "$part") in
      120000* | 160000*)
        fail "\`$2\` is in \`$part\`, which is a link or a submodule in the commit \`$1\`" \
          'give the path that the file has in the repository itself'
        ;;
    esac
  done
}

# Writes an object to a file. A partial clone may have the commit and not the object.
write_object() { # COMMIT OBJECT DESTINATION
  repository cat-file -e "$2" 2>/dev/null || fetch_commit "$1" || :
  repository cat-file blob "$2" >"$3" || fail "the commit \`$1\` cannot be read in full"
}
