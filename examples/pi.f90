! SPDX-License-Identifier: BSD-3-Clause
!
! Pi as the integral of 4 / (1 + x^2) from 0 to 1, by the midpoint rule.
!
!     pi [INTERVALS]         default 1000000
!
! Rank r takes the intervals r, r + size, r + 2 size, ...; one reduction adds what they found. The error of the rule is
! at most h^2 / 12 for this function; the program stops with 1 if it is more than that and rounding can explain.
program pi
  use mpi_f08
  implicit none
  integer, parameter :: wide = kind(1.0d0)
  real(wide), parameter :: exact = 3.14159265358979323846_wide
  integer :: rank, ranks, intervals, i
  real(wide) :: h, x, mine, sum
  character(len=32) :: word

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  intervals = 1000000
  if (command_argument_count() >= 1) then
    call get_command_argument(1, word)
    read (word, *) intervals
  end if

  h = 1 / real(intervals, wide)
  mine = 0
  do i = rank, intervals - 1, ranks
    x = h * (i + 0.5_wide)
    mine = mine + 4 / (1 + x * x)
  end do
  call MPI_Reduce(mine, sum, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)

  if (rank == 0) then
    print '(a, i0, a, f16.13, a, es8.1)', 'pi with ', intervals, ' intervals: ', h * sum, ', error', abs(h * sum - exact)
    if (abs(h * sum - exact) > h * h / 12 + 1.0e-12_wide) call MPI_Abort(MPI_COMM_WORLD, 1)
  end if
  call MPI_Finalize()
end program pi
