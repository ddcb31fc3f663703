// Runs as many operations as each line of the input says, and answers with the nanoseconds that they took and the
// allocations that they made, with their bytes and the time of the garbage collector.
package main

import (
	"fmt"
	"hash/fnv"
	"runtime"
	"time"
)

var data = make([]byte, 1024)

func operation() {
	hash := fnv.New32a()
	hash.Write(data)
}

func main() {
	var operations int
	var before, after runtime.MemStats
	for {
		if _, err := fmt.Scan(&operations); err != nil {
			return
		}
		runtime.ReadMemStats(&before)
		start := time.Now()
		for i := 0; i < operations; i++ {
			operation()
		}
		elapsed := time.Since(start)
		runtime.ReadMemStats(&after)
		fmt.Println(elapsed.Nanoseconds(), after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc, after.PauseTotalNs-before.PauseTotalNs)
	}
}
