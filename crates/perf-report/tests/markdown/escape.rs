//! Hostile text in a page. The rendering was checked against GitHub's own.

use perf_report::markdown::escape::{code, html, inline, line_start, message};
use proptest::prelude::*;

/// Shows the invisible break as `·`.
fn shown(text: &str) -> String {
    text.replace('\u{200B}', "·")
}

#[test]
fn plain_text_is_unchanged() {
    for text in [
        "Global -> 16 subscribers",
        "C# event",
        "Keyed/targeted",
        "Editor PlayMode Mono x64 Release (WindowsEditor; Unity 6000.5.2f1)",
        "13th Gen Intel(R) Core(TM) i9-13900KF",
        "24C/32T @ 3000MHz; 64GB DDR5@4200; NVIDIA GeForce RTX 3060",
        "Flood_OneHandler_2",
        "std::vec, R&D, AT&T, a & b; 5 * 3, a _ b, ~ about",
        "org.sample.Outer$Inner.run (x86) 50% +5 -5 = {x} \"q\" 'q' x^2!",
        "日本語 café → µs ±",
        "",
    ] {
        assert_eq!(inline(text), text);
    }
}

#[test]
fn markup_is_shown_literally() {
    let cases = [
        ("a|b", r"a\|b"),
        (r"a\|b", r"a\\\|b"),
        (r"C:\x\", r"C:\\x\\"),
        ("`x`", r"\`x\`"),
        (
            "<b>&amp; &#60; &copy;",
            "&lt;b>&amp;amp; &amp;#·60; &amp;copy;",
        ),
        ("*a* **b** 5*3", r"\*a\* \*\*b\*\* 5\*3"),
        ("_a_ a_b_c __d__ _", r"\_a\_ a_b_c \_\_d\_\_ \_"),
        ("~~x~~ ~5", r"\~\~x\~\~ \~5"),
        ("[t](u) ![i](u) [^1]", r"\[t\](u) !\[i\](u) \[^1\]"),
        ("$x$ $$y$$ a$b", "&#36;x$ &#36;&#36;y$&#36; a$b"),
    ];
    for (text, escaped) in cases {
        assert_eq!(shown(&inline(text)), escaped, "{text}");
    }
}

#[test]
fn mentions_and_links_are_disabled() {
    let cases = [
        (
            "@octocat (@org/team) é@x _@x",
            r"@·octocat (@·org/team) é@·x \_@·x",
        ),
        (
            "me@host.example .@.x DDR5@4200. x@.",
            "me@·host.example .@·.x DDR5@4200. x@.",
        ),
        (
            "#12 o/r#3 x#y GH-4 gh-5 GH-x",
            "#·12 o/r#·3 x#y GH-·4 gh-·5 GH-x",
        ),
        (
            "http://a HTTPS://b ftp://c",
            "http:·//a HTTPS:·//b ftp:·//c",
        ),
        ("www.a.b WWW.c", "www·.a.b WWW·.c"),
        ("@\u{2060}octocat", "@\u{FFFD}octocat"),
        ("−0.00000008% 1.5. 1234567", "−0.00000008% 1.5. 1·234567"),
        (
            "1f3c9ab o/r@1f3c9ab (0123456a)",
            "1·f3c9ab o/r@1·f3c9ab (0·123456a)",
        ),
        ("1.1234567 1.a123456", "1.1234567 1.a·123456"),
        (
            "1234567 deadbeef 1f3c9a 1F3C9AB 1f3c9abg _1f3c9ab",
            r"1·234567 d·eadbeef 1f3c9a 1F3C9AB 1f3c9abg \_1f3c9ab",
        ),
        ("a::b::c :tada: x:+1:", "a::·b::c :·tada: x:·+1:"),
    ];
    for (text, defused) in cases {
        assert_eq!(shown(&inline(text)), defused, "{text}");
    }
}

#[test]
fn invisible_characters_are_replaced() {
    assert_eq!(inline(" a\r\n\tb\u{2028}c\u{85}d  e\n"), "a b c d e");
    assert_eq!(inline("\u{1b}[31mred\0"), "\u{FFFD}\\[31mred\u{FFFD}");
    assert_eq!(
        inline("a\u{202E}b\u{2066}c\u{9b}d"),
        "a\u{FFFD}b\u{FFFD}c\u{FFFD}d"
    );
    assert_eq!(
        inline("a\u{200B}\u{200D}\u{FEFF}\u{AD}\u{2060}\u{E0041}b"),
        format!("a{}b", "\u{FFFD}".repeat(6))
    );
    assert_eq!(code("a\u{202E}\nb\u{200B}"), "`a\u{FFFD} b\u{FFFD}`");
}

#[test]
fn line_start_opens_no_block() {
    let cases = [
        ("# x", r"\# x"),
        ("###", r"\###"),
        ("#x", r"\#x"),
        ("- x", r"\- x"),
        ("-", r"\-"),
        ("-5 ms", r"\-5 ms"),
        ("--flag", r"\--flag"),
        ("---", r"\---"),
        ("- - -", r"\- - -"),
        (":-: :-", r"\:-: :-"),
        ("+ x", r"\+ x"),
        ("+5%", r"\+5%"),
        ("* x", r"\* x"),
        ("1. x", r"1\. x"),
        ("12) x", r"12\) x"),
        ("1.5 ms", r"1\.5 ms"),
        ("1.", r"1\."),
        ("> x", r"\> x"),
        ("===", r"\==="),
        ("=> x", r"\=> x"),
        ("    x", "x"),
        ("~~~", r"\~\~\~"),
        ("\n\n- x", r"\- x"),
        ("", ""),
    ];
    for (text, escaped) in cases {
        assert_eq!(line_start(text), escaped, "{text:?}");
    }
}

#[test]
fn a_code_span_holds_any_text() {
    let cases = [
        ("x", "`x`"),
        ("a_b*c @x #1", "`a_b*c @x #1`"),
        ("a|b", r"`a\|b`"),
        ("a`b", "``a`b``"),
        ("a``b", "`a``b`"),
        ("`a`", "`` `a` ``"),
        ("`", "`` ` ``"),
        ("a` ``b", "```a` ``b```"),
        (r"end\", r"`end\`"),
        (r"a\|b<", r"<code>a\\\|b&lt;</code>"),
        ("##[error]x", r"<code>##\[error\]x</code>"),
        (" x ", "`x`"),
        ("", "`  `"),
    ];
    for (text, span) in cases {
        assert_eq!(code(text), span, "{text:?}");
    }
}

#[test]
fn a_message_has_code_spans() {
    let cases = [
        (
            "of commit `8f0c69d`, which ran",
            "of commit `8f0c69d`, which ran",
        ),
        ("`a` and `b_*c`", "`a` and `b_*c`"),
        ("1 of `@x` *now* `y`.", r"1 of `@x` \*now\* `y`."),
        ("of `a`b`", r"of \`a\`b\`"),
        ("`a``b`", r"\`a\`\`b\`"),
        ("of ` a`, `x|y`", r"of \` a\`, \`x\|y\`"),
        ("``", r"\`\`"),
        ("`##[error]x`", r"<code>##\[error\]x</code>"),
        ("", ""),
    ];
    for (text, shown) in cases {
        assert_eq!(message(text), shown, "{text:?}");
    }
}

#[test]
fn no_text_is_a_command_of_a_workflow() {
    for text in ["##[error]x", "a ##[set-output name=x;]y", "###[group]"] {
        for shown in [
            inline(text),
            code(text),
            html(text),
            message(text),
            message(&format!("`{text}`")),
        ] {
            assert!(!shown.contains("##["), "{shown}");
        }
    }
    assert_eq!(html("##[error]x [y]"), "##&#91;error]x [y]");
}

#[test]
fn long_hostile_text_takes_linear_time() {
    for piece in [
        "*", "_", "`", "1", "a1 ", "@", "@a", "&a", "&#", "[", "\\|", "~~", "w", "$", "- ",
    ] {
        let text = piece.repeat(200_000);
        assert!(inline(&text).len() >= 200_000);
        assert!(code(&text).len() >= 200_000);
        assert!(message(&text).len() >= 200_000 - 1);
    }
}

/// Text that is likely to contain everything that this module escapes.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(
            &[
                "@a", "@", "#1", "#", "GH-", "gh-2", "www.", "://", "http", "&lt;", "&", "##[",
                "1f3c9ab", "\u{200B}"
            ][..]
        )
        .prop_map(str::to_owned),
        "[-*_~`|\\\\<>&;#@\\[\\]()!+=:./$ \n\t]{1,3}",
        "[a-z0-9]{1,3}",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Whether every `wanted` in `text` has an odd number of backslashes before it.
fn all_escaped(text: &str, wanted: char) -> bool {
    text.match_indices(wanted).all(|(at, _)| {
        let before = &text[..at];
        (before.len() - before.trim_end_matches('\\').len()) % 2 == 1
    })
}

/// Undoes the escapes of inline text, as a renderer does.
fn rendered(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek().is_some_and(char::is_ascii_punctuation) => {
                out.extend(chars.next());
            }
            _ => out.push(c),
        }
    }
    out.replace("&#36;", "$")
        .replace("&lt;", "<")
        .replace("&amp;", "&")
}

fn has_live_text(text: &str) -> bool {
    let chars: Vec<char> = text.to_ascii_lowercase().chars().collect();
    let live_pair = chars.windows(2).enumerate().any(|(at, pair)| match pair {
        ['@', next] => {
            next.is_ascii_alphanumeric() && !(at > 0 && chars[at - 1].is_ascii_alphanumeric())
        }
        ['#', next] => next.is_ascii_digit(),
        _ => false,
    });
    let lower: String = chars.iter().collect();
    let issue = lower
        .match_indices("gh-")
        .any(|(at, _)| lower[at + 3..].starts_with(|c: char| c.is_ascii_digit()));
    live_pair || issue || lower.contains("://") || lower.contains("www.")
}

proptest! {
    #[test]
    fn inline_text_is_one_harmless_line(text in hostile()) {
        let safe = inline(&text);
        prop_assert!(!safe.contains(['\n', '\r', '\t', '<']), "{}", safe);
        prop_assert!(!safe.contains(|c: char| c.is_control()), "{}", safe);
        for mark in ['|', '`', '[', ']'] {
            prop_assert!(all_escaped(&safe, mark), "{}", safe);
        }
        prop_assert!(!has_live_text(&rendered(&safe)), "{}", safe);
    }

    #[test]
    fn inline_text_reads_as_it_was_written(text in "[ -~]{0,40}") {
        let words = |text: &str| text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        prop_assert_eq!(rendered(&inline(&text)).replace('\u{200B}', ""), words(&text));
    }

    #[test]
    fn a_message_is_harmless_outside_of_its_code_spans(text in hostile()) {
        let safe = message(&text);
        prop_assert!(!safe.contains(['\n', '\r', '\t']), "{}", safe);
        if !all_escaped(&safe, '`') {
            let outside: Vec<&str> = safe.split('`').step_by(2).collect();
            prop_assert!(safe.matches('`').count().is_multiple_of(2), "{}", safe);
            prop_assert!(!outside.iter().any(|part| has_live_text(&rendered(part))), "{}", safe);
        }
    }

    #[test]
    fn a_line_start_is_inline_text_with_at_most_one_backslash_more(text in hostile()) {
        let (start, whole) = (line_start(&text), inline(&text));
        prop_assert!(start.len() <= whole.len() + 1);
        prop_assert_eq!(rendered(&start), rendered(&whole));
    }

    #[test]
    fn a_code_span_is_closed_by_its_own_fence_only(text in hostile()) {
        let span = code(&text);
        prop_assert!(!span.contains(['\n', '\r', '\t']) && all_escaped(&span, '|'), "{}", span);
        if !span.starts_with("<code>") {
            let length = span.len() - span.trim_start_matches('`').len();
            let inner = &span[length..span.len() - length];
            prop_assert!(!inner.starts_with('`') && !inner.ends_with('`'));
            prop_assert!(inner.split(|c| c != '`').all(|run| run.len() != length), "{}", span);
        }
    }
}
