PeriodType: cpu nanoseconds
Period: 10000000
Time: 2026-11-23 21:07:33.392040951 +0000 UTC
Duration: 508.
Samples:
samples/count cpu/nanoseconds
          1   10000000: 1 2 3 4 5 6 
          6   60000000: 7 8 9 10 
          1   10000000: 11 12 3 4 5 6 
          9   90000000: 13 8 9 10 
          1   10000000: 14 15 8 9 10 
          7   70000000: 16 8 9 10 
          3   30000000: 17 8 9 10 
          1   10000000: 18 19 8 9 10 
          1   10000000: 20 8 9 10 
          1   10000000: 21 22 23 24 15 8 9 10 
          1   10000000: 25 26 27 28 29 23 24 15 8 9 10 
          1   10000000: 30 8 9 10 
          1   10000000: 18 31 8 9 10 
Locations
     1: 0x43f09e M=1 runtime.nanotime /usr/lib/go-1.19/src/runtime/time_nofake.go:19 s=0
             runtime.checkTimers /usr/lib/go-1.19/src/runtime/proc.go:3294 s=0
     2: 0x43d6f7 M=1 runtime.findRunnable /usr/lib/go-1.19/src/runtime/proc.go:2582 s=0
     3: 0x43ee9d M=1 runtime.schedule /usr/lib/go-1.19/src/runtime/proc.go:3214 s=0
     4: 0x43f4c4 M=1 runtime.goschedImpl /usr/lib/go-1.19/src/runtime/proc.go:3378 s=0
     5: 0x43f650 M=1 runtime.gosched_m /usr/lib/go-1.19/src/runtime/proc.go:3386 s=0
     6: 0x464182 M=1 runtime.mcall /usr/lib/go-1.19/src/runtime/asm_amd64.s:448 s=0
     7: 0x4f55ca M=1 example.com/words.score words.go:18 s=0
             example.com/words.(*Reader).Count words.go:10 s=0
     8: 0x4f5686 M=1 example.com/words.BenchmarkCount words_test.go:8 s=0
     9: 0x4acb41 M=1 testing.(*B).runN /usr/lib/go-1.19/src/testing/benchmark.go:193 s=0
    10: 0x4ad704 M=1 testing.(*B).launch /usr/lib/go-1.19/src/testing/benchmark.go:334 s=0
    11: 0x444ba0 M=1 runtime.globrunqget /usr/lib/go-1.19/src/runtime/proc.go:5603 s=0
    12: 0x43d894 M=1 runtime.findRunnable /usr/lib/go-1.19/src/runtime/proc.go:2632 s=0
    13: 0x4f55c1 M=1 example.com/words.score words.go:19 s=0
             example.com/words.(*Reader).Count words.go:10 s=0
    14: 0x4a4713 M=1 strings.Fields /usr/lib/go-1.19/src/strings/strings.go:363 s=0
    15: 0x4f5546 M=1 example.com/words.(*Reader).Count words.go:9 s=0
    16: 0x4f55ba M=1 example.com/words.score words.go:19 s=0
             example.com/words.(*Reader).Count words.go:10 s=0
    17: 0x4f55bd M=1 example.com/words.score words.go:19 s=0
             example.com/words.(*Reader).Count words.go:10 s=0
    18: 0x4677e0 M=1 runtime.asyncPreempt /usr/lib/go-1.19/src/runtime/preempt_amd64.s:7 s=0
    19: 0x4f55c9 M=1 example.com/words.score words.go:19 s=0
             example.com/words.(*Reader).Count words.go:10 s=0
    20: 0x4f55e0 M=1 example.com/words.score words.go:18 s=0
             example.com/words.(*Reader).Count words.go:10 s=0
    21: 0x41498b M=1 runtime.heapBitsSetType /usr/lib/go-1.19/src/runtime/mbitmap.go:1297 s=0
    22: 0x40cd6c M=1 runtime.mallocgc /usr/lib/go-1.19/src/runtime/malloc.go:1050 s=0
    23: 0x44bc91 M=1 runtime.makeslice /usr/lib/go-1.19/src/runtime/slice.go:103 s=0
    24: 0x4a463e M=1 strings.Fields /usr/lib/go-1.19/src/strings/strings.go:349 s=0
    25: 0x42507a M=1 runtime.deductSweepCredit /usr/lib/go-1.19/src/runtime/mgcsweep.go:843 s=0
    26: 0x416285 M=1 runtime.(*mcentral).cacheSpan /usr/lib/go-1.19/src/runtime/mcentral.go:82 s=0
    27: 0x415c11 M=1 runtime.(*mcache).refill /usr/lib/go-1.19/src/runtime/mcache.go:181 s=0
    28: 0x40c584 M=1 runtime.(*mcache).nextFree /usr/lib/go-1.19/src/runtime/malloc.go:819 s=0
    29: 0x40cbe7 M=1 runtime.mallocgc /usr/lib/go-1.19/src/runtime/malloc.go:1018 s=0
    30: 0x4f55c4 M=1 example.com/words.score words.go:19 s=0
             example.com/words.(*Reader).Count words.go:10 s=0
    31: 0x4f55c0 M=1 example.com/words.score words.go:19 s=0
             example.com/words.(*Reader).Count words.go:10 s=0
Mappings
1: 0x400000/0x4f6000/0x0 /tmp/b001/words.test  [FN]
