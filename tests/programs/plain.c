/* SPDX-License-Identifier: BSD-3-Clause
 * No MPI program at all. */
int main(void) { return 0; }
