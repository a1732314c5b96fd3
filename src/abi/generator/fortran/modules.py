# SPDX-License-Identifier: BSD-3-Clause
"""The modules `mpi` and `mpi_f08`, and `orrery_mpi`, which both use.

They hold interfaces, constants and variables that lie in the library, and no code: a compiler makes of them what `use`
reads, and there is nothing to link. Choice buffers are `type(*)`: in `mpi` addresses, with the directives by which
compilers are told not to look at type and rank, in `mpi_f08` arrays of any rank with their descriptors.
"""

import textwrap
from collections.abc import Iterable, Iterator

from generator.fortran.callbacks import callbacks
from generator.fortran.constants import (
    BOUNDS,
    F08_STATUS_SENTINELS,
    KINDS,
    OLD_FUNCTIONS,
    PREDEFINED_FUNCTIONS,
    SENTINELS,
    STATUS_SENTINELS,
    Sentinel,
    handle_types,
    handles,
    numbers,
)
from generator.fortran.entries import outlives, symbols
from generator.fortran.spec import Dummy, FortranSpec
from generator.interface import BinaryInterface
from generator.table import Form, RoutineTable

_WIDTH = 100
_LICENSE = "! SPDX-License-Identifier: BSD-3-Clause"


def _wrapped(text: str) -> str:
    """A statement, continued on further lines where it is long."""
    indent = " " * (len(text) - len(text.lstrip()))
    lines = textwrap.wrap(text.strip(), _WIDTH - len(indent), break_long_words=False, break_on_hyphens=False)
    return " &\n".join(indent + ("  " if i else "") + line for i, line in enumerate(lines))


def _variables(sentinels: Iterable[Sentinel]) -> Iterator[str]:
    for sentinel in sentinels:
        yield f'  {sentinel.type}, bind(C, name="{sentinel.symbol}_") :: {sentinel.name}{sentinel.dimension}'


def _support(*, subarrays: bool) -> Iterator[str]:
    value = ".true." if subarrays else ".false."
    for name in ("MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING"):
        yield f"  logical, parameter :: {name} = {value}"


def _type(dummy: Dummy, form: Form, *, f08: bool) -> str:
    fortran = dummy.fortran
    text = (fortran.large if form.large else fortran.f08) if f08 else fortran.type
    return text.format(c=dummy.kind.c_type(large=form.large))


def _dimension(dummy: Dummy, *, f08: bool) -> str:
    parameter, dimension = dummy.parameter, dummy.fortran.dimension
    if dummy.kind.name == "status":
        if f08:
            return "(*)" if parameter.is_array else ""
        return "(MPI_STATUS_SIZE, *)" if parameter.is_array else "(MPI_STATUS_SIZE)"
    if dimension is not None:
        return dimension
    return "(*)" if parameter.is_array else ""


def _intent(dummy: Dummy) -> str:
    """Nothing where a variable with a meaning of its own may be passed, which must not be written to."""
    kind, use = dummy.kind.name, dummy.parameter.use
    if kind in ("status", "buffer", "weights") or (kind == "error" and dummy.parameter.is_array):
        return ", intent(in)" if use in ("in", "in_array") else ""
    if dummy.kind.callback is not None:
        return ""
    return f", intent({dummy.parameter.direction.value})"


def _declaration(dummy: Dummy, form: Form, *, f08: bool) -> Iterator[str]:
    name = dummy.name
    if dummy.fortran.is_choice and not f08:
        yield f"      !GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}"
        yield f"      !DEC$ ATTRIBUTES NO_ARG_CHECK :: {name}"
        yield f"      !DIR$ IGNORE_TKR {name}"
        yield f"      type(*), dimension(*) :: {name}"
        return
    if dummy.fortran.is_choice:
        held = ", asynchronous" if outlives(form) else ""
        yield f"      type(*), dimension(..){_intent(dummy)}{held} :: {name}"
        return
    type_ = _type(dummy, form, f08=f08)
    if type_ == "external":
        yield f"      external :: {name}"
        return
    yield f"      {type_}{_intent(dummy) if f08 else ''} :: {name}{_dimension(dummy, f08=f08)}"


def _ierror(*, f08: bool) -> str:
    return "      integer, optional, intent(out) :: ierror" if f08 else "      integer :: ierror"


def _procedure(spec: FortranSpec, form: Form, name: str, *, f08: bool, pointer: bool = False) -> Iterator[str]:
    """The interface of one procedure; with `pointer`, its addresses are of type(c_ptr)."""
    dummies = [d for d in spec.dummies(form, f08=f08) if d.fortran.absent is None]
    names = [d.name for d in dummies]
    if form.routine.returns is not None:
        type_ = spec.kinds[form.routine.returns.name].type
        yield f"    {type_} function {name}({', '.join(names)})"
    else:
        yield _wrapped(f"    subroutine {name}({', '.join([*names, 'ierror'])})")
    yield "      import"
    # Lengths of arrays first: an explicit shape needs its variable declared.
    for dummy in sorted(dummies, key=lambda d: d.fortran.dimension == "(count, *)"):
        for line in _declaration(dummy, form, f08=f08):
            is_address = pointer and dummy.kind.name == "address"
            yield line.replace("integer(kind=MPI_ADDRESS_KIND)", "type(c_ptr)") if is_address else line
    if form.routine.returns is None:
        yield _ierror(f08=f08)
    yield f"    end {'subroutine' if form.routine.returns is None else 'function'}"


def _for_mpi(spec: FortranSpec, form: Form, prefix: str) -> Iterator[str]:
    name = prefix + form.name
    if any(d.kind.name == "address" for d in spec.dummies(form, f08=False)):
        yield f"  interface {name}"
        yield from _procedure(spec, form, name, f08=False)
        yield from _procedure(spec, form, f"{name}_cptr", f08=False, pointer=True)
    else:
        yield "  interface"
        yield from _procedure(spec, form, name, f08=False)
    yield "  end interface"


def _specific(spec: FortranSpec, form: Form, prefix: str) -> str:
    """The name of a procedure in mpi_f08: that of its symbol."""
    _, _, suffix = symbols(spec, form, f08=True)[0].rpartition("_f08")
    return f"{prefix}{form.name}_f08{suffix}"


def _signature(spec: FortranSpec, form: Form) -> list[str]:
    dummies = [d for d in spec.dummies(form, f08=True) if d.fortran.absent is None]
    text = [_type(d, form, f08=True) + _dimension(d, f08=True) for d in dummies]
    for name, value in KINDS.items():
        text = [t.replace(name, str(value)) for t in text]
    return text


def _generic(prefix: str, forms: list[Form], spec: FortranSpec) -> Iterator[str]:
    yield f"  interface {prefix}{forms[0].name}"
    for form in forms:
        yield from _procedure(spec, form, _specific(spec, form, prefix), f08=True)
    yield "  end interface"


def _for_f08(spec: FortranSpec, forms: list[Form], prefix: str) -> Iterator[str]:
    """A generic name for both forms, or one for each where the compiler could not tell them apart."""
    if forms[0].routine.returns is not None:
        yield "  interface"
        yield from _procedure(spec, forms[0], prefix + forms[0].name, f08=True)
        yield "  end interface"
        return
    callback = any(p.kind.callback is not None for p in forms[0].parameters)
    if len(forms) == 1 or (not callback and _signature(spec, forms[0]) != _signature(spec, forms[1])):
        yield from _generic(prefix, forms, spec)
        return
    for form in forms:
        yield from _generic(prefix, [form], spec)


def _only_fortran(prefix: str, *, f08: bool) -> Iterator[str]:
    """Routines that C does not have."""
    status = "type(MPI_Status)"
    array = "integer"
    yield "  interface"
    yield f"    subroutine {prefix}MPI_Sizeof(x, size, ierror)"
    yield "      import"
    yield "      type(*), dimension(..), intent(in) :: x"
    yield "      integer, intent(out) :: size"
    yield _ierror(f08=f08)
    yield "    end subroutine"
    yield f"    subroutine {prefix}MPI_F_sync_reg{'_f08ts' if f08 else ''}(buf)"
    yield "      import"
    if f08:
        yield "      type(*), dimension(..), asynchronous :: buf"
    else:
        yield "      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf"
        yield "      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf"
        yield "      !DIR$ IGNORE_TKR buf"
        yield "      type(*), dimension(*) :: buf"
    yield "    end subroutine"
    for name, from_, to in (
        ("Status_f2f08", ("f_status", array), ("f08_status", status)),
        ("Status_f082f", ("f08_status", status), ("f_status", array)),
    ):
        yield f"    subroutine {prefix}MPI_{name}({from_[0]}, {to[0]}, ierror)"
        yield "      import"
        for (dummy, type_), intent in ((from_, "in"), (to, "out")):
            yield f"      {type_}, intent({intent}) :: {dummy}{'(MPI_STATUS_SIZE)' if type_ == array else ''}"
        yield _ierror(f08=f08)
        yield "    end subroutine"
    yield "  end interface"
    if f08:
        yield f"  interface {prefix}MPI_F_sync_reg"
        yield f"    procedure :: {prefix}MPI_F_sync_reg_f08ts"
        yield "  end interface"


def _operators(interface: BinaryInterface) -> Iterator[str]:
    """`==` and `/=` of handles."""
    for operator, name in (("==", "same"), ("/=", "other")):
        for type_ in handle_types(interface):
            specific = f"orrery_{name}_handle"
            yield f"  interface operator({operator})"
            yield f"    elemental logical function {specific}_{type_[4:].lower()}(a, b)"
            yield "      import"
            yield f"      type({type_}), intent(in) :: a, b"
            yield "    end function"
            yield "  end interface"


def _base(interface: BinaryInterface) -> Iterator[str]:
    yield "module orrery_mpi"
    yield "  implicit none"
    yield "  public"
    for name, value in (*KINDS.items(), *numbers(interface)):
        yield f"  integer, parameter :: {name} = {value}"
    for name, constant in interface.typed_constants.items():
        yield f"  integer(kind=MPI_OFFSET_KIND), parameter :: {name} = {constant.value}_MPI_OFFSET_KIND"
    for type_ in handle_types(interface):
        yield f"  type, bind(C) :: {type_}"
        yield "    integer :: MPI_VAL"
        yield f"  end type {type_}"
    yield "  type, bind(C) :: MPI_Status"
    yield "    integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR"
    yield "    integer :: MPI_internal(5)"
    yield "  end type MPI_Status"
    yield from _variables(SENTINELS)
    yield from _operators(interface)
    yield "end module orrery_mpi"


def _mpi(table: RoutineTable, spec: FortranSpec, interface: BinaryInterface) -> Iterator[str]:
    yield "module mpi"
    yield "  use, intrinsic :: iso_c_binding, only: c_ptr"
    yield "  use orrery_mpi"
    yield "  implicit none"
    yield "  public"
    yield "  private :: c_ptr"
    yield from _support(subarrays=False)
    for _, name, value in handles(interface):
        yield f"  integer, parameter :: {name} = {value}"
    for name, value in BOUNDS.items():
        yield f"  integer, parameter :: {name} = {value}"
    yield from _variables(STATUS_SENTINELS)
    for name in (*PREDEFINED_FUNCTIONS, *OLD_FUNCTIONS):
        yield f"  external :: {name}"
    for prefix in ("", "P"):
        for routine in table.routines():
            if spec.has(routine):
                yield from _for_mpi(spec, Form(routine, large=False), prefix)
        yield from _only_fortran(prefix, f08=False)
    yield "end module mpi"


def _mpi_f08(table: RoutineTable, spec: FortranSpec, interface: BinaryInterface) -> Iterator[str]:
    yield "module mpi_f08"
    yield "  use, intrinsic :: iso_c_binding, only: c_ptr"
    yield "  use orrery_mpi"
    yield "  implicit none"
    yield "  public"
    yield "  private :: c_ptr"
    yield from _support(subarrays=True)
    for type_, name, value in handles(interface):
        yield f"  type({type_}), parameter :: {name} = {type_}({value})"
    for name, value in BOUNDS.items():
        yield f"  type(MPI_Datatype), parameter :: {name} = MPI_Datatype({value})"
    yield from _variables(F08_STATUS_SENTINELS)
    yield from callbacks()
    for name, type_ in PREDEFINED_FUNCTIONS.items():
        yield f"  procedure({type_}) :: {name}"
    yield "  procedure(MPI_Copy_function) :: MPI_NULL_COPY_FN, MPI_DUP_FN"
    yield "  procedure(MPI_Delete_function) :: MPI_NULL_DELETE_FN"
    for prefix in ("", "P"):
        for routine in table.routines():
            if spec.has(routine) and routine.deprecated != "2.0":  # MPI-1's, which mpi_f08 never had
                yield from _for_f08(spec, routine.forms(), prefix)
        yield from _only_fortran(prefix, f08=True)
    yield "end module mpi_f08"


def modules(table: RoutineTable, spec: FortranSpec, interface: BinaryInterface) -> str:
    """All three, in the order in which they are compiled; without the first line."""
    lines = [_LICENSE, f"! MPI, {interface.title}."]
    for module in (_base(interface), _mpi(table, spec, interface), _mpi_f08(table, spec, interface)):
        lines += ["", *module]
    return "\n".join(lines) + "\n"
