// What is measured inside of a process, with `Stopwatch.cs` beside this file.
using System;
using System.Collections.Generic;
using PerfGate;

static class Program
{
    static object sink;
    static int total = 1;

    static void Work(int times)
    {
        for (var i = 0; i < times * 1000; i++) total ^= i;
    }

    static void Main()
    {
        Bench.Window("garbage", () => sink = new byte[64]);
        Func<int, Dictionary<int, string>> Table = trial => new Dictionary<int, string> { [trial] = "a" };
        Bench.Cold("insert (cold)", Table, table => table[1000] = "b");
        Bench.Cold("insert (warm code)", Table, table => table[1000] = "b", warmCode: true);
        Bench.Rounds(
            new Block { Name = "multiply", Body = () => total *= 7 },
            new Block { Name = "sum", Base = () => Work(1), Body = () => Work(4) });
        var rig = new Rig();
        Bench.OneWay("poll one", rig, (ring, handler) => ring.Poll(1, handler));
        Bench.OneWay("poll all", rig, (ring, handler) => ring.Poll(long.MaxValue, handler));
    }
}
