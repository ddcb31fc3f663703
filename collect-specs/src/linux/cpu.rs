//! The processor: model, cores, clock and caches.

use std::collections::BTreeSet;

use sysinfo::{CpuRefreshKind, System};

use super::cgroup;
use super::tree::Tree;
use crate::machine::{Limited, Probed};
use crate::words::{cache_size, distinct};

const CPUINFO: &str = "/proc/cpuinfo";
const CPUS: &str = "/sys/devices/system/cpu";

/// The lines of `/proc/cpuinfo`, `key : value`, or why there are none.
pub struct Cpuinfo(Probed<Vec<(String, String)>>);

impl Cpuinfo {
    pub fn read(tree: &Tree) -> Self {
        Self(tree.text(CPUINFO).map(|text| {
            let pairs = text.lines().filter_map(|line| line.split_once(':'));
            pairs
                .map(|(key, value)| (key.trim().to_lowercase(), value.trim().to_owned()))
                .collect()
        }))
    }

    /// The values of a key, given in lower case, for all processors.
    pub fn all(&self, key: &'static str) -> impl Iterator<Item = &str> {
        let pairs = self.0.iter().flatten();
        pairs
            .filter(move |(known, _)| known == key)
            .map(|(_, value)| value.as_str())
    }

    /// The first value of a key that is not empty.
    pub fn first(&self, key: &'static str) -> Probed<&str> {
        self.check()?;
        let value = self.all(key).find(|value| !value.is_empty());
        value.ok_or_else(|| format!("`{CPUINFO}` has no `{key}`"))
    }

    /// True if a flag is set; unknown where the processor has no list of flags.
    pub fn has_flag(&self, flag: &str) -> Option<bool> {
        self.all("flags")
            .next()
            .map(|flags| flags.split_whitespace().any(|known| known == flag))
    }

    fn check(&self) -> Probed<()> {
        self.0.as_ref().map(|_| ()).map_err(Clone::clone)
    }
}

/// The processors as `sysinfo` describes them, if this is the running system.
fn described(tree: &Tree) -> System {
    let mut system = System::new();
    if tree.is_here() {
        system.refresh_cpu_list(CpuRefreshKind::nothing().with_frequency());
    }
    system
}

/// The processor's name; on Arm the names of its kinds of core.
pub fn model(tree: &Tree, cpuinfo: &Cpuinfo) -> Probed<String> {
    // A kernel that has no name for a processor calls it by its number.
    let named = ["model name", "cpu", "uarch"]
        .into_iter()
        .find_map(|key| cpuinfo.first(key).ok());
    if let Some(name) = named.filter(|name| name.parse::<u64>().is_err()) {
        return Ok(name.to_owned());
    }
    let system = described(tree);
    let kinds = distinct(system.cpus().iter().map(|cpu| cpu.brand().trim()));
    if kinds.is_empty() {
        return cpuinfo.first("model name").map(str::to_owned);
    }
    Ok(kinds)
}

/// Cores that are online, each once however many threads it has.
pub fn physical_cores(tree: &Tree) -> Probed<usize> {
    let siblings: BTreeSet<_> = cpu_folders(tree)
        .filter_map(|cpu| {
            tree.text(&format!("{CPUS}/{cpu}/topology/thread_siblings_list"))
                .ok()
        })
        .collect();
    if !siblings.is_empty() {
        return Ok(siblings.len());
    }
    let described = tree.is_here().then(System::physical_core_count).flatten();
    described
        .filter(|cores| *cores > 0)
        .ok_or_else(|| format!("`{CPUS}` does not have the topology"))
}

/// Hardware threads that are online, and how many of them this process may use.
pub fn logical_cores(tree: &Tree, cpuinfo: &Cpuinfo) -> Probed<Limited<usize>> {
    let online = tree
        .text(&format!("{CPUS}/online"))
        .ok()
        .and_then(|list| count(&list));
    let listed = || Some(cpuinfo.all("processor").count()).filter(|count| *count > 0);
    let described = || Some(described(tree).cpus().len()).filter(|count| *count > 0);
    let Some(all) = online.or_else(listed).or_else(described) else {
        let message = format!("neither `{CPUS}` nor `{CPUINFO}` counts the processors");
        return Err(message);
    };
    #[expect(clippy::cast_precision_loss, reason = "no machine has that many cores")]
    let (cores, allowed) = (all as f64, allowed(tree).map(|allowed| allowed as f64));
    let usable = [allowed, cgroup::cores(tree)]
        .into_iter()
        .flatten()
        .fold(cores, f64::min);
    Ok(Limited {
        all,
        usable: (usable < cores).then_some(usable),
    })
}

/// A clock that does not move: the nominal one where the system knows it, else the highest.
pub fn clock_mhz(tree: &Tree, cpuinfo: &Cpuinfo) -> Probed<u64> {
    let khz = |file| tree.number(&format!("{CPUS}/cpu0/cpufreq/{file}")).ok();
    // The clock in a name such as `Intel(R) Xeon(R) CPU @ 2.20GHz`.
    let in_name = |name: &str| {
        let (_, clock) = name.rsplit_once('@')?;
        mhz(clock
            .trim()
            .strip_suffix("GHz")?
            .trim()
            .parse::<f64>()
            .ok()?
            * 1000.0)
    };
    let named = || cpuinfo.all("model name").find_map(in_name);
    // The momentary clock of the first processor, which in a virtual machine is always the same.
    let measured = || mhz(cpuinfo.first("cpu mhz").ok()?.parse().ok()?);
    let described = || Some(described(tree).cpus().first()?.frequency());
    let clock = khz("base_frequency").map(|khz| khz / 1000).or_else(named);
    let clock = clock
        .or_else(|| khz("cpuinfo_max_freq").map(|khz| khz / 1000))
        .or_else(measured)
        .or_else(described);
    clock
        .filter(|mhz| *mhz > 0)
        .ok_or_else(|| "the system reports no clock".to_owned())
}

/// The caches of the first processor, such as `L1d 48K, L1i 32K, L2 2M, L3 36M`.
pub fn caches(tree: &Tree) -> Probed<String> {
    let folder = format!("{CPUS}/cpu0/cache");
    let indexes = tree
        .names(&folder)
        .into_iter()
        .filter(|name| name.starts_with("index"));
    let caches: Vec<_> = indexes
        .filter_map(|index| cache(tree, &format!("{folder}/{index}")))
        .collect();
    if caches.is_empty() {
        return Err(format!("`{folder}` lists no cache"));
    }
    Ok(caches.join(", "))
}

fn cache(tree: &Tree, folder: &str) -> Option<String> {
    let level = tree.number(&format!("{folder}/level")).ok()?;
    let size = tree.text(&format!("{folder}/size")).ok()?;
    let kib: u64 = size.strip_suffix('K')?.parse().ok()?;
    let kind = match tree.text(&format!("{folder}/type")).ok()?.as_str() {
        "Data" => "d",
        "Instruction" => "i",
        _ => "",
    };
    Some(format!("L{level}{kind} {}", cache_size(kib)))
}

fn cpu_folders(tree: &Tree) -> impl Iterator<Item = String> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    tree.names(CPUS)
        .into_iter()
        .filter(move |name| name.strip_prefix("cpu").is_some_and(is_number))
}

/// The processors that the scheduler gives this process: its affinity and its cpuset.
fn allowed(tree: &Tree) -> Option<usize> {
    let status = tree.text("/proc/self/status").ok()?;
    count(
        status
            .lines()
            .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?,
    )
}

/// The number of processors in a list such as `0-3,8`.
fn count(processors: &str) -> Option<usize> {
    let mut sum = 0_usize;
    for range in processors.trim().split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (usize, usize) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        sum = sum.checked_add(last.checked_sub(first)?.checked_add(1)?)?;
    }
    Some(sum)
}

fn mhz(clock: f64) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked in the same line"
    )]
    (1.0..100_000.0)
        .contains(&clock)
        .then(|| clock.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::super::tree::tests::planted;
    use super::*;

    const X86: &str = "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) CPU @ 2.20GHz\nphysical id\t: 0\ncore id\t: 0\n\
        cpu MHz\t: 2199.998\nflags\t: fpu hypervisor lm\n\nprocessor\t: 1\nmodel name\t: Intel(R) Xeon(R) CPU @ 2.20GHz\n\
        physical id\t: 0\ncore id\t: 0\n";

    #[test]
    fn cpuinfo_has_name_threads_and_clock() {
        let (_folder, tree) = planted(&[(CPUINFO, X86)]);
        let cpuinfo = Cpuinfo::read(&tree);
        assert_eq!(
            model(&tree, &cpuinfo).unwrap(),
            "Intel(R) Xeon(R) CPU @ 2.20GHz"
        );
        assert_eq!(
            logical_cores(&tree, &cpuinfo),
            Ok(Limited {
                all: 2,
                usable: None
            })
        );
        assert_eq!(clock_mhz(&tree, &cpuinfo), Ok(2200));
        assert_eq!(cpuinfo.has_flag("hypervisor"), Some(true));
        assert_eq!(
            caches(&tree).unwrap_err(),
            "`/sys/devices/system/cpu/cpu0/cache` lists no cache"
        );
    }

    #[test]
    fn nothing_is_taken_from_the_running_system_for_another_one() {
        let (_folder, tree) = planted(&[]);
        let cpuinfo = Cpuinfo::read(&tree);
        assert!(model(&tree, &cpuinfo).is_err() && physical_cores(&tree).is_err());
        let why = logical_cores(&tree, &cpuinfo).unwrap_err();
        assert_eq!(
            why,
            "neither `/sys/devices/system/cpu` nor `/proc/cpuinfo` counts the processors"
        );
        assert!(clock_mhz(&tree, &cpuinfo).is_err());
    }

    #[test]
    fn sysfs_tells_cores_clock_and_caches() {
        let (_folder, tree) = planted(&[
            ("/sys/devices/system/cpu/online", "0-3\n"),
            (
                "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list",
                "0,2",
            ),
            (
                "/sys/devices/system/cpu/cpu1/topology/thread_siblings_list",
                "1,3",
            ),
            (
                "/sys/devices/system/cpu/cpu2/topology/thread_siblings_list",
                "0,2",
            ),
            (
                "/sys/devices/system/cpu/cpu3/topology/thread_siblings_list",
                "1,3",
            ),
            (
                "/sys/devices/system/cpu/cpufreq/topology/thread_siblings_list",
                "7",
            ),
            (
                "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq",
                "4700000",
            ),
            ("/sys/devices/system/cpu/cpu0/cache/index0/level", "1"),
            ("/sys/devices/system/cpu/cpu0/cache/index0/type", "Data"),
            ("/sys/devices/system/cpu/cpu0/cache/index0/size", "48K"),
            ("/sys/devices/system/cpu/cpu0/cache/index3/level", "3"),
            ("/sys/devices/system/cpu/cpu0/cache/index3/type", "Unified"),
            ("/sys/devices/system/cpu/cpu0/cache/index3/size", "36864K"),
            ("/proc/self/status", "Name:\tx\nCpus_allowed_list:\t0,2-3\n"),
        ]);
        let cpuinfo = Cpuinfo::read(&tree);
        assert_eq!(physical_cores(&tree), Ok(2));
        assert_eq!(
            logical_cores(&tree, &cpuinfo),
            Ok(Limited {
                all: 4,
                usable: Some(3.0)
            })
        );
        assert_eq!(clock_mhz(&tree, &cpuinfo), Ok(4700));
        assert_eq!(caches(&tree).unwrap(), "L1d 48K, L3 36M");
        assert_eq!(
            model(&tree, &cpuinfo).unwrap_err(),
            "`/proc/cpuinfo` is not there"
        );
    }

    #[test]
    fn the_nominal_clock_is_preferred_to_the_highest_and_to_the_momentary() {
        let (_folder, tree) = planted(&[
            (CPUINFO, "cpu MHz : 812.3"),
            (
                "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq",
                "5800000",
            ),
            (
                "/sys/devices/system/cpu/cpu0/cpufreq/base_frequency",
                "3000000",
            ),
        ]);
        assert_eq!(clock_mhz(&tree, &Cpuinfo::read(&tree)), Ok(3000));
    }

    #[test]
    fn lists_of_processors_are_counted_or_refused() {
        assert_eq!(
            ["0", "0-3", "0-1,4,6-7"].map(count),
            [Some(1), Some(4), Some(5)]
        );
        assert_eq!(
            ["", "3-1", "a", "0-18446744073709551615", "1,,2"].map(count),
            [None; 5]
        );
    }

    #[test]
    fn nonsense_is_not_believed() {
        for text in [
            "cpu MHz : nan",
            "cpu MHz : 1e300",
            "model name : x @ -1GHz",
            "model name : @GHz",
            ":::",
            "",
        ] {
            let (_folder, tree) = planted(&[(CPUINFO, text)]);
            assert!(clock_mhz(&tree, &Cpuinfo::read(&tree)).is_err(), "{text}");
        }
    }
}
