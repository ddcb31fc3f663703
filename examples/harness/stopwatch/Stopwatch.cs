// Measures code inside of a process, and prints rows that perf-gate reads.
//
// Rounds: blocks in turn, net of an empty block; Window: operations per second; Cold: fresh state; OneWay: latency from
// intended starts at a fixed rate. Settings are environment variables, with the defaults of `Setting`'s calls. The time of
// the garbage collector needs .NET 7; Unity and Mono have `GC.GetAllocatedBytesForCurrentThread` but no such time, so
// their rows do not contain it.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;

namespace PerfGate
{
    /// <summary>A block; with a base, two versions of one, whose samples of a round are a pair.</summary>
    public sealed class Block
    {
        public string Name;
        public Action Body, Base;
    }

    public static class Bench
    {
        static double Setting(string name, double value)
        {
            var text = Environment.GetEnvironmentVariable("STOPWATCH_" + name);
            return text == null ? value : double.Parse(text, CultureInfo.InvariantCulture);
        }

        static readonly int Trials = (int)Setting("TRIALS", 32), Samples = (int)Setting("ROUNDS", 20);
        static readonly double Length = Setting("LENGTH", 1), Rate = Setting("RATE", 1e6);

        internal static double Now() => Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency);

        static double Collected()
        {
#if NET7_0_OR_GREATER
            return GC.GetTotalPauseDuration().TotalMilliseconds * 1e6;
#else
            return double.NaN; // Other runtimes do not report it.
#endif
        }

        static void Note(string text) => Console.Error.WriteLine(text);

        static string Shown(double value) => value.ToString("F3", CultureInfo.InvariantCulture);

        static double Median(IEnumerable<double> values)
        {
            var sorted = values.OrderBy(value => value).ToArray();
            return (sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2;
        }

        static string Spread(IReadOnlyCollection<double> values) =>
            $"{Shown(Median(values))} ns ({Shown(values.Min())} to {Shown(values.Max())})";

        static void Row(TextWriter output, string name, string methodology, int run, params (string, double)[] metrics)
        {
            var text = new StringBuilder("{\"scenario\":\"");
            text.Append(name.Replace("\\", "\\\\").Replace("\"", "\\\"")).Append("\",\"methodology\":\"").Append(methodology);
            text.Append("\",\"runIndex\":").Append(run);
            foreach (var metric in metrics)
            {
                if (double.IsNaN(metric.Item2)) continue; // Omit values that cannot be measured.
                text.Append(",\"").Append(metric.Item1).Append("\":")
                    .Append(metric.Item2.ToString("R", CultureInfo.InvariantCulture));
            }
            output.WriteLine(text.Append('}'));
            output.Flush();
        }

        static void Empty() { }

        static double Timed(Action body, long times)
        {
            var start = Now();
            for (long i = 0; i < times; i++) body();
            return Now() - start;
        }

        sealed class Side
        {
            public string Name, Label;
            public Action Body;
            public int Pair;
            // Net time, overhead, bytes, collector: each for one call.
            public readonly List<double[]> Taken = new List<double[]>();
            public List<double> Of(int at) => Taken.Select(taken => taken[at]).ToList();
        }

        /// <summary>Samples of each block and its base, in an order drawn anew in each round.</summary>
        public static void Rounds(params Block[] blocks)
        {
            var sides = new List<Side>();
            var times = new long[blocks.Length];
            for (var pair = 0; pair < blocks.Length; pair++)
            {
                var block = blocks[pair];
                if (block.Base != null)
                    sides.Add(new Side { Name = block.Name, Label = " (base)", Body = block.Base, Pair = pair });
                var label = block.Base == null ? "" : " (current)";
                sides.Add(new Side { Name = block.Name, Label = label, Body = block.Body, Pair = pair });
            }
            foreach (var side in sides)
            {
                long count = 1;
                while (Timed(side.Body, count) < Setting("SAMPLE_MS", 1) * 1e6 && count < 1L << 30) count *= 2;
                times[side.Pair] = Math.Max(times[side.Pair], count); // versions are repeated equally often
            }
            Timed(Empty, 1000);
            var random = new Random();
            for (var round = 0; round < Samples; round++)
                foreach (var side in sides.OrderBy(_ => random.Next()).ToList()) Sample(side, times[side.Pair]);
            var path = Environment.GetEnvironmentVariable("STOPWATCH_BASE");
            var file = path == null ? null : new StreamWriter(path);
            foreach (var side in sides) Write(side, times[side.Pair], file);
            file?.Dispose();
        }

        static void Sample(Side side, long times)
        {
            GC.Collect();
            var (collected, bytes) = (Collected(), GC.GetAllocatedBytesForCurrentThread());
            var gross = Timed(side.Body, times);
            bytes = GC.GetAllocatedBytesForCurrentThread() - bytes;
            collected = Collected() - collected;
            GC.Collect();
            var overhead = Timed(Empty, times);
            side.Taken.Add(new[] { (gross - overhead) / times, overhead / times, (double)bytes / times, collected / times });
        }

        static void Write(Side side, long times, TextWriter baseRows)
        {
            var garbage = double.IsNaN(Collected()) ? "" : $", of which garbage collection {Spread(side.Of(3))}";
            Note($"{side.Name}{side.Label}: {Spread(side.Of(0))}{garbage}; net of an empty block of {Spread(side.Of(1))}, {times} times a sample");
            var below = side.Taken.Count(taken => taken[0] <= 0);
            if (below > 0)
                Note($"{side.Name}{side.Label}: {below} of {side.Taken.Count} samples are not above the empty block: "
                    + "no cost was measured");
            for (var run = 0; run < side.Taken.Count; run++)
            {
                var taken = side.Taken[run];
                var metrics = new List<(string, double)>
                    { ("timeNs", taken[0]), ("allocatedBytes", taken[2]), ("gcTimeNs", taken[3]) };
                var isBase = side.Label == " (base)";
                if (side.Label == "") metrics.Add(("launchIndex", 1));
                var name = isBase && baseRows == null ? side.Name + side.Label : side.Name;
                var how = side.Label == "" ? "rounds, net of an empty block" : "pairs in random order";
                Row(isBase && baseRows != null ? baseRows : Console.Out, name, how, run, metrics.ToArray());
            }
        }

        /// <summary>Operations per second over one continuous window.</summary>
        public static void Window(string name, Action operation)
        {
            var window = Setting("WINDOW", 5) * 1e9;
            Timed(operation, (long)Setting("WARM_UP", 1e4));
            GC.Collect();
            var (collected, bytes) = (Collected(), GC.GetAllocatedBytesForCurrentThread());
            long operations = 0, batch = 1;
            double elapsed = 0, start = Now();
            while (elapsed < window)
            {
                for (long i = 0; i < batch; i++) operation();
                operations += batch;
                var earlier = elapsed;
                elapsed = Now() - start;
                if (elapsed - earlier < window / 200) batch *= 2;
            }
            bytes = GC.GetAllocatedBytesForCurrentThread() - bytes;
            collected = Collected() - collected;
            Row(Console.Out, name, "one continuous window in the process", -1,
                ("opsPerSecond", operations / (elapsed / 1e9)), ("timeNs", elapsed / operations),
                ("allocatedBytes", (double)bytes / operations), ("gcTimeNs", collected / operations));
        }

        /// <summary>
        /// The median time of one operation on fresh state; <c>build</c> is told the number of the trial, so that each can use
        /// a generic type of its own. With warm code, all trials run before on state that is thrown away.
        /// </summary>
        public static void Cold<TState>(
            string name, Func<int, TState> build, Action<TState> operation, Action<TState> drop = null, bool warmCode = false)
        {
            for (var trial = 0; warmCode && trial < Trials; trial++)
            {
                var state = build(trial);
                operation(state);
                drop?.Invoke(state);
            }
            double[] times = new double[Trials], bytes = new double[Trials];
            for (var trial = 0; trial < Trials; trial++)
            {
                var state = build(trial);
                var before = GC.GetAllocatedBytesForCurrentThread();
                var start = Now();
                operation(state);
                times[trial] = Now() - start;
                bytes[trial] = GC.GetAllocatedBytesForCurrentThread() - before;
                drop?.Invoke(state);
            }
            Note($"{name}: {Spread(times)} in {Trials} trials");
            Row(Console.Out, name, $"one operation {(warmCode ? "of warm code " : "")}on fresh state", -1,
                ("timeNs", Median(times)), ("allocatedBytes", Median(bytes)));
        }

        /// <summary>Latency from intended starts at the protocol's rate, received by a way to poll the rig.</summary>
        public static void OneWay(string name, Rig rig, Func<Rig, Action<double>, long> receive)
        {
            var error = Median(Enumerable.Range(0, 1001).Select(_ => -(Now() - Now())).ToList());
            var repetitions = (int)Setting("REPETITIONS", 5);
            for (var repetition = 0; repetition <= repetitions; repetition++)
            {
                var (latencies, isHeld, reached) = rig.Repetition(Rate, Length, receive);
                if (!isHeld)
                {
                    do reached *= 0.8;
                    while (reached > 1 && !rig.Repetition(reached, Math.Min(Length, 0.2), receive).IsHeld);
                    throw new InvalidOperationException($"{name}: {Rate:F0} messages/s cannot be held; {reached:F0}/s can");
                }
                latencies.Sort();
                Func<double, double> At = share => latencies[(int)Math.Min(share * latencies.Count, latencies.Count - 1)];
                Note($"{name}: Rep {repetition + 1}/{repetitions + 1}{(repetition == 0 ? " (warmup)" : "")}: min {At(0):F0} ns, "
                    + $"p50 {At(0.5):F0} ns, p99 {At(0.99):F0} ns, each within {error:F0} ns");
                if (repetition == 0) continue;
                Row(Console.Out, name, "one-way, intended starts, polled in the process", repetition - 1,
                    ("launchIndex", 1), ("latencyMs", latencies.Average() / 1e6), ("latencyMs.min", At(0) / 1e6),
                    ("latencyMs.max", At(1) / 1e6), ("latencyP50Ms", At(0.5) / 1e6), ("latencyP90Ms", At(0.9) / 1e6),
                    ("latencyP99Ms", At(0.99) / 1e6), ("latencyP99.9Ms", At(0.999) / 1e6), ("requests", latencies.Count));
            }
        }
    }

    /// <summary>A ring that a sender and all ways to receive share.</summary>
    public sealed class Rig
    {
        const int Slots = 1 << 16;
        readonly double[] slots = new double[Slots];
        // In cache lines of their own.
        readonly long[] counters = new long[48];
        ref long Sent => ref counters[16];
        ref long Received => ref counters[32];

        /// <summary>Passes at most so many waiting messages to the handler.</summary>
        public long Poll(long limit, Action<double> handler)
        {
            var at = Received;
            var taken = Math.Min(Volatile.Read(ref Sent) - at, limit);
            for (var number = at; number < at + taken; number++) handler(slots[number % Slots]);
            if (taken > 0) Volatile.Write(ref Received, at + taken);
            return taken;
        }

        bool Send(double rate, long messages, double patience)
        {
            var start = Bench.Now();
            var caughtUp = false;
            // A sender that is late at the end gets as much time again, as it may just have lost its processor.
            var limit = messages * 2 + rate / 2;
            for (long message = 0; message < messages || (!caughtUp && message < limit); message++)
            {
                var due = start + Math.Floor(message * 1e9 / rate);
                var now = Bench.Now();
                caughtUp |= now <= due && message * 4 >= messages * 3;
                while ((now < due || Sent - Volatile.Read(ref Received) >= Slots) && now <= due + patience) now = Bench.Now();
                if (now > due + patience) return false;
                slots[Sent % Slots] = due;
                Volatile.Write(ref Sent, Sent + 1);
            }
            return caughtUp;
        }

        internal (List<double> Latencies, bool IsHeld, double Reached) Repetition(
            double rate, double length, Func<Rig, Action<double>, long> receive)
        {
            var messages = Math.Max((long)(rate * length), 4);
            bool isHeld = false, ended = false;
            var sender = new Thread(() =>
            {
                isHeld = Send(rate, messages, length * 5e8 + 5e8);
                Volatile.Write(ref ended, true);
            });
            var latencies = new List<double>();
            var start = Bench.Now();
            sender.Start();
            for (; ; )
            {
                var wasEnded = Volatile.Read(ref ended);
                var taken = receive(this, due => latencies.Add(Bench.Now() - due));
                if (wasEnded && taken == 0) break;
            }
            var elapsed = Bench.Now() - start;
            sender.Join();
            return (latencies, isHeld, latencies.Count * 1e9 / elapsed);
        }
    }
}
