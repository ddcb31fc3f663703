//! Real outputs without their own test: `tests/fixtures/tools/<format>/output*`. A new tool adds its output there.

use std::path::Path;

use super::account;

/// A folder's names, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn outputs() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tools");
    let folders = names(&fixtures)
        .into_iter()
        .filter(|name| fixtures.join(name).is_dir());
    for format in folders {
        for output in names(&fixtures.join(&format))
            .iter()
            .filter(|name| name.starts_with("output"))
        {
            let mut settings = insta::Settings::clone_current();
            settings.set_snapshot_suffix(output);
            settings.bind(|| {
                insta::assert_snapshot!(
                    format.clone(),
                    account(&format, &format!("{format}/{output}"))
                );
            });
        }
    }
}
