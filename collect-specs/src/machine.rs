//! The facts of a machine as the probes found them, and the reasons for those they did not find.

/// The outcome of one probe, or the reason why its fact is not known: one that fails leaves the others alone.
///
/// The words of a reason name places and rules, never what was found there, because they are printed.
pub type Probed<T> = Result<T, String>;

/// A machine as the system describes it. Not yet screened: nothing of this may be printed.
#[derive(Debug)]
pub struct Machine {
    /// The processor's model name.
    pub cpu: Probed<String>,
    /// Cores, not counting hardware threads.
    pub physical_cores: Probed<usize>,
    /// Hardware threads.
    pub logical_cores: Probed<Limited<usize>>,
    /// The nominal clock in MHz: one that does not change from moment to moment.
    pub clock_mhz: Probed<u64>,
    /// Memory in bytes, as the system counts it.
    pub memory: Probed<Limited<u64>>,
    pub modules: Probed<Modules>,
    pub gpu: Probed<String>,
    /// The operating system's name and version.
    pub os: Probed<String>,
    pub arch: Probed<String>,
    /// The processor's caches, smallest first.
    pub caches: Probed<String>,
    /// The virtualization of the system: none, a virtual machine, a container, or both.
    pub virtualization: Probed<String>,
    /// `linux`, `windows`, `macos`: what stays when the system is updated.
    pub family: &'static str,
}

/// A resource of the machine and how much of it this process may use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limited<T> {
    /// The amount that the machine has.
    pub all: T,
    /// The amount that a container or an affinity leaves, when that is less. Cores can be fractions.
    pub usable: Option<f64>,
}

/// The memory modules, together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Modules {
    pub bytes: u64,
    /// The kinds, such as `DDR5`, each once; empty when none is reported.
    pub kinds: Vec<&'static str>,
    /// The slowest configured transfer rate in MT/s.
    pub speed: Option<u32>,
}

/// A fact, or that the system does not report it.
#[cfg(not(target_os = "linux"))]
pub fn reported<T>(fact: Option<T>) -> Probed<T> {
    fact.ok_or_else(|| "not reported by the system".to_owned())
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A machine that reports everything.
    pub fn workstation() -> Machine {
        Machine {
            cpu: Ok("13th Gen Intel(R) Core(TM) i9-13900KF".to_owned()),
            physical_cores: Ok(24),
            logical_cores: Ok(Limited {
                all: 32,
                usable: None,
            }),
            clock_mhz: Ok(3000),
            memory: Ok(Limited {
                all: 66_571_993_088,
                usable: None,
            }),
            modules: Ok(Modules {
                bytes: 64 << 30,
                kinds: vec!["DDR5"],
                speed: Some(5600),
            }),
            gpu: Ok("NVIDIA GeForce RTX 4090".to_owned()),
            os: Ok("Debian GNU/Linux 12 (bookworm), Linux 6.1.0".to_owned()),
            arch: Ok("x86_64".to_owned()),
            caches: Ok("L1d 48K, L1i 32K, L2 2M, L3 36M".to_owned()),
            virtualization: Ok("none".to_owned()),
            family: "linux",
        }
    }
}
