#!/bin/sh
# Stands in for a benchmark: prints the rates of three operations, with 1% noise that differs from run to run. The file
# `speed` contains the speed of the code in percent.
speed=$(cat speed)
runs=$(($(cat runs 2>/dev/null || echo 0) + 1))
echo "$runs" >runs
noise=$((runs * 8 % 21 - 10))
rate() { # OPERATIONS-A-SECOND
  echo $(($1 * speed / 100 * (1000 + noise) / 1000))
}
cat <<END
running 3 benchmarks
scenario,platform,runIndex,decodesPerSecond,allocs
Decode_Small,guide,0,$(rate 18204417),2
Decode_Big,guide,0,$(rate 1820512),6
Encode,guide,0,$(rate 9120003),3
done
END
