// Measures code inside of a process, and prints rows that perf-gate reads.
//
// stopwatch_rounds: blocks in turn, net of an empty block; stopwatch_window: operations per second; stopwatch_cold: fresh
// state; stopwatch_one_way: latency from intended starts at a fixed rate. Settings are environment variables, with the
// defaults of stopwatch_setting's calls. Include it in one file, behind `#define _GNU_SOURCE`, and link with -lpthread.
// Allocations are counted when linked with -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc and -DSTOPWATCH_COUNTS.
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STOPWATCH_SETTINGS(name, value) stopwatch_setting("STOPWATCH_" name, value)

static double stopwatch_setting(const char *name, double value) {
  const char *text = getenv(name);
  return text ? strtod(text, NULL) : value;
}

static int64_t stopwatch_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static _Atomic uint64_t stopwatch_allocations, stopwatch_bytes;

#ifdef STOPWATCH_COUNTS
void *__real_malloc(size_t), *__real_calloc(size_t, size_t), *__real_realloc(void *, size_t);

static void stopwatch_count(size_t bytes) {
  atomic_fetch_add_explicit(&stopwatch_allocations, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&stopwatch_bytes, bytes, memory_order_relaxed);
}

void *__wrap_malloc(size_t bytes) { return stopwatch_count(bytes), __real_malloc(bytes); }
void *__wrap_calloc(size_t n, size_t bytes) { return stopwatch_count(n * bytes), __real_calloc(n, bytes); }
void *__wrap_realloc(void *old, size_t bytes) { return stopwatch_count(bytes), __real_realloc(old, bytes); }
#endif

typedef struct { uint64_t allocations, bytes; } stopwatch_counts;

static stopwatch_counts stopwatch_counted(void) { return (stopwatch_counts){stopwatch_allocations, stopwatch_bytes}; }

// A row as far as its end; names are printed as they are, so they have no quotes.
static void stopwatch_row(FILE *file, const char *name, const char *more, const char *methodology, int run) {
  fprintf(file, "{\"scenario\":\"%s%s\",\"methodology\":\"%s\",\"runIndex\":%d", name, more, methodology, run);
}

static void stopwatch_end(FILE *file, stopwatch_counts from, stopwatch_counts to, double operations) {
#ifdef STOPWATCH_COUNTS
  fprintf(file, ",\"allocations\":%.9g,\"allocatedBytes\":%.9g", (to.allocations - from.allocations) / operations,
          (to.bytes - from.bytes) / operations);
#else
  (void)from, (void)to, (void)operations;
#endif
  fprintf(file, "}\n");
  fflush(file);
}

static int stopwatch_order(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Sorts the values, and returns the middle.
static double stopwatch_median(double *values, int n) {
  qsort(values, n, sizeof *values, stopwatch_order);
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

static void stopwatch_spread(const char *before, const double *values, int n) {
  double *sorted = malloc(n * sizeof *sorted);
  memcpy(sorted, values, n * sizeof *sorted);
  double median = stopwatch_median(sorted, n);
  fprintf(stderr, "%s%.3f ns (%.3f to %.3f)", before, median, sorted[0], sorted[n - 1]);
  free(sorted);
}

typedef void (*stopwatch_body)(void);

// A call of the body is in the time of the empty block, too.
static void stopwatch_empty(void) { __asm__ volatile("" ::: "memory"); }

__attribute__((noinline)) static double stopwatch_timed(stopwatch_body body, int64_t times) {
  int64_t start = stopwatch_now();
  while (times-- > 0) body();
  return (double)(stopwatch_now() - start);
}

// A block; with a base, two versions of one, whose samples of a round are a pair.
typedef struct { const char *name; stopwatch_body body, base; } stopwatch_block;

typedef struct {
  const char *name, *side;
  stopwatch_body body;
  int64_t times;
  double *net, *overhead;
  stopwatch_counts *from, *to;
} stopwatch_side;

static void stopwatch_sample(stopwatch_side *side, int round) {
  side->from[round] = stopwatch_counted();
  double gross = stopwatch_timed(side->body, side->times);
  side->to[round] = stopwatch_counted();
  double overhead = stopwatch_timed(stopwatch_empty, side->times);
  side->net[round] = (gross - overhead) / side->times;
  side->overhead[round] = overhead / side->times;
}

static void stopwatch_write(const stopwatch_side *side, int rounds, FILE *base) {
  int below = 0;
  fprintf(stderr, "%s%s", side->name, side->side);
  stopwatch_spread(": ", side->net, rounds);
  stopwatch_spread(", net of an empty block of ", side->overhead, rounds);
  fprintf(stderr, ", %" PRId64 " times a sample\n", side->times);
  for (int round = 0; round < rounds; round++) {
    below += side->net[round] <= 0;
    bool is_base = !strcmp(side->side, " (base)");
    FILE *file = is_base ? base : stdout;
    const char *how = *side->side ? "pairs in random order" : "rounds, net of an empty block";
    stopwatch_row(file, side->name, is_base && base == stdout ? side->side : "", how, round);
    fprintf(file, "%s,\"timeNs\":%.9g", *side->side ? "" : ",\"launchIndex\":1", side->net[round]);
    stopwatch_end(file, side->from[round], side->to[round], side->times);
  }
  if (below)
    fprintf(stderr, "%s%s: %d of %d samples are not above the empty block: no cost was measured\n", side->name,
            side->side, below, rounds);
}

// Samples of each block and its base, in an order drawn anew in each round.
static void stopwatch_rounds(const stopwatch_block *blocks, int n) {
  int rounds = STOPWATCH_SETTINGS("ROUNDS", 20), count = 0, order[2 * n];
  double least = STOPWATCH_SETTINGS("SAMPLE_MS", 1) * 1e6;
  stopwatch_side sides[2 * n];
  for (int i = 0; i < n; i++) {
    int64_t times = 1;
    int first = count;
    if (blocks[i].base) sides[count++] = (stopwatch_side){blocks[i].name, " (base)", blocks[i].base};
    sides[count++] = (stopwatch_side){blocks[i].name, blocks[i].base ? " (current)" : "", blocks[i].body};
    for (int at = first; at < count; at++)  // versions are repeated equally often
      while (stopwatch_timed(sides[at].body, times) < least && times < 1 << 30) times *= 2;
    for (int at = first; at < count; at++) {
      sides[at].times = times;
      sides[at].net = malloc(rounds * sizeof(double)), sides[at].overhead = malloc(rounds * sizeof(double));
      sides[at].from = malloc(rounds * sizeof(stopwatch_counts)), sides[at].to = malloc(rounds * sizeof(stopwatch_counts));
    }
  }
  for (int at = 0; at < count; at++) order[at] = at;
  srandom((unsigned)stopwatch_now());
  for (int round = 0; round < rounds; round++) {
    for (int at = count - 1; at > 0; at--) {
      int other = random() % (at + 1), kept = order[at];
      order[at] = order[other], order[other] = kept;
    }
    for (int at = 0; at < count; at++) stopwatch_sample(&sides[order[at]], round);
  }
  const char *path = getenv("STOPWATCH_BASE");
  FILE *base = path ? fopen(path, "w") : stdout;
  if (!base) perror(path), exit(1);
  for (int at = 0; at < count; at++) stopwatch_write(&sides[at], rounds, base);
  if (base != stdout) fclose(base);
}

// Operations per second over one continuous window.
static void stopwatch_window(const char *name, stopwatch_body operation) {
  double window = STOPWATCH_SETTINGS("WINDOW", 5) * 1e9;
  stopwatch_timed(operation, STOPWATCH_SETTINGS("WARM_UP", 10000));
  stopwatch_counts from = stopwatch_counted();
  int64_t operations = 0, batch = 1, elapsed = 0, start = stopwatch_now();
  while (elapsed < window) {
    stopwatch_timed(operation, batch);
    operations += batch;
    int64_t earlier = elapsed;
    elapsed = stopwatch_now() - start;
    if (elapsed - earlier < window / 200) batch *= 2;
  }
  stopwatch_counts to = stopwatch_counted();
  stopwatch_row(stdout, name, "", "one continuous window in the process", -1);
  printf(",\"opsPerSecond\":%.9g,\"timeNs\":%.9g", operations * 1e9 / elapsed, (double)elapsed / operations);
  stopwatch_end(stdout, from, to, operations);
}

// The median time of one operation on fresh state, which `build` makes by the number of the trial and `drop` frees. With
// warm code, all trials run before on state that is thrown away.
static void stopwatch_cold(const char *name, bool warm_code, void *(*build)(int), void (*operation)(void *),
                           void (*drop)(void *)) {
  int trials = STOPWATCH_SETTINGS("TRIALS", 32);
  double times[trials], allocations[trials], bytes[trials];
  for (int pass = warm_code ? 0 : 1; pass < 2; pass++)
    for (int trial = 0; trial < trials; trial++) {
      void *state = build(trial);
      stopwatch_counts from = stopwatch_counted();
      int64_t start = stopwatch_now();
      operation(state);
      times[trial] = stopwatch_now() - start;
      stopwatch_counts to = stopwatch_counted();
      allocations[trial] = to.allocations - from.allocations, bytes[trial] = to.bytes - from.bytes;
      drop(state);
    }
  fprintf(stderr, "%s", name);
  stopwatch_spread(": ", times, trials);
  fprintf(stderr, " in %d trials\n", trials);
  const char *how = warm_code ? "one operation of warm code on fresh state" : "one operation on fresh state";
  stopwatch_row(stdout, name, "", how, -1);
  printf(",\"timeNs\":%.9g", stopwatch_median(times, trials));
  stopwatch_counts none = {0, 0};
  stopwatch_counts median = {stopwatch_median(allocations, trials), stopwatch_median(bytes, trials)};
  stopwatch_end(stdout, none, median, 1);
}

#define STOPWATCH_SLOTS 65536

// A ring that a sender and all ways to receive share; its counters are in cache lines of their own.
typedef struct {
  _Alignas(128) _Atomic uint64_t sent;
  _Alignas(128) _Atomic uint64_t received;
  _Alignas(128) atomic_bool ended;
  bool is_held;
  double rate;
  int64_t messages, limit, patience, slots[STOPWATCH_SLOTS];
} stopwatch_rig;

typedef struct { double *latencies; int64_t count; } stopwatch_tally;

// Takes at most so many waiting messages.
static uint64_t stopwatch_poll(stopwatch_rig *rig, uint64_t limit, stopwatch_tally *tally) {
  uint64_t at = rig->received, taken = atomic_load_explicit(&rig->sent, memory_order_acquire) - at;
  if (taken > limit) taken = limit;
  for (uint64_t number = at; number < at + taken; number++)
    tally->latencies[tally->count++] = stopwatch_now() - rig->slots[number % STOPWATCH_SLOTS];
  if (taken > 0) atomic_store_explicit(&rig->received, at + taken, memory_order_release);
  return taken;
}

static void *stopwatch_send(void *argument) {
  stopwatch_rig *rig = argument;
  int64_t start = stopwatch_now(), message = 0;
  bool caught_up = false;
  // A sender that is late at the end gets as much time again, as it may just have lost its processor.
  for (; message < rig->messages || (!caught_up && message < rig->limit); message++) {
    int64_t due = start + (int64_t)(message * 1e9 / rig->rate), now = stopwatch_now();
    uint64_t sent = rig->sent;
    caught_up |= now <= due && message * 4 >= rig->messages * 3;
    while ((now < due || sent - atomic_load_explicit(&rig->received, memory_order_acquire) >= STOPWATCH_SLOTS) &&
           now <= due + rig->patience)
      now = stopwatch_now();
    if (now > due + rig->patience) break;
    rig->slots[sent % STOPWATCH_SLOTS] = due;
    atomic_store_explicit(&rig->sent, sent + 1, memory_order_release);
  }
  rig->is_held = message >= rig->messages && caught_up;
  atomic_store(&rig->ended, true);
  return NULL;
}

typedef uint64_t (*stopwatch_receiver)(stopwatch_rig *, stopwatch_tally *);

// Sends and receives one repetition, and returns the messages per second.
static double stopwatch_repetition(stopwatch_rig *rig, double rate, double length, stopwatch_receiver receive,
                                   stopwatch_tally *tally) {
  rig->rate = rate, rig->patience = length * 5e8 + 5e8, rig->ended = false;
  rig->messages = rate * length < 4 ? 4 : rate * length;
  rig->limit = rig->messages * 2 + rate / 2;
  tally->latencies = realloc(tally->latencies, (rig->limit + 1) * sizeof(double)), tally->count = 0;
  pthread_t sender;
  int64_t start = stopwatch_now();
  if (!tally->latencies || pthread_create(&sender, NULL, stopwatch_send, rig)) perror("stopwatch"), exit(1);
  for (;;) {
    bool ended = atomic_load(&rig->ended);
    if (receive(rig, tally) == 0 && ended) break;
  }
  double reached = tally->count * 1e9 / (stopwatch_now() - start);
  pthread_join(sender, NULL);
  return reached;
}

// Latency from intended starts at the protocol's rate.
static void stopwatch_one_way(const char *name, stopwatch_rig *rig, stopwatch_receiver receive) {
  int repetitions = STOPWATCH_SETTINGS("REPETITIONS", 5);
  double rate = STOPWATCH_SETTINGS("RATE", 1000000), length = STOPWATCH_SETTINGS("LENGTH", 1), steps[1001];
  stopwatch_tally tally = {NULL, 0};
  for (int step = 0; step < 1001; step++) {
    int64_t from = stopwatch_now();
    steps[step] = stopwatch_now() - from;
  }
  for (int repetition = 0; repetition <= repetitions; repetition++) {
    double reached = stopwatch_repetition(rig, rate, length, receive, &tally), sum = 0;
    if (!rig->is_held) {
      do reached = stopwatch_repetition(rig, reached * 0.8, length < 0.2 ? length : 0.2, receive, &tally), reached = rig->rate;
      while (!rig->is_held && reached > 1);
      fprintf(stderr, "%s: %.0f messages/s cannot be held; %.0f/s can\n", name, rate, reached);
      exit(1);
    }
    qsort(tally.latencies, tally.count, sizeof(double), stopwatch_order);
    const struct { const char *name; double share; } quantiles[] = {{"Ms.min", 0}, {"Ms.max", 1}, {"P50Ms", 0.5},
                                                                    {"P90Ms", 0.9}, {"P99Ms", 0.99}, {"P99.9Ms", 0.999}};
    double at[6];
    for (int i = 0; i < 6; i++) {
      int64_t place = quantiles[i].share * tally.count;
      at[i] = tally.latencies[place < tally.count ? place : tally.count - 1];
    }
    fprintf(stderr, "%s: Rep %d/%d%s: min %.0f ns, p50 %.0f ns, p99 %.0f ns, each within %.0f ns\n", name, repetition + 1,
            repetitions + 1, repetition ? "" : " (warmup)", at[0], at[2], at[4], stopwatch_median(steps, 1001));
    if (repetition == 0) continue;
    for (int64_t i = 0; i < tally.count; i++) sum += tally.latencies[i];
    stopwatch_row(stdout, name, "", "one-way, intended starts, polled in the process", repetition - 1);
    printf(",\"launchIndex\":1,\"latencyMs\":%.9g", sum / tally.count / 1e6);
    for (int i = 0; i < 6; i++) printf(",\"latency%s\":%.9g", quantiles[i].name, at[i] / 1e6);
    printf(",\"requests\":%" PRId64 "}\n", tally.count);
    fflush(stdout);
  }
  free(tally.latencies);
}
