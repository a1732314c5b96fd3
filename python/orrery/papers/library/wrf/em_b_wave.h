/* SPDX-License-Identifier: BSD-3-Clause */
/* What WRF 3.4 exchanges in a step of em_b_wave, in its order: which groups of fields, how wide their halos are, and between which of
 * them it computes. Each group is exchanged with the neighbours (`halo`) or across the periodic ends of x (`period`). */
#pragma once

/* Fields of a group: those with levels, those without, and how many cells deep they are exchanged. */
typedef struct {
  int volumes, planes, width;
} Group;

void halo(Group g);
void period(Group g);
void compute(double part_of_a_step);

/* Groups that carry the field that is computed here, as they carry all prognostic fields there. */
void halo_of_stage(Group g);
void period_of_stage(Group g);
void stage(int of_three);

#define EMPTY ((Group){0, 0, 4}) /* chemistry, tracers and scalars, of which em_b_wave has none: messages of no bytes */

/* Parts of a step's computation: 3 stages with tendencies and scalars, 1 + 2 + 4 acoustic steps. */
#define TENDENCIES 0.15
#define ACOUSTIC_HALF 0.025
#define SCALARS (0.2 / 3)

static void physics_and_diffusion(void) {
  halo((Group){2, 0, 1});  /* winds */
  halo((Group){2, 3, 3});  /* heights and surface layer */
  halo((Group){7, 1, 1});  /* winds and metrics */
  period((Group){5, 1, 3});
  halo((Group){7, 0, 1});  /* deformation */
  halo((Group){6, 0, 1});  /* diffusivities */
  period((Group){16, 0, 2});
  period(EMPTY);
  halo((Group){12, 0, 1});
  halo((Group){2, 0, 3});  /* turbulent energy */
}

static void acoustic_step(void) {
  period((Group){12, 3, 2});
  compute(ACOUSTIC_HALF);
  halo((Group){2, 0, 1});  /* winds */
  compute(ACOUSTIC_HALF);
  halo((Group){3, 3, 1});  /* geopotential, pressure, column mass */
  period((Group){3, 3, 2});
}

static void scalars_before_they_are_limited(void) {
  halo((Group){1, 0, 4}), period((Group){1, 0, 4});  /* moisture */
  for (int none = 0; none < 3; ++none) halo(EMPTY), period(EMPTY);
}

static void between_stages(int of_three) {
  halo_of_stage((Group){7, 1, 3}), period_of_stage((Group){6, 1, 3});
  period((Group){1, 0, 4});
  for (int none = 0; none < 3; ++none) period(EMPTY);
  const int width = of_three == 0 ? 3 : 4;
  halo((Group){2, 0, width});  /* turbulent energy */
  halo((Group){1, 0, width});  /* moisture */
}

static void end_of_step(void) {
  halo_of_stage((Group){13, 2, 3}), period_of_stage((Group){12, 2, 3});
  period((Group){1, 0, 4});
  for (int none = 0; none < 3; ++none) period(EMPTY);
  halo((Group){2, 0, 1}), period((Group){2, 1, 2});
  halo((Group){12, 2, 3});
  halo((Group){1, 0, 3});
}

static void step(void) {
  static const int acoustic_steps[] = {1, 2, 4};
  for (int s = 0; s < 3; ++s) {
    halo((Group){8, 3, 1}), period((Group){9, 3, 2});  /* momenta, pressure */
    if (s == 0) physics_and_diffusion();
    compute(TENDENCIES);
    halo((Group){10, 3, 1}), period((Group){12, 3, 2});
    for (int a = 0; a < acoustic_steps[s]; ++a) acoustic_step();
    if (s == 2) scalars_before_they_are_limited();
    halo((Group){3, 2, 2}), period((Group){3, 2, 2});  /* mean fluxes */
    compute(SCALARS);
    stage(s);
    if (s < 2) between_stages(s);
  }
  end_of_step();
}

/* Once before the first step, twice in all. */
static void initial_fields(void) {
  halo_of_stage((Group){8, 0, 3}), halo((Group){6, 2, 3}), halo((Group){7, 2, 3}), halo((Group){2, 23, 3}), halo((Group){1, 0, 3});
  period_of_stage((Group){18, 16, 3}), period((Group){1, 0, 4}), period((Group){1, 0, 4}), period(EMPTY), period(EMPTY);
}
