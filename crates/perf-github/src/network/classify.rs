//! Maps error responses to kinds, without I/O.

use http::StatusCode;
use perf_cli::term::printable;
use serde::Deserialize;
use serde_json::Value;

use super::error::{ApiErrorKind, RequestedPause};

#[derive(Debug, Deserialize)]
pub(crate) struct WireGraphqlError {
    #[serde(rename = "type")]
    kind: Option<String>,
    message: String,
}

/// Lower-case phrases. If an error's message contains one of them, branch rules reject the commit.
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

/// Returns the kind of a REST error response, and the server's message as one printable line.
pub(crate) fn classify_response(
    status: StatusCode,
    asked: RequestedPause,
    body: &[u8],
) -> (ApiErrorKind, String) {
    let words = full_message(body);
    let kind = kind_of_status(status, asked, &words.to_lowercase());
    let said = if words.is_empty() {
        String::new()
    } else {
        format!(": {}", printable(&words))
    };
    (kind, format!("GitHub answers {}{said}", status.as_u16()))
}

fn kind_of_status(status: StatusCode, asked: RequestedPause, words: &str) -> ApiErrorKind {
    let limit =
        asked.is_limit() || words.contains("rate limit") || words.contains("abuse detection");
    match status.as_u16() {
        301 | 302 | 307 | 308 => ApiErrorKind::Moved,
        401 => ApiErrorKind::Authentication,
        429 => ApiErrorKind::RateLimited,
        403 if limit => ApiErrorKind::RateLimited,
        403 | 451 if words.contains("access blocked") => ApiErrorKind::Gone,
        403 if words.contains("locked") || words.contains("archived") => ApiErrorKind::Locked,
        403 | 409 | 422 if is_protection(words) => ApiErrorKind::Protected,
        403 if words.contains("not permitted to create or approve pull requests") => {
            ApiErrorKind::Setting
        }
        403 => ApiErrorKind::Permission,
        404 => ApiErrorKind::NotFound,
        410 => ApiErrorKind::Gone,
        400 | 409 | 422 => ApiErrorKind::Validation,
        408 => ApiErrorKind::Timeout,
        500.. => ApiErrorKind::Server,
        _ => ApiErrorKind::Malformed,
    }
}

/// Returns the kind of the first error in a GraphQL response, and that error's message.
pub(crate) fn classify_graphql(errors: &[WireGraphqlError]) -> (ApiErrorKind, String) {
    let Some(first) = errors.first() else {
        return (ApiErrorKind::Malformed, "an error without a message".into());
    };
    let words = first.message.to_lowercase();
    let kind = match first.kind.as_deref() {
        Some("STALE_DATA") => ApiErrorKind::Conflict,
        Some("RATE_LIMITED" | "RATE_LIMIT") => ApiErrorKind::RateLimited,
        Some("NOT_FOUND") => ApiErrorKind::NotFound,
        _ if words.contains("expected branch to point to") => ApiErrorKind::Conflict,
        _ if words.contains("rate limit") => ApiErrorKind::RateLimited,
        _ if is_protection(&words) => ApiErrorKind::Protected,
        Some("FORBIDDEN" | "INSUFFICIENT_SCOPES") => ApiErrorKind::Permission,
        // An internal error has this message and no type.
        None if words.contains("something went wrong") => ApiErrorKind::Server,
        _ => ApiErrorKind::Validation,
    };
    (
        kind,
        format!("GitHub answers: {}", printable(&one_line(&first.message))),
    )
}

fn is_protection(words: &str) -> bool {
    PROTECTION.iter().any(|sign| words.contains(sign))
}

/// Joins the message of a response and the messages of its `errors`. The result is empty if the response isn't GitHub's
/// JSON, but for example a proxy's page.
fn full_message(body: &[u8]) -> String {
    let error: Value = serde_json::from_slice(body).unwrap_or_default();
    let mut words: Vec<String> = Vec::new();
    words.extend(error["message"].as_str().map(str::to_owned));
    for part in error["errors"].as_array().into_iter().flatten() {
        // Each entry is a text, an object with a message, or an object with a field and a code.
        let text = |key: &str| part.get(key).and_then(Value::as_str);
        if let Some(message) = part.as_str().or(text("message")) {
            words.push(message.to_owned());
        } else if let (Some(field), Some(code)) = (text("field"), text("code")) {
            words.push(format!("{field} {code}"));
        }
    }
    one_line(&words.join(": "))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(status: u16, body: &str) -> (ApiErrorKind, String) {
        classify_response(
            StatusCode::from_u16(status).unwrap(),
            RequestedPause::default(),
            body.as_bytes(),
        )
    }

    #[test]
    fn rest_errors_are_classified_by_status_and_message() {
        let cases = [
            (401, "Bad credentials", ApiErrorKind::Authentication),
            (
                403,
                "Resource not accessible by integration",
                ApiErrorKind::Permission,
            ),
            (
                403,
                "GitHub Actions is not permitted to create or approve pull requests.",
                ApiErrorKind::Setting,
            ),
            (
                403,
                "API rate limit exceeded for installation ID 1.",
                ApiErrorKind::RateLimited,
            ),
            (
                403,
                "You have exceeded a secondary rate limit.",
                ApiErrorKind::RateLimited,
            ),
            (429, "", ApiErrorKind::RateLimited),
            (
                403,
                "Unable to create comment because issue is locked.",
                ApiErrorKind::Locked,
            ),
            (
                403,
                "Repository was archived so is read-only.",
                ApiErrorKind::Locked,
            ),
            (403, "Repository access blocked", ApiErrorKind::Gone),
            (404, "Not Found", ApiErrorKind::NotFound),
            (410, "This issue was deleted", ApiErrorKind::Gone),
            (409, "Git Repository is empty.", ApiErrorKind::Validation),
            (
                422,
                "Repository rule violations found\\n\\nCannot create ref",
                ApiErrorKind::Protected,
            ),
            (422, "Validation Failed", ApiErrorKind::Validation),
            (301, "Moved Permanently", ApiErrorKind::Moved),
            (502, "", ApiErrorKind::Server),
            (418, "", ApiErrorKind::Malformed),
        ];
        for (status, message, kind) in cases {
            assert_eq!(
                of(status, &format!(r#"{{"message": "{message}"}}"#)).0,
                kind,
                "{status} {message}"
            );
        }
    }

    #[test]
    fn server_message_is_one_printable_line() {
        let body = r#"{"message": "Validation Failed", "errors": ["body is too long (maximum is 65536 characters)",
            {"resource": "PullRequest", "code": "custom", "message": "A pull request already exists for o:b."},
            {"resource": "Issue", "field": "title", "code": "missing"}, 7]}"#;
        insta::assert_snapshot!(of(422, body).1, @"GitHub answers 422: Validation Failed: body is too long (maximum is 65536 characters): A pull request already exists for o:b.: title missing");
        let hostile = "{\"message\": \"\\u001b[31m\\n::error::x\\r##[group]\\u202e\"}";
        insta::assert_snapshot!(of(500, hostile).1, @"GitHub answers 500: �[31m ::error::x ## [group]�");
        assert_eq!(of(502, "<html>Bad Gateway</html>").1, "GitHub answers 502");
    }

    #[test]
    fn graphql_errors_are_classified_by_type_and_message() {
        let kind = |json: &str| {
            classify_graphql(&serde_json::from_str::<Vec<WireGraphqlError>>(json).unwrap()).0
        };
        let cases = [
            (
                r#"[{"type": "STALE_DATA", "message": "Expected branch to point to \"a\" but it did not."}]"#,
                ApiErrorKind::Conflict,
            ),
            (
                r#"[{"type": "FORBIDDEN", "message": "Resource not accessible by integration"}]"#,
                ApiErrorKind::Permission,
            ),
            (
                r#"[{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]"#,
                ApiErrorKind::RateLimited,
            ),
            (
                r#"[{"type": "UNPROCESSABLE", "message": "Changes must be made through a pull request."}]"#,
                ApiErrorKind::Protected,
            ),
            (
                r#"[{"type": "FORBIDDEN", "message": "You're not authorized to push to this branch."}]"#,
                ApiErrorKind::Protected,
            ),
            (
                r#"[{"type": "UNPROCESSABLE", "message": "Pull request is in clean status"}]"#,
                ApiErrorKind::Validation,
            ),
            (
                r#"[{"type": "NOT_FOUND", "message": "Could not resolve to a Repository"}]"#,
                ApiErrorKind::NotFound,
            ),
            (
                r#"[{"message": "Something went wrong while executing your query."}]"#,
                ApiErrorKind::Server,
            ),
            ("[]", ApiErrorKind::Malformed),
        ];
        for (json, expected) in cases {
            assert_eq!(kind(json), expected, "{json}");
        }
        let rules = serde_json::from_str::<Vec<_>>(
            r#"[{"message": "Rule violations found\n\nCannot commit.\n"}]"#,
        );
        assert_eq!(
            classify_graphql(&rules.unwrap()).1,
            "GitHub answers: Rule violations found Cannot commit."
        );
    }

    proptest! {
        #[test]
        fn any_response_becomes_one_line(status in 300..1000_u16, body in any::<Vec<u8>>(), message in any::<String>()) {
            let json = serde_json::json!({ "message": message, "errors": [message, { "message": message }] });
            for body in [body, json.to_string().into_bytes()] {
                let (_, why) = classify_response(StatusCode::from_u16(status).unwrap(), RequestedPause::default(), &body);
                let is_one_line = !why.contains(['\n', '\r', '\u{1b}']);
                prop_assert!(is_one_line && why.chars().count() < 250);
            }
        }
    }
}
