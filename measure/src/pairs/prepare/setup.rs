//! Setup commands of a project, for a hint if its base does not run.

use std::fs;
use std::path::Path;

/// Files at the top of a project, and its usual setup command.
const COMMANDS: [(&str, &str); 12] = [
    ("pnpm-lock.yaml", "pnpm install --frozen-lockfile"),
    ("yarn.lock", "yarn install"),
    ("package-lock.json", "npm ci"),
    ("package.json", "npm install"),
    ("pyproject.toml", "pip install -e ."),
    ("setup.py", "pip install -e ."),
    ("requirements.txt", "pip install -r requirements.txt"),
    ("CMakeLists.txt", "cmake --build build"),
    ("meson.build", "meson compile -C build"),
    ("pom.xml", "mvn -q test-compile"),
    ("Cargo.toml", "cargo build --release"),
    ("Makefile", "make"),
];

/// A hint to set `build` to the setup command of the project in this directory.
pub fn advice(root: &Path) -> Option<String> {
    let (_, command) = COMMANDS
        .iter()
        .find(|(file, _)| root.join(file).is_file())?;
    let manifest = fs::read_to_string(root.join("package.json")).unwrap_or_default();
    let scripts = serde_json::from_str::<serde_json::Value>(&manifest).unwrap_or_default();
    let script = if scripts["scripts"]["build"].is_string() {
        " && npm run build"
    } else {
        ""
    };
    let command = if script.is_empty() {
        (*command).to_owned()
    } else {
        format!("sh -c \"{command}{script}\"")
    };
    Some(format!(
        "if the base needs other packages or a build, set `build`, such as `--build '{command}'`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_fits_the_project() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(advice(folder.path()), None);
        fs::write(folder.path().join("CMakeLists.txt"), "").unwrap();
        assert!(
            advice(folder.path())
                .unwrap()
                .ends_with("`--build 'cmake --build build'`")
        );
        fs::write(
            folder.path().join("package.json"),
            r#"{"scripts":{"build":"tsc"}}"#,
        )
        .unwrap();
        let advice = advice(folder.path()).unwrap();
        assert!(
            advice.ends_with(r#"`--build 'sh -c "npm install && npm run build"'`"#),
            "{advice}"
        );
    }
}
