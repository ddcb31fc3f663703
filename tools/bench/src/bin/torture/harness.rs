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

/// Files as written by valgrind's tools.
pub(crate) const COUNTS: [&str; 3] = [
    "desc: I1 cache: 32768 B, 64 B, 8-way associative\ncmd: ./parse\nevents: Ir\nfl=parse.c\nfn=parse\n12 4000\n13 250\n\
     fn=main\n1 50\nfl=???\nfn=read\n0 700\nsummary: 5000\n",
    "# callgrind format\nversion: 1\ncreator: callgrind-3.22.0\npid: 7\ncmd: ./parse\npart: 1\n\ndesc: I1 cache:\n\
     positions: line\nevents: Ir\nsummary: 900\n\nob=(1) /bin/parse\nfl=(1) parse.c\nfn=(1) parse\n12 400\n\
     cfn=(2) main\ncalls=1 3\n4 500\ntotals: 900\n",
    r#"{"dhatFileVersion":2,"mode":"heap","verb":"Allocated","bklt":true,"bkacc":true,"tu":"instrs","Mtu":"Minstr",
"tuth":500,"cmd":"./parse","pid":7,"te":200,"tg":100,"pps":[{"tb":64,"tbk":2,"tl":10,"mb":32,"mbk":1,"gb":32,"gbk":1,
"eb":0,"ebk":0,"rb":0,"wb":0,"fs":[1]}],"ftbl":["[root]","0x1: parse (parse.c:12)"]}"#,
];
