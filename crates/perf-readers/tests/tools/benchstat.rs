//! benchstat, whose later tables add to the benchmarks of the first one.

use super::account_of_sums;

#[test]
fn tables_of_each_unit() {
    let told = account_of_sums("benchstat", "benchstat/table.txt");
    let row = |name: &str| {
        told.lines()
            .find(|line| line.contains(name))
            .unwrap_or_default()
    };
    let long = row("example.com/parse.Long-8 (old.txt) | ");
    assert!(
        long.contains("ns/op=112800 ") && long.contains(" B/op=48486.4 "),
        "{told}"
    );
    assert!(
        row("example.com/parse.Gone-8 (old.txt) | ").contains("ns/op=1500000 "),
        "{told}"
    );
    assert!(
        !told.contains("Gone-8 (new.txt)") && !told.contains("geomean"),
        "{told}"
    );
    // The lower end of an interval as wide as the number is unknown.
    assert!(row("Wild-8 (old.txt) | ").ends_with("ns/op=219"), "{told}");
}

#[test]
fn tables_of_early_versions() {
    let told = account_of_sums("benchstat", "benchstat/old.txt");
    let row = |name: &str| {
        told.lines()
            .find(|line| line.contains(name))
            .unwrap_or_default()
    };
    let encode = row("Encode-8 (new) | ");
    assert!(
        encode.contains("ns/op=11800000 ") && encode.contains("allocs/op=8 "),
        "{told}"
    );
    assert!(row("Seek-8 (c.txt) | ").contains("ns/op=900 "), "{told}");
}
