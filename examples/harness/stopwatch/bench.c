// What is measured inside of a process, with `stopwatch.h` beside this file.
#define _GNU_SOURCE
#include "stopwatch.h"

static volatile uint64_t total = 1;

static void work(int times) {
  for (int i = 0; i < times * 1000; i++) total ^= i;
}

static void base(void) { work(1); }
static void current(void) { work(4); }
static void multiply(void) { total *= 7; }

static void *volatile sink;
static void list(void) {
  sink = malloc(64);
  free(sink);
}

static void *build(int trial) { return calloc(trial + 1, 4096); }
static void touch(void *state) { *(volatile char *)state = 1; }

static uint64_t poll_one(stopwatch_rig *rig, stopwatch_tally *tally) { return stopwatch_poll(rig, 1, tally); }
static uint64_t poll_all(stopwatch_rig *rig, stopwatch_tally *tally) { return stopwatch_poll(rig, UINT64_MAX, tally); }

int main(void) {
  static stopwatch_rig rig;
  stopwatch_window("list", list);
  stopwatch_cold("touch (cold)", false, build, touch, free);
  stopwatch_cold("touch (warm code)", true, build, touch, free);
  const stopwatch_block blocks[] = {{"multiply", multiply, NULL}, {"sum", current, base}};
  stopwatch_rounds(blocks, 2);
  stopwatch_one_way("poll one", &rig, poll_one);
  stopwatch_one_way("poll all", &rig, poll_all);
}
