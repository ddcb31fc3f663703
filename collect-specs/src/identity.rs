//! The identities of this machine and its people, and the check for values that give one away.
//!
//! An *identity* is a name, an address or a number that belongs to this machine, its user or its runner. A value *gives an
//! identity away* if it contains the identity, ignoring case, in one of two ways:
//!
//! * as words: the identity's words occur in the value in sequence, with any punctuation between them (`jo.smith` in
//!   `Jo-Smith's GPU`, not in `major smithy`);
//! * for identities of six or more letters and digits: anywhere, ignoring punctuation (`02:fc:00:00:00:01` in
//!   `nic02FC00000001`). IP addresses are excluded: `10.0.0.2` is not in `10002`.
//!
//! Some names cannot identify anybody and are not identities: a single character, a number of fewer than six digits,
//! one repeated character (an all-zero UUID), and names that consist of common hardware and system words
//! ([`is_public`]). For example, a user called `intel` must not hide every processor's name.

use std::net::IpAddr;

use crate::words::words;

/// Identities with at least this many letters and digits are also found inside other words.
const DISTINCTIVE: usize = 6;

/// Environment variables that contain a person's or a machine's name, by kind of identity.
const VARIABLES: [(&str, &str); 5] = [
    (USER, "USER LOGNAME USERNAME LNAME SUDO_USER DOAS_USER"),
    (
        HOST,
        "USERDOMAIN USERDNSDOMAIN HOSTNAME HOST COMPUTERNAME LOGONSERVER CLIENTNAME NAME",
    ),
    (HOME, "HOME USERPROFILE HOMEPATH"),
    (
        RUNNER,
        "RUNNER_NAME RUNNER_TRACKING_ID AGENT_NAME AGENT_MACHINENAME BUILDKITE_AGENT_NAME CI_RUNNER_DESCRIPTION \
         CI_RUNNER_SHORT_TOKEN NODE_NAME POD_NAME CONTAINER_NAME",
    ),
    (
        USER,
        "GITHUB_ACTOR GITHUB_TRIGGERING_ACTOR GITLAB_USER_LOGIN GITLAB_USER_NAME",
    ),
];

fn variables() -> impl Iterator<Item = (&'static str, &'static str)> {
    VARIABLES
        .iter()
        .flat_map(|(kind, names)| names.split(' ').map(|name| (name, *kind)))
}

/// The kinds of identity, for warnings.
pub const ADDRESS: &str = "a network address";
pub const HARDWARE: &str = "a serial number or UUID";
pub const HOME: &str = "a home folder";
pub const HOST: &str = "the host name";
pub const RUNNER: &str = "the runner's name";
pub const USER: &str = "a user name";

/// The identities that must not leave the machine.
///
/// They cannot be printed, because only their kind can be read.
#[derive(Default)]
pub struct Identities(Vec<Identity>);

struct Identity {
    kind: &'static str,
    /// `.jo.smith.`: delimited words, so that a part of a word does not match.
    as_words: String,
    /// `josmith`, if it is distinctive enough to be found anywhere.
    anywhere: Option<String>,
}

impl Identities {
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Self {
        let mut identities = Self::default();
        for (name, kind) in variables() {
            let Some(value) = variable(name) else {
                continue;
            };
            match kind {
                HOME => identities.add_home(&value),
                HOST => identities.add_host(&value),
                _ => identities.add(kind, &value),
            }
        }
        identities
    }

    /// Adds a name or a number, unless it cannot identify anybody.
    pub fn add(&mut self, kind: &'static str, text: &str) {
        let words = words(text);
        let squeezed = words.concat();
        if identifies(&words, &squeezed) {
            let anywhere = (squeezed.chars().count() >= DISTINCTIVE).then_some(squeezed);
            self.0.push(Identity {
                kind,
                as_words: dotted(&words),
                anywhere,
            });
        }
    }

    /// Adds an IP address, unless the address is a loopback or unspecified one. It is found only as words, because its
    /// digits alone occur in many numbers.
    pub fn add_address(&mut self, address: IpAddr) {
        if !address.is_loopback() && !address.is_unspecified() {
            let as_words = dotted(&words(&address.to_string()));
            self.0.push(Identity {
                kind: ADDRESS,
                as_words,
                anywhere: None,
            });
        }
    }

    /// Adds a host name, its first label and its domain.
    pub fn add_host(&mut self, name: &str) {
        self.add(HOST, name);
        if let Some((label, domain)) = name.trim_matches('.').split_once('.') {
            self.add(HOST, label);
            // A bare top-level domain identifies nobody.
            if domain.contains('.') {
                self.add(HOST, domain);
            }
        }
    }

    /// Adds a home folder and its last component, usually the user's name.
    pub fn add_home(&mut self, path: &str) {
        let names: Vec<_> = path
            .split(['/', '\\'])
            .filter(|name| !name.is_empty())
            .collect();
        // `/root` and `/bin` exist everywhere.
        if let [_, .., last] = names.as_slice() {
            self.add(HOME, path);
            self.add(HOME, last);
        }
    }

    /// The kind of identity that `text` gives away, if any.
    pub fn given_away_by(&self, text: &str) -> Option<&'static str> {
        let words = words(text);
        let (as_words, squeezed) = (dotted(&words), words.concat());
        let hit = self.0.iter().find(|identity| {
            as_words.contains(&identity.as_words)
                || identity
                    .anywhere
                    .as_ref()
                    .is_some_and(|anywhere| squeezed.contains(anywhere))
        });
        hit.map(|identity| identity.kind)
    }
}

/// Whether an identity distinguishes one machine or person from others.
fn identifies(words: &[String], squeezed: &str) -> bool {
    let mut characters = squeezed.chars();
    let first = characters.next();
    if characters.all(|character| Some(character) == first) {
        return false;
    }
    // All-digit text can be a MAC address or a meaningless part of a name; only its length tells which.
    if squeezed.bytes().all(|byte| byte.is_ascii_digit()) {
        return squeezed.len() >= DISTINCTIVE;
    }
    !words.iter().all(|word| is_public(word))
}

fn dotted(words: &[String]) -> String {
    format!(".{}.", words.join("."))
}

/// Whether a lower-case word or a short number is too common to identify a machine.
pub fn is_public(word: &str) -> bool {
    let number = word.len() < DISTINCTIVE && word.bytes().all(|byte| byte.is_ascii_digit());
    number
        || PUBLIC
            .iter()
            .any(|line| line.split(' ').any(|known| known == word))
}

/// The common words by subject: names that distributions, vendors or installers use by default.
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
    // where a system runs
    "azure cloud container docker ec2 github actions gitlab guest hetzner hyper hyperv hypervisor kvm lima lxc \
     machine metal node on podman runner vagrant virtual vm wsl xen",
    // default accounts
    "admin administrator backup bin ci daemon games guest list lp mail man messagebus news nobody none proxy root \
     sync sys system test user users www",
    // firmware placeholders
    "a applicable asset available be by chassis default e filled invalid is m n no not null number o oem serial \
     specified string tag to unknown unspecified",
    // kinds of machines, and words in our own output
    "board box build computer desktop dev device family gaming host hosted laptop local localdomain localhost of pc \
     series standard station with",
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const VALUES: [&str; 9] = [
        "13th Gen Intel(R) Core(TM) i9-13900KF",
        "AMD Ryzen 9 7950X 16-Core Processor",
        "NVIDIA GeForce RTX 4090 + Intel UHD Graphics 770",
        "Debian GNU/Linux 12 (bookworm), Linux 6.1.0",
        "Microsoft Windows 11 Pro",
        "container on kvm",
        "x86_64",
        "L1d 48K, L1i 32K, L2 2M, L3 36M",
        "intel-core-i9-13900kf-24c32t-x86_64-linux-64g",
    ];

    fn user(name: &str) -> Identities {
        let mut identities = Identities::default();
        identities.add(USER, name);
        identities
    }

    #[test]
    fn common_names_hide_nothing() {
        for name in [
            "intel",
            "AMD",
            "nvidia",
            "linux",
            "debian",
            "ubuntu-server",
            "x",
            "kvm",
            "core",
            "64",
            "4090",
            "Windows 11",
            "pro",
            "container",
            "GitHub Actions 12",
            "none",
            "0000-0000-0000",
            "x86-64",
            "root",
            "default string",
            "gen",
        ] {
            let hit = VALUES
                .iter()
                .find(|value| user(name).given_away_by(value).is_some());
            assert_eq!(hit, None, "a user called `{name}`");
        }
    }

    #[test]
    fn a_short_identity_is_found_only_as_whole_words() {
        let given_away = |name: &str, value: &str| user(name).given_away_by(value).is_some();
        for value in ["Ada's GPU", "GPU (ADA)", "gpu_ada", "ada"] {
            assert!(given_away("ada", value), "{value}");
        }
        assert!(!given_away("ada", "NVIDIA adaptive GPU, Canada"));
        for value in ["box of Jo Smith", "jo-smith", "JO_SMITH/1"] {
            assert!(given_away("jo.smith", value), "{value}");
        }
        assert!(!given_away("jo.smith", "major smithy"));
        assert!(!given_away("li", "Gigabyte Limited"));
        assert!(given_away("Ärger", "GPU von ÄRGER"));
    }

    #[test]
    fn a_long_identity_is_found_inside_words_and_without_punctuation() {
        for value in ["nic02FC00ab0001", "02-fc-00-AB-00-01", "02fc.00ab.0001"] {
            assert!(
                user("02:fc:00:ab:00:01").given_away_by(value).is_some(),
                "{value}"
            );
        }
        assert!(user("falcon").given_away_by("GPU of myFalconBox").is_some());
    }

    #[test]
    fn numbers_in_groups_are_still_long_numbers() {
        for (number, value) in [
            ("52:54:00:12:34:56", "nic 525400123456"),
            ("4-7-1-1-0-8", "4 7 1 1 0 8"),
        ] {
            assert!(user(number).given_away_by(value).is_some(), "{number}");
        }
        assert_eq!(
            user("00:00:00:00:00:00").given_away_by("nic 000000000000"),
            None
        );
        assert!(
            user("q-7-z-4")
                .given_away_by("GPU Q7-Z4 (q 7 z 4)")
                .is_some()
        );
    }

    #[test]
    fn an_address_is_found_as_a_whole_only() {
        let mut identities = Identities::default();
        identities.add_address("10.0.0.2".parse().unwrap());
        for value in ["10.0.0.2", "ip-10-0-0-2", "at (10.0.0.2)"] {
            assert_eq!(identities.given_away_by(value), Some(ADDRESS), "{value}");
        }
        for value in ["10002 MHz", "110.0.0.2", "10.0.0.26"] {
            assert_eq!(identities.given_away_by(value), None, "{value}");
        }
    }

    #[test]
    fn a_host_is_known_by_its_label_and_its_domain() {
        let mut identities = Identities::default();
        identities.add_host("gull7.lab.meridian.example");
        for value in [
            "GULL7",
            "gull7.lab.meridian.example",
            "of lab.meridian.example",
        ] {
            assert_eq!(identities.given_away_by(value), Some(HOST), "{value}");
        }
        assert_eq!(identities.given_away_by("example"), None);
    }

    #[test]
    fn the_last_part_of_a_home_folder_is_an_identity_unless_it_is_common() {
        let mut identities = Identities::default();
        identities.add_home("C:\\Users\\orla");
        assert_eq!(identities.given_away_by("Orla GPU"), Some(HOME));
        for everybodys in ["/root", "/bin", "/", "", "/home/user"] {
            let mut identities = Identities::default();
            identities.add_home(everybodys);
            assert_eq!(
                identities.given_away_by("root bin user home"),
                None,
                "{everybodys}"
            );
        }
    }

    #[test]
    fn every_variable_is_read() {
        for (variable, kind) in variables() {
            let identities = Identities::from_environment(|name| {
                (name == variable).then(|| "/srv/quillfeather".to_owned())
            });
            assert_eq!(
                identities.given_away_by("a /srv/QuillFeather b"),
                Some(kind),
                "{variable}"
            );
        }
    }

    proptest! {
        #[test]
        fn what_is_planted_as_words_is_always_found(name in "[a-z]{3,12}[0-9]{2,4}", before in "[ -/]{0,3}", after in "[ -/]{1,3}") {
            let value = format!("GPU{before} {}{after}unit", name.to_uppercase());
            prop_assert!(user(&name).given_away_by(&value).is_some());
        }

        #[test]
        fn no_text_makes_it_panic(name in "\\PC{0,40}", value in "\\PC{0,80}") {
            let _ = user(&name).given_away_by(&value);
        }
    }
}
