! SPDX-License-Identifier: BSD-3-Clause
!
! The groups that a job asks for, in Fortran: what groups.h is for C, by the same names, and with any MPI that has a module
! mpi. Compile this file before those that use the module, or put   include 'orrery/groups.f90'   before them.
!
! A group inside of another one is named with it: "ocean/east". Colours count from 0, a group before those inside it. Ranks
! are those of MPI_COMM_WORLD.
module orrery_groups
  use mpi
  implicit none
  private
  integer, parameter, public :: orrery_no_group = -1, orrery_innermost = -1
  public :: orrery_group_count, orrery_group_error, orrery_group_name, orrery_group_colour, orrery_group_parent
  public :: orrery_group_depth, orrery_group_size, orrery_group_ranks, orrery_group_of, orrery_group_fact
  public :: orrery_group_mine, orrery_group_comm

  integer, parameter :: most_groups = 4096, most_ranks = 16777216, longest_name = 255

  type :: group_type
    character(len=:), allocatable :: name, facts
    integer, allocatable :: ranks(:)
    integer :: parent = orrery_no_group, depth = 0
  end type

  type(group_type), allocatable, save :: groups(:)
  integer, save :: job_size = 0
  logical, save :: known = .false.
  character(len=:), allocatable, save :: problem

contains

  ! How many groups there are, at all depths.
  integer function orrery_group_count()
    call read_groups()
    orrery_group_count = size(groups)
  end function

  ! What is wrong with ORRERY_GROUPS, and then there are no groups; else empty.
  function orrery_group_error() result(text)
    character(len=:), allocatable :: text
    call read_groups()
    text = problem
  end function

  ! Empty where there is no such group.
  function orrery_group_name(colour) result(name)
    integer, intent(in) :: colour
    character(len=:), allocatable :: name
    name = ''
    if (is_group(colour)) name = groups(colour)%name
  end function

  ! orrery_no_group where there is none of this name.
  integer function orrery_group_colour(name) result(colour)
    character(len=*), intent(in) :: name
    call read_groups()
    do colour = 0, size(groups) - 1
      if (groups(colour)%name == trim(name)) return
    end do
    colour = orrery_no_group
  end function

  ! The group around it; orrery_no_group: the whole job.
  integer function orrery_group_parent(colour) result(parent)
    integer, intent(in) :: colour
    parent = orrery_no_group
    if (is_group(colour)) parent = groups(colour)%parent
  end function

  ! 0: a group of the whole job.
  integer function orrery_group_depth(colour) result(depth)
    integer, intent(in) :: colour
    depth = -1
    if (is_group(colour)) depth = groups(colour)%depth
  end function

  ! Number of its ranks.
  integer function orrery_group_size(colour) result(count)
    integer, intent(in) :: colour
    count = 0
    if (is_group(colour)) count = size(groups(colour)%ranks)
  end function

  ! Its ranks, in their order in the group.
  function orrery_group_ranks(colour) result(ranks)
    integer, intent(in) :: colour
    integer, allocatable :: ranks(:)
    allocate (ranks(0))
    if (is_group(colour)) ranks = groups(colour)%ranks
  end function

  ! Colour of the group of this depth that has the rank; with orrery_innermost the smallest.
  integer function orrery_group_of(rank, depth) result(found)
    integer, intent(in) :: rank, depth
    integer :: colour
    call read_groups()
    found = orrery_no_group
    do colour = 0, size(groups) - 1
      if (groups(colour)%parent /= found) cycle
      if (.not. any(groups(colour)%ranks == rank)) cycle
      found = colour
      if (groups(colour)%depth == depth) return
    end do
    if (depth /= orrery_innermost) found = orrery_no_group
  end function

  ! What was asked for, and where the group landed; empty where nothing is said of it.
  function orrery_group_fact(colour, key) result(value)
    integer, intent(in) :: colour
    character(len=*), intent(in) :: key
    character(len=:), allocatable :: value
    integer :: first, last
    value = ''
    if (.not. is_group(colour)) return
    first = index('&'//groups(colour)%facts, '&'//trim(key)//'=')
    if (first == 0) return
    first = first + len_trim(key) + 1
    last = index(groups(colour)%facts(first:), '&') + first - 2
    if (last < first - 1) last = len(groups(colour)%facts)
    value = groups(colour)%facts(first:last)
  end function

  ! Of the calling process; only between MPI_Init and MPI_Finalize.
  integer function orrery_group_mine(depth)
    integer, intent(in) :: depth
    integer :: rank, code
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
    orrery_group_mine = orrery_group_of(rank, depth)
  end function

  ! A new communicator of its ranks, collective over these alone; MPI_COMM_NULL for others. `code` is MPI_ERR_ARG where there is
  ! no such group, and MPI_ERR_GROUP where the job has another number of ranks than its groups were made for.
  subroutine orrery_group_comm(colour, comm, code)
    integer, intent(in) :: colour
    integer, intent(out) :: comm, code
    integer :: rank, ranks_there, world, members, ignored
    comm = MPI_COMM_NULL
    code = MPI_ERR_ARG
    if (.not. is_group(colour)) return
    call MPI_Comm_size(MPI_COMM_WORLD, ranks_there, ignored)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ignored)
    code = MPI_ERR_GROUP
    if (ranks_there /= job_size) return
    code = MPI_SUCCESS
    if (.not. any(groups(colour)%ranks == rank)) return
    call MPI_Comm_group(MPI_COMM_WORLD, world, ignored)
    call MPI_Group_incl(world, size(groups(colour)%ranks), groups(colour)%ranks, members, code)
    call MPI_Group_free(world, ignored)
    if (code /= MPI_SUCCESS) return
    call MPI_Comm_create_group(MPI_COMM_WORLD, members, colour, comm, code)
    call MPI_Group_free(members, ignored)
  end subroutine

  logical function is_group(colour)
    integer, intent(in) :: colour
    call read_groups()
    is_group = colour >= 0 .and. colour < size(groups)
  end function

  ! Reads the table once (groups.h says what it looks like). Where something is wrong there are no groups.
  subroutine read_groups()
    character(len=:), allocatable :: text
    integer :: length, status
    if (known) return
    known = .true.
    problem = ''
    allocate (groups(0:-1))
    call get_environment_variable('ORRERY_GROUPS', length=length, status=status)
    if (status /= 0 .or. length == 0) return
    allocate (character(len=length) :: text)
    call get_environment_variable('ORRERY_GROUPS', value=text)
    call read_table(text)
    if (problem == '') return
    deallocate (groups)
    allocate (groups(0:-1))
  end subroutine

  subroutine read_table(text)
    character(len=*), intent(in) :: text
    integer :: first, last, count, colour
    problem = 'ORRERY_GROUPS does not begin with 1:RANKS: ; it is written by orrery run and orrery launch'
    if (len(text) < 4) return
    if (text(1:2) /= '1:') return
    first = 3
    job_size = number_at(text, first, most_ranks + 1)
    if (job_size < 1 .or. first > len(text)) return
    if (text(first:first) /= ':') return
    first = first + 1
    problem = 'ORRERY_GROUPS has more groups than 4096'
    count = 1
    do colour = first, len(text)
      if (text(colour:colour) == ':') count = count + 1
    end do
    if (count > most_groups) return
    problem = ''
    deallocate (groups)
    allocate (groups(0:count - 1))
    do colour = 0, count - 1
      last = index(text(first:), ':') + first - 2
      if (last < first - 1) last = len(text)
      if (.not. reads_group(text(first:last), colour)) then
        problem = 'ORRERY_GROUPS has a group that is not NAME=RANKS, or ranks that are not there'
        return
      end if
      first = last + 2
    end do
  end subroutine

  logical function reads_group(text, colour)
    character(len=*), intent(in) :: text
    integer, intent(in) :: colour
    integer :: equals, facts, around
    reads_group = .false.
    equals = index(text, '=')
    facts = index(text, '&')
    if (facts == 0) facts = len(text) + 1
    if (equals < 2 .or. facts < equals .or. equals > longest_name + 1) return
    groups(colour)%name = text(1:equals - 1)
    if (verify(groups(colour)%name, &
               'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./') /= 0) return
    if (index('/'//groups(colour)%name//'/', '//') /= 0) return
    groups(colour)%facts = text(min(facts + 1, len(text) + 1):)
    if (.not. reads_ranks(text(equals + 1:facts - 1), groups(colour))) return
    around = colour - 1
    do while (around >= 0)
      if (index(groups(colour)%name, groups(around)%name//'/') == 1) exit
      around = groups(around)%parent
    end do
    groups(colour)%parent = around
    if (around >= 0) groups(colour)%depth = groups(around)%depth + 1
    reads_group = .true.
  end function

  logical function reads_ranks(text, group)
    character(len=*), intent(in) :: text
    type(group_type), intent(inout) :: group
    logical, allocatable :: seen(:)
    integer, allocatable :: ranks(:)
    integer :: at, first, last, step, rank, count
    reads_ranks = .false.
    allocate (seen(0:job_size - 1), ranks(job_size))
    seen = .false.
    count = 0
    at = 1
    do
      first = number_at(text, at, job_size)
      last = first
      step = 1
      if (first < 0) return
      if (next_is('-')) then
        last = number_at(text, at, job_size)
        if (last < first) return
        if (next_is('/')) then
          step = number_at(text, at, job_size)
          if (step < 1) return
        end if
      end if
      do rank = first, last, step
        if (seen(rank)) return
        seen(rank) = .true.
        count = count + 1
        ranks(count) = rank
      end do
      if (at > len(text)) exit
      if (.not. next_is(',')) return
    end do
    group%ranks = ranks(1:count)
    reads_ranks = .true.
  contains
    logical function next_is(character)
      character(len=1), intent(in) :: character
      next_is = .false.
      if (at > len(text)) return
      if (text(at:at) /= character) return
      next_is = .true.
      at = at + 1
    end function
  end function

  ! The number at text(at:), below `end`; `at` moves behind it. -1: there is none.
  integer function number_at(text, at, end) result(number)
    character(len=*), intent(in) :: text
    integer, intent(inout) :: at
    integer, intent(in) :: end
    integer :: digit, begin
    number = 0
    begin = at
    do while (at <= len(text))
      digit = index('0123456789', text(at:at)) - 1
      if (digit < 0) exit
      number = 10*number + digit
      at = at + 1
      if (number >= end) exit
    end do
    if (at == begin .or. number >= end) number = -1
  end function

end module
