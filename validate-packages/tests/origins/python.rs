//! pip, uv and Poetry.

use super::support::MANIFEST;
use super::{Change, File, check};

const PIP: &str = "pip/requirements.txt";
const UV: &str = "uv/pyproject.toml";
const POETRY: &str = "poetry/pyproject.toml";

const UV_LOCK: &str = "[[package]]\nname = 'pyee'\nversion = '12.0.0'\nsource = { registry = 'https://pypi.org/simple' }\nwheels = [{ url = 'https://files.pythonhosted.org/p.whl', hash = 'sha256:1' }]\n";
const INDEX: &str = "[[tool.uv.index]]\nname = 'own'\nurl = 'https://r.example.net/simple'\n";
const EXPLICIT: &str =
    "[[tool.uv.index]]\nname = 'own'\nurl = 'https://r.example.net/simple'\nexplicit = true\n";

const FILES: &[File] = &[
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
    (
        "uv/pyproject.toml",
        "[project]\nname = 'b'\ndependencies = ['pyee==12.0.0']\n",
    ),
    ("uv/uv.lock", UV_LOCK),
    (
        "poetry/pyproject.toml",
        "[tool.poetry.dependencies]\npyee = '12.0.0'\n",
    ),
    (
        "poetry/poetry.lock",
        "[[package]]\nname = 'pyee'\nversion = '12.0.0'\n",
    ),
];

const PIP_CHANGES: &[Change] = &[
    (
        PIP,
        "",
        "--index-url https://r.example.net/simple\n",
        "origin",
    ),
    (PIP, "", "-i https://r.example.net/simple\n", "origin"),
    (
        PIP,
        "",
        "--extra-index-url=https://r.example.net/simple\n",
        "origin",
    ),
    (
        PIP,
        "",
        "--extra-index-url \\\n  https://r.example.net/simple\n",
        "origin",
    ),
    (PIP, "", "--find-links wheels\n", "origin"),
    (PIP, "", "-f https://r.example.net/wheels\n", "origin"),
    (
        PIP,
        "pyee==12.0.0 \\\n    --hash=sha256:1",
        "pyee @ https://files.pythonhosted.org/pyee-12.0.0.whl",
        "origin",
    ),
    (
        PIP,
        "pyee==12.0.0 \\\n    --hash=sha256:1",
        "-e git+https://example.net/pyee.git@12.0.0#egg=pyee[x]",
        "origin",
    ),
    (
        PIP,
        "pyee==12.0.0 \\\n    --hash=sha256:1",
        "pyee \\\n  ==12.0.1",
        "version",
    ),
    (
        "pip/constraints.txt",
        "<13",
        " @ file:///tmp/pyee",
        "origin",
    ),
    ("pip/constraints.txt", "<13", "==11.0", "version"),
    (
        "pip/constraints.txt",
        "",
        "--extra-index-url https://r.example.net/simple\n",
        "origin",
    ),
    (
        PIP,
        "",
        "-i https://pypi.org/simple/\n--no-binary :all:\n",
        "",
    ),
];

const UV_CHANGES: &[Change] = &[
    (UV, "", INDEX, "origin"),
    (
        UV,
        "",
        "[tool.uv]\nextra-index-url = ['https://r.example.net/simple']\n",
        "origin",
    ),
    (
        UV,
        "",
        "[tool.uv]\nindex-url = 'https://r.example.net/simple'\n",
        "origin",
    ),
    (
        UV,
        "",
        "[tool.uv.pip]\nfind-links = ['../wheels']\n",
        "origin",
    ),
    (
        UV,
        "",
        "[tool.uv]\noverride-dependencies = ['pyee==11.0']\n",
        "version",
    ),
    (
        "uv/uv.toml",
        "",
        "[[index]]\nurl = 'https://r.example.net/simple'\n",
        "origin",
    ),
    (
        "pyproject.toml",
        "",
        "[tool.uv.workspace]\nmembers = ['uv']\n[[tool.uv.index]]\nurl = 'https://r.example.net/simple'\n",
        "origin",
    ),
    (
        "uv/uv.lock",
        "https://pypi.org/simple",
        "https://r.example.net/simple",
        "origin",
    ),
    (
        "uv/uv.lock",
        "registry = 'https://pypi.org/simple'",
        "git = 'https://example.net/p?rev=1#1'",
        "origin",
    ),
    (
        "uv/uv.lock",
        "registry = 'https://pypi.org/simple'",
        "editable = '../pyee'",
        "origin",
    ),
    (
        "uv/uv.lock",
        "files.pythonhosted.org",
        "files.example.net",
        "origin",
    ),
    (UV, "", EXPLICIT, ""),
    (
        UV,
        "",
        "[[tool.uv.index]]\nurl = 'https://pypi.org/simple'\ndefault = true\n",
        "",
    ),
    (
        UV,
        "",
        "[tool.uv]\noverride-dependencies = ['pyee==12.0.0', 'other==1']\n",
        "",
    ),
];

const POETRY_CHANGES: &[Change] = &[
    (
        POETRY,
        "",
        "[[tool.poetry.source]]\nname = 'own'\nurl = 'https://r.example.net/simple'\n",
        "origin",
    ),
    (
        POETRY,
        "'12.0.0'\n",
        "{ version = '12.0.0', source = 'own' }\n[[tool.poetry.source]]\nname = 'own'\nurl = 'https://r.example.net/simple'\npriority = 'explicit'\n",
        "origin",
    ),
    (
        POETRY,
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
    (
        "poetry/poetry.lock",
        "",
        "[package.source]\ntype = 'legacy'\nurl = 'https://pypi.org/simple'\nreference = 'pypi'\n",
        "",
    ),
    (
        POETRY,
        "",
        "[[tool.poetry.source]]\nname = 'PyPI'\npriority = 'primary'\n",
        "",
    ),
];

#[test]
fn pip_and_poetry() {
    check(FILES, PIP_CHANGES);
    check(FILES, POETRY_CHANGES);
}

#[test]
fn uv() {
    check(FILES, UV_CHANGES);
    let sources = |table: &str| -> &'static str {
        format!("{EXPLICIT}[tool.uv.sources]\nPyee = {table}\n").leak()
    };
    check(
        FILES,
        &[
            (UV, "", sources("{ index = 'own' }"), "origin"),
            (
                UV,
                "",
                sources("[{ index = 'own', marker = 'x' }]"),
                "origin",
            ),
            (
                UV,
                "",
                sources("[{ git = 'https://example.net/p', marker = 'x' }]"),
                "origin",
            ),
            (UV, "", sources("{ workspace = true }"), "origin"),
        ],
    );
}
