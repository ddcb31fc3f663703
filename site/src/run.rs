//! Writes the site's files from the history.

use perf_cli::{Exit, Failure, actions, load, term};
use perf_config::Config;
use perf_model::diagnostic::Severity;
use perf_report::number::counted;

use crate::cli::{About, Cli};
use crate::collect::{Collected, collect};
use crate::folder::{SiteFolder, WriteCounts};
use crate::page::compare_page;
use crate::series::SeriesEntry;
use crate::{assets, changes, data, load as history, overview, runs};

/// Runs `perf-gate site`.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let mut folder = SiteFolder::open(&cli.output)?;
    let history::History {
        snapshots,
        config,
        found,
    } = history::read(cli, load::config(cli.config.as_deref())?)?;
    term::diagnostics(found.iter().filter(|found| found.severity > Severity::Info));
    let mut collected = collect(&snapshots, &config, &cli.filter.filter(None));
    runs::add_subjects(&mut collected.runs);
    if collected.series.is_empty() {
        let rows: Vec<_> = snapshots
            .into_iter()
            .flat_map(|snapshot| snapshot.rows)
            .collect();
        return Err(Failure::new("no result has a number to show")
            .hint(load::places(&rows, &config))
            .into());
    }
    let entries = SeriesEntry::all(&collected, &config);
    let summary = write(&mut folder, &about(cli, &config), &collected, &entries)?;
    let of = format!(
        "{} of {}",
        counted(entries.len(), "chart"),
        counted(collected.runs.len(), "commit")
    );
    term::note(&format!("`{}`: {of}; {summary}", term::shown(&cli.output)));
    Ok(Exit::Ok)
}

fn about(cli: &Cli, config: &Config) -> About {
    let repository = cli
        .repository
        .clone()
        .or_else(|| actions::repository(|name| std::env::var(name).ok()));
    let named = repository
        .as_deref()
        .and_then(|address| address.splitn(4, '/').nth(3))
        .map(str::to_owned);
    let title = cli
        .title
        .clone()
        .or(named)
        .unwrap_or_else(|| "Benchmarks".to_owned());
    About {
        title,
        repository,
        site: config.deltas.site.clone(),
    }
}

/// Writes assets and data before the pages that load them, and the first page last.
fn write(
    folder: &mut SiteFolder,
    about: &About,
    collected: &Collected,
    entries: &[SeriesEntry<'_>],
) -> anyhow::Result<WriteCounts> {
    for (name, content) in assets::ALL {
        folder.write(name, content)?;
    }
    for (number, chunk) in entries.chunks(data::CHUNK).enumerate() {
        folder.write(&data::name(number), data::chunk(number, chunk).as_bytes())?;
    }
    folder.write(
        "data/index.js",
        data::index(about, collected, entries).as_bytes(),
    )?;
    let changed = changes::changed_runs(entries);
    folder.write(
        "changes.html",
        changes::page(about, collected, entries, &changed).as_bytes(),
    )?;
    folder.write(
        "changes.xml",
        changes::feed(about, collected, &changed).as_bytes(),
    )?;
    folder.write("compare.html", compare_page(about).as_bytes())?;
    folder.write(
        "index.html",
        overview::page(about, collected, entries).as_bytes(),
    )?;
    folder.finish()
}
