//! Compares the rows with the baseline and writes the report. Whatever comes of it is an [`Outcome`] for the steps that
//! report and decide: also that something cannot be read.

use perf_cli::{Exit, file};

use super::base::Base;
use super::outcome::{Outcome, Verdict};
use super::plan::{Plan, Trouble};
use super::tool::Tool;
use super::{extras, files, log, measure, options, report, reproduce};

/// What a comparison printed, and how it ended.
struct Ran {
    lines: String,
    said: String,
    code: Option<i32>,
}

/// The step.
pub(super) fn run() -> anyhow::Result<Exit> {
    let plan = Plan::enter()?;
    let measured = if plan.inputs.is_measuring() { measure::result(&plan.folder) } else { Ok(None) };
    let lacking = measured.as_ref().ok().cloned().flatten();
    let base = measured.and(plan.base.clone());
    let ran = match base.and_then(|base| compared(&plan, &base).map_err(Trouble::from)) {
        Ok(ran) => ran,
        Err(trouble) => broken_off(&trouble),
    };
    let mut base = plan.base.clone().unwrap_or_default();
    base.notes.extend(lacking.map(|why| report::lacking(base.commit.as_ref(), &why)));
    let mut outcome = Outcome::new(&ran.lines, ran.code, &plan.folder, base.file.is_file());
    let extras = extras::Extras::of(&plan, &base);
    outcome.comments_on_commit = extras.is_on_commit();
    for path in [&outcome.report, &outcome.comment] {
        let text = match outcome.verdict {
            Verdict::Broken => report::broken(&ran.said),
            _ => file::read_text(path)?,
        };
        let mut text = report::with_notes(&base.notes, &report::named(&text, &plan.folder));
        if *path == outcome.comment && outcome.verdict == Verdict::Regressed {
            text += &extras.mention();
        }
        file::write_if_changed(path, text.as_bytes())?;
    }
    outcome.page = extras.page(&plan, &outcome)?;
    outcome.write(&plan.folder)?;
    Ok(Exit::Ok)
}

/// What cannot be prepared is reported as what a tool says is.
fn broken_off(trouble: &Trouble) -> Ran {
    log::error(&trouble.message, &trouble.hints);
    let hints = trouble.hints.iter().map(|hint| format!("hint: {hint}"));
    let said: Vec<String> = [format!("error: {}", trouble.message)].into_iter().chain(hints).collect();
    Ran { lines: String::new(), said: said.join("\n"), code: None }
}

fn compared(plan: &Plan, base: &Base) -> anyhow::Result<Ran> {
    let arguments = arguments(plan, base)?;
    let output = Tool::new("compare")?.with_store(base).args(arguments).output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    log::guarded(&said)?;
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(Ran { lines, said, code: output.status.code() })
}

fn arguments(plan: &Plan, base: &Base) -> anyhow::Result<Vec<String>> {
    let inputs = &plan.inputs;
    let mut arguments = options::reading(inputs, &plan.folder)?;
    arguments.extend(base.baseline.iter().chain(&base.config).cloned());
    if base.has_baseline {
        arguments.push("--require-baseline".to_owned());
    }
    arguments.extend(options::given("--history-git", &inputs.history));
    let confirm = files::find("confirm", &inputs.confirm)?;
    if !confirm.is_empty() {
        arguments.extend(options::listed("--confirm", confirm));
    }
    if inputs.paired || inputs.is_measuring() {
        arguments.push("--paired".to_owned());
    }
    arguments.extend(options::given("--scope", &inputs.scope));
    arguments.extend(options::given("--platform-substring", &inputs.platform_substring));
    arguments.extend(options::given("--tolerance", &inputs.tolerance));
    arguments.extend(options::given("--regression-threshold", &inputs.regression_threshold));
    arguments.extend(options::given("--fail-on", &inputs.fail_on));
    for (option, name) in [("--output", "report.md"), ("--comment", "comment.md"), ("--json", "report.json")]
    {
        arguments.push(format!("{option}={}", plan.folder.join(name).display()));
    }
    arguments.push(format!("--reproduce={}", reproduce::command(plan, base)));
    arguments.extend(inputs.is_measuring().then(|| "--reproduce-measures".to_owned()));
    arguments.push("--exit-code".to_owned());
    Ok(arguments)
}
