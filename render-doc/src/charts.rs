//! The charts next to a page.

use std::fs;
use std::path::{Path, PathBuf};

use perf_report::page::ChartFile;

/// The charts to write, with their paths: if the page's numbers are unchanged, only the missing charts.
pub(crate) fn due<'c>(
    page: &Path,
    charts: &'c [ChartFile],
    has_news: bool,
) -> Vec<(PathBuf, &'c ChartFile)> {
    let is_due = |path: &Path, chart: &ChartFile| match fs::read(path) {
        Ok(content) => has_news && content != chart.content.as_bytes(),
        Err(_) => true,
    };
    let placed = charts
        .iter()
        .map(|chart| (page.with_file_name(&chart.name), chart));
    placed.filter(|(path, chart)| is_due(path, chart)).collect()
}

/// The existing charts that a page shows, so that they are published with it.
pub fn charts_of(page: &Path) -> Vec<PathBuf> {
    let text = fs::read_to_string(page).unwrap_or_default();
    let pictures = text
        .split("<picture>")
        .skip(1)
        .filter_map(|rest| rest.split_once("</picture>"));
    let names = pictures.flat_map(|(picture, _)| picture.split('"').filter(|part| is_chart(part)));
    let paths = names.map(|name| page.with_file_name(name));
    paths
        .filter(|path| path.symlink_metadata().is_ok_and(|file| file.is_file()))
        .collect()
}

/// True if a chart could have this name: nothing that leads elsewhere.
fn is_chart(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let base = name
        .strip_suffix("-light.svg")
        .or_else(|| name.strip_suffix("-dark.svg"));
    base.is_some_and(|base| !base.is_empty() && base.bytes().all(is_plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_charts_beside_the_page_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("speed.md");
        let names = [
            "speed-linux-light.svg",
            "speed-linux-dark.svg",
            "../secret-light.svg",
            "none-dark.svg",
            "logo.svg",
        ];
        let pictures =
            names.map(|name| format!("<picture>\n <img alt=\"x\" src=\"{name}\">\n</picture>\n"));
        fs::write(&page, pictures.concat()).unwrap();
        for name in ["speed-linux-light.svg", "speed-linux-dark.svg", "logo.svg"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let expected =
            ["speed-linux-light.svg", "speed-linux-dark.svg"].map(|name| folder.path().join(name));
        assert_eq!(charts_of(&page), expected);
        assert_eq!(
            charts_of(&folder.path().join("none.md")),
            [""; 0].map(PathBuf::from)
        );
    }
}
