//! The host name never appears in the program's output.
#![cfg(target_os = "linux")]

/// Runs in a namespace with the real `/` and a planted host name, which is also in a system file.
#[test]
fn a_planted_host_name_stays_in_its_namespace() {
    const SCRIPT: &str = "echo gannet-42 > /proc/sys/kernel/hostname && mount --bind \"$1\" /etc/os-release && exec \"$2\"";
    let folder = tempfile::tempdir().unwrap();
    let release = folder.path().join("os-release");
    std::fs::write(&release, "PRETTY_NAME=\"Linux on gannet-42\"\n").unwrap();
    let mut command = std::process::Command::new("unshare");
    command.args([
        "--user",
        "--map-root-user",
        "--uts",
        "--mount",
        "--net",
        "sh",
        "-c",
        SCRIPT,
        "sh",
    ]);
    command
        .arg(release)
        .arg(env!("CARGO_BIN_EXE_collect-machine-specs"));
    let output = command
        .env("GITHUB_ACTIONS", "true")
        .env("RUNNER_NAME", "skua-builder-3")
        .output();
    let Some(output) = output.ok().filter(|output| output.status.success()) else {
        eprintln!("skipped: this system does not allow unprivileged namespaces");
        return;
    };
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(
        said.contains("::warning::withheld `os`: it would give away the host name"),
        "{said}"
    );
    assert!(!said.replace('-', "").contains("gannet42"), "{said}");
}
