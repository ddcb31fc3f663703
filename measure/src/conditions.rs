//! Warns about a noisy machine: its load, or processor time that a hypervisor steals.

use std::fs;
use std::path::Path;
use std::sync::Once;
use std::thread;
use std::time::Duration;

use perf_cli::term;
use perf_model::diagnostic::counted;
use perf_model::parallel::cores;

use crate::rows::float;

/// A larger share of stolen processor time causes a warning.
const STEAL: f64 = 0.01;

/// The processor time at the start of a measurement.
pub struct Conditions(Option<Ticks>);

/// Processor time of all cores since boot, in clock ticks.
#[derive(Clone, Copy)]
struct Ticks {
    all: u64,
    stolen: u64,
}

impl Conditions {
    /// Reads the counters. Warns once per process if the machine is busy.
    pub fn at_start() -> Self {
        static WARNED: Once = Once::new();
        WARNED.call_once(|| {
            if let Some(text) = load_now().and_then(|load| busy(load, cores())) {
                term::warn(&text);
            }
        });
        Self(ticks_now())
    }

    /// Warns if other virtual machines took processor time since the start.
    pub fn at_end(&self) {
        if let Some(share) = stolen_since(self.0)
            && share > STEAL
        {
            term::warn(&format!(
                "other virtual machines took {:.1}% of the processor time: wall time is noisy",
                100.0 * share
            ));
        }
    }
}

/// How long [`described`] observes stolen processor time.
const OBSERVATION: Duration = Duration::from_millis(500);

/// Describes the load, the stolen time and the processor clock. The load and the stolen time are left out if the system does
/// not report them.
pub fn described() -> Vec<String> {
    let load = load_now().map(|load| {
        busy(load, cores())
            .unwrap_or_else(|| format!("quiet enough: a load of {load:.1} on {} cores", cores()))
    });
    let before = ticks_now();
    thread::sleep(OBSERVATION);
    let steal = stolen_since(before).map(|share| {
        format!(
            "other virtual machines take {:.1}% of the processor time",
            100.0 * share
        )
    });
    let clock = clock(Path::new("/sys/devices/system/cpu"));
    [load, steal, Some(clock)].into_iter().flatten().collect()
}

fn clock(cpus: &Path) -> String {
    let read = |file: &str| {
        let text = fs::read_to_string(cpus.join(file)).ok();
        text.map(|text| term::printable(text.trim()))
    };
    let is_on = match read("intel_pstate/no_turbo") {
        Some(off) => Some(off == "0"),
        None => read("cpufreq/boost").map(|boost| boost == "1"),
    };
    let turbo = match is_on {
        Some(true) => "on: the clock varies with the temperature",
        Some(false) => "off",
        None => "not readable",
    };
    let governor = read("cpu0/cpufreq/scaling_governor");
    let governor = governor.as_deref().unwrap_or("not readable");
    format!("turbo {turbo}, governor {governor}")
}

fn load_now() -> Option<f64> {
    load(&fs::read_to_string("/proc/loadavg").ok()?)
}

/// Parses the one-minute load average in `/proc/loadavg`.
fn load(text: &str) -> Option<f64> {
    text.split_whitespace().next()?.parse().ok()
}

fn busy(load: f64, cores: usize) -> Option<String> {
    let cores = cores as u64;
    (load > float(cores)).then(|| {
        let cores = counted(cores, "core");
        format!("the machine is busy: a load of {load:.1} on {cores}, so wall time is noisy")
    })
}

/// Returns the share of processor time that the hypervisor has taken since `before`.
fn stolen_since(before: Option<Ticks>) -> Option<f64> {
    stolen(before?, ticks_now()?)
}

fn ticks_now() -> Option<Ticks> {
    ticks(&fs::read_to_string("/proc/stat").ok()?)
}

/// Parses the line `cpu user nice system idle iowait irq softirq steal …` in `/proc/stat`.
fn ticks(stat: &str) -> Option<Ticks> {
    let line = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let numbers: Vec<u64> = line
        .split_whitespace()
        .take(8)
        .map_while(|word| word.parse().ok())
        .collect();
    Some(Ticks {
        all: numbers.iter().sum(),
        stolen: *numbers.get(7)?,
    })
}

fn stolen(before: Ticks, after: Ticks) -> Option<f64> {
    let all = after.all.checked_sub(before.all).filter(|all| *all > 0)?;
    Some(float(after.stolen.checked_sub(before.stolen)?) / float(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_above_the_cores_is_busy() {
        assert_eq!(load("2.51 1.00 0.50 3/200 4711\n"), Some(2.51));
        assert!(busy(2.51, 2).is_some() && busy(2.0, 2).is_none());
    }

    #[test]
    fn stolen_time_is_a_share_of_all() {
        let of = |stolen| {
            ticks(&format!(
                "cpu  100 0 50 800 10 0 0 {stolen} 0 0\ncpu0 1 2 3\n"
            ))
            .unwrap()
        };
        let share = stolen(of(0), of(40)).unwrap();
        assert!((share - 1.0).abs() < 1e-12, "{share}");
        assert_eq!(stolen(of(5), of(5)), None);
        assert!(ticks("cpu  1 2 3").is_none());
    }

    #[test]
    fn turbo_and_governor_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(
            clock(folder.path()),
            "turbo not readable, governor not readable"
        );
        for (path, text) in [
            ("intel_pstate/no_turbo", "1\n"),
            ("cpu0/cpufreq/scaling_governor", "powersave\n"),
        ] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        assert_eq!(clock(folder.path()), "turbo off, governor powersave");
    }
}
