//! The addresses of commits and of the run, by what GitHub tells every step of a workflow.

use perf_cli::actions;
use perf_report::deltas::Links;

/// The addresses; `None` outside of a workflow.
pub(crate) fn from_env() -> Option<Links> {
    links(|name| std::env::var(name).ok())
}

fn links(variable: impl Fn(&str) -> Option<String>) -> Option<Links> {
    let repository = actions::repository(&variable)?;
    let run = variable("GITHUB_RUN_ID").filter(|run| run.bytes().all(|byte| byte.is_ascii_digit()));
    Some(Links {
        repository,
        run: run.filter(|run| !run.is_empty()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(server: &str, name: &str, run: &str) -> Option<(String, Option<String>)> {
        let found = links(|variable| {
            let text = match variable {
                "GITHUB_SERVER_URL" => server,
                "GITHUB_REPOSITORY" => name,
                _ => run,
            };
            (!text.is_empty()).then(|| text.to_owned())
        });
        found.map(|links| (links.repository, links.run))
    }

    #[test]
    fn links_are_those_of_the_workflow() {
        let server = "https://github.example:8443";
        let repository = format!("{server}/octo/quill");
        assert_eq!(
            of(server, "octo/quill", "123"),
            Some((repository.clone(), Some("123".to_owned())))
        );
        assert_eq!(of(server, "octo/quill", "x"), Some((repository, None)));
    }

    #[test]
    fn without_a_plain_address_there_is_no_link() {
        assert_eq!(of("", "octo/quill", "1"), None);
        assert_eq!(of("javascript:x", "octo/quill", "1"), None);
        assert_eq!(of("https://github.com", "octo/qu)ill", "1"), None);
        assert_eq!(of("https://github.com", "octo", "1"), None);
    }
}
