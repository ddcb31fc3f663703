//! npm, Yarn and pnpm: manifests, settings, and each lock file.

use super::support::MANIFEST;
use super::{File, after, check};

const NPM: &[File] = &[
    (
        MANIFEST,
        r#"{"ecosystems": {"npm": {"mitt": "3.0.1", "@a/b": "1.0.0"}},
        "consumers": [{"kind": "npm", "path": "js/package.json", "ignore": ["*"]}]}"#,
    ),
    ("package.json", r#"{"workspaces": ["js"]}"#),
    (
        "js/package.json",
        r#"{"dependencies": {"mitt": "3.0.1", "@a/b": "1.0.0"}}"#,
    ),
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
fn manifests_and_settings() {
    let (root, own) = ("package.json", "js/package.json");
    let workspaces = "\"workspaces\"";
    check(
        &with_lock(PACKAGE_LOCK),
        &[
            (
                root,
                workspaces,
                r#""overrides": {"mitt": "3.0.0"}, "workspaces""#,
                "version",
            ),
            (
                root,
                workspaces,
                r#""overrides": {"mitt": "^3.0.0"}, "workspaces""#,
                "range",
            ),
            (
                root,
                workspaces,
                r#""overrides": {"mitt@^3": "3.0.0"}, "workspaces""#,
                "version",
            ),
            (
                root,
                workspaces,
                r#""overrides": {"mitt": {".": "3.0.0"}}, "workspaces""#,
                "version",
            ),
            (
                root,
                workspaces,
                r#""overrides": {"mitt": "npm:evil@3.0.1"}, "workspaces""#,
                "origin",
            ),
            (
                root,
                workspaces,
                r#""overrides": {"mitt": "file:evil"}, "workspaces""#,
                "origin",
            ),
            (
                root,
                workspaces,
                r#""overrides": {"@a/b": "github:x/b"}, "workspaces""#,
                "origin",
            ),
            (
                root,
                workspaces,
                r#""resolutions": {"mitt": "3.0.0"}, "workspaces""#,
                "version",
            ),
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
            (
                root,
                workspaces,
                r#""pnpm": {"overrides": {"@a/b": "1.0.1"}}, "workspaces""#,
                "version",
            ),
            (
                root,
                workspaces,
                r#""pnpm": {"patchedDependencies": {"mitt@3.0.1": "m.patch"}}, "workspaces""#,
                "origin",
            ),
            (
                own,
                "\"dep",
                r#""overrides": {"mitt": "3.0.0"}, "dep"#,
                "version",
            ),
            (
                own,
                r#""mitt": "3.0.1""#,
                r#""mitt": "npm:evil@3.0.1""#,
                "origin",
            ),
            (
                own,
                r#""mitt": "3.0.1""#,
                r#""mitt": "https://registry.npmjs.org/mitt/-/mitt-3.0.1.tgz""#,
                "origin",
            ),
            (
                own,
                r#""mitt": "3.0.1""#,
                r#""mitt": "git+ssh://git@example.net/mitt.git#3.0.1""#,
                "origin",
            ),
            (own, r#""mitt": "3.0.1""#, r#""mitt": "x/mitt""#, "origin"),
            (own, r#""mitt": "3.0.1""#, r#""mitt": "catalog:""#, "origin"),
            (
                ".npmrc",
                "",
                "; a comment\nregistry = https://r.example.net/\n",
                "origin",
            ),
            (
                "js/.npmrc",
                "",
                "@a:registry=https://r.example.net/\n",
                "origin",
            ),
            (".npmrc", "", "registry=${REGISTRY}\n", "origin"),
            (
                ".yarnrc",
                "",
                "registry \"https://r.example.net\"\n",
                "origin",
            ),
            (
                ".yarnrc.yml",
                "",
                "npmRegistryServer: https://r.example.net\n",
                "origin",
            ),
            (
                ".yarnrc.yml",
                "",
                "npmScopes:\n  a:\n    npmRegistryServer: https://r.example.net\n",
                "origin",
            ),
            (
                "pnpm-workspace.yaml",
                "",
                "overrides:\n  mitt: 3.0.0\n",
                "version",
            ),
            (
                "pnpm-workspace.yaml",
                "",
                "overrides:\n  'mitt@>=3': npm:evil@3.0.1\n",
                "origin",
            ),
            (
                "pnpm-workspace.yaml",
                "",
                "patchedDependencies:\n  '@a/b@1.0.0': b.patch\n",
                "origin",
            ),
            (
                "pnpm-workspace.yaml",
                "",
                "registries:\n  default: https://r.example.net\n",
                "origin",
            ),
            (
                "pnpm-workspace.yaml",
                "",
                "registries:\n  '@a': https://r.example.net\n",
                "origin",
            ),
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
            (
                root,
                workspaces,
                r#""overrides": {"mitt@3.0.1": "3.0.0"}, "workspaces""#,
                "version",
            ),
            (
                root,
                workspaces,
                r#""overrides": {"mitt@3.0.0": "2.0.0"}, "workspaces""#,
                "",
            ),
            (own, r#""mitt": "3.0.1""#, r#""mitt": "npm:3.0.1""#, ""),
            (
                own,
                r#""mitt": "3.0.1""#,
                r#""emitter": "npm:mitt@3.0.1""#,
                "",
            ),
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
}

#[test]
fn catalogs() {
    let catalog: Vec<File> = with_lock(PACKAGE_LOCK)
        .into_iter()
        .map(|(path, text)| match path {
            "js/package.json" => (
                path,
                r#"{"dependencies": {"mitt": "catalog:", "@a/b": "catalog:old"}}"#,
            ),
            _ => (path, text),
        })
        .chain([(
            "pnpm-workspace.yaml",
            "catalog:\n  mitt: 3.0.1\ncatalogs:\n  old:\n    '@a/b': 1.0.0\n",
        )])
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
            (
                lock,
                "https://registry.npmjs.org/mitt",
                "https://r.example.net/mitt",
                "origin",
            ),
            (
                lock,
                "https://registry.npmjs.org/mitt",
                "http://registry.npmjs.org/mitt",
                "origin",
            ),
            (lock, "mitt/-/mitt-3.0.1", "evil/-/evil-3.0.1", "origin"),
            (lock, "mitt/-/mitt-3.0.1", "mitt/-/mitt-3.0.0", "origin"),
            (lock, "@a%2fb/-/b", "@evil/b/-/b", "origin"),
            (
                lock,
                "https://registry.npmjs.org/mitt/-/mitt-3.0.1.tgz",
                "git+ssh://git@example.net/mitt.git#1",
                "origin",
            ),
            (
                lock,
                "https://registry.npmjs.org/mitt/-/mitt-3.0.1.tgz",
                "file:mitt.tgz",
                "origin",
            ),
            (
                lock,
                r#""version": "3.0.1", "resolved": "https://registry.npmjs.org/mitt/-/mitt-3.0.1.tgz""#,
                r#""resolved": "mitt", "link": true"#,
                "lock",
            ),
            (
                lock,
                r#"{"version": "3.0.1""#,
                r#"{"name": "evil", "version": "3.0.1""#,
                "lock",
            ),
            (
                lock,
                "registry.npmjs.org/mitt",
                "registry.yarnpkg.com/mitt",
                "",
            ),
            (
                lock,
                r#", "resolved": "https://registry.npmjs.org/mitt/-/mitt-3.0.1.tgz""#,
                "",
                "",
            ),
        ],
    );
    let private = r#"{"registries": {"npm": "https://r.example.net/npm"}, "ecosystems""#;
    let (rules, text) = after(
        &with_lock(PACKAGE_LOCK),
        (MANIFEST, "{\"ecosystems\"", private, ""),
    );
    assert!(
        rules.is_empty() && text.matches("expected `https://r.example.net/npm`").count() == 2,
        "{text}"
    );
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
            (
                "yarn.lock",
                "https://registry.yarnpkg.com/mitt",
                "https://r.example.net/mitt",
                "origin",
            ),
            (
                "yarn.lock",
                "mitt/-/mitt-3.0.1",
                "evil/-/evil-3.0.1",
                "origin",
            ),
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
            (
                "yarn.lock",
                "mitt@3.0.1, mitt@^3.0.0:",
                "mitt@3.0.1:\n  version \"3.0.0\"\n\nmitt@^3.0.0:",
                "lock",
            ),
            (
                "yarn.lock",
                "  resolved \"https://registry.yarnpkg.com/mitt/-/mitt-3.0.1.tgz#2\"\n",
                "",
                "",
            ),
            (
                "yarn.lock",
                "registry.yarnpkg.com/mitt",
                "registry.npmjs.org/mitt",
                "",
            ),
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
            (
                "yarn.lock",
                resolution,
                "resolution: \"mitt@patch:mitt@npm%3A3.0.1#m.patch\"",
                "origin",
            ),
            (
                "yarn.lock",
                resolution,
                "resolution: \"mitt@npm:3.0.1::__archiveUrl=https%3A%2F%2Fr.example.net%2Fm.tgz\"",
                "origin",
            ),
            (
                "yarn.lock",
                resolution,
                "resolution: \"mitt@workspace:mitt\"",
                "origin",
            ),
            (
                "yarn.lock",
                resolution,
                "resolution: \"evil@npm:3.0.1\"",
                "lock",
            ),
        ],
    );
}

/// Without a workspace, the dependencies of the only package are at the top.
#[test]
fn pnpm_lock_files_of_one_package() {
    let manifest = r#"{"ecosystems": {"npm": {"mitt": "3.0.1"}}, "consumers": [{"kind": "npm", "path": "package.json"}]}"#;
    let five = "lockfileVersion: 5.3\nspecifiers:\n  mitt: 3.0.1\ndependencies:\n  mitt: 3.0.1\npackages:\n  /mitt/3.0.1:\n    resolution: {integrity: sha512-2}\n";
    let six = "lockfileVersion: '6.0'\ndependencies:\n  mitt:\n    specifier: 3.0.1\n    version: 3.0.1\n";
    for (text, version) in [(five, "\n  mitt: 3.0.1\npack"), (six, "version: 3.0.1")] {
        let files = [
            (MANIFEST, manifest),
            ("package.json", r#"{"dependencies": {"mitt": "3.0.1"}}"#),
            ("pnpm-lock.yaml", text),
        ];
        check(
            &files,
            &[(
                "pnpm-lock.yaml",
                version,
                version.replace("3.0.1", "2.0.0").leak(),
                "lock",
            )],
        );
    }
}

#[test]
fn pnpm_lock_files() {
    let nine = "lockfileVersion: '9.0'\nimporters:\n  .: {}\n  js:\n    dependencies:\n      '@a/b':\n        specifier: 1.0.0\n        version: 1.0.0(other@1.0.0)\n      mitt:\n        specifier: 3.0.1\n        version: 3.0.1\n  old:\n    dependencies:\n      mitt:\n        specifier: ^2\n        version: 2.0.0\npackages:\n  '@a/b@1.0.0':\n    resolution: {integrity: sha512-1}\n  mitt@3.0.1:\n    resolution: {integrity: sha512-2}\n";
    let six = nine
        .replace("'9.0'", "'6.0'")
        .replace("  '@a/b@1", "  '/@a/b@1")
        .replace("  mitt@3", "  /mitt@3");
    let five = "lockfileVersion: 5.4\nimporters:\n  js:\n    specifiers:\n      mitt: 3.0.1\n    dependencies:\n      '@a/b': 1.0.0_other@1.0.0\n      mitt: 3.0.1\npackages:\n  /@a/b/1.0.0_other@1.0.0:\n    resolution: {integrity: sha512-1}\n  /mitt/3.0.1:\n    resolution: {integrity: sha512-2}\n";
    for (text, version) in [
        (nine, "version: 3.0.1"),
        (six.leak(), "version: 3.0.1"),
        (five, "      mitt: 3.0.1\npack"),
    ] {
        let to = |new: &'static str| -> &'static str { version.replace("3.0.1", new).leak() };
        let lock = "pnpm-lock.yaml";
        check(
            &with_lock((lock, text)),
            &[
                (lock, version, to("3.0.0"), "lock"),
                (lock, version, to("link:../mitt"), "lock"),
                (lock, version, to("evil@3.0.1"), "lock"),
                (
                    lock,
                    version,
                    to("https://codeload.github.com/x/mitt/tar.gz/1"),
                    "lock",
                ),
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
