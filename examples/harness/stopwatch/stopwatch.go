// Measures code inside of a process, and prints rows that perf-gate reads.
//
// Rounds: blocks in turn, net of an empty block; Window: operations per second; Cold: fresh state; OneWay: latency from
// intended starts at a fixed rate. Settings are environment variables, with the defaults of `protocol`.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"runtime"
	"sort"
	"strconv"
	"sync/atomic"
	"time"
)

func setting(name string, value float64) float64 {
	text, isSet := os.LookupEnv("STOPWATCH_" + name)
	if !isSet {
		return value
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		fail("invalid STOPWATCH_%s `%s`: expected a number", name, text)
	}
	return number
}

var protocol = struct{ warmUp, window, rounds, sampleMs, trials, rate, length, repetitions float64 }{
	setting("WARM_UP", 10_000), setting("WINDOW", 5), setting("ROUNDS", 20), setting("SAMPLE_MS", 1),
	setting("TRIALS", 32), setting("RATE", 1_000_000), setting("LENGTH", 1), setting("REPETITIONS", 5),
}

func note(format string, values ...any) { fmt.Fprintf(os.Stderr, format+"\n", values...) }

func fail(format string, values ...any) {
	note(format, values...)
	os.Exit(1)
}

func row(file *os.File, name, methodology string, run int, metrics map[string]any) {
	metrics["scenario"], metrics["methodology"], metrics["runIndex"] = name, methodology, run
	line, err := json.Marshal(metrics)
	if err == nil {
		_, err = fmt.Fprintln(file, string(line))
	}
	if err != nil {
		fail("cannot write a row: %v", err)
	}
}

var origin = time.Now()

func now() int64 { return int64(time.Since(origin)) }

func median(values []float64) float64 {
	sorted := append([]float64{}, values...)
	sort.Float64s(sorted)
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

func spread(values []float64) string {
	sorted := append([]float64{}, values...)
	sort.Float64s(sorted)
	return fmt.Sprintf("%.3f ns (%.3f to %.3f)", median(values), sorted[0], sorted[len(sorted)-1])
}

// What the runtime counted of some work.
type counts struct{ allocations, bytes, gc float64 }

// Counts of the process until now. The collector's time is that for which it stopped the program; what it does beside it
// is part of the body's time.
func counted() counts {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return counts{float64(stats.Mallocs), float64(stats.TotalAlloc), float64(stats.PauseTotalNs)}
}

func (c counts) per(before counts, operations float64) counts {
	of := func(after, before float64) float64 { return (after - before) / operations }
	return counts{of(c.allocations, before.allocations), of(c.bytes, before.bytes), of(c.gc, before.gc)}
}

func (c counts) metrics(timeNs float64) map[string]any {
	return map[string]any{"timeNs": timeNs, "allocations": c.allocations, "allocatedBytes": c.bytes, "gcTimeNs": c.gc}
}

func empty() {}

func timed(body func(), times int) float64 {
	start := now()
	for i := 0; i < times; i++ {
		body()
	}
	return float64(now() - start)
}

// Block is what is measured in turn; one with a Base has two versions, whose samples of a round are a pair.
type Block struct {
	Name       string
	Body, Base func()
}

type side struct {
	name, label         string
	body                func()
	times               *int
	net, overhead, ofGc []float64
	counted             []counts
}

// Rounds takes samples of each block and its base, in an order drawn anew in each round.
func Rounds(blocks ...Block) {
	var sides []*side
	for _, block := range blocks {
		times := new(int)
		if block.Base != nil {
			sides = append(sides, &side{name: block.Name, label: " (base)", body: block.Base, times: times})
			sides = append(sides, &side{name: block.Name, label: " (current)", body: block.Body, times: times})
		} else {
			sides = append(sides, &side{name: block.Name, body: block.Body, times: times})
		}
	}
	for _, side := range sides {
		count := 1
		for timed(side.body, count) < protocol.sampleMs*1e6 && count < 1<<30 {
			count *= 2
		}
		if count > *side.times { // versions are repeated equally often
			*side.times = count
		}
	}
	for round := 0.0; round < protocol.rounds; round++ {
		rand.Shuffle(len(sides), func(a, b int) { sides[a], sides[b] = sides[b], sides[a] })
		for _, side := range sides {
			side.sample()
		}
	}
	sort.Slice(sides, func(a, b int) bool { return sides[a].name+sides[a].label < sides[b].name+sides[b].label })
	base := os.Stdout
	if path := os.Getenv("STOPWATCH_BASE"); path != "" {
		file, err := os.Create(path)
		if err != nil {
			fail("%v", err)
		}
		base = file
	}
	for _, side := range sides {
		side.write(base)
	}
}

func (s *side) sample() {
	runtime.GC()
	before := counted()
	gross := timed(s.body, *s.times)
	after := counted()
	runtime.GC()
	overhead := timed(empty, *s.times)
	per := float64(*s.times)
	counts := after.per(before, per)
	s.net, s.overhead = append(s.net, (gross-overhead)/per), append(s.overhead, overhead/per)
	s.counted, s.ofGc = append(s.counted, counts), append(s.ofGc, counts.gc)
}

func (s *side) write(base *os.File) {
	note("%s%s: %s, of which garbage collection %s; net of an empty block of %s, %d times a sample",
		s.name, s.label, spread(s.net), spread(s.ofGc), spread(s.overhead), *s.times)
	below := 0
	for run, net := range s.net {
		if net <= 0 {
			below++
		}
		metrics, pairs := s.counted[run].metrics(net), "pairs in random order"
		switch {
		case s.label == "":
			metrics["launchIndex"] = 1
			row(os.Stdout, s.name, "rounds, net of an empty block", run, metrics)
		case s.label == " (current)":
			row(os.Stdout, s.name, pairs, run, metrics)
		case base == os.Stdout:
			row(base, s.name+s.label, pairs, run, metrics)
		default:
			row(base, s.name, pairs, run, metrics)
		}
	}
	if below > 0 {
		note("%s%s: %d of %d samples are not above the empty block: no cost was measured", s.name, s.label, below, len(s.net))
	}
}

// Window measures operations per second over one continuous window.
func Window(name string, operation func()) {
	timed(operation, int(protocol.warmUp))
	runtime.GC()
	before, start := counted(), now()
	operations, batch, elapsed := 0, 1, int64(0)
	for window := protocol.window * 1e9; float64(elapsed) < window; {
		timed(operation, batch)
		operations += batch
		earlier := elapsed
		elapsed = now() - start
		if float64(elapsed-earlier) < window/200 {
			batch *= 2
		}
	}
	per := float64(operations)
	metrics := counted().per(before, per).metrics(float64(elapsed) / per)
	metrics["opsPerSecond"] = per / (float64(elapsed) / 1e9)
	row(os.Stdout, name, "one continuous window in the process", -1, metrics)
}

// Cold times one operation on fresh state, the median of all trials; build is told the number of the trial. With warm code,
// all trials run before on state that is thrown away.
func Cold[S any](name string, warmCode bool, build func(trial int) S, operation func(S)) {
	kind := ""
	if warmCode {
		kind = "of warm code "
		for trial := 0; trial < int(protocol.trials); trial++ {
			operation(build(trial))
		}
	}
	var times, allocations, bytes []float64
	for trial := 0; trial < int(protocol.trials); trial++ {
		state := build(trial)
		before, start := counted(), now()
		operation(state)
		elapsed := now() - start
		counts := counted().per(before, 1)
		times, allocations = append(times, float64(elapsed)), append(allocations, counts.allocations)
		bytes = append(bytes, counts.bytes)
	}
	note("%s: %s in %d trials", name, spread(times), len(times))
	metrics := counts{median(allocations), median(bytes), 0}.metrics(median(times))
	delete(metrics, "gcTimeNs")
	row(os.Stdout, name, "one operation "+kind+"on fresh state", -1, metrics)
}

const slots = 1 << 16

// Rig is a ring that a sender and all ways to receive share; its counters are in cache lines of their own.
type Rig struct {
	sent     uint64
	_        [15]uint64
	received uint64
	_        [15]uint64
	slots    [slots]int64
}

// Poll passes at most so many waiting messages to the handler.
func (r *Rig) Poll(limit uint64, handler func(due int64)) uint64 {
	at := r.received
	taken := atomic.LoadUint64(&r.sent) - at
	if taken > limit {
		taken = limit
	}
	for number := at; number < at+taken; number++ {
		handler(r.slots[number%slots])
	}
	if taken > 0 {
		atomic.StoreUint64(&r.received, at+taken)
	}
	return taken
}

// Sends by the schedule, and returns whether the rate was held.
func (r *Rig) send(rate float64, messages int, patience int64) bool {
	start, caughtUp := now(), false
	// A sender that is late at the end gets as much time again, as it may just have lost its processor.
	limit := messages*2 + int(rate/2)
	for message := 0; message < messages || !caughtUp && message < limit; message++ {
		due := start + int64(float64(message)*1e9/rate)
		current := now()
		caughtUp = caughtUp || current <= due && message*4 >= messages*3
		for current < due || r.sent-atomic.LoadUint64(&r.received) >= slots {
			current = now()
			if current > due+patience {
				return false
			}
		}
		if current > due+patience {
			return false
		}
		r.slots[r.sent%slots] = due
		atomic.StoreUint64(&r.sent, r.sent+1)
	}
	return caughtUp
}

func (r *Rig) repetition(rate, length float64, receive func(*Rig, func(int64)) uint64) ([]float64, bool, float64) {
	messages := int(rate * length)
	if messages < 4 {
		messages = 4
	}
	var ended, isHeld int32
	go func() {
		if r.send(rate, messages, int64(length*5e8)+500_000_000) {
			isHeld = 1
		}
		atomic.StoreInt32(&ended, 1)
	}()
	var latencies []float64
	start := now()
	for {
		wasEnded := atomic.LoadInt32(&ended) == 1
		taken := receive(r, func(due int64) { latencies = append(latencies, float64(now()-due)) })
		if wasEnded && taken == 0 {
			return latencies, isHeld == 1, float64(len(latencies)) * 1e9 / float64(now()-start)
		}
	}
}

// OneWay measures latency from intended starts at the protocol's rate.
func OneWay(name string, rig *Rig, receive func(*Rig, func(int64)) uint64) {
	var steps []float64
	for i := 0; i < 1001; i++ {
		from := now()
		steps = append(steps, float64(now()-from))
	}
	rate, length := protocol.rate, protocol.length
	for repetition := 0; repetition <= int(protocol.repetitions); repetition++ {
		latencies, isHeld, reached := rig.repetition(rate, length, receive)
		if !isHeld {
			for reached *= 0.8; reached > 1; reached *= 0.8 {
				if _, isHeld, _ := rig.repetition(reached, min(length, 0.2), receive); isHeld {
					break
				}
			}
			fail("%s: %.0f messages/s cannot be held; %.0f/s can", name, rate, reached)
		}
		sort.Float64s(latencies)
		at := func(share float64) float64 {
			return latencies[int(min(share*float64(len(latencies)), float64(len(latencies)-1)))]
		}
		label := ""
		if repetition == 0 {
			label = " (warmup)"
		}
		note("%s: Rep %d/%.0f%s: min %.0f ns, p50 %.0f ns, p99 %.0f ns, each within %.0f ns", name, repetition+1,
			protocol.repetitions+1, label, at(0), at(0.5), at(0.99), median(steps))
		if repetition == 0 {
			continue
		}
		sum := 0.0
		for _, latency := range latencies {
			sum += latency
		}
		metrics := map[string]any{
			"launchIndex": 1, "latencyMs": sum / float64(len(latencies)) / 1e6, "latencyMs.min": at(0) / 1e6,
			"latencyMs.max": at(1) / 1e6, "latencyP50Ms": at(0.5) / 1e6, "latencyP90Ms": at(0.9) / 1e6,
			"latencyP99Ms": at(0.99) / 1e6, "latencyP99.9Ms": at(0.999) / 1e6, "requests": len(latencies),
		}
		row(os.Stdout, name, "one-way, intended starts, polled in the process", repetition-1, metrics)
	}
}

func min(a, b float64) float64 {
	if a < b {
		return a
	}
	return b
}
