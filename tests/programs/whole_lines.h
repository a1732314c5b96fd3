/* SPDX-License-Identifier: BSD-3-Clause */
/* Included first in programs of tests that real MPIs run. MPICH takes the buffer from standard output, so that `puts` writes a
 * line and its end one after the other, and what another rank prints may come between them; `printf` writes them at once, where
 * the compiler does not replace it (-fno-builtin-printf). */
#include <stdio.h>
#define puts(line) printf("%s\n", (line))
