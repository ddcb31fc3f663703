//! perf stat.

use super::{account, common, read};

#[test]
fn report() {
    insta::assert_snapshot!(account("perf-stat", "perf-stat/report.txt"));
}

/// Numbers are printed in the language of the machine; other text may follow.
#[test]
fn decimal_commas_and_text_behind_the_report() {
    let text = " Performance counter stats for 'system wide':\n\n        170895,68      msec cpu-clock      #    7,999 CPUs utilized    ( +-  0,50% )\n             \
                1.357      page-faults       #    0,008 K/sec\n     1.413.179.341      cycles\n         7298401      branch-misses\n\n      \
                21,363827428 seconds time elapsed\n\n       1.204,5 seconds user\n\n0      apples\n12 pears\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
}

/// Some languages group digits by no-break spaces or apostrophes, and a deviation leaves three decimals.
#[test]
fn other_marks_between_digits() {
    let text = " Performance counter stats for 'sleep 12' (5 runs):\n\n     1\u{202f}204\u{202f}523      cycles    ( +-  0,125% )\n        \
                1’357      page-faults\n\n            12,345 +- 0,210 seconds time elapsed  ( +-  1,70% )\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
}

#[test]
fn clocks_and_kinds_of_cores_stay_apart() {
    let report = " Performance counter stats for 'sort':\n\n  12.50 msec cpu-clock\n  12.40 msec task-clock\n  \
                  1,200      cpu_core/instructions/u\n  1,300      cpu_atom/instructions/u\n\n  1.5 seconds time elapsed\n";
    insta::assert_snapshot!(common::account(&read(report.as_bytes())), @"
    file:1 sort |  |  | -1 | timeS=1.5 cpuTimeMs=12.5 taskClockMs=12.4 cpuCoreInstructions=1200 cpuAtomInstructions=1300
    file: 1 of 8 lines (perf-stat)
    ");
}

#[test]
fn counters_with_a_share_of_the_time_are_read() {
    let report = common::read(
        " Performance counter stats for './x':\n\n     1,234,567      cycles                  (49.95%)\n             \
         0      dTLB-loads              (0,83%)\n       334,567      L1-dcache-loads\n\n       0.101976138 seconds time elapsed\n\n",
    );
    let metrics = report.rows[0]
        .metrics
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    assert_eq!(
        metrics.collect::<Vec<_>>(),
        [
            "timeS=0.101976138",
            "cycles=1234567",
            "dTLB-loads=0",
            "L1-dcache-loads=334567"
        ]
    );
}

#[test]
fn shares_and_uncore_counters_of_repeated_runs() {
    let text = " Performance counter stats for './bench' (5 runs):\n\n          1,204.52 msec task-clock  #    0.998 CPUs utilized  ( +-  0.10% )\n         1,234,567      branch-misses  #    0.10% of all branches  ( +-  0.60% )  (71.41%)\n              TopdownL1  #     12.5 %  tma_backend_bound\n                         #     10.1 %  tma_bad_speculation  ( +-  0.20% )\n              5.38 MiB  uncore_imc/cas_count_read/  ( +-  1.10% )\n           123,456      ls_not_halted_cyc:u  #     55.0 %  backend_bound  ( +-  0.10% )\n\n           1.20710 +- 0.00610 seconds time elapsed  ( +-  0.51% )\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 ./bench |  |  | -1 | timeS=1.2071 cpuTimeMs=1204.52 cpuTimeMs.stddev=1.20452 branchMisses=1234567 branchMisses.stddev=7407.401999999999 tma_backend_bound=12.5 tma_bad_speculation=10.1 uncore_imc/cas_count_read/=5.38 uncore_imc/cas_count_read/.stddev=0.05918 ls_not_halted_cyc=123456 ls_not_halted_cyc.stddev=123.456 backend_bound=55 timeS.stddev=0.0061562100000000005
    file: 1 of 10 lines (perf-stat)
    ");
}

#[test]
fn few_repeated_runs() {
    insta::assert_snapshot!(account("perf-stat", "perf-stat/repeated.txt"));
}
