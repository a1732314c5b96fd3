#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What if? One recording of a program, replayed with other algorithms and on other platforms, on the same computation.
#
#     what_if.sh TRACE         as `orrery run -o TRACE` or `orrery capture -o TRACE` wrote it
#
# Writes a record and a report of each replay into the folder what-if, and says how far each is from the recording.
set -euo pipefail
trace=$1
mkdir -p what-if

replay() {  # NAME OPTIONS...
  orrery replay "$trace" -o "what-if/$1.json" "${@:2}" >"what-if/$1.txt"
}

replay as-recorded
replay reduce-then-broadcast --coll allreduce=reduce_bcast
replay as-mpich --selector mpich-5.0
replay ranks-side-by-side --map slot
replay today --platform default

for record in what-if/*.json; do
  [ "$record" = what-if/as-recorded.json ] && continue
  orrery compare what-if/as-recorded.json "$record" | sed -n 1p   # the verdict
done
