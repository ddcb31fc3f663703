//! The limits of control groups, versions 1 and 2: what a container may use of the machine.
//!
//! A limit can stand on the group of this process or on any group above it, and the smallest counts. A
//! container mostly sees only a part of the hierarchy, so the group's path is taken relative to what is
//! mounted.

use super::tree::Tree;

/// A mounted hierarchy: where it is mounted, which part of it, and its controllers (none: version 2).
struct Mount {
    point: String,
    root: String,
    controllers: Option<String>,
}

/// The processors' worth of time that may be used, if that is limited; fractions are usual.
pub fn cores(tree: &Tree) -> Option<f64> {
    smallest(tree, "cpu", |folder, version2| {
        if version2 {
            let max = tree.text(&format!("{folder}/cpu.max")).ok()?;
            let (quota, period) = max.split_once(' ')?;
            share(quota, period)
        } else {
            let quota = tree.text(&format!("{folder}/cpu.cfs_quota_us")).ok()?;
            share(
                &quota,
                &tree.text(&format!("{folder}/cpu.cfs_period_us")).ok()?,
            )
        }
    })
}

/// The bytes of memory that may be used; "no limit" is an absurdly large one in version 1.
pub fn memory(tree: &Tree) -> Option<f64> {
    smallest(tree, "memory", |folder, version2| {
        let file = if version2 {
            "memory.max"
        } else {
            "memory.limit_in_bytes"
        };
        let bytes: u64 = tree.text(&format!("{folder}/{file}")).ok()?.parse().ok()?;
        #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
        Some(bytes as f64).filter(|bytes| *bytes > 0.0)
    })
}

fn share(quota: &str, period: &str) -> Option<f64> {
    let (quota, period): (u32, u32) = (quota.trim().parse().ok()?, period.trim().parse().ok()?);
    (quota > 0 && period > 0).then(|| f64::from(quota) / f64::from(period))
}

fn smallest(
    tree: &Tree,
    controller: &str,
    limit: impl Fn(&str, bool) -> Option<f64>,
) -> Option<f64> {
    let groups = tree.text("/proc/self/cgroup").unwrap_or_default();
    let limits = mounts(tree, controller).into_iter().flat_map(|mount| {
        let group = group(&groups, mount.controllers.is_some().then_some(controller));
        let folders = folders(&mount, group);
        folders
            .into_iter()
            .filter_map(|folder| limit(&folder, mount.controllers.is_none()))
            .collect::<Vec<_>>()
    });
    limits.reduce(f64::min)
}

/// The hierarchies that can limit a controller, or the usual places where the system lists none.
fn mounts(tree: &Tree, controller: &str) -> Vec<Mount> {
    let table = tree.text("/proc/self/mountinfo").unwrap_or_default();
    let mounts: Vec<_> = table.lines().filter_map(mount).collect();
    if mounts.is_empty() {
        let usual = |point: String, controllers| Mount {
            point,
            root: "/".to_owned(),
            controllers,
        };
        return vec![
            usual("/sys/fs/cgroup".to_owned(), None),
            usual(
                format!("/sys/fs/cgroup/{controller}"),
                Some(controller.to_owned()),
            ),
        ];
    }
    let controls = |mount: &Mount| {
        mount
            .controllers
            .as_deref()
            .is_none_or(|all| lists(all, controller))
    };
    mounts.into_iter().filter(controls).collect()
}

/// A line `31 23 0:28 <root> <point> <options> … - <type> <source> <controllers>`, if it is about groups.
fn mount(line: &str) -> Option<Mount> {
    let (place, kind) = line.split_once(" - ")?;
    let mut place = place.split(' ').skip(3);
    let (root, point) = (place.next()?.to_owned(), place.next()?.to_owned());
    let mut kind = kind.split(' ');
    let controllers = match kind.next()? {
        "cgroup2" => None,
        "cgroup" => Some(kind.nth(1)?.to_owned()),
        _ => return None,
    };
    Some(Mount {
        point,
        root,
        controllers,
    })
}

/// The path in a line `4:cpu,cpuacct:/path`, or `0::/path` for version 2.
fn group<'a>(groups: &'a str, controller: Option<&str>) -> &'a str {
    let mut lines = groups
        .lines()
        .filter_map(|line| line.split_once(':')?.1.split_once(':'));
    let found = lines.find(|(controllers, _)| match controller {
        Some(controller) => lists(controllers, controller),
        None => controllers.is_empty(),
    });
    found.map_or("/", |(_, path)| path)
}

fn lists(controllers: &str, controller: &str) -> bool {
    controllers.split(',').any(|known| known == controller)
}

/// The folder of a group and those above it, as far as they are mounted.
fn folders(mount: &Mount, group: &str) -> Vec<String> {
    let mut folder = mount.point.clone();
    let mut folders = vec![folder.clone()];
    let below = group
        .strip_prefix(mount.root.trim_end_matches('/'))
        .unwrap_or_default();
    // A group outside of what is mounted begins with `..`.
    let names = below
        .split('/')
        .filter(|name| !name.is_empty())
        .take_while(|name| *name != "..");
    for name in names {
        folder = format!("{folder}/{name}");
        folders.push(folder.clone());
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::super::tree::tests::planted;
    use super::*;

    const VERSION_2: (&str, &str) = (
        "/proc/self/mountinfo",
        "1 0 0:1 / / rw - ext4 /dev/sda rw\n30 1 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n",
    );

    #[test]
    fn the_smallest_limit_on_the_way_up_counts() {
        let (_folder, tree) = planted(&[
            VERSION_2,
            ("/proc/self/cgroup", "0::/ci.slice/job-7\n"),
            ("/sys/fs/cgroup/cpu.max", "400000 100000"),
            ("/sys/fs/cgroup/ci.slice/cpu.max", "150000 100000"),
            ("/sys/fs/cgroup/ci.slice/job-7/cpu.max", "max 100000"),
            ("/sys/fs/cgroup/ci.slice/memory.max", "max"),
            ("/sys/fs/cgroup/ci.slice/job-7/memory.max", "8589934592"),
        ]);
        assert_eq!(cores(&tree), Some(1.5));
        assert_eq!(memory(&tree), Some(8_589_934_592.0));
    }

    #[test]
    fn version_1_is_read_where_it_is_mounted() {
        let (_folder, tree) = planted(&[
            (
                "/proc/self/mountinfo",
                "32 31 0:29 /docker/5f1 /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n\
                 33 31 0:30 /docker/5f1 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
            ),
            (
                "/proc/self/cgroup",
                "9:memory:/docker/5f1\n4:cpu,cpuacct:/docker/5f1\n",
            ),
            ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000"),
            ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000"),
            (
                "/sys/fs/cgroup/memory/memory.limit_in_bytes",
                "9223372036854771712",
            ),
        ]);
        assert_eq!(cores(&tree), Some(2.0));
        assert!(memory(&tree).unwrap() > 1e18);
    }

    #[test]
    fn without_a_list_of_mounts_the_usual_places_are_looked_at() {
        let (_folder, tree) = planted(&[("/sys/fs/cgroup/cpu.max", "400000 100000\n")]);
        assert_eq!((cores(&tree), memory(&tree)), (Some(4.0), None));
    }

    #[test]
    fn a_group_outside_of_the_mount_and_nonsense_limit_nothing() {
        for cgroup in ["0::/../../x", "0::", "", "::::", "0::/a/../b"] {
            let (_folder, tree) = planted(&[
                VERSION_2,
                ("/proc/self/cgroup", cgroup),
                ("/sys/fs/cgroup/cpu.max", "-1 100000"),
                ("/sys/fs/cgroup/memory.max", "a lot"),
                ("/sys/x/cpu.max", "100000 100000"),
            ]);
            assert_eq!((cores(&tree), memory(&tree)), (None, None), "{cgroup}");
        }
    }
}
