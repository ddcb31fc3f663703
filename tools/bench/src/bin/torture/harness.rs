//! Misbehaving benchmarks for `measure-perf`, and a fake valgrind.

use crate::random::Random;

/// Possible lines in a benchmark's script.
const DEEDS: [&str; 26] = [
    "cat input",
    "cat input",
    "cat input input input >&2",
    "cat -",
    "echo 'bench: 12.5 ms'",
    "echo '{\"op\": 1, \"ns\": 1e999}'",
    "while read -r line; do echo \"$line\"; done",
    "while read -r line; do echo 1e308; done",
    "while read -r line; do printf '%s' \"$line\"; done",
    "while read -r line; do echo \"$line\"; echo \"$line\"; done",
    "read -r line; exec 1>&-; sleep 0.2",
    "printf '\\033[2J::error::x\\r\\n\\0\\377\\n'",
    "head -c 3000000 /dev/zero",
    "head -c 3000000 /dev/zero | tr '\\0' 'x'",
    "yes '::set-output name=x::y' | head -c 20000000",
    "timeout 3 yes",
    "sleep 3 & ",
    "(sleep 2; echo late) &",
    "setsid sleep 2 &",
    "exec 1>&- 2>&-",
    "exec 0<&-",
    "sleep 3",
    "kill -9 $$",
    "kill -PIPE $$",
    "exit 7",
    "exit 255",
];

/// A script of a few random lines.
pub(crate) fn script(random: &mut Random) -> String {
    let deeds: Vec<&str> = (0..=random.below(3))
        .map(|_| *random.pick(&DEEDS))
        .collect();
    deeds.join("\n")
}

/// A fake valgrind that runs nothing and copies the file `counts` to its output file.
pub(crate) const VALGRIND: &str = r#"#!/bin/sh
for word; do
  case $word in
    --version) echo valgrind-3.22.0; exit ;;
    --*-out-file=*) cp counts "$(printf '%s' "${word#*=}" | sed "s/%p/$$/")" ;;
  esac
done
"#;

/// A file as written by cachegrind.
pub(crate) const COUNTS: &str = "desc: I1 cache: 32768 B, 64 B, 8-way associative\ncmd: ./parse\nevents: Ir\nfl=parse.c\n\
     fn=parse\n12 4000\n13 250\nfn=main\n1 50\nfl=???\nfn=read\n0 700\nsummary: 5000\n";
