//! Logs like a game engine's, with short and very long lines, stack traces, lists of numbers and some rows; and tables
//! of rows.

use std::io::{self, Write};

/// Reproducible pseudo-random numbers (xorshift).
pub(crate) struct Noise(u64);

impl Noise {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        u32::try_from(self.0 >> 33).unwrap_or_default() % limit
    }

    fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(u32::try_from(texts.len()).unwrap_or(1)) as usize]
    }
}

/// Counts the written bytes.
struct CountingWriter<W> {
    inner: W,
    bytes: u64,
}

impl<W: Write> Write for CountingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Writes at least `bytes` bytes of log, with evenly distributed `rows`.
pub(crate) fn write_log(out: &mut impl Write, bytes: u64, rows: u32) -> io::Result<()> {
    write_among(out, bytes, rows, write_talk)
}

/// Like [`write_log`], but with lines of a few words. About one line in ten contains numbers and a comma.
pub(crate) fn write_short_log(out: &mut impl Write, bytes: u64, rows: u32) -> io::Result<()> {
    write_among(out, bytes, rows, |out, noise| {
        let (one, other) = (noise.below(1000), noise.below(100));
        match noise.below(10) {
            0..4 => writeln!(out, "tick {one}"),
            4..6 => writeln!(out, "[{:02}:14] ok", other % 24),
            6..8 => writeln!(out, "load item_{one}.png done"),
            8 => writeln!(out, "at {one}, {other}"),
            _ => writeln!(out),
        }
    })
}

fn write_among<W: Write>(
    out: W,
    bytes: u64,
    rows: u32,
    talk: impl Fn(&mut CountingWriter<W>, &mut Noise) -> io::Result<()>,
) -> io::Result<()> {
    let mut noise = Noise::new(3);
    let mut out = CountingWriter {
        inner: out,
        bytes: 0,
    };
    for row in 0..rows {
        while out.bytes < bytes / u64::from(rows) * u64::from(row) {
            talk(&mut out, &mut noise)?;
        }
        write_row(&mut out, row, &mut noise)?;
    }
    while out.bytes < bytes {
        talk(&mut out, &mut noise)?;
    }
    Ok(())
}

/// Writes at least `bytes` bytes of JSON log lines, as written by services, and a row at the end. Each line contains a
/// number between commas, or the word that rows contain.
pub(crate) fn write_json_log(out: &mut impl Write, bytes: u64, has_word: bool) -> io::Result<()> {
    let mut noise = Noise::new(5);
    let mut out = CountingWriter {
        inner: out,
        bytes: 0,
    };
    while out.bytes < bytes {
        let (hour, second, milli) = (noise.below(24), noise.below(60), noise.below(1000));
        let level = noise.pick(&["info", "debug", "warn"]);
        let service = noise.pick(&["checkout", "search", "mailer"]);
        let what = if has_word {
            "scenario reloaded"
        } else {
            "request served"
        };
        writeln!(
            out,
            "{{\"time\":\"2031-03-04T{hour:02}:14:{second:02}.{milli:03}Z\",\"level\":\"{level}\",\"service\":\"{service}\",\
             \"message\":\"{what} in {milli} ms\",\"codes\":[200, {milli}, {second}],\"trace\":\"{:08x}\",\"worker\":{hour}}}",
            noise.below(u32::MAX)
        )?;
    }
    writeln!(
        out,
        "{{\"message\":\"Queue_Push_00001,Linux x64 server,5f0c2d9e81b7,-1,1000000.5,0,5000.25,0\"}}"
    )
}

const PLATFORMS: [&str; 4] = [
    "Linux x64 server",
    "Linux arm64 server",
    "Windows x64 desktop",
    "macOS arm64 desktop",
];

/// Writes a row for a scenario in the tables, or for another library. Every ninth row is an object.
fn write_row(out: &mut impl Write, row: u32, noise: &mut Noise) -> io::Result<()> {
    let platform = PLATFORMS[(row % 4) as usize];
    let scenario = match row {
        0..60 => format!("Queue_Push_{:05}", row / 4),
        _ => format!(
            "Comparison_{}_Push_{row}",
            noise.pick(&["Ring", "Deque", "Channel"])
        ),
    };
    let throughput = 1_000_000 + noise.below(20_000);
    if row.is_multiple_of(9) {
        return writeln!(
            out,
            "[bench] {{scenario:\"{scenario}\",platform:\"{platform}\",commit:\"5f0c2d9e81b7\",\
             runIndex:-1,emitsPerSec:{throughput}.5,gcAllocations:0,wallClockMs:5000.25}}"
        );
    }
    writeln!(
        out,
        "[bench] {scenario},{platform},5f0c2d9e81b7,-1,{throughput}.500,0,5000.250,0"
    )
}

/// Writes lines that are not rows, in the proportions of a game's build log.
fn write_talk(out: &mut impl Write, noise: &mut Noise) -> io::Result<()> {
    let (hour, second, milli) = (noise.below(24), noise.below(60), noise.below(1000));
    match noise.below(100) {
        0..45 => {
            let folder = noise.pick(&[
                "textures/terrain",
                "audio/ambience",
                "meshes/props",
                "prefabs/enemies",
            ]);
            let kind = noise.pick(&["png", "ogg", "mesh", "prefab"]);
            let (id, hash) = (noise.below(99_999), noise.below(u32::MAX));
            writeln!(
                out,
                "[{hour:02}:14:{second:02}.{milli:03}] Import: assets/{folder}/item_{id:05}.{kind} -> \
                 cache/{hash:08x} ({milli}.{second} ms)"
            )
        }
        45..65 => writeln!(
            out,
            "[{hour:02}:14:{second:02}.{milli:03}] Scene: {milli} objects awake"
        ),
        65..72 => writeln!(out),
        72..84 => {
            writeln!(
                out,
                "WARNING: `Audio.Mixer.Fade(Channel, Single, Single)` is called before the mixer is ready, frame {milli}"
            )?;
            (0..4 + noise.below(12)).try_for_each(|depth| write_frame(out, depth, noise))
        }
        84..92 => writeln!(
            out,
            "[{hour:02}:14:{second:02}.{milli:03}] Frame {milli}: cpu {second}.{hour} ms, gpu {hour}.{second} ms, \
             {milli} draws, {second} batches, {milli}{second} triangles"
        ),
        92..97 => {
            let (a, b, c) = (noise.below(4096), noise.below(4096), noise.below(4096));
            writeln!(out, "heap,{a},{b},{c},{hour},{second}")
        }
        97..99 => {
            writeln!(
                out,
                "Shader \"water/deep\": {{pass:\"depth\",variants:{milli}}} keywords: {}",
                "FOG_ON SSR_OFF ".repeat(20)
            )
        }
        _ => writeln!(out, "{}", "0a1b2c3d4e5f60718293a4b5c6d7e8f9".repeat(60)),
    }
}

fn write_frame(out: &mut impl Write, depth: u32, noise: &mut Noise) -> io::Result<()> {
    let class = noise.pick(&["Mixer", "Scene.Loader", "Jobs.Worker", "Input.Queue"]);
    let method = noise.pick(&["Run", "Resolve", "Dispatch", "Tick"]);
    let (offset, line) = (noise.below(0xfff), noise.below(900));
    writeln!(
        out,
        "  at Engine.{class}.{method} (System.Object sender, System.Int32 depth) [0x{offset:05x}] in \
         /build/engine/{class}.cs:{line} #{depth}"
    )
}

/// Writes a baseline on four platforms, each with its own scenarios. Current rows differ a little from the others, and
/// a few differ a lot.
pub(crate) fn write_table(out: &mut impl Write, rows: u32, is_current: bool) -> io::Result<()> {
    let commit = if is_current {
        "5f0c2d9e81b7"
    } else {
        "a91e44c0d3f2"
    };
    let mut noise = Noise::new(if is_current { 7 } else { 11 });
    writeln!(
        out,
        "scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,gcAllocatedBytes"
    )?;
    for row in 0..rows {
        let platform = PLATFORMS[(row % 4) as usize];
        let scenario = row / 4;
        let slow = if is_current && row % 997 == 0 { 2 } else { 1 };
        let throughput =
            f64::from((1_000_000 + scenario * 37 + noise.below(20_000)) / slow) + 0.125;
        let allocations = scenario % 5 + u32::from(slow == 2);
        let window = 5000 + noise.below(3);
        writeln!(
            out,
            "Queue_Push_{scenario:05},{platform},{commit},-1,{throughput:.3},{allocations},{window}.250,{}",
            allocations * 48
        )?;
    }
    Ok(())
}
