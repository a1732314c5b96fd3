/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that is only another name has no code. */
extern int orrery_another_name;
