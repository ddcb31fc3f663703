//! Every kind of drift in every ecosystem, planted one at a time into generated projects.

#![expect(clippy::unwrap_used, reason = "a failed set-up fails the test")]

use crate::support::{MANIFEST, Project, checked};
use validate_comparison_packages::output;

const SEEDS: u64 = 4;

/// One change: its name, the file, the text to replace, the replacement, and the rule that reports it.
struct Drift {
    name: &'static str,
    path: &'static str,
    old: String,
    new: String,
    rule: &'static str,
}

/// A project with a library of each ecosystem, with names and versions from a seed.
struct Generated {
    name: String,
    version: String,
    other: String,
}

/// Xorshift: a seed always gives the same numbers.
fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    }
}

impl Generated {
    fn new(seed: u64) -> Self {
        let mut number = numbers(seed);
        let letters = "abcdefghijklmnopqrstuvwxyz".as_bytes();
        let name = (0..8)
            .map(|_| char::from(letters[usize::try_from(number(26)).unwrap()]))
            .collect();
        let (major, minor, patch) = (number(20), number(20), number(20));
        Self {
            name,
            version: format!("{major}.{minor}.{patch}"),
            other: format!("{major}.{minor}.{}", patch + 1),
        }
    }

    /// Replaces `{n}`, `{N}`, `{v}` and `{w}` by the name, its symbol, the version and another version.
    fn fill(&self, text: &str) -> String {
        let symbol = format!("{}_PRESENT", self.name.to_uppercase());
        text.replace("{n}", &self.name)
            .replace("{N}", &symbol)
            .replace("{v}", &self.version)
            .replace("{w}", &self.other)
    }

    fn project(&self) -> Project {
        FILES
            .iter()
            .map(|(path, text)| ((*path).to_owned(), self.fill(text)))
            .collect()
    }

    fn drifts(&self) -> Vec<Drift> {
        let drift = |&(name, path, old, new, rule): &(_, _, &str, &str, _)| Drift {
            name,
            path,
            old: self.fill(old),
            new: self.fill(new),
            rule,
        };
        DRIFTS.iter().map(drift).collect()
    }
}

const UNITY: &str = "Game/Packages/manifest.json";
const UNITY_LOCK: &str = "Game/Packages/packages-lock.json";
const ASMDEF: &str = "Game/Assets/A.asmdef";

const FILES: &[(&str, &str)] = &[
    (
        MANIFEST,
        r#"{
  "registry": { "name": "reg", "url": "https://packages.example.org", "scopes": ["com.{n}"] },
  "packages": { "com.{n}.bus": "{v}", "com.{n}.core": "{v}" },
  "unityBuiltInPackages": { "com.unity.ugui": "1.0.0" },
  "integrationPackages": { "com.{n}.inject": "{v}" },
  "defines": { "com.{n}.bus": "{N}", "com.{n}.core": "{N}_CORE" },
  "minUnityForComparisons": "2021.3.0f1",
  "ecosystems": {
    "cargo": { "{n}": "{v}" }, "npm": { "{n}": "{v}" }, "python": { "{n}": "{v}" },
    "go": { "example.org/{n}": "v{v}" }, "nuget": { "{n}": "{v}" }
  },
  "labels": { "com.{n}.bus": "Bus" },
  "consumers": [
    { "kind": "unity", "path": "Game" },
    { "file": "rust/Cargo.toml", "key": "dependencies.{n}", "package": "{n}" },
    { "file": "rust/Cargo.toml", "pattern": "^{n} = \"=([0-9.]+)\"", "package": "{n}" },
    { "file": "rust/Cargo.lock", "pattern": "^name = \"{n}\"\\s+version = \"([^\"]+)\"", "package": "{n}" },
    { "file": "js/*.json", "key": "dependencies.{n}", "package": "{n}" },
    { "file": "js/package.json", "key": "dependencies.{n}", "package": "{n}" },
    { "file": "js/package-lock.json", "key": "packages.node_modules/{n}.version", "package": "{n}" },
    { "file": "py/requirements.txt", "pattern": "^{n}==(\\S+)", "package": "{n}" },
    { "file": "uv/pyproject.toml", "pattern": "\"{n}==([^\"]+)\"", "package": "{n}" },
    { "file": "uv/uv.lock", "pattern": "^name = \"{n}\"\\s+version = \"([^\"]+)\"", "package": "{n}" },
    { "file": "poetry/pyproject.toml", "key": "tool.poetry.dependencies.{n}", "package": "{n}" },
    { "file": "poetry/poetry.lock", "pattern": "^name = \"{n}\"\\s+version = \"([^\"]+)\"", "package": "{n}" },
    { "file": "go/go.mod", "pattern": "example.org/{n} (\\S+)", "package": "example.org/{n}" },
    { "file": "go/go.sum", "pattern": "^example.org/{n} ([^\\s/]+) h1:" },
    { "file": "net/Bench.csproj", "pattern": "\"{n}\" Version=\"([^\"]+)\"", "package": "{n}" },
    { "file": "net/packages.lock.json", "key": "dependencies.*.{n}.resolved", "package": "{n}" },
    { "file": "page.md", "pattern": "\\| {n} +\\| ([^ ]+)", "package": "{n}" },
    { "file": "helm/*.yaml", "key": "dependencies.0.version", "package": "{n}" },
    { "kind": "script", "path": "make.sh" }
  ]
}"#,
    ),
    (
        UNITY,
        r#"{
  "dependencies": {
    "com.{n}.bus": "{v}", "com.{n}.core": "{v}", "com.{n}.inject": "{v}", "com.unity.ugui": "1.0.0" },
  "scopedRegistries": [ { "name": "reg", "url": "https://packages.example.org", "scopes": ["com.{n}"] } ]
}"#,
    ),
    (
        UNITY_LOCK,
        r#"{ "dependencies": {
  "com.{n}.bus": { "version": "{v}", "depth": 0, "source": "registry", "url": "https://packages.example.org" },
  "com.{n}.core": { "version": "{v}", "depth": 0, "source": "registry", "url": "https://packages.example.org" },
  "com.{n}.inject": { "version": "{v}", "depth": 0, "source": "registry", "url": "https://packages.example.org" },
  "com.unity.ugui": { "version": "1.0.0", "depth": 0, "source": "builtin" }
} }"#,
    ),
    (
        ASMDEF,
        r#"{ "name": "A", "defineConstraints": ["{N}", "{N}_CORE"], "versionDefines": [
  { "name": "com.{n}.bus", "expression": "", "define": "{N}" },
  { "name": "com.{n}.core", "expression": "0.0.0", "define": "{N}_CORE" } ] }"#,
    ),
    (
        "Game/Other/B.asmdef",
        r#"{ "name": "B", "defineConstraints": [] }"#,
    ),
    ("rust/Cargo.toml", "[dependencies]\n{n} = \"={v}\"\n"),
    (
        "rust/Cargo.lock",
        "[[package]]\nname = \"{n}\"\nversion = \"{v}\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\n",
    ),
    ("js/package.json", r#"{ "dependencies": { "{n}": "{v}" } }"#),
    (
        "js/package-lock.json",
        r#"{ "packages": { "node_modules/{n}": { "version": "{v}" } } }"#,
    ),
    ("py/requirements.txt", "{n}=={v}\n"),
    (
        "uv/pyproject.toml",
        "[project]\ndependencies = [\"{n}=={v}\"]\n",
    ),
    (
        "uv/uv.lock",
        "[[package]]\nname = \"{n}\"\nversion = \"{v}\"\n",
    ),
    (
        "poetry/pyproject.toml",
        "[tool.poetry.dependencies]\n{n} = \"{v}\"\n",
    ),
    (
        "poetry/poetry.lock",
        "[[package]]\nname = \"{n}\"\nversion = \"{v}\"\n",
    ),
    ("go/go.mod", "module m\n\nrequire example.org/{n} v{v}\n"),
    (
        "go/go.sum",
        "example.org/{n} v{v} h1:x=\nexample.org/{n} v{v}/go.mod h1:y=\n",
    ),
    (
        "net/Bench.csproj",
        "<Project><ItemGroup>\n<PackageReference Include=\"{n}\" Version=\"{v}\" />\n</ItemGroup></Project>",
    ),
    (
        "net/packages.lock.json",
        r#"{ "dependencies": { "net8.0": { "{n}": { "type": "Direct", "resolved": "{v}" } } } }"#,
    ),
    (
        "Game/ProjectSettings/ProjectVersion.txt",
        "m_EditorVersion: 2022.3.45f1\n",
    ),
    (
        "page.md",
        "| Package | Version |\n| --- | --- |\n| {n} | {v} |\n",
    ),
    (
        "helm/Chart.yaml",
        "dependencies:\n  - name: {n}\n    version: {v}\n",
    ),
    (
        "make.sh",
        "# writes Game/Packages/manifest.json\njq .packages .github/comparison-packages.json\n",
    ),
];

/// Name, file, text, replacement, rule. If the change removes a file's declaration, that file reports it.
const DRIFTS: &[(&str, &str, &str, &str, &str)] = &[
    (
        "pin: range",
        MANIFEST,
        r#""com.{n}.bus": "{v}""#,
        r#""com.{n}.bus": "^{v}""#,
        "exact",
    ),
    (
        "pin: cargo range",
        MANIFEST,
        r#""cargo": { "{n}": "{v}""#,
        r#""cargo": { "{n}": "*""#,
        "exact",
    ),
    (
        "pin: two versions",
        MANIFEST,
        r#"inject": "{v}""#,
        r#"inject": "{v}", "com.{n}.bus": "{w}""#,
        "version",
    ),
    (
        "pin: duplicate",
        MANIFEST,
        r#""npm": {"#,
        r#""npm": { "{n}": "{v}","#,
        "duplicate-key",
    ),
    (
        "pin: not under a scope",
        MANIFEST,
        r#""com.{n}.bus": "{v}""#,
        r#""org.{n}": "{v}""#,
        "scope",
    ),
    (
        "pin: without symbol",
        MANIFEST,
        r#""com.{n}.core": "{N}_CORE""#,
        r#""com.{n}.inject": "I""#,
        "define",
    ),
    ("symbol: shared", MANIFEST, "{N}_CORE", "{N}", "define"),
    ("symbol: invalid", MANIFEST, "{N}_CORE", "1{N}", "define"),
    (
        "symbol: not pinned",
        MANIFEST,
        r#""com.{n}.bus": "{N}""#,
        r#""x": "X", "com.{n}.bus": "{N}""#,
        "define",
    ),
    (
        "registry: http",
        MANIFEST,
        "https://",
        "http://",
        "registry",
    ),
    (
        "registry: scopes",
        MANIFEST,
        r#""scopes": ["com.{n}"]"#,
        r#""scopes": []"#,
        "registry",
    ),
    (
        "registry: name",
        MANIFEST,
        r#""name": "reg""#,
        r#""name": """#,
        "registry",
    ),
    (
        "built-in: prefix",
        MANIFEST,
        r#""com.unity.ugui": "1.0.0""#,
        r#""com.{n}.u": "1.0.0""#,
        "built-in",
    ),
    (
        "editor version",
        MANIFEST,
        "2021.3.0f1",
        "2021",
        "min-unity",
    ),
    ("label: empty", MANIFEST, r#""Bus""#, r#""""#, "label"),
    (
        "label: not pinned",
        MANIFEST,
        r#""labels": { "com.{n}.bus""#,
        r#""labels": { "{n}.x""#,
        "unknown-key",
    ),
    (
        "key: unknown",
        MANIFEST,
        r#""minUnityForComparisons""#,
        r#""minUnity""#,
        "unknown-key",
    ),
    (
        "consumer: absent",
        MANIFEST,
        "rust/Cargo.lock",
        "rust/absent.lock",
        "consumer",
    ),
    (
        "consumer: outside",
        MANIFEST,
        "rust/Cargo.lock",
        "../Cargo.lock",
        "consumer",
    ),
    (
        "unity: version",
        UNITY,
        r#"bus": "{v}""#,
        r#"bus": "{w}""#,
        "version",
    ),
    (
        "unity: range",
        UNITY,
        r#"bus": "{v}""#,
        r#"bus": "1.x""#,
        "range",
    ),
    (
        "unity: missing",
        UNITY,
        r#""com.{n}.bus": "{v}","#,
        "",
        "missing",
    ),
    (
        "unity: not pinned",
        UNITY,
        r#""com.{n}.bus""#,
        r#""com.{n}.more": "{v}", "com.{n}.bus""#,
        "unpinned",
    ),
    (
        "unity: folder",
        UNITY,
        r#"bus": "{v}""#,
        r#"bus": "file:../bus""#,
        "origin",
    ),
    (
        "unity: repository",
        UNITY,
        r#"bus": "{v}""#,
        r#"bus": "https://example.org/bus.git""#,
        "origin",
    ),
    (
        "unity: integration version",
        UNITY,
        r#"inject": "{v}""#,
        r#"inject": "{w}""#,
        "version",
    ),
    (
        "unity: built-in version",
        UNITY,
        r#""1.0.0""#,
        r#""2.0.0""#,
        "version",
    ),
    (
        "unity: built-in missing",
        UNITY,
        r#", "com.unity.ugui": "1.0.0""#,
        "",
        "missing",
    ),
    (
        "unity: no registry",
        UNITY,
        "https://packages.example.org\", \"scopes",
        "https://x.example.net\", \"scopes",
        "project-registry",
    ),
    (
        "unity: registry name",
        UNITY,
        r#""reg""#,
        r#""other""#,
        "project-registry",
    ),
    (
        "unity: scope missing",
        UNITY,
        r#"["com.{n}"]"#,
        "[]",
        "project-registry",
    ),
    (
        "unity: scope not pinned",
        UNITY,
        r#"["com.{n}"]"#,
        r#"["com.{n}", "com.x"]"#,
        "project-registry",
    ),
    (
        "unity: earlier registry",
        UNITY,
        r#"[ { "name": "reg""#,
        r#"[ { "name": "o", "url": "https://o.example.net", "scopes": ["com.{n}"] }, { "name": "reg""#,
        "project-registry",
    ),
    (
        "unity: longer scope",
        UNITY,
        r#"["com.{n}"] }"#,
        r#"["com.{n}"] }, { "name": "o", "url": "https://o.example.net", "scopes": ["com.{n}.bus"] }"#,
        "project-registry",
    ),
    (
        "unity lock: version",
        UNITY_LOCK,
        r#"bus": { "version": "{v}""#,
        r#"bus": { "version": "{w}""#,
        "lock",
    ),
    (
        "unity lock: missing",
        UNITY_LOCK,
        r#""com.{n}.bus": {"#,
        r#""com.{n}.x": {"#,
        "lock",
    ),
    (
        "unity lock: depth",
        UNITY_LOCK,
        r#""depth": 0"#,
        r#""depth": 1"#,
        "lock",
    ),
    (
        "unity lock: source",
        UNITY_LOCK,
        r#""source": "registry""#,
        r#""source": "git""#,
        "origin",
    ),
    (
        "unity lock: no source",
        UNITY_LOCK,
        r#""source": "registry", "#,
        "",
        "origin",
    ),
    (
        "unity lock: other registry",
        UNITY_LOCK,
        "packages.example.org",
        "x.example.net",
        "origin",
    ),
    (
        "unity lock: no url",
        UNITY_LOCK,
        r#", "url": "https://packages.example.org""#,
        "",
        "origin",
    ),
    (
        "unity lock: built-in from a registry",
        UNITY_LOCK,
        r#""builtin""#,
        r#""registry""#,
        "origin",
    ),
    (
        "asmdef: constraint",
        ASMDEF,
        r#"["{N}", "#,
        "[",
        "define-constraint",
    ),
    (
        "asmdef: negated",
        ASMDEF,
        r#"["{N}","#,
        r#"["!{N}","#,
        "define-constraint",
    ),
    (
        "asmdef: alternative",
        ASMDEF,
        r#"["{N}","#,
        r#"["{N} || UNITY_EDITOR","#,
        "define-constraint",
    ),
    (
        "asmdef: not produced",
        ASMDEF,
        r#"{ "name": "com.{n}.bus", "expression": "", "define": "{N}" },"#,
        "",
        "define-constraint",
    ),
    (
        "asmdef: other symbol",
        ASMDEF,
        r#""define": "{N}" }"#,
        r#""define": "X" }"#,
        "version-define",
    ),
    (
        "asmdef: symbol of another",
        ASMDEF,
        r#""define": "{N}" }"#,
        r#""define": "{N}_CORE" }"#,
        "version-define",
    ),
    (
        "asmdef: other package",
        ASMDEF,
        r#""com.{n}.bus""#,
        r#""com.fork.bus""#,
        "version-define",
    ),
    (
        "asmdef: not pinned",
        ASMDEF,
        "[\n",
        r#"[ { "name": "com.x", "expression": "", "define": "X" },"#,
        "unpinned",
    ),
    (
        "asmdef: duplicate",
        ASMDEF,
        "[\n",
        r#"[ { "name": "com.{n}.bus", "expression": "", "define": "{N}" },"#,
        "version-define",
    ),
    (
        "asmdef: no string",
        ASMDEF,
        r#""com.{n}.bus""#,
        "1",
        "version-define",
    ),
    (
        "asmdef: excludes the pin",
        ASMDEF,
        "0.0.0",
        "[{w},{w}]",
        "version-define",
    ),
    (
        "asmdef: invalid expression",
        ASMDEF,
        "0.0.0",
        ">=1",
        "version-define",
    ),
    (
        "cargo: version",
        "rust/Cargo.toml",
        "={v}",
        "={w}",
        "version",
    ),
    ("cargo: range", "rust/Cargo.toml", "={v}", "{v}", "missing"),
    ("cargo: star", "rust/Cargo.toml", "={v}", "*", "range"),
    (
        "cargo: missing",
        "rust/Cargo.toml",
        "{n} =",
        "x =",
        "missing",
    ),
    (
        "cargo: repository",
        "rust/Cargo.toml",
        "\"={v}\"",
        "{ git = \"https://example.org/x\" }",
        "missing",
    ),
    (
        "cargo: folder",
        "rust/Cargo.toml",
        "\"={v}\"",
        "{ path = \"../x\" }",
        "missing",
    ),
    (
        "cargo lock: version",
        "rust/Cargo.lock",
        "{v}",
        "{w}",
        "version",
    ),
    (
        "cargo lock: missing",
        "rust/Cargo.lock",
        "{n}",
        "x",
        "missing",
    ),
    ("npm: version", "js/package.json", "{v}", "{w}", "version"),
    ("npm: caret", "js/package.json", "{v}", "^{v}", "range"),
    ("npm: tag", "js/package.json", "{v}", "latest", "range"),
    ("npm: missing", "js/package.json", "{n}", "x", "missing"),
    (
        "npm: repository",
        "js/package.json",
        "{v}",
        "github:x/{n}",
        "range",
    ),
    (
        "npm: folder",
        "js/package.json",
        "{v}",
        "file:../{n}",
        "range",
    ),
    (
        "npm: alias",
        "js/package.json",
        "{v}",
        "npm:{n}@{w}",
        "range",
    ),
    (
        "npm: duplicate",
        "js/package.json",
        "\"{n}\"",
        "\"{n}\": \"1.0.0\", \"{n}\"",
        "duplicate-key",
    ),
    (
        "npm lock: version",
        "js/package-lock.json",
        "{v}",
        "{w}",
        "version",
    ),
    (
        "npm lock: missing",
        "js/package-lock.json",
        "{n}",
        "x",
        "missing",
    ),
    (
        "python: version",
        "py/requirements.txt",
        "{v}",
        "{w}",
        "version",
    ),
    (
        "python: range",
        "py/requirements.txt",
        "==",
        ">=",
        "missing",
    ),
    (
        "python: wildcard",
        "py/requirements.txt",
        "{v}",
        "1.*",
        "range",
    ),
    (
        "python: no version",
        "py/requirements.txt",
        "=={v}",
        "",
        "missing",
    ),
    (
        "python: missing",
        "py/requirements.txt",
        "{n}",
        "x",
        "missing",
    ),
    (
        "python: URL",
        "py/requirements.txt",
        "=={v}",
        " @ https://example.org/x.whl",
        "missing",
    ),
    ("uv: version", "uv/pyproject.toml", "{v}", "{w}", "version"),
    ("uv: range", "uv/pyproject.toml", "==", "~=", "missing"),
    ("uv: missing", "uv/pyproject.toml", "{n}", "x", "missing"),
    ("uv lock: version", "uv/uv.lock", "{v}", "{w}", "version"),
    ("uv lock: missing", "uv/uv.lock", "{n}", "x", "missing"),
    (
        "poetry: version",
        "poetry/pyproject.toml",
        "{v}",
        "{w}",
        "version",
    ),
    (
        "poetry: caret",
        "poetry/pyproject.toml",
        "{v}",
        "^{v}",
        "range",
    ),
    (
        "poetry: missing",
        "poetry/pyproject.toml",
        "{n}",
        "x",
        "missing",
    ),
    (
        "poetry: repository",
        "poetry/pyproject.toml",
        "\"{v}\"",
        "{ git = \"https://example.org/x\" }",
        "range",
    ),
    (
        "poetry lock: version",
        "poetry/poetry.lock",
        "{v}",
        "{w}",
        "version",
    ),
    (
        "poetry lock: missing",
        "poetry/poetry.lock",
        "{n}",
        "x",
        "missing",
    ),
    ("go: version", "go/go.mod", "v{v}", "v{w}", "version"),
    ("go: tag", "go/go.mod", "v{v}", "latest", "range"),
    ("go: missing", "go/go.mod", "{n}", "x", "missing"),
    ("go sum: version", "go/go.sum", "v{v} ", "v{w} ", "version"),
    (
        "go sum: missing",
        "go/go.sum",
        "{n} v{v} ",
        "x v{v} ",
        "missing",
    ),
    (
        "nuget: version",
        "net/Bench.csproj",
        "{v}",
        "{w}",
        "version",
    ),
    ("nuget: wildcard", "net/Bench.csproj", "{v}", "1.*", "range"),
    (
        "nuget: range",
        "net/Bench.csproj",
        "{v}",
        "[{v},{w})",
        "range",
    ),
    ("nuget: missing", "net/Bench.csproj", "{n}", "x", "missing"),
    (
        "nuget: undefined property",
        "net/Bench.csproj",
        "{v}",
        "$(Absent)",
        "range",
    ),
    (
        "nuget lock: version",
        "net/packages.lock.json",
        "{v}",
        "{w}",
        "version",
    ),
    (
        "nuget lock: missing",
        "net/packages.lock.json",
        "{n}",
        "x",
        "missing",
    ),
    (
        "pin: without consumer",
        MANIFEST,
        r#""nuget": {"#,
        r#""nuget": { "x": "1.0.0","#,
        "consumer",
    ),
    ("page: version", "page.md", "{v}", "{w}", "version"),
    ("page: missing", "page.md", "{n} |", "x |", "missing"),
    ("helm: version", "helm/Chart.yaml", "{v}", "{w}", "version"),
    ("helm: range", "helm/Chart.yaml", "{v}", "^{v}", "range"),
    ("helm: quoted", "helm/Chart.yaml", "{v}", "'{w}'", "version"),
    (
        "value: glob without a file",
        MANIFEST,
        "helm/*.yaml",
        "helm/*.yml",
        "consumer",
    ),
    (
        "value: no version",
        MANIFEST,
        "dependencies.0.version",
        "dependencies.1.version",
        "missing",
    ),
    (
        "value: not pinned",
        MANIFEST,
        r#".version", "package": "{n}""#,
        r#".version", "package": "x""#,
        "consumer",
    ),
    (
        "value: no capture",
        MANIFEST,
        r"==(\\S+)",
        r"==\\S+",
        "consumer",
    ),
    (
        "value: invalid pattern",
        MANIFEST,
        r"==(\\S+)",
        r"==(\\S+",
        "consumer",
    ),
    (
        "value: key and pattern",
        MANIFEST,
        r#""file": "helm/*.yaml","#,
        r#""file": "helm/*.yaml", "pattern": "(x)","#,
        "consumer",
    ),
    (
        "script: version of its own",
        "make.sh",
        "jq",
        "echo com.{n}.bus {w}\njq",
        "version",
    ),
    (
        "script: repeated version",
        "make.sh",
        "jq",
        "echo com.{n}.bus {v}\njq",
        "version",
    ),
    (
        "asmdef: gate on a package that nothing pins",
        "Game/Other/B.asmdef",
        "[]",
        r#"["B_PRESENT"], "versionDefines": [{ "name": "com.b", "expression": "", "define": "B_PRESENT" }]"#,
        "unpinned",
    ),
    (
        "script: reference in a comment",
        "make.sh",
        "jq",
        "# jq",
        "reference",
    ),
    (
        "script: other manifest",
        "make.sh",
        "comparison-packages",
        "packages",
        "reference",
    ),
];

#[test]
fn every_drift_is_found() {
    let mut missed = Vec::new();
    for seed in 0..SEEDS {
        let generated = Generated::new(seed);
        let clean = generated.project();
        assert_eq!(output::text(&checked(&clean)), "", "seed {seed}");
        for Drift {
            name,
            path,
            old,
            new,
            rule,
        } in generated.drifts()
        {
            let mut project = clean.clone();
            let text = project.get_mut(path).unwrap();
            assert!(text.contains(&old), "{name}: `{old}` is not in {path}");
            *text = text.replacen(&old, &new, 1);
            let report = checked(&project);
            let is_found = report
                .findings
                .iter()
                .any(|finding| finding.rule.to_string() == rule && finding.file == path);
            if !is_found || !report.broken.is_empty() {
                missed.push(format!(
                    "seed {seed}, {name}: no `{rule}`\n{}",
                    output::text(&report)
                ));
            }
        }
    }
    assert!(DRIFTS.len() >= 100, "{} drifts", DRIFTS.len());
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
