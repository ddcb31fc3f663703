// Runs as many operations as each line of the input says, and answers with the nanoseconds that they took.
#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static unsigned char data[1024];

static uint32_t operation(void) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < sizeof data; i++) hash = (hash ^ data[i]) * 16777619u;
  return hash;
}

int main(void) {
  unsigned long long operations;
  volatile uint32_t sink;
  while (scanf("%llu", &operations) == 1) {
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    while (operations-- > 0) sink = operation();
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("%lld\n", (to.tv_sec - from.tv_sec) * 1000000000LL + (to.tv_nsec - from.tv_nsec));
    fflush(stdout);
  }
}
