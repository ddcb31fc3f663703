//! The processors that launches run on.

use perf_cli::Failure;

/// Pins this process, and what it starts, to one processor.
///
/// # Errors
/// A processor that is not there, or that this process may not use.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn pin(cpu: Option<usize>) -> anyhow::Result<()> {
    use rustix::thread::{CpuSet, sched_setaffinity};
    let Some(cpu) = cpu else { return Ok(()) };
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
    // Children inherit it.
    sched_setaffinity(None, &set)
        .map_err(|error| cannot(&error.to_string()).hint("leave `--cpu` out").into())
}

/// The processors that this process may use.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn allowed() -> anyhow::Result<Vec<usize>> {
    use rustix::thread::{CpuSet, sched_getaffinity};
    let set = sched_getaffinity(None)
        .map_err(|error| Failure::new(format!("cannot find the processors to pin to: {error}")))?;
    Ok((0..CpuSet::MAX_CPU)
        .filter(|cpu| set.is_set(*cpu))
        .collect())
}

/// Two processors on which both sides can run at the same time: the first and the last, as neighbours may share a core.
///
/// # Errors
/// Fewer than two.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn two() -> anyhow::Result<[usize; 2]> {
    match allowed()?[..] {
        [first, .., last] => Ok([first, last]),
        _ => Err(
            Failure::new("`--parallel` needs two processors, and this process may use one")
                .hint("leave `--parallel` out")
                .into(),
        ),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn pin(cpu: Option<usize>) -> anyhow::Result<()> {
    match cpu {
        None => Ok(()),
        Some(_) => Err(Failure::new("`--cpu` works on Linux only").into()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn two() -> anyhow::Result<[usize; 2]> {
    Err(Failure::new("`--parallel` works on Linux only").into())
}
