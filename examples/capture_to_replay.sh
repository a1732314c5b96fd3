#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# From a run on a real MPI to a prediction for another cluster: compile, capture, look at it, replay.
#
#     capture_to_replay.sh [PLATFORM]         default graphene
#
# Needs an MPI with `mpicc` and `mpirun` in PATH, and heat2d.c beside this file. The program knows nothing of Orrery.
set -euo pipefail
platform=${1:-graphene}

mpicc -O2 "$(dirname "$0")/heat2d.c" -o heat2d-real -lm
orrery capture -o real.trace -- mpirun -np 4 ./heat2d-real 128 50
orrery profile real.trace                                    # where time went on this machine: nothing is simulated
orrery replay real.trace --platform "$platform" --map node -o there.json   # the same calls and computation, there
