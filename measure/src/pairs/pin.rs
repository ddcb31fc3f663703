//! The processors for process runs.

use perf_cli::Failure;

/// Pins this process and its child processes to one processor.
///
/// # Errors
/// The processor does not exist, or this process may not use it.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn pin(cpu: usize) -> anyhow::Result<()> {
    use rustix::thread::{CpuSet, sched_setaffinity};
    let cannot = |why: &str| Failure::new(format!("cannot pin to CPU {cpu}: {why}"));
    let allowed = allowed()?;
    if !allowed.contains(&cpu) {
        let usable: Vec<String> = allowed.iter().take(8).map(usize::to_string).collect();
        let more = if allowed.len() > usable.len() {
            ", …"
        } else {
            ""
        };
        let hint = format!("this process may use {}{more}", usable.join(", "));
        return Err(cannot("it does not exist, or this process may not use it")
            .hint(hint)
            .into());
    }
    let mut set = CpuSet::new();
    set.set(cpu);
    // Child processes inherit it.
    sched_setaffinity(None, &set)
        .map_err(|error| cannot(&error.to_string()).hint("omit `--cpu`").into())
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn allowed() -> anyhow::Result<Vec<usize>> {
    use rustix::thread::{CpuSet, sched_getaffinity};
    let set = sched_getaffinity(None)
        .map_err(|error| Failure::new(format!("cannot list the usable processors: {error}")))?;
    Ok((0..CpuSet::MAX_CPU)
        .filter(|cpu| set.is_set(*cpu))
        .collect())
}

/// Two processors for a parallel measurement: the first and the last, because neighbours may share a core.
///
/// # Errors
/// This process may use fewer than two.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn two() -> anyhow::Result<[usize; 2]> {
    match allowed()?[..] {
        [first, .., last] => Ok([first, last]),
        _ => Err(Failure::new(
            "`--parallel` needs two processors, and this process may use only one",
        )
        .hint("omit `--parallel`")
        .into()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn pin(_: usize) -> anyhow::Result<()> {
    Err(Failure::new("`--cpu` works on Linux only").into())
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn two() -> anyhow::Result<[usize; 2]> {
    Err(Failure::new("`--parallel` works on Linux only").into())
}
