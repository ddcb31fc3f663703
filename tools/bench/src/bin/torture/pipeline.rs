//! The programs that read and compare rows.

use crate::case::{Found, TortureCase};
use crate::check::finds_nothing;

/// Checks that written rows can be read and written identically, and do not differ from themselves.
pub(crate) fn round_trip(case: &mut TortureCase<'_>) -> Found {
    let (found, output) = case.run("extract-perf-baseline", "--input input --output a.csv")?;
    if found.is_some() || !output.status.success() {
        return Ok(found);
    }
    let (found, output) = case.run("extract-perf-baseline", "--input a.csv --output b.csv")?;
    if found.is_some() || !output.status.success() {
        return Ok(found.or(Some("a written baseline cannot be read".to_owned())));
    }
    if case.read("a.csv") != case.read("b.csv") {
        return Ok(Some(
            "a baseline differs after reading and writing it".to_owned(),
        ));
    }
    let (found, output) = case.run("render-perf-deltas", "--input a.csv --baseline-csv b.csv")?;
    if found.is_some() || !output.status.success() {
        return Ok(found);
    }
    Ok(finds_nothing(&output))
}

/// Compares with other rows, sometimes with a config, in a random output format.
pub(crate) fn compare(case: &mut TortureCase<'_>) -> Found {
    case.write_mutated("other", |seeds| &seeds.inputs)?;
    let (found, output) = case.run("extract-perf-baseline", "--input other --output base.csv")?;
    if found.is_some() || !output.status.success() {
        return Ok(found);
    }
    let mut arguments = "--input input --baseline-csv base.csv --history base.csv".to_owned();
    if case.random.once_in(3) {
        case.write_mutated("config.toml", |seeds| &seeds.configs)?;
        arguments += " --config config.toml";
    }
    let outputs = [
        " --output -",
        " --json report.json --comment comment.md --output-format table",
        " --paired --max-length 2000 --output report.md",
    ];
    arguments += *case.random.pick(&outputs);
    Ok(case.run("render-perf-deltas", &arguments)?.0)
}

/// Checks that a page stays the same after an error.
pub(crate) fn page(case: &mut TortureCase<'_>) -> Found {
    let page = case.mutated(|seeds| &seeds.pages);
    case.write("page.md", &page)?;
    let (found, output) = case.run("render-perf-doc", "--input input --doc page.md")?;
    let is_touched =
        output.status.code() == Some(2) && case.read("page.md").as_ref() != Some(&page);
    Ok(found.or_else(|| is_touched.then(|| "a page was changed despite an error".to_owned())))
}

/// Checks that rows are not duplicated when they are appended twice, and that a file stays the same after an error.
pub(crate) fn append(case: &mut TortureCase<'_>) -> Found {
    let base = case.mutated(|seeds| &seeds.inputs);
    case.write("base.csv", &base)?;
    let arguments = "--input input --output base.csv --append";
    let (found, output) = case.run("extract-perf-baseline", arguments)?;
    let once = case.read("base.csv");
    if found.is_some() || !output.status.success() {
        let is_touched = once.as_ref() != Some(&base);
        return Ok(
            found.or_else(|| is_touched.then(|| "a file was changed despite an error".to_owned()))
        );
    }
    let (found, _) = case.run("extract-perf-baseline", arguments)?;
    // Rows of one run with different metrics are merged when they are read again.
    let lines = |text: Option<Vec<u8>>| {
        text.unwrap_or_default()
            .split(|byte| *byte == b'\n')
            .count()
    };
    let is_doubled = lines(case.read("base.csv")) > lines(once);
    Ok(found.or_else(|| is_doubled.then(|| "appending rows twice duplicated them".to_owned())))
}

pub(crate) fn packages(case: &mut TortureCase<'_>) -> Found {
    case.write_mutated("comparison-packages.json", |seeds| &seeds.manifests)?;
    case.write("package.json", br#"{"dependencies": {"mitt": "^3.0.1"}}"#)?;
    Ok(case
        .run(
            "validate-comparison-packages",
            "--manifest comparison-packages.json",
        )?
        .0)
}
