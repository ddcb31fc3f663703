// How fast words are counted in texts of several lengths.
#include <benchmark/benchmark.h>

#include <cctype>
#include <string>

static std::size_t count_words(const std::string& text) {
    std::size_t words = 0;
    std::string word;
    for (char c : text) {
        if (std::isspace(static_cast<unsigned char>(c))) {
            words += !word.empty();
            word = std::string();
        } else {
            word += c;
        }
    }
    return words + !word.empty();
}

static void CountWords(benchmark::State& state) {
    std::string text;
    while (text.size() < static_cast<std::size_t>(state.range(0))) {
        text += "a considerably longer-than-usual word ";
    }
    for (auto _ : state) {
        benchmark::DoNotOptimize(count_words(text));
    }
    state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * static_cast<int64_t>(text.size()));
}
BENCHMARK(CountWords)->Arg(64)->Arg(4096)->Arg(262144);

BENCHMARK_MAIN();
