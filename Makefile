# Each target sets up what it needs: a virtual environment, its packages, the compiled modules.
# Another Python: make test PYTHON=/path/to/python3.12 VENV=.venv312
#
# A new check: write its target, and add the name to BESIDE if it needs one core, else to ALONE.

VENV ?= .venv
PYTHON ?= $(shell sh tools/find_python.sh)
PYTEST_ARGS ?=
JOBS ?= $(shell nproc)
SUITE ?=
EXAMPLES ?= 100
BESIDE := lint stubs docs doctest examples model tsan
ALONE := consumers cuda cupy slow stress other-pythons
CHECKS := $(BESIDE) $(ALONE)
SECONDS := 60
SEED :=
CUDA ?= 13
CUDA_TESTS := tests/cuda tests/cuda_double tests/gpu tests/seeds/test_cuda.py
GPU_PYTHON ?= python3
GPU_ARGS ?=

PY := $(VENV)/bin/python
DONE := $(VENV)/.done
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Bytecode is kept, whatever the environment says: the tests start thousands of interpreters.
export PYTHONDONTWRITEBYTECODE :=

SOURCES := setup.py tools/buildinfo.py $(wildcard pyx/*.txt sharedarray/_version.py \
    pyx/sharedarray/*.pyx pyx/sharedarray/*.pxd pyx/sharedarray/core/*.c pyx/sharedarray/core/*.h)

.PHONY: all help build demo test check bench gpu conformance consumers-full differential format wheel clean force ready asan $(CHECKS)
.DELETE_ON_ERROR:

all: build  ## compile in place (what plain `make` does)

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: $(DONE)/build

demo: $(DONE)/build $(DONE)/deps-demo  ## run the demonstration
	$(PY) -m sharedarray demo

test: $(DONE)/build $(DONE)/deps-test  ## the core tests
	$(PY) -m pytest -n $(JOBS) --dist worksteal -m "not slow" --ignore=tests/consumers \
	    $(addprefix --ignore=,$(CUDA_TESTS)) $(PYTEST_ARGS)

check:  ## everything else: lint, stubs, docs, examples, other libraries, CUDA on a double, models, slow tests, stress, ThreadSanitizer, other Pythons
	@$(MAKE) --no-print-directory ready
	@failed=; \
	$(MAKE) --no-print-directory -k -j $(JOBS) --output-sync=target DOCTEST_AFTER=docs $(BESIDE) || failed=" one of $(BESIDE)"; \
	for name in $(ALONE); do \
	    echo "==> make $$name"; \
	    $(MAKE) --no-print-directory $$name || failed="$$failed $$name"; \
	done; \
	if [ -n "$$failed" ]; then echo "make check: failed:$$failed"; exit 1; fi; \
	echo "make check: all of these hold: $(CHECKS)"

# Not side by side: all of them write to one environment.
ready: $(DONE)/build $(DONE)/deps-lint $(DONE)/deps-docs $(DONE)/deps-demo $(DONE)/deps-test

lint: $(DONE)/deps-lint  ## ruff and cython-lint
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	PATH="$(abspath $(VENV))/bin:$$PATH" cython-lint pyx

format: $(DONE)/deps-lint  ## lay the sources out as `make lint` wants them
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

stubs: $(DONE)/build $(DONE)/deps-lint  ## the .pyi files against the compiled modules
	$(PY) tools/check_stubs.py

docs: $(DONE)/build $(DONE)/deps-docs  ## the documentation, warnings being errors
	$(PY) -m sphinx -q -W --keep-going -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

# DOCTEST_AFTER: both write docs/generated.
doctest: $(DONE)/build $(DONE)/deps-docs $(DOCTEST_AFTER)  ## the examples in docstrings (those of pages are core tests)
	$(PY) -m sphinx -q -W --keep-going -b doctest docs docs/_build/doctest

examples: $(DONE)/build $(DONE)/deps-demo  ## each program of examples/
	$(PY) tools/run_examples.py

differential: $(DONE)/build $(DONE)/deps-test  ## the standard against array-api-strict, at length: EXAMPLES=100
	DIFFERENTIAL_EXAMPLES=$(EXAMPLES) $(PY) -m pytest -n $(JOBS) --dist worksteal tests/standard $(PYTEST_ARGS)

# The official suite is in no package index: SUITE is a checkout of data-apis/array-api-tests,
# with its submodule.
conformance: $(DONE)/build $(DONE)/deps-test  ## the official array API suite: make conformance SUITE=path
	@test -f "$(SUITE)/array_api_tests/__init__.py" || { \
	    echo "make conformance SUITE=path: a checkout of github.com/data-apis/array-api-tests, with its submodule"; exit 1; }
	$(PY) -m pip install -q -r "$(SUITE)/requirements.txt"
	cd "$(SUITE)" && ARRAY_API_TESTS_MODULE=sharedarray ARRAY_API_TESTS_VERSION=2025.12 \
	    "$(abspath $(PY))" -m pytest -q -p no:cacheprovider -c pytest.ini --rootdir . array_api_tests --disable-deadline \
	    --max-examples $(EXAMPLES) --xfails-file "$(CURDIR)/tests/conformance/xfails.txt" $(PYTEST_ARGS)

consumers: $(DONE)/build $(DONE)/deps-consumers  ## SciPy, scikit-learn, torch and others on Arrays
	$(PY) -m tests.consumers --jobs $(JOBS)

consumers-full: $(DONE)/build $(DONE)/deps-consumers  ## the whole array API suites of SciPy and scikit-learn
	$(PY) -m tests.consumers --jobs $(JOBS) --full

cuda: $(DONE)/build $(DONE)/deps-test  ## CUDA arrays on the driver double
	$(PY) -m pytest -n $(JOBS) --dist worksteal -m "not slow" $(CUDA_TESTS) $(PYTEST_ARGS)

cupy: $(DONE)/build $(DONE)/deps-cuda-test  ## CuPy's real arrays over our memory, without a driver
	$(PY) -m tests.cupy $(PYTEST_ARGS)

slow: $(DONE)/build $(DONE)/deps-test  ## the tests marked slow, both builds among them
	$(PY) -m pytest -n $(shell expr $(JOBS) + 1) --dist worksteal -m "slow and not model" --ignore=tests/sanitizers --ignore=tests/consumers $(PYTEST_ARGS)

stress: $(DONE)/build $(DONE)/deps-test  ## random processes that share and kill: SECONDS=60 SEED=1
	$(PY) -m tests.stress --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

tsan: $(DONE)/deps-test  ## pool and ledger as a program of their own, under ThreadSanitizer
	$(PY) -m pytest tests/sanitizers -k "thread or race" $(PYTEST_ARGS)

asan: $(DONE)/deps-build $(DONE)/deps-test  ## core tests under AddressSanitizer and UBSan, in build/asan
	$(PY) -m pytest tests/sanitizers -k "not thread and not race" $(PYTEST_ARGS)
	$(PY) tools/asan.py build/asan

model: $(DONE)/build $(DONE)/deps-test  ## SPIN searches the models of the protocol
	@sh tools/need_program.sh spin spin
	$(PY) -m pytest -m model tests/model $(PYTEST_ARGS)

other-pythons: $(DONE)/venv  ## most core tests under every other Python from 3.11 on this machine
	@MAKE='$(MAKE)' sh tools/other_pythons.sh $(PY)

bench: $(DONE)/build $(DONE)/deps-bench  ## the benchmarks
	$(PY) -m sharedarray bench

# Where cards are there may be no package index: a Python that has all of it is used as it is.
gpu:  ## the check on a card, which writes docs/gpu-results.md: GPU_PYTHON=python3 CUDA=13
	@python=$(GPU_PYTHON); \
	$$python -c 'import Cython, cuda.bindings, cupy, numpy, setuptools' 2>/dev/null || { \
	    $(MAKE) --no-print-directory $(DONE)/deps-test $(DONE)/deps-cuda$(CUDA) && python=$(PY); } && \
	$$python -m tests.gpu $(GPU_ARGS)

wheel: $(DONE)/deps-test  ## a wheel in dist/
	$(PY) -m pip wheel --no-deps -w dist .

clean:  ## remove what was built (not the virtual environments)
	rm -rf build dist docs/_build docs/generated .pytest_cache .ruff_cache .mypy_cache .hypothesis
	rm -f sharedarray/*.so sharedarray/sharedarray-keeper
	rm -f $(wildcard .venv*/.done/build)
	find sharedarray tests tools docs benchmarks -name __pycache__ -prune -exec rm -rf {} +

$(DONE)/venv:
	@test -n "$(PYTHON)" || { echo "no CPython 3.11 or newer with headers found: make PYTHON=..."; exit 1; }
	@echo "Setting up $(VENV) and compiling: a few minutes, this once."
	$(PYTHON) -m venv $(VENV)
	@mkdir -p $(DONE)
	@touch $@

$(DONE)/deps-%: pyproject.toml tools/requirements.py $(DONE)/venv
	@$(PY) tools/requirements.py $(filter-out build,$*) > $@.txt
	$(PY) -m pip install -q -r $@.txt
	@touch $@

# torch alone has thousands of modules; what is imported is compiled then.
$(DONE)/deps-consumers: export PIP_COMPILE := 0

# The path file lets programs started in any folder import the tree.
$(DONE)/build: $(SOURCES) $(DONE)/deps-build $(if $(and $(wildcard sharedarray/*.so),$(wildcard sharedarray/sharedarray-keeper)),,force)
	@echo "Compiling into sharedarray/ ..."
	@$(PY) setup.py -q build_ext --inplace > $@.log 2>&1 || { cat $@.log; exit 1; }
	@echo "$(CURDIR)" > "$$($(PY) -c 'import sysconfig; print(sysconfig.get_path("platlib"))')/sharedarray-tree.pth"
	@touch $@
