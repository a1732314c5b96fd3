/* SPDX-License-Identifier: BSD-3-Clause
 * orrery_bench: point-to-point experiments on a real MPI. Plain C99 and MPI-3, nothing else, so that it builds wherever
 * a user's mpicc does. Python makes the plan and judges the numbers; this program only measures.
 *
 *   orrery_bench PLAN RESULTS [SECONDS]
 *
 * All ranks run the experiments of the plan one after the other. Rank 0 alone reads PLAN and writes RESULTS, so the
 * nodes need no common file system. What an experiment measured is appended when it is done, and an experiment that
 * RESULTS has already is skipped: an interrupted run goes on where it was. After SECONDS no further one is begun. */
#ifndef ORRERY_BENCH_H
#define ORRERY_BENCH_H

#include <mpi.h>

enum { ORRERY_NAME = 64, ORRERY_LINE = 65536, ORRERY_PAIRS = 4096, ORRERY_TAG = 77 };

/* --- the plan: a line `ID KIND key=value ...` for each experiment ------------------------------------------------ */

/* Value of a key, a whole number; `otherwise` where it is not there. */
long long orrery_number(const char* line, const char* key, long long otherwise);
/* Text of a key in `text`; returns 0 and an empty text where it is not there. */
int orrery_text(const char* line, const char* key, char* text, int room);
/* Pairs of ranks, as in `0-1,2-3` (or `0>1,1>0`); returns how many. Ends the run for what is no pair of this world. */
int orrery_pairs(const char* line, const char* key, int (*pairs)[2]);
/* Whether `word` is among the words, separated by commas, of a key. */
int orrery_is(const char* line, const char* key, const char* word);

/* The lines of PLAN that RESULTS does not have yet, on all ranks: a newly allocated text. */
char* orrery_plan(const char* plan, const char* results);

/* --- samples: kept by each rank, written by rank 0 when the experiment is done ----------------------------------- */

/* One number of the running experiment: what it is, between which ranks, for messages of how many bytes, in which
 * repetition. Times are in seconds. */
void orrery_sample(const char* what, int from, int to, long long bytes, int repetition, double value);
/* Collective: writes the samples of all ranks, and that experiment `id` is done. */
void orrery_done(const char* id, const char* results);

/* --- time -------------------------------------------------------------------------------------------------------- */

/* Returns at `time` of this rank's MPI_Wtime: sleeps while it is far, then looks at the clock. */
void orrery_wait_until(double time);
/* The same by sleep alone, some 100 us late: the processor is free until then. */
void orrery_sleep_until(double time);
/* What must be added to the clock of `other` to have ours; both ranks call it with the same `rounds`. `first`: this
 * rank asks. The answer with the shortest round trip counts. */
double orrery_clock_offset(int other, int first, int rounds);
/* Collective: this rank's offset against rank 0, for a common start. Kept until the next call. */
void orrery_synchronise(int rounds);
/* Collective: a moment that is `ahead` seconds away, by this rank's clock. */
double orrery_common_start(double ahead);

/* --- work that takes the same time whenever nothing disturbs it --------------------------------------------------- */

/* So many dependent multiplications, of some 2 ns each. Use what it returns, lest the compiler leave it out. */
double orrery_work(double x, int steps);
/* Seconds of the quickest of so many trials: what the work takes undisturbed. */
double orrery_quickest_work(int steps, int trials);

/* --- buffers ----------------------------------------------------------------------------------------------------- */

/* At least so many bytes, touched, aligned to a page; number 0 or 1. Valid until asked for more. */
char* orrery_buffer(int number, long long bytes);

void orrery_fail(const char* what, const char* detail);
extern int orrery_rank, orrery_size;

/* --- experiments: each is called by all ranks -------------------------------------------------------------------- */

void orrery_hosts(const char* line);       /* who is where */
void orrery_foreign(const char* line);     /* what others do on the nodes */
void orrery_clocks(const char* line);      /* offsets of all clocks */
void orrery_ping(const char* line);        /* one way, after idleness: time in send and receive, one-way time */
void orrery_pingpong(const char* line);    /* there and back without a pause, by one or many pairs at once */
void orrery_limit(const char* line);       /* bisection for the size at which the protocol changes */
void orrery_flows(const char* line);       /* transfers that start together */
void orrery_queue(const char* line);       /* small messages next to a large one */
void orrery_overlap(const char* line);     /* computation during a transfer */
void orrery_calls(const char* line);       /* what Wtime, Test and Iprobe cost */
void orrery_nonblocking(const char* line); /* how late a non-blocking collective is seen to be over */
void orrery_compute(const char* line);     /* what the processor does itself */
void orrery_slice(const char* line);       /* computation before another rank gets the processor */
void orrery_steal(const char* line);       /* processor time that others take */
void orrery_noise(const char* line);       /* interruptions of computation */
void orrery_wire(const char* line);        /* bytes and frames that the network interfaces count */

#endif
