use criterion::{criterion_group, criterion_main, BenchmarkId, Criterion, Throughput};
use histogram::count;

fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("count");
    for length in [16_usize, 4096] {
        let bytes: Vec<u8> = (0..length).map(|n| (n * 7 % 251) as u8).collect();
        group.throughput(Throughput::Bytes(length as u64));
        group.bench_with_input(BenchmarkId::from_parameter(length), &bytes, |bencher, bytes| {
            bencher.iter(|| count(bytes))
        });
    }
    group.finish();
}

criterion_group! {
    name = all;
    config = Criterion::default().sample_size(20).measurement_time(std::time::Duration::from_secs(1));
    targets = benches
}
criterion_main!(all);
