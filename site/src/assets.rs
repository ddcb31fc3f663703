//! Files that are the same in every site.

/// The path of each file in the site, and its content.
pub(crate) const ALL: [(&str, &[u8]); 9] = [
    ("LICENSES.txt", include_bytes!("../assets/LICENSES.txt")),
    ("assets/icon.svg", include_bytes!("../assets/icon.svg")),
    ("assets/site.css", include_bytes!("../assets/site.css")),
    ("assets/list.js", include_bytes!("../assets/list.js")),
    ("assets/chart.js", include_bytes!("../assets/chart.js")),
    ("assets/detail.js", include_bytes!("../assets/detail.js")),
    ("assets/compare.js", include_bytes!("../assets/compare.js")),
    (
        "assets/uplot.js",
        include_bytes!("../assets/vendor/uplot/uPlot.iife.min.js"),
    ),
    (
        "assets/uplot.css",
        include_bytes!("../assets/vendor/uplot/uPlot.min.css"),
    ),
];

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    /// The chart library, version 1.6.32 as published, and its licence. Update the NOTICE with the version.
    const VENDORED: [(&str, &[u8], &str); 3] = [
        (
            "uPlot.iife.min.js",
            include_bytes!("../assets/vendor/uplot/uPlot.iife.min.js"),
            "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
        ),
        (
            "uPlot.min.css",
            include_bytes!("../assets/vendor/uplot/uPlot.min.css"),
            "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
        ),
        (
            "LICENSE",
            include_bytes!("../assets/vendor/uplot/LICENSE"),
            "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
        ),
    ];

    #[test]
    fn vendored_files_are_as_published() {
        for (name, content, expected) in VENDORED {
            assert_eq!(format!("{:x}", Sha256::digest(content)), expected, "{name}");
            assert!(
                include_str!("../NOTICE.md").contains(expected),
                "NOTICE.md has the hash of {name}"
            );
        }
    }

    #[test]
    fn the_site_has_the_licence_of_the_chart_library() {
        let licence = include_str!("../assets/vendor/uplot/LICENSE");
        assert!(include_str!("../assets/LICENSES.txt").contains(licence));
    }
}
