//! Derives the kind of trouble from an answer that is no success. Does no I/O.

use http::StatusCode;
use perf_cli::term::printable;
use serde::Deserialize;
use serde_json::Value;

use crate::retry::Asked;
use crate::trouble::Kind;

/// The body of an error of the REST API.
#[derive(Default, Deserialize)]
struct WireError {
    message: Option<String>,
    #[serde(default)]
    errors: Value,
}

/// An error in an answer of the GraphQL API.
#[derive(Debug, Deserialize)]
pub(crate) struct WireGraphqlError {
    #[serde(rename = "type")]
    kind: Option<String>,
    message: String,
}

/// Words that mean that rules of a branch keep a commit out.
const PROTECTION: [&str; 8] = [
    "protected branch",
    "repository rule violations",
    "must be made through a pull request",
    "approving review is required",
    "status check",
    "not authorized to push",
    "cannot change this locked branch",
    "required signatures",
];

/// The trouble that an answer with that status means, and the reason in the server's words, on one harmless line.
pub(crate) fn of_answer(status: StatusCode, asked: Asked, body: &[u8]) -> (Kind, String) {
    let words = words(body);
    let kind = of_status(status, asked, &words.to_lowercase());
    let said = if words.is_empty() { String::new() } else { format!(": {}", printable(&words)) };
    (kind, format!("GitHub answers {}{said}", status.as_u16()))
}

fn of_status(status: StatusCode, asked: Asked, words: &str) -> Kind {
    let limit = asked.is_limit() || words.contains("rate limit") || words.contains("abuse detection");
    match status.as_u16() {
        301 | 302 | 307 | 308 => Kind::Moved,
        401 => Kind::Authentication,
        429 => Kind::RateLimited,
        403 if limit => Kind::RateLimited,
        403 if words.contains("locked") || words.contains("archived") => Kind::Locked,
        403 | 409 | 422 if is_protection(words) => Kind::Protected,
        403 if words.contains("not permitted to create or approve pull requests") => Kind::Setting,
        403 => Kind::Permission,
        404 => Kind::NotFound,
        410 => Kind::Gone,
        400 | 409 | 422 => Kind::Validation,
        408 => Kind::Timeout,
        500.. => Kind::Server,
        _ => Kind::Malformed,
    }
}

/// The trouble that the errors of a GraphQL answer mean; the first decides.
pub(crate) fn of_graphql(errors: &[WireGraphqlError]) -> (Kind, String) {
    let Some(first) = errors.first() else { return (Kind::Malformed, "an error without words".into()) };
    let words = first.message.to_lowercase();
    let kind = match first.kind.as_deref() {
        Some("STALE_DATA") => Kind::Conflict,
        Some("RATE_LIMITED" | "RATE_LIMIT") => Kind::RateLimited,
        Some("NOT_FOUND") => Kind::NotFound,
        _ if words.contains("expected branch to point to") => Kind::Conflict,
        _ if words.contains("rate limit") => Kind::RateLimited,
        _ if is_protection(&words) => Kind::Protected,
        Some("FORBIDDEN" | "INSUFFICIENT_SCOPES") => Kind::Permission,
        // An internal error has no type, and words of its own.
        None if words.contains("something went wrong") => Kind::Server,
        _ => Kind::Validation,
    };
    (kind, format!("GitHub answers: {}", printable(&one_line(&first.message))))
}

fn is_protection(words: &str) -> bool {
    PROTECTION.iter().any(|sign| words.contains(sign))
}

/// The message and the messages of its parts, in one text. What is not GitHub's JSON (a proxy's page) has no words.
fn words(body: &[u8]) -> String {
    let wire: WireError = serde_json::from_slice(body).unwrap_or_default();
    let parts = wire.errors.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut words: Vec<String> = wire.message.into_iter().collect();
    words.extend(parts.iter().filter_map(part));
    one_line(&words.join(": "))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// One part: a text, an object with a message, or one with a field and a code.
fn part(part: &Value) -> Option<String> {
    let text = |key: &str| part.get(key).and_then(Value::as_str);
    let coded = || Some(format!("{} {}", text("field")?, text("code")?));
    part.as_str().or_else(|| text("message")).map(Into::into).or_else(coded)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(status: u16, body: &str) -> (Kind, String) {
        of_answer(StatusCode::from_u16(status).unwrap(), Asked::default(), body.as_bytes())
    }

    #[test]
    fn refusals_are_distinguished_by_their_words() {
        let cases = [
            (401, "Bad credentials", Kind::Authentication),
            (403, "Resource not accessible by integration", Kind::Permission),
            (403, "GitHub Actions is not permitted to create or approve pull requests.", Kind::Setting),
            (403, "API rate limit exceeded for installation ID 1.", Kind::RateLimited),
            (403, "You have exceeded a secondary rate limit.", Kind::RateLimited),
            (429, "", Kind::RateLimited),
            (403, "Unable to create comment because issue is locked.", Kind::Locked),
            (403, "Repository was archived so is read-only.", Kind::Locked),
            (404, "Not Found", Kind::NotFound),
            (410, "This issue was deleted", Kind::Gone),
            (409, "Git Repository is empty.", Kind::Validation),
            (422, "Repository rule violations found\\n\\nCannot create ref", Kind::Protected),
            (422, "Validation Failed", Kind::Validation),
            (301, "Moved Permanently", Kind::Moved),
            (502, "", Kind::Server),
            (418, "", Kind::Malformed),
        ];
        for (status, message, kind) in cases {
            assert_eq!(of(status, &format!(r#"{{"message": "{message}"}}"#)).0, kind, "{status} {message}");
        }
    }

    #[test]
    fn the_servers_words_are_reported_on_one_harmless_line() {
        let body = r#"{"message": "Validation Failed", "errors": ["body is too long (maximum is 65536 characters)",
            {"resource": "PullRequest", "code": "custom", "message": "A pull request already exists for o:b."},
            {"resource": "Issue", "field": "title", "code": "missing"}, 7]}"#;
        insta::assert_snapshot!(of(422, body).1, @"GitHub answers 422: Validation Failed: body is too long (maximum is 65536 characters): A pull request already exists for o:b.: title missing");
        let hostile = "{\"message\": \"\\u001b[31m\\n::error::x\\r##[group]\\u202e\"}";
        insta::assert_snapshot!(of(500, hostile).1, @"GitHub answers 500: �[31m ::error::x ## [group]�");
        assert_eq!(of(502, "<html>Bad Gateway</html>").1, "GitHub answers 502");
    }

    #[test]
    fn errors_of_the_graphql_api_are_distinguished() {
        let kind = |json: &str| of_graphql(&serde_json::from_str::<Vec<WireGraphqlError>>(json).unwrap()).0;
        let cases = [
            (
                r#"[{"type": "STALE_DATA", "message": "Expected branch to point to \"a\" but it did not."}]"#,
                Kind::Conflict,
            ),
            (
                r#"[{"type": "FORBIDDEN", "message": "Resource not accessible by integration"}]"#,
                Kind::Permission,
            ),
            (r#"[{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]"#, Kind::RateLimited),
            (
                r#"[{"type": "UNPROCESSABLE", "message": "Changes must be made through a pull request."}]"#,
                Kind::Protected,
            ),
            (
                r#"[{"type": "FORBIDDEN", "message": "You're not authorized to push to this branch."}]"#,
                Kind::Protected,
            ),
            (
                r#"[{"type": "UNPROCESSABLE", "message": "Pull request is in clean status"}]"#,
                Kind::Validation,
            ),
            (r#"[{"type": "NOT_FOUND", "message": "Could not resolve to a Repository"}]"#, Kind::NotFound),
            (r#"[{"message": "Something went wrong while executing your query."}]"#, Kind::Server),
            ("[]", Kind::Malformed),
        ];
        for (json, expected) in cases {
            assert_eq!(kind(json), expected, "{json}");
        }
        let rules =
            serde_json::from_str::<Vec<_>>(r#"[{"message": "Rule violations found\n\nCannot commit.\n"}]"#);
        assert_eq!(of_graphql(&rules.unwrap()).1, "GitHub answers: Rule violations found Cannot commit.");
    }

    proptest! {
        #[test]
        fn whatever_the_answer_it_becomes_one_line(status in 300..1000_u16, body in any::<Vec<u8>>(), message in any::<String>()) {
            let json = serde_json::json!({ "message": message, "errors": [message, { "message": message }] });
            for body in [body, json.to_string().into_bytes()] {
                let (_, why) = of_answer(StatusCode::from_u16(status).unwrap(), Asked::default(), &body);
                let is_one_line = !why.contains(['\n', '\r', '\u{1b}']);
                prop_assert!(is_one_line && why.chars().count() < 250);
            }
        }
    }
}
