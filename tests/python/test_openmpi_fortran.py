# SPDX-License-Identifier: BSD-3-Clause
"""Fortran programs that were compiled with the Open MPI of this system, whose libraries Orrery's take the place of."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from generator.__main__ import HERE
from generator.fortran.entries import interface_forms
from generator.fortran.openmpi import handle_numbers
from generator.fortran.spec import read_spec
from generator.interface import BinaryInterface, read_interface
from generator.kinds import read_kinds
from generator.table import read_table
from harness import HUNG_S
from skips import needs

PROGRAMS = Path(__file__).parent.parent / "programs"
REAL = ("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe")
# One thread: of more, each would want the few cores of a machine that tests run on.
SINGLE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

needs_openmpi = needs("openmpi")


@pytest.fixture(scope="module")
def prefix() -> Path:
    orrery = pytest.importorskip("orrery")
    folder = Path(os.environ.get("ORRERY_PREFIX", Path(orrery.__file__).parent / "prefix"))
    if not folder.is_dir():
        pytest.skip("Orrery is not installed; ORRERY_PREFIX may name a build tree's prefix")
    return folder


@pytest.fixture(scope="module")
def openmpi() -> BinaryInterface:
    return read_interface(HERE / "openmpi" / "openmpi.toml")


def run(folder: Path, *words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "XDG_STATE_HOME": str(folder), **environment}
    return subprocess.run(words, cwd=folder, env=variables, capture_output=True, text=True, check=False, timeout=HUNG_S)


def exported(library: Path) -> set[str]:
    nm = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    return {line.split()[-1].partition("@")[0] for line in nm.stdout.splitlines()}


# The library.


def test_every_routine_has_all_names_that_compilers_and_modules_call(prefix: Path, openmpi: BinaryInterface) -> None:
    table = read_table(HERE, read_kinds(HERE / "kinds.toml"))
    forms = interface_forms(table, read_spec(HERE / "fortran.toml", table), openmpi)
    names = [form.routine.name.lower() for form in forms]
    patterns = ("mpi_{}_", "pmpi_{}_", "mpi_{}_f08_", "pmpi_{}_f08_", "mpi_{}__", "mpi_{}", "ompi_{}_f")
    expected = {pattern.format(name) for name in names for pattern in patterns}
    expected |= {f"{p}MPI_{name.upper()}" for name in names for p in ("", "P")}
    assert sorted(expected - exported(prefix / "lib" / "openmpi" / "libmpi_mpifh.so.40")) == []


# Unused variables of its modules, and names of functions that no compiler makes.
NEVER_NEEDED = r"ompi_f08_mpi_\w+|P?MPIX?_[A-Z][a-z]\w+_f(08)?|P?MPI_F_sync_reg_f(08)?|p?ompi_buffer_detach_f08"
INTERNAL = {"ompi_intercept_extra_state_t_class", "mpiext_pcollreq_mpifh_dummy"}


@needs_openmpi
@pytest.mark.parametrize("name", ["mpifh", "usempi_ignore_tkr", "usempif08"])
def test_whatever_the_library_of_this_system_has_is_there(prefix: Path, name: str) -> None:
    folders = [Path("/usr/lib") / machine for machine in ("x86_64-linux-gnu", "aarch64-linux-gnu")]
    found = [path for folder in folders if (path := folder / f"libmpi_{name}.so.40").is_file()]
    if not found:
        pytest.skip(f"there is no libmpi_{name}.so.40")
    missing = exported(found[0]) - exported(prefix / "lib" / "openmpi" / "libmpi_mpifh.so.40") - INTERNAL
    assert sorted(name for name in missing if not re.fullmatch(NEVER_NEEDED, name)) == []


@needs_openmpi
def test_numbers_of_handles_are_those_of_mpif_h(openmpi: BinaryInterface) -> None:
    shown = subprocess.run(
        ["mpifort.openmpi", "--showme:incdirs"], capture_output=True, text=True, check=True
    ).stdout.split()
    include = next(
        Path(f) for f in (*shown, "/usr/lib/x86_64-linux-gnu/openmpi/include") if (Path(f) / "mpif.h").is_file()
    )
    text = "".join((include / name).read_text() for name in ("mpif-handles.h", "mpif-io-handles.h"))
    numbers = {name: int(value) for name, value in re.findall(r"parameter \((MPI_\w+)=(\d+)\)", text)}
    assert handle_numbers(openmpi) == numbers


# Small programs.


@needs_openmpi
@pytest.mark.parametrize(
    "sources",
    [
        ["fortran_mpif.f"],
        ["fortran_mpi.f90"],
        ["fortran_f08.f90"],
        ["openmpi_f08.f90"],
        ["openmpi_mixed.f90", "openmpi_mixed.c"],
    ],
    ids=lambda sources: sources[0],
)
@pytest.mark.parametrize("options", [["-fPIE", "-pie"], ["-fno-pie", "-no-pie"]], ids=["pie", "no-pie"])
def test_a_program_sees_the_open_mpi_that_it_was_compiled_for(
    prefix: Path, tmp_path: Path, sources: list[str], options: list[str]
) -> None:
    objects = []
    for source in sources:
        compiler = "mpicc.openmpi" if source.endswith(".c") else "mpifort.openmpi"
        objects.append(tmp_path / f"{source}.o")
        compiled = run(tmp_path, compiler, "-g", "-c", *options, PROGRAMS / source, "-o", objects[-1])
        assert compiled.returncode == 0, compiled.stderr
    linked = run(tmp_path, "mpifort.openmpi", *options, *objects, "-o", "program")
    assert linked.returncode == 0, linked.stderr
    ended = run(tmp_path, prefix / "bin" / "mpiexec", "-n", "2", "./program", tmp_path / "file")
    assert (ended.returncode, ended.stdout.count("fine\n")) == (0, 2), ended.stdout + ended.stderr


# Codes of Debian, unchanged. Each writes the same results as with the real Open MPI.

ALUMINIUM = """
tasks
  0

sppath
  '/usr/share/elk-lapw/species/'

avec
  3.8 3.8 0.0
  3.8 0.0 3.8
  0.0 3.8 3.8

atoms
  1
  'Al.in'
  1
  0.0 0.0 0.0  0.0 0.0 0.0

ngridk
  2 2 2

rgkmax
  5.5

maxscl
  3
"""

SILICON = """
&input title='Si', zed=14., rel=1, config='[Ne] 3s2 3p2', iswitch=3, dft='PZ' /
&inputp pseudotype=1, tm=.true., lloc=1, file_pseudopw='Si.UPF' /
2
3S 1 0 2.00 0.00 2.10 2.10 0.0
3P 2 1 2.00 0.00 2.10 2.10 0.0
"""
CRYSTAL = """
&control calculation='scf', prefix='si', pseudo_dir='.', outdir='tmp', tprnfor=.true. /
&system ibrav=2, celldm(1)=10.2, nat=2, ntyp=1, ecutwfc=12.0 /
&electrons conv_thr=1e-9 /
ATOMIC_SPECIES
 Si 28.086 Si.UPF
ATOMIC_POSITIONS alat
 Si 0.00 0.00 0.00
 Si 0.26 0.25 0.25
K_POINTS automatic
 2 2 2 1 1 1
"""

WATER = """
start water
memory total 200 mb
geometry units angstrom
 O  0.0  0.0    0.119
 H  0.0  0.763 -0.477
 H  0.0 -0.763 -0.477
end
basis
 * library sto-3g
end
task scf energy
"""


def both(prefix: Path, folder: Path, program: list[str], inputs: dict[str, str]) -> list[tuple[Path, str]]:
    """Folder and output of a code that runs with the real Open MPI, if there is one, and in the simulation."""
    launchers: list[tuple[str, tuple[str | Path, ...]]] = [("simulated", (prefix / "bin" / "mpiexec", "-n", "4"))]
    if shutil.which(REAL[0]) is not None:
        launchers.append(("real", (*REAL, "-n", "4")))
    results = []
    for name, launcher in launchers:
        place = folder / name
        place.mkdir()
        for file, text in inputs.items():
            (place / file).write_text(text.lstrip())
        ended = run(place, *launcher, *program, **SINGLE)
        assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-2000:]
        results.append((place, ended.stdout))
    return results


@needs("elk")
def test_elk_finds_the_same_energies(prefix: Path, tmp_path: Path) -> None:
    found = [
        (place / "TOTENERGY.OUT").read_text().split()
        for place, _ in both(prefix, tmp_path, ["elk-lapw"], {"elk.in": ALUMINIUM})
    ]
    assert len(found[0]) == 3
    assert all(energies == found[0] for energies in found)
    assert float(found[0][-1]) == pytest.approx(-242.0, abs=0.5)  # of aluminium, hartree, whatever the settings


@needs("quantum-espresso")
def test_quantum_espresso_finds_the_same_energy_and_forces(prefix: Path, tmp_path: Path) -> None:
    # Its own generator makes the pseudopotential. Four ranks share the matrices by ScaLAPACK.
    environment = {**os.environ, **SINGLE}
    subprocess.run(["ld1.x"], input=SILICON.lstrip().encode(), cwd=tmp_path, env=environment, check=True)
    inputs = {"si.in": CRYSTAL, "Si.UPF": (tmp_path / "Si.UPF").read_text()}
    results = both(prefix, tmp_path, ["pw.x", "-nd", "4", "-in", "si.in"], inputs)
    found = [re.findall(r"^!.*=(.*) Ry|Total force =\s+(\S+)", output, re.MULTILINE) for _, output in results]
    assert len(found[0]) == 2, results[0][1][-2000:]
    assert all(values == found[0] for values in found)


@needs("nwchem")
def test_nwchem_finds_the_same_energy(prefix: Path, tmp_path: Path) -> None:
    # Its global arrays are windows that ARMCI-MPI accesses from C, by handles that Fortran gave it.
    results = both(prefix, tmp_path, ["nwchem.openmpi", "water.nw"], {"water.nw": WATER})
    found = [re.findall(r"Total SCF energy =\s+(\S+)", output) for _, output in results]
    assert float(found[0][0]) == pytest.approx(-74.96, abs=0.01)  # of water in STO-3G at this geometry, hartree
    for energies in found:
        assert float(energies[0]) == pytest.approx(float(found[0][0]), abs=1e-8)
