//! Any document, name and body through the region: no panic, everything outside stays byte for byte, and what
//! has been written is found again and written no differently.

#![no_main]

use libfuzzer_sys::fuzz_target;
use perf_markdown::region::{find, names, replace};
use perf_report::settled::settled;

fuzz_target!(|data: &[u8]| {
    // Name, document and body with unit separators between them, so that seeds can be read and written by hand.
    let text = String::from_utf8_lossy(data);
    let mut parts = text.splitn(3, '\u{1f}');
    let (Some(name), Some(doc), Some(body)) = (parts.next(), parts.next(), parts.next()) else { return };

    names_are_in_order(doc);
    match find(doc, name) {
        Err(error) => {
            assert!(!error.to_string().is_empty() && !error.hint().is_empty());
            assert_eq!(replace(doc, name, body), Err(error));
        }
        Ok(region) => {
            let named = names(doc).into_iter().find(|named| named.name == name).expect("it was found");
            assert_eq!((named.begins, named.ends), (vec![region.begin_line], vec![region.end_line]));
            assert!(settled(&region.body(), &region.body(), 0.0));
            written_once(doc, name, body);
        }
    }
    assert!(settled(body, body, f64::NAN));
    // Which way numbers moved, and against which of the two the tolerance is measured, is not symmetric; whether
    // anything moved at all is.
    assert_eq!(settled(doc, body, 0.0), settled(body, doc, 0.0));
    if settled(doc, body, 0.01) {
        assert!(settled(doc, body, 0.02), "a wider tolerance settles less");
    }
});

fn names_are_in_order(doc: &str) {
    let lines = doc.split_inclusive('\n').count();
    for named in names(doc) {
        assert!(named.begins.len() + named.ends.len() > 0);
        for edges in [&named.begins, &named.ends] {
            assert!(edges.is_sorted_by(|a, b| a < b) && edges.iter().all(|line| (1..=lines).contains(line)));
        }
    }
}

fn written_once(doc: &str, name: &str, body: &str) {
    let new = match replace(doc, name, body) {
        Ok(new) => new,
        Err(error) => return assert!(!error.to_string().is_empty() && !error.hint().is_empty()),
    };
    let before = find(doc, name).expect("it was found");
    let after = find(&new, name).expect("the region stays sound");
    assert_eq!(outside(doc, before.raw), outside(&new, after.raw));
    assert_eq!(before.begin_line, after.begin_line);
    assert_eq!(others(doc, name), others(&new, name));
    assert_eq!(replace(&new, name, body).as_ref(), Ok(&new));
    assert_eq!(replace(&new, name, &after.body()).as_ref(), Ok(&new));
    if !body.replace("\r\n", "\n").contains('\r') {
        assert!(settled(&after.body(), body, 0.0));
    }
}

/// What stands before and behind a slice of `doc`.
fn outside<'a>(doc: &'a str, raw: &'a str) -> (&'a str, &'a str) {
    let start = raw.as_ptr() as usize - doc.as_ptr() as usize;
    (&doc[..start], &doc[start + raw.len()..])
}

/// The names that have markers outside the region, with the number of those.
fn others<'a>(doc: &'a str, name: &str) -> Vec<(&'a str, usize, usize)> {
    let region = find(doc, name).expect("it was found");
    let inside = region.begin_line..=region.end_line;
    let outside = |lines: &[usize]| lines.iter().filter(|line| !inside.contains(line)).count();
    let counted =
        names(doc).into_iter().map(|named| (named.name, outside(&named.begins), outside(&named.ends)));
    let mut others: Vec<_> = counted.filter(|(_, begins, ends)| begins + ends > 0).collect();
    others.sort_unstable();
    others
}
