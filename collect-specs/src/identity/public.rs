//! Words that all the world uses for hardware, systems and accounts, and that identify nobody.

/// True if a lower-case word says nothing about whose machine this is; a short number says nothing either.
pub fn is_public(word: &str) -> bool {
    let number = word.len() < super::DISTINCTIVE && word.bytes().all(|byte| byte.is_ascii_digit());
    number
        || PUBLIC
            .iter()
            .any(|line| line.split(' ').any(|known| known == word))
}

/// The words by subject; a word belongs here when distributions, vendors or installers use it as a name by default.
const PUBLIC: [&str; 10] = [
    // vendors
    "amazon amd ampere apple arm asus broadcom dell google hp huawei ibm intel lenovo mesa microsoft nvidia \
     oracle qemu qualcomm raspberry raspberrypi raspi samsung vmware virtualbox",
    // processors
    "altra athlon atom celeron core cores cortex cpu epyc gen graviton max neoverse opteron pentium pi platinum \
     processor ryzen silver threadripper ultra xeon",
    // graphics
    "adapter arc controller display geforce gpu graphics gtx integrated iris quadro radeon rtx super tesla ti uhd \
     vega video virtio",
    // instruction sets and memory
    "aarch64 amd64 arm64 armv7 armv7l ddr ddr2 ddr3 ddr4 ddr5 i386 i686 lpddr lpddr4 lpddr5 mhz ghz gb mb kb ram \
     riscv64 x64 x86",
    // systems
    "almalinux alpine arch centos darwin debian fedora freebsd gentoo gnu kali linux lts mac macos manjaro mint \
     nixos opensuse os popos raspbian redhat rhel rocky suse ubuntu unix win windows",
    // releases and editions
    "bionic bookworm bullseye buster edition enterprise focal forky home jammy noble pro professional release \
     resolute server sid sequoia sonoma stable stream tahoe trixie ventura version workstation",
    // what a system runs in
    "azure cloud container docker ec2 github actions gitlab guest hetzner hyper hyperv hypervisor kvm lima lxc \
     machine metal node on podman runner vagrant virtual vm wsl xen",
    // accounts that come with a system
    "admin administrator backup bin ci daemon games guest list lp mail man messagebus news nobody none proxy root \
     sync sys system test user users www",
    // what firmware says when it has nothing to say
    "a applicable asset available be by chassis default e filled invalid is m n no not null number o oem serial \
     specified string tag to unknown unspecified",
    // machines, and parts of a value that are ours
    "board box build computer desktop dev device family gaming host hosted laptop local localdomain localhost of pc \
     series standard station with",
];
