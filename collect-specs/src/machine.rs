//! The machine's facts as the probes found them.

/// A machine as the system describes it. The facts are not redacted yet, so none of them may be printed.
///
/// A fact that the system does not report is `None` or an empty string.
#[derive(Debug, Default)]
pub struct Machine {
    /// The processor's model name.
    pub cpu: Option<String>,
    /// The number of cores, not counting hardware threads.
    pub physical_cores: Option<usize>,
    /// The number of hardware threads.
    pub logical_cores: Option<Limited<usize>>,
    /// The nominal clock in MHz, which does not vary.
    pub clock_mhz: Option<u64>,
    /// The size of the memory in bytes that the system reports.
    pub memory: Option<Limited<u64>>,
    pub modules: Option<Modules>,
    pub gpu: Option<String>,
    /// The operating system's name and version.
    pub os: Option<String>,
    pub arch: Option<String>,
    /// The processor's caches, smallest first.
    pub caches: Option<String>,
    /// Whether the system runs in a virtual machine, in a container, in both, or in neither.
    pub virtualization: Option<String>,
    /// The operating system without its version: `linux`, `windows` or `macos`.
    pub family: &'static str,
}

/// A resource, and how much of it this process may use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limited<T> {
    /// The amount that the machine has.
    pub all: T,
    /// The amount that a container or CPU affinity allows, or `None` if that is the whole machine. The number of cores can
    /// be a fraction.
    pub usable: Option<f64>,
}

/// The memory modules, taken together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Modules {
    pub bytes: u64,
    /// The distinct kinds, such as `DDR5`; empty if none is reported.
    pub kinds: Vec<&'static str>,
    /// The slowest configured transfer rate in MT/s.
    pub speed: Option<u16>,
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A machine that reports everything.
    pub fn workstation() -> Machine {
        Machine {
            cpu: Some("13th Gen Intel(R) Core(TM) i9-13900KF".to_owned()),
            physical_cores: Some(24),
            logical_cores: Some(Limited {
                all: 32,
                usable: None,
            }),
            clock_mhz: Some(3000),
            memory: Some(Limited {
                all: 66_571_993_088,
                usable: None,
            }),
            modules: Some(Modules {
                bytes: 64 << 30,
                kinds: vec!["DDR5"],
                speed: Some(5600),
            }),
            gpu: Some("NVIDIA GeForce RTX 4090".to_owned()),
            os: Some("Debian GNU/Linux 12 (bookworm), Linux 6.1.0".to_owned()),
            arch: Some("x86_64".to_owned()),
            caches: Some("L1d 48K, L1i 32K, L2 2M, L3 36M".to_owned()),
            virtualization: Some("none".to_owned()),
            family: "linux",
        }
    }
}
