//! Replaces a region of any document. Checks: no panics; text outside stays the same; a written region can be found,
//! and writing it again changes nothing.

#![no_main]

use libfuzzer_sys::fuzz_target;
use perf_report::markdown::region::{Region, find, names, replace};
use perf_report::up_to_date::is_up_to_date;

fuzz_target!(|data: &[u8]| {
    // The input is name, document and body, separated by U+001F, so that seeds can be written by hand.
    let text = String::from_utf8_lossy(data);
    let mut parts = text.splitn(3, '\u{1f}');
    let (Some(name), Some(doc), Some(body)) = (parts.next(), parts.next(), parts.next()) else {
        return;
    };

    match find(doc, name) {
        Err(error) => {
            assert!(!error.to_string().is_empty() && !error.hint.is_empty());
            assert_eq!(replace(doc, name, body), Err(error));
        }
        Ok(region) => {
            assert!(names(doc).contains(&name) && region.begin_line < region.end_line);
            assert!(is_up_to_date(&region.body(), &region.body(), 0.0));
            written_once(doc, name, body);
        }
    }
    assert!(is_up_to_date(body, body, f64::NAN));
    // With a tolerance, the order of the arguments matters. Without one, it does not.
    assert_eq!(is_up_to_date(doc, body, 0.0), is_up_to_date(body, doc, 0.0));
    if is_up_to_date(doc, body, 0.01) {
        assert!(
            is_up_to_date(doc, body, 0.02),
            "a wider tolerance settles less"
        );
    }
});

fn written_once(doc: &str, name: &str, body: &str) {
    let new = match replace(doc, name, body) {
        Ok(new) => new,
        Err(error) => return assert!(!error.to_string().is_empty() && !error.hint.is_empty()),
    };
    let before = find(doc, name).expect("it was found");
    let after = find(&new, name).expect("the region stays sound");
    assert_eq!(outside(doc, before.raw), outside(&new, after.raw));
    assert_eq!(before.begin_line, after.begin_line);
    let inside = before.begin_line..=before.end_line;
    for other in names(doc) {
        let is_outside = |region: &Region<'_>| {
            !inside.contains(&region.begin_line) && !inside.contains(&region.end_line)
        };
        assert!(
            !find(doc, other).is_ok_and(|region| is_outside(&region)) || find(&new, other).is_ok()
        );
    }
    assert_eq!(replace(&new, name, body).as_ref(), Ok(&new));
    assert_eq!(replace(&new, name, &after.body()).as_ref(), Ok(&new));
    if !body.replace("\r\n", "\n").contains('\r') {
        assert!(is_up_to_date(&after.body(), body, 0.0));
    }
}

/// The text before and after a slice of `doc`.
fn outside<'a>(doc: &'a str, raw: &'a str) -> (&'a str, &'a str) {
    let start = raw.as_ptr() as usize - doc.as_ptr() as usize;
    (&doc[..start], &doc[start + raw.len()..])
}
