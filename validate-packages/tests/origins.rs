//! The origin of a package is part of its pin: a project for each package manager, and every way in which its files
//! can take the pinned version, or another, from elsewhere. What does not concern a pin has no finding.

#![expect(clippy::unwrap_used, reason = "a failed set-up fails the test")]

mod support;

use support::{MANIFEST, Project, checked};
use validate_comparison_packages::output;

/// A file and its text.
type File = (&'static str, &'static str);

/// File, text, replacement, and the rules of the findings in that file. Without a text, the replacement is appended,
/// perhaps to a new file.
type Change = (&'static str, &'static str, &'static str, &'static str);

/// The findings of the changed file, by rule, and everything as text.
fn after(files: &[File], (path, old, new, _): Change) -> (Vec<String>, String) {
    let mut project: Project =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let text = project.entry(path.to_owned()).or_default();
    assert!(text.contains(old), "`{old}` is not in {path}");
    *text = if old.is_empty() { format!("{text}{new}") } else { text.replacen(old, new, 1) };
    let report = checked(&project);
    assert!(report.broken.is_empty(), "{path} with `{new}`\n{}", output::text(&report));
    let mut rules: Vec<String> = report
        .findings
        .iter()
        .filter(|finding| finding.file == path)
        .map(|finding| finding.rule.to_string())
        .collect();
    rules.dedup();
    (rules, output::text(&report))
}

/// Every change has the findings of its rule, or none at all.
fn check(files: &[File], changes: &[Change]) {
    let (_, clean) = after(files, (MANIFEST, "", "", ""));
    assert_eq!(clean, "");
    let mut wrong = Vec::new();
    for &change in changes {
        let (path, _, new, expected) = change;
        let (rules, text) = after(files, change);
        let is_right = if expected.is_empty() { text.is_empty() } else { rules == [expected] };
        if !is_right {
            wrong.push(format!("{path} with `{new}`: expected `{expected}`\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn cargo() {
    let files = [
        (
            MANIFEST,
            r#"{"ecosystems": {"cargo": {"flume": "0.11.1"}},
            "consumers": [{"kind": "cargo", "path": "bench/Cargo.toml", "ignore": ["*"]}]}"#,
        ),
        ("Cargo.toml", "[workspace]\nmembers = ['bench']\n"),
        ("bench/Cargo.toml", "[package]\nname = 'b'\n[dependencies]\nflume = '=0.11.1'\n"),
        (
            "Cargo.lock",
            "[[package]]\nname = 'flume'\nversion = '0.11.1'\nsource = 'registry+https://github.com/rust-lang/crates.io-index'\n",
        ),
        (
            ".cargo/config.toml",
            "[registries.mirror]\nindex = 'sparse+https://index.crates.io/'\n[registries.own]\nindex = 'https://r.example.net'\n",
        ),
    ];
    let crate_file = "bench/Cargo.toml";
    check(
        &files,
        &[
            ("Cargo.toml", "", "[patch.crates-io]\nflume = { path = 'flume' }\n", "origin"),
            (
                "Cargo.toml",
                "",
                "[patch.crates-io]\nf = { package = 'flume', git = 'https://example.net/f' }\n",
                "origin",
            ),
            (
                "Cargo.toml",
                "",
                "[patch.'https://github.com/rust-lang/crates.io-index']\nflume = { git = 'https://example.net/f' }\n",
                "origin",
            ),
            ("Cargo.toml", "", "[patch.own]\nflume = { path = 'flume' }\n", "origin"),
            ("Cargo.toml", "", "[replace]\n'flume:0.11.1' = { git = 'https://example.net/f' }\n", "origin"),
            (
                "Cargo.toml",
                "",
                "[replace]\n'https://github.com/rust-lang/crates.io-index#flume@0.11.1' = { path = 'f' }\n",
                "origin",
            ),
            (crate_file, "'=0.11.1'", "{ version = '=0.11.1', registry = 'own' }", "origin"),
            (crate_file, "'=0.11.1'", "{ version = '=0.11.1', registry = 'unknown' }", "origin"),
            (
                crate_file,
                "'=0.11.1'",
                "{ version = '=0.11.1', registry-index = 'https://r.example.net' }",
                "origin",
            ),
            (crate_file, "'=0.11.1'", "{ version = '=0.11.1', git = 'https://example.net/f' }", "origin"),
            (crate_file, "'=0.11.1'", "{ version = '=0.11.1', path = '../f' }", "origin"),
            (crate_file, "'=0.11.1'", "{ version = '=0.11.1', package = 'other' }", "origin"),
            (
                ".cargo/config.toml",
                "",
                "[source.crates-io]\nreplace-with = 'a'\n[source.a]\nreplace-with = 'b'\n[source.b]\nregistry = 'https://r.example.net'\n",
                "origin",
            ),
            (".cargo/config.toml", "", "[source.crates-io]\nreplace-with = 'own'\n", "origin"),
            (
                ".cargo/config.toml",
                "",
                "[source.crates-io]\nreplace-with = 'v'\n[source.v]\ndirectory = 'vendor'\n",
                "origin",
            ),
            (".cargo/config.toml", "", "[patch.crates-io]\nflume = { path = 'flume' }\n", "origin"),
            ("bench/.cargo/config.toml", "", "[source.crates-io]\nreplace-with = 'own'\n", "origin"),
            (".cargo/config.toml", "[reg", "paths = ['libs/flume']\n[reg", "origin"),
            (
                "Cargo.lock",
                "registry+https://github.com/rust-lang/crates.io-index",
                "git+https://example.net/f#1",
                "origin",
            ),
            ("Cargo.lock", "github.com/rust-lang/crates.io-index", "r.example.net/index", "origin"),
            ("Cargo.lock", "source = ", "checksum = ", "origin"),
            // Nothing of these concerns the pin.
            (crate_file, "'=0.11.1'", "{ version = '=0.11.1', registry = 'crates-io' }", ""),
            (crate_file, "'=0.11.1'", "{ version = '=0.11.1', registry = 'mirror' }", ""),
            ("Cargo.toml", "", "[patch.crates-io]\nother = { path = 'other' }\n", ""),
            ("Cargo.toml", "", "[patch.'https://example.net/f']\nflume = { path = 'flume' }\n", ""),
            (
                ".cargo/config.toml",
                "",
                "[source.crates-io]\nreplace-with = 'mirror'\n[alias]\nx = 'run'\n",
                "",
            ),
            (
                "Cargo.lock",
                "",
                "[[package]]\nname = 'flume'\nversion = '0.10.0'\nsource = 'git+https://example.net/f#1'\n",
                "",
            ),
            (
                MANIFEST,
                "\"consumers\"",
                "\"registries\": {\"cargo\": [\"https://github.com/rust-lang/crates.io-index\"]}, \"consumers\"",
                "",
            ),
        ],
    );
}

const NPM: &[File] = &[
    (
        MANIFEST,
        r#"{"ecosystems": {"npm": {"mitt": "3.0.1", "@a/b": "1.0.0"}},
        "consumers": [{"kind": "npm", "path": "js/package.json", "ignore": ["*"]}]}"#,
    ),
    ("package.json", r#"{"workspaces": ["js"]}"#),
    ("js/package.json", r#"{"dependencies": {"mitt": "3.0.1", "@a/b": "1.0.0"}}"#),
];

/// The project of all package managers with one lock file.
fn with_lock(lock: File) -> Vec<File> {
    NPM.iter().copied().chain([lock]).collect()
}

const PACKAGE_LOCK: File = (
    "package-lock.json",
    r#"{"packages": {
    "node_modules/mitt": {"version": "3.0.1", "resolved": "https://registry.npmjs.org/mitt/-/mitt-3.0.1.tgz"},
    "node_modules/@a/b": {"version": "1.0.0", "resolved": "https://registry.npmjs.org/@a%2fb/-/b-1.0.0.tgz"}}}"#,
);

#[test]
fn npm_manifests_and_settings() {
    let (root, own) = ("package.json", "js/package.json");
    let workspaces = "\"workspaces\"";
    check(
        &with_lock(PACKAGE_LOCK),
        &[
            (root, workspaces, r#""overrides": {"mitt": "3.0.0"}, "workspaces""#, "version"),
            (root, workspaces, r#""overrides": {"mitt": "^3.0.0"}, "workspaces""#, "range"),
            (root, workspaces, r#""overrides": {"mitt@^3": "3.0.0"}, "workspaces""#, "version"),
            (root, workspaces, r#""overrides": {"mitt": {".": "3.0.0"}}, "workspaces""#, "version"),
            (root, workspaces, r#""overrides": {"mitt": "npm:evil@3.0.1"}, "workspaces""#, "origin"),
            (root, workspaces, r#""overrides": {"mitt": "file:evil"}, "workspaces""#, "origin"),
            (root, workspaces, r#""overrides": {"@a/b": "github:x/b"}, "workspaces""#, "origin"),
            (root, workspaces, r#""resolutions": {"mitt": "3.0.0"}, "workspaces""#, "version"),
            (
                root,
                workspaces,
                r#""resolutions": {"**/mitt": "https://example.net/m.tgz"}, "workspaces""#,
                "origin",
            ),
            (
                root,
                workspaces,
                r#""resolutions": {"mitt@npm:3.0.1": "patch:mitt@npm%3A3.0.1#m.patch"}, "workspaces""#,
                "origin",
            ),
            (root, workspaces, r#""pnpm": {"overrides": {"@a/b": "1.0.1"}}, "workspaces""#, "version"),
            (
                root,
                workspaces,
                r#""pnpm": {"patchedDependencies": {"mitt@3.0.1": "m.patch"}}, "workspaces""#,
                "origin",
            ),
            (own, "\"dep", r#""overrides": {"mitt": "3.0.0"}, "dep"#, "version"),
            (own, r#""mitt": "3.0.1""#, r#""mitt": "npm:evil@3.0.1""#, "origin"),
            (
                own,
                r#""mitt": "3.0.1""#,
                r#""mitt": "https://registry.npmjs.org/mitt/-/mitt-3.0.1.tgz""#,
                "origin",
            ),
            (own, r#""mitt": "3.0.1""#, r#""mitt": "git+ssh://git@example.net/mitt.git#3.0.1""#, "origin"),
            (own, r#""mitt": "3.0.1""#, r#""mitt": "x/mitt""#, "origin"),
            (own, r#""mitt": "3.0.1""#, r#""mitt": "catalog:""#, "origin"),
            (".npmrc", "", "; a comment\nregistry = https://r.example.net/\n", "origin"),
            ("js/.npmrc", "", "@a:registry=https://r.example.net/\n", "origin"),
            (".npmrc", "", "registry=${REGISTRY}\n", "origin"),
            (".yarnrc", "", "registry \"https://r.example.net\"\n", "origin"),
            (".yarnrc.yml", "", "npmRegistryServer: https://r.example.net\n", "origin"),
            (".yarnrc.yml", "", "npmScopes:\n  a:\n    npmRegistryServer: https://r.example.net\n", "origin"),
            ("pnpm-workspace.yaml", "", "overrides:\n  mitt: 3.0.0\n", "version"),
            ("pnpm-workspace.yaml", "", "overrides:\n  'mitt@>=3': npm:evil@3.0.1\n", "origin"),
            ("pnpm-workspace.yaml", "", "patchedDependencies:\n  '@a/b@1.0.0': b.patch\n", "origin"),
            ("pnpm-workspace.yaml", "", "registries:\n  default: https://r.example.net\n", "origin"),
            ("pnpm-workspace.yaml", "", "registries:\n  '@a': https://r.example.net\n", "origin"),
            (
                root,
                workspaces,
                r#""overrides": {"mitt": "3.0.1", "@a/b": "$@a/b", "other": "1"}, "workspaces""#,
                "",
            ),
            (
                root,
                workspaces,
                r#""overrides": {"mitt@^2": "2.1.0", "parent": {"mitt": "2.0.0"}}, "workspaces""#,
                "",
            ),
            (
                root,
                workspaces,
                r#""resolutions": {"parent/mitt": "2.0.0", "@a/c/mitt": "2.0.0"}, "workspaces""#,
                "",
            ),
            (
                root,
                workspaces,
                r#""pnpm": {"overrides": {"parent>mitt": "2.0.0", "mitt@<3": "^2.1.0"}}, "workspaces""#,
                "",
            ),
            (own, r#""mitt": "3.0.1""#, r#""mitt": "npm:3.0.1""#, ""),
            (own, r#""mitt": "3.0.1""#, r#""emitter": "npm:mitt@3.0.1""#, ""),
            (
                ".npmrc",
                "",
                "registry=https://registry.npmjs.org/\n@other:registry=https://r.example.net\nsave-exact=true\n//r.example.net/:_authToken=x\n",
                "",
            ),
            (
                "pnpm-workspace.yaml",
                "",
                "packages:\n  - js\nregistries:\n  '@other': https://r.example.net\n",
                "",
            ),
        ],
    );
    let catalog: Vec<File> = with_lock(PACKAGE_LOCK)
        .into_iter()
        .map(|(path, text)| match path {
            "js/package.json" => (path, r#"{"dependencies": {"mitt": "catalog:", "@a/b": "catalog:old"}}"#),
            _ => (path, text),
        })
        .chain([("pnpm-workspace.yaml", "catalog:\n  mitt: 3.0.1\ncatalogs:\n  old:\n    '@a/b': 1.0.0\n")])
        .collect();
    check(
        &catalog,
        &[
            ("pnpm-workspace.yaml", "3.0.1", "^3.0.1", "range"),
            ("pnpm-workspace.yaml", "1.0.0", "npm:evil@1.0.0", "origin"),
        ],
    );
}

#[test]
fn npm_lock_files() {
    let lock = PACKAGE_LOCK.0;
    check(
        &with_lock(PACKAGE_LOCK),
        &[
            (lock, "https://registry.npmjs.org/mitt", "https://r.example.net/mitt", "origin"),
            (lock, "https://registry.npmjs.org/mitt", "http://registry.npmjs.org/mitt", "origin"),
            (lock, "mitt/-/mitt-3.0.1", "evil/-/evil-3.0.1", "origin"),
            (lock, "mitt/-/mitt-3.0.1", "mitt/-/mitt-3.0.0", "origin"),
            (lock, "@a%2fb/-/b", "@evil/b/-/b", "origin"),
            (
                lock,
                "https://registry.npmjs.org/mitt/-/mitt-3.0.1.tgz",
                "git+ssh://git@example.net/mitt.git#1",
                "origin",
            ),
            (lock, "https://registry.npmjs.org/mitt/-/mitt-3.0.1.tgz", "file:mitt.tgz", "origin"),
            (
                lock,
                r#""version": "3.0.1", "resolved": "https://registry.npmjs.org/mitt/-/mitt-3.0.1.tgz""#,
                r#""resolved": "mitt", "link": true"#,
                "lock",
            ),
            (lock, r#"{"version": "3.0.1""#, r#"{"name": "evil", "version": "3.0.1""#, "lock"),
            (lock, "registry.npmjs.org/mitt", "registry.yarnpkg.com/mitt", ""),
            (lock, r#", "resolved": "https://registry.npmjs.org/mitt/-/mitt-3.0.1.tgz""#, "", ""),
        ],
    );
    let private = r#"{"registries": {"npm": "https://r.example.net/npm"}, "ecosystems""#;
    let (rules, text) = after(&with_lock(PACKAGE_LOCK), (MANIFEST, "{\"ecosystems\"", private, ""));
    assert!(rules.is_empty() && text.matches("expected `https://r.example.net/npm`").count() == 2, "{text}");
}

#[test]
fn yarn_lock_files() {
    let one = (
        "yarn.lock",
        "# yarn lockfile v1\n\n\n\"@a/b@1.0.0\":\n  version \"1.0.0\"\n  resolved \"https://registry.yarnpkg.com/@a/b/-/b-1.0.0.tgz#1\"\n\nmitt@3.0.1, mitt@^3.0.0:\n  version \"3.0.1\"\n  resolved \"https://registry.yarnpkg.com/mitt/-/mitt-3.0.1.tgz#2\"\n  dependencies:\n    other \"^1\"\n\nmitt@^2.0.0:\n  version \"2.1.0\"\n  resolved \"https://r.example.net/mitt/-/mitt-2.1.0.tgz#2\"\n",
    );
    check(
        &with_lock(one),
        &[
            ("yarn.lock", "\"3.0.1\"", "\"3.0.0\"", "lock"),
            ("yarn.lock", "https://registry.yarnpkg.com/mitt", "https://r.example.net/mitt", "origin"),
            ("yarn.lock", "mitt/-/mitt-3.0.1", "evil/-/evil-3.0.1", "origin"),
            (
                "yarn.lock",
                "https://registry.yarnpkg.com/mitt/-/mitt-3.0.1.tgz#2",
                "git+https://example.net/mitt.git#2",
                "origin",
            ),
            (
                "yarn.lock",
                "https://registry.yarnpkg.com/mitt/-/mitt-3.0.1.tgz#2",
                "https://codeload.github.com/x/mitt/tar.gz/1",
                "origin",
            ),
            ("yarn.lock", "mitt@3.0.1, mitt@^3.0.0:", "other@1:", "lock"),
            ("yarn.lock", "  resolved \"https://registry.yarnpkg.com/mitt/-/mitt-3.0.1.tgz#2\"\n", "", ""),
            ("yarn.lock", "registry.yarnpkg.com/mitt", "registry.npmjs.org/mitt", ""),
        ],
    );
    let berry = (
        "yarn.lock",
        "# generated\n\n__metadata:\n  version: 8\n\n\"@a/b@npm:1.0.0\":\n  version: 1.0.0\n  resolution: \"@a/b@npm:1.0.0\"\n  checksum: 10/1\n\n\"mitt@npm:3.0.1, mitt@npm:^3.0.0\":\n  version: 3.0.1\n  resolution: \"mitt@npm:3.0.1\"\n  dependencies:\n    other: \"npm:^1\"\n\n\"b@workspace:js\":\n  version: 0.0.0-use.local\n  resolution: \"b@workspace:js\"\n",
    );
    let resolution = "resolution: \"mitt@npm:3.0.1\"";
    check(
        &with_lock(berry),
        &[
            ("yarn.lock", "version: 3.0.1", "version: 3.0.0", "lock"),
            (
                "yarn.lock",
                resolution,
                "resolution: \"mitt@https://github.com/x/mitt.git#commit=1\"",
                "origin",
            ),
            ("yarn.lock", resolution, "resolution: \"mitt@patch:mitt@npm%3A3.0.1#m.patch\"", "origin"),
            (
                "yarn.lock",
                resolution,
                "resolution: \"mitt@npm:3.0.1::__archiveUrl=https%3A%2F%2Fr.example.net%2Fm.tgz\"",
                "origin",
            ),
            ("yarn.lock", resolution, "resolution: \"mitt@workspace:mitt\"", "origin"),
            ("yarn.lock", resolution, "resolution: \"evil@npm:3.0.1\"", "lock"),
        ],
    );
}

#[test]
fn pnpm_lock_files() {
    let nine = "lockfileVersion: '9.0'\nimporters:\n  .: {}\n  js:\n    dependencies:\n      '@a/b':\n        specifier: 1.0.0\n        version: 1.0.0(other@1.0.0)\n      mitt:\n        specifier: 3.0.1\n        version: 3.0.1\n  old:\n    dependencies:\n      mitt:\n        specifier: ^2\n        version: 2.0.0\npackages:\n  '@a/b@1.0.0':\n    resolution: {integrity: sha512-1}\n  mitt@3.0.1:\n    resolution: {integrity: sha512-2}\n";
    let six =
        nine.replace("'9.0'", "'6.0'").replace("  '@a/b@1", "  '/@a/b@1").replace("  mitt@3", "  /mitt@3");
    let five = "lockfileVersion: 5.4\nimporters:\n  js:\n    specifiers:\n      mitt: 3.0.1\n    dependencies:\n      '@a/b': 1.0.0_other@1.0.0\n      mitt: 3.0.1\npackages:\n  /@a/b/1.0.0_other@1.0.0:\n    resolution: {integrity: sha512-1}\n  /mitt/3.0.1:\n    resolution: {integrity: sha512-2}\n";
    for (text, version) in
        [(nine, "version: 3.0.1"), (six.leak(), "version: 3.0.1"), (five, "      mitt: 3.0.1\npack")]
    {
        let to = |new: &'static str| -> &'static str { version.replace("3.0.1", new).leak() };
        let lock = "pnpm-lock.yaml";
        check(
            &with_lock((lock, text)),
            &[
                (lock, version, to("3.0.0"), "lock"),
                (lock, version, to("link:../mitt"), "lock"),
                (lock, version, to("evil@3.0.1"), "lock"),
                (lock, version, to("https://codeload.github.com/x/mitt/tar.gz/1"), "lock"),
                (
                    lock,
                    "{integrity: sha512-2}",
                    "{integrity: sha512-2, tarball: https://r.example.net/mitt.tgz}",
                    "origin",
                ),
                (
                    lock,
                    "{integrity: sha512-1}",
                    "{tarball: 'https://registry.npmjs.org/@evil/b/-/b-1.0.0.tgz'}",
                    "origin",
                ),
                (
                    lock,
                    "{integrity: sha512-2}",
                    "{tarball: https://registry.npmjs.org/mitt/-/mitt-3.0.1.tgz}",
                    "",
                ),
            ],
        );
    }
}

#[test]
fn python() {
    let index = "[[tool.uv.index]]\nname = 'own'\nurl = 'https://r.example.net/simple'\n";
    let explicit = "[[tool.uv.index]]\nname = 'own'\nurl = 'https://r.example.net/simple'\nexplicit = true\n";
    let wheels = "wheels = [{ url = 'https://files.pythonhosted.org/p.whl', hash = 'sha256:1' }]\n";
    let uv_lock = format!(
        "[[package]]\nname = 'pyee'\nversion = '12.0.0'\nsource = {{ registry = 'https://pypi.org/simple' }}\n{wheels}"
    );
    let files: &[File] = &[
        (
            MANIFEST,
            r#"{"ecosystems": {"python": {"pyee": "12.0.0"}}, "consumers": [
            {"kind": "python", "path": "pip/requirements.txt"}, {"kind": "python", "path": "uv/pyproject.toml"},
            {"kind": "python", "path": "poetry/pyproject.toml"}]}"#,
        ),
        (
            "pip/requirements.txt",
            "--require-hashes\n-c constraints.txt\n-e .\npyee==12.0.0 \\\n    --hash=sha256:1\n",
        ),
        ("pip/constraints.txt", "pyee<13\nother==1\n"),
        ("uv/pyproject.toml", "[project]\nname = 'b'\ndependencies = ['pyee==12.0.0']\n"),
        ("uv/uv.lock", uv_lock.leak()),
        ("poetry/pyproject.toml", "[tool.poetry.dependencies]\npyee = '12.0.0'\n"),
        ("poetry/poetry.lock", "[[package]]\nname = 'pyee'\nversion = '12.0.0'\n"),
    ];
    let (pip, uv, poetry) = ("pip/requirements.txt", "uv/pyproject.toml", "poetry/pyproject.toml");
    let sources =
        |table: &str| -> &'static str { format!("{explicit}[tool.uv.sources]\nPyee = {table}\n").leak() };
    check(
        files,
        &[
            (pip, "", "--index-url https://r.example.net/simple\n", "origin"),
            (pip, "", "-i https://r.example.net/simple\n", "origin"),
            (pip, "", "--extra-index-url=https://r.example.net/simple\n", "origin"),
            (pip, "", "--extra-index-url \\\n  https://r.example.net/simple\n", "origin"),
            (pip, "", "--find-links wheels\n", "origin"),
            (pip, "", "-f https://r.example.net/wheels\n", "origin"),
            (
                pip,
                "pyee==12.0.0 \\\n    --hash=sha256:1",
                "pyee @ https://files.pythonhosted.org/pyee-12.0.0.whl",
                "origin",
            ),
            (
                pip,
                "pyee==12.0.0 \\\n    --hash=sha256:1",
                "-e git+https://example.net/pyee.git@12.0.0#egg=pyee[x]",
                "origin",
            ),
            (pip, "pyee==12.0.0 \\\n    --hash=sha256:1", "pyee \\\n  ==12.0.1", "version"),
            ("pip/constraints.txt", "<13", " @ file:///tmp/pyee", "origin"),
            ("pip/constraints.txt", "<13", "==11.0", "version"),
            ("pip/constraints.txt", "", "--extra-index-url https://r.example.net/simple\n", "origin"),
            (uv, "", index, "origin"),
            (uv, "", "[tool.uv]\nextra-index-url = ['https://r.example.net/simple']\n", "origin"),
            (uv, "", "[tool.uv]\nindex-url = 'https://r.example.net/simple'\n", "origin"),
            (uv, "", "[tool.uv.pip]\nfind-links = ['../wheels']\n", "origin"),
            (uv, "", "[tool.uv]\noverride-dependencies = ['pyee==11.0']\n", "version"),
            (uv, "", sources("{ index = 'own' }"), "origin"),
            (uv, "", sources("[{ index = 'own', marker = 'x' }]"), "origin"),
            (uv, "", sources("[{ git = 'https://example.net/p', marker = 'x' }]"), "origin"),
            (uv, "", sources("{ workspace = true }"), "origin"),
            ("uv/uv.toml", "", "[[index]]\nurl = 'https://r.example.net/simple'\n", "origin"),
            (
                "pyproject.toml",
                "",
                "[tool.uv.workspace]\nmembers = ['uv']\n[[tool.uv.index]]\nurl = 'https://r.example.net/simple'\n",
                "origin",
            ),
            ("uv/uv.lock", "https://pypi.org/simple", "https://r.example.net/simple", "origin"),
            (
                "uv/uv.lock",
                "registry = 'https://pypi.org/simple'",
                "git = 'https://example.net/p?rev=1#1'",
                "origin",
            ),
            ("uv/uv.lock", "registry = 'https://pypi.org/simple'", "editable = '../pyee'", "origin"),
            ("uv/uv.lock", "files.pythonhosted.org", "files.example.net", "origin"),
            (
                poetry,
                "",
                "[[tool.poetry.source]]\nname = 'own'\nurl = 'https://r.example.net/simple'\n",
                "origin",
            ),
            (
                poetry,
                "'12.0.0'\n",
                "{ version = '12.0.0', source = 'own' }\n[[tool.poetry.source]]\nname = 'own'\nurl = 'https://r.example.net/simple'\npriority = 'explicit'\n",
                "origin",
            ),
            (
                poetry,
                "'12.0.0'",
                "[{ version = '12.0.0', python = '<3.9' }, { version = '11.0', python = '>=3.9' }]",
                "version",
            ),
            (
                "poetry/poetry.lock",
                "",
                "[package.source]\ntype = 'legacy'\nurl = 'https://r.example.net/simple'\nreference = 'own'\n",
                "origin",
            ),
            (
                "poetry/poetry.lock",
                "",
                "[package.source]\ntype = 'git'\nurl = 'https://example.net/p'\nreference = 'HEAD'\n",
                "origin",
            ),
            (pip, "", "-i https://pypi.org/simple/\n--no-binary :all:\n", ""),
            (uv, "", explicit, ""),
            (uv, "", "[[tool.uv.index]]\nurl = 'https://pypi.org/simple'\ndefault = true\n", ""),
            (uv, "", "[tool.uv]\noverride-dependencies = ['pyee==12.0.0', 'other==1']\n", ""),
            (
                "poetry/poetry.lock",
                "",
                "[package.source]\ntype = 'legacy'\nurl = 'https://pypi.org/simple'\nreference = 'pypi'\n",
                "",
            ),
            (poetry, "", "[[tool.poetry.source]]\nname = 'PyPI'\npriority = 'primary'\n", ""),
        ],
    );
}

#[test]
fn go() {
    let files = [
        (
            MANIFEST,
            r#"{"ecosystems": {"go": {"example.org/bus": "v1.2.0"}},
            "consumers": [{"kind": "go", "path": "bench/go.mod"}]}"#,
        ),
        (
            "bench/go.mod",
            "module m\n\nrequire (\n\texample.org/bus v1.2.0\n\texample.org/own v1.0.0\n)\n\nreplace example.org/own => ../\n",
        ),
        ("bench/go.sum", "example.org/bus v1.2.0 h1:x=\n"),
    ];
    let go = "bench/go.mod";
    check(
        &files,
        &[
            (go, "", "replace example.org/bus => ../bus\n", "origin"),
            (go, "", "replace example.org/bus v1.2.0 => example.net/bus v1.2.0\n", "origin"),
            (go, "", "replace (\n\texample.org/bus => example.org/bus v1.1.0\n)\n", "version"),
            (go, "", "replace example.org/bus => /tmp/bus\n", "origin"),
            ("go.work", "", "go 1.22\nuse ./bench\nreplace example.org/bus => ./bus\n", "origin"),
            (go, "", "replace example.org/bus v1.1.0 => ../bus\n", ""),
            (go, "", "replace example.org/bus => example.org/bus v1.2.0\n", ""),
            (
                go,
                "bus v1.2.0\n",
                "bus v1.3.0\n\tx.org/i v1.0.0 // indirect\n)\nreplace (\nexample.org/bus => example.org/bus v1.2.0\n",
                "",
            ),
            ("go.work", "", "go 1.22\nuse ./bench\n", ""),
        ],
    );
}

#[test]
fn nuget() {
    let files = [
        (
            MANIFEST,
            r#"{"ecosystems": {"nuget": {"MediatR": "12.4.1"}},
            "consumers": [{"kind": "nuget", "path": "net/Bench.csproj"}]}"#,
        ),
        (
            "net/Bench.csproj",
            "<Project><PropertyGroup><Feed>https://r.example.net/v3/index.json</Feed></PropertyGroup><ItemGroup><PackageReference Include=\"MediatR\" Version=\"12.4.1\" /></ItemGroup></Project>",
        ),
        (
            "NuGet.Config",
            "<configuration><packageSources><clear /><add key=\"nuget.org\" value=\"https://api.nuget.org/v3/index.json\" /></packageSources></configuration>",
        ),
    ];
    let own = "<add key=\"own\" value=\"https://r.example.net/v3/index.json\" />";
    let config = |text: &str| -> &'static str { format!("<configuration>{text}</configuration>").leak() };
    let mapped = |own: &str| -> &'static str {
        let own_feed = "<add key=\"Own\" value=\"https://r.example.net/v3/index.json\" />";
        format!("{own_feed}</packageSources><packageSourceMapping><packageSource key=\"nuget.org\"><package pattern=\"*\" /></packageSource><packageSource key=\"own\"><package pattern=\"{own}\" /></packageSource></packageSourceMapping>").leak()
    };
    let (end, project) = ("</packageSources>", "net/Bench.csproj");
    check(
        &files,
        &[
            ("NuGet.Config", "<clear />", own.to_owned().leak(), "origin"),
            (
                "NuGet.Config",
                "https://api.nuget.org/v3/index.json",
                "https://r.example.net/v3/index.json",
                "origin",
            ),
            ("NuGet.Config", "https://api.nuget.org/v3/index.json", "packages", "origin"),
            ("NuGet.Config", end, mapped("MediatR"), "origin"),
            ("NuGet.Config", end, mapped("media*"), "origin"),
            ("NuGet.Config", end, mapped("*"), "origin"),
            (
                "NuGet.Config",
                end,
                "</packageSources><fallbackPackageFolders><add key=\"f\" value=\"x\" /></fallbackPackageFolders>",
                "origin",
            ),
            ("net/nuget.config", "", config(&format!("<packageSources>{own}</packageSources>")), "origin"),
            (project, "<Feed>", "<RestoreSources>$(RestoreSources);$(Feed)</RestoreSources><Feed>", "origin"),
            (
                project,
                "<Feed>",
                "<RestoreAdditionalProjectSources>../local</RestoreAdditionalProjectSources><Feed>",
                "origin",
            ),
            ("NuGet.Config", end, mapped("Contoso.*"), ""),
            (
                "NuGet.Config",
                "<clear />",
                "<add key=\"Own\" value=\"https://r.example.net/v3/index.json\" /></packageSources><disabledPackageSources><add key=\"own\" value=\"true\" /></disabledPackageSources><packageSources>",
                "",
            ),
        ],
    );
    let cleared = config(&format!("<packageSources>{own}</packageSources>"));
    let above: Vec<File> =
        [("net/nuget.config", files[2].1), ("NuGet.Config", cleared), files[0], files[1]].into();
    check(&above, &[]);
}

#[test]
fn unity() {
    let files = [
        (
            MANIFEST,
            r#"{"registry": {"name": "r", "url": "https://packages.example.org", "scopes": ["com.a"]},
            "packages": {"com.a.bus": "1.0.0"}, "defines": {"com.a.bus": "BUS_PRESENT"},
            "minUnityForComparisons": "2021.3.0f1",
            "consumers": [{"kind": "unity", "path": "Game", "lock": false}]}"#,
        ),
        (
            "Game/Packages/manifest.json",
            r#"{"dependencies": {"com.a.bus": "1.0.0"},
            "scopedRegistries": [{"name": "r", "url": "https://packages.example.org", "scopes": ["com.a"]}]}"#,
        ),
        (
            "Game/ProjectSettings/ProjectVersion.txt",
            "m_EditorVersion: 2021.3.0f1\nm_EditorVersionWithRevision: 2021.3.0f1 (1)\n",
        ),
        (
            "Game/Assets/A.asmdef",
            r#"{"name": "A", "references": ["Own", "MessageBus"], "defineConstraints": ["BUS_PRESENT"],
            "versionDefines": [{"name": "com.a.bus", "expression": "", "define": "BUS_PRESENT"}]}"#,
        ),
    ];
    let (asmdef, version) = ("Game/Assets/A.asmdef", "Game/ProjectSettings/ProjectVersion.txt");
    check(
        &files,
        &[
            (asmdef, ", \"MessageBus\"", "", "reference"),
            (asmdef, "MessageBus", "MessagePipe", "reference"),
            (version, "2021.3.0f1\nm", "2020.3.48f1\nm", "min-unity"),
            (version, "2021.3.0f1\nm", "2021.3.0b12\nm", "min-unity"),
            (version, "m_EditorVersion: 2021.3.0f1", "m_EditorVersion: later", "min-unity"),
            ("Game/Packages/bus/package.json", "", r#"{"name": "com.a.bus", "version": "1.0.0"}"#, "origin"),
            (asmdef, "MessageBus", "GUID:0123", ""),
            (asmdef, "\"Own\", ", "", ""),
            (version, "2021.3.0f1\nm", "6000.0.1f1\nm", ""),
            ("Game/Packages/other/package.json", "", r#"{"name": "com.a2.other", "version": "1.0.0"}"#, ""),
            (
                MANIFEST,
                "\"minUnity",
                r#""assemblies": {"com.a.bus": ["A.Bus", "MessageBus"]}, "minUnity"#,
                "",
            ),
        ],
    );
    let named: Vec<File> = files
        .into_iter()
        .map(|(path, text)| match path {
            MANIFEST => (
                path,
                &*text
                    .replace("\"minUnity", r#""assemblies": {"com.a.bus": "MessageBus"}, "minUnity"#)
                    .leak(),
            ),
            _ => (path, text),
        })
        .collect();
    check(
        &named,
        &[
            (asmdef, "MessageBus", "MessageBus.Tests", "reference"),
            (asmdef, "MessageBus", "GUID:0123", "reference"),
            (MANIFEST, "\"com.a.bus\": \"MessageBus\"", "\"com.a.bus\": []", "define"),
            (
                MANIFEST,
                "\"com.a.bus\": \"MessageBus\"",
                "\"com.a.bus\": \"MessageBus\", \"com.a.x\": \"X\"",
                "define",
            ),
        ],
    );
}
