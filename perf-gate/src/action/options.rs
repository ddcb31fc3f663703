//! Options that several tools take.

use std::path::Path;

use perf_cli::Failure;

use super::base::MEASURED;
use super::files;
use super::inputs::Inputs;
use super::place::path;
use super::tool::Tool;

/// The options of whatever reads the rows: the files, how they are read, and the machine that measured.
///
/// # Errors
/// A line that matches no file, or a machine that cannot be described.
pub(super) fn reading(inputs: &Inputs, folder: &Path) -> anyhow::Result<Vec<String>> {
    if inputs.is_measuring() {
        let mut options = listed("--input", vec![folder.join(MEASURED).to_string_lossy().into_owned()]);
        options.extend(specs(inputs, folder)?);
        return Ok(options);
    }
    let files = files::find("input", &inputs.input)?;
    if files.is_empty() {
        return Err(Failure::new("the input `input` names no file").into());
    }
    let mut options = listed("--input", files);
    options.extend(given("--format", &inputs.format));
    options.extend(given("--platform", &inputs.platform));
    if inputs.strict {
        options.push("--strict".to_owned());
    }
    options.extend(specs(inputs, folder)?);
    Ok(options)
}

/// An option with several values.
pub(super) fn listed(name: &str, values: Vec<String>) -> Vec<String> {
    [name.to_owned()].into_iter().chain(values).collect()
}

/// An option with the value of an input that was not left out, whatever it looks like.
pub(super) fn given(name: &str, value: &str) -> Option<String> {
    (!value.is_empty()).then(|| format!("{name}={value}"))
}

/// The same for a path.
pub(super) fn given_path(name: &str, value: &str) -> Option<String> {
    given(name, value).map(|_| format!("{name}={}", path(value)))
}

/// The machine: nothing, or its description. A runner that cannot be described has said why.
fn specs(inputs: &Inputs, folder: &Path) -> anyhow::Result<Option<String>> {
    let named = &inputs.machine_specs;
    let described = match named.as_str() {
        "false" => return Ok(None),
        "true" => folder.join("machine-specs.json").to_string_lossy().into_owned(),
        _ if Path::new(&path(named)).is_file() => path(named),
        _ => {
            return Err(Failure::new(format!("there is no machine description `{named}`"))
                .hint("`machine-specs` is `true`, `false` or a file")
                .into());
        }
    };
    let output = ["--quiet", "--best-effort", "--output-json", &described];
    if named == "true" && !Tool::new("specs")?.args(output).succeeds()? {
        return Err(Failure::new("cannot describe this runner")
            .hint("`machine-specs: \"false\"` does without")
            .into());
    }
    Ok(Some(format!("--machine-specs={described}")))
}
