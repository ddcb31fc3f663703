// What is measured inside of a process, with `stopwatch.go` beside this file.
package main

import "math"

var (
	total = 1
	sink  []byte
)

func work(times int) {
	for i := 0; i < times*1000; i++ {
		total ^= i
	}
}

func main() {
	Window("garbage", func() { sink = make([]byte, 64) })
	table := func(trial int) map[int]string { return map[int]string{trial: "a"} }
	insert := func(table map[int]string) { table[1000] = "b" }
	Cold("insert (cold)", false, table, insert)
	Cold("insert (warm code)", true, table, insert)
	Rounds(
		Block{Name: "multiply", Body: func() { total *= 7 }},
		Block{Name: "sum", Base: func() { work(1) }, Body: func() { work(4) }},
	)
	rig := new(Rig)
	OneWay("poll one", rig, func(rig *Rig, handler func(int64)) uint64 { return rig.Poll(1, handler) })
	OneWay("poll all", rig, func(rig *Rig, handler func(int64)) uint64 { return rig.Poll(math.MaxUint64, handler) })
}
