# Two commands do all the set-up: `make demo` and `make test`. Both create .venv and build the C++ core once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BUILD := build
NPM := $(shell command -v npm 2>/dev/null)
GPU := $(shell nvidia-smi --list-gpus 2>/dev/null)
DEMO_GROUPS := build demo $(if $(GPU),gpu)
TEST_GROUPS := test lint
CXX_FILES = $(shell git ls-files 'include/*.hpp' 'src/*.h' 'src/*.cpp' 'tests/*.h' 'tests/*.cpp' 'benchmarks/*.cpp')
CORE_FILES = CMakeLists.txt $(shell find src include cmake examples -type f -not -path '*/node_modules/*')
TEST_FILES = $(shell find tests/cpp benchmarks -type f -not -name '*.py')
INSTALL = $(BIN)/python -m pip install --quiet
INSTALL_GWATCH = $(INSTALL) --no-build-isolation --no-deps --editable . --config-settings=build-dir=$(BUILD)

.PHONY: demo test test-cpp test-python test-gpu lint format stub build clean

demo: $(VENV)/built
	$(BIN)/gwatch demo --report demo-report.html --report demo-report.json
	@echo "Open demo-report.html in a browser, or: $(BIN)/gwatch show demo-report.json"

test: lint test-cpp test-python $(if $(GPU),test-gpu)

test-cpp: $(VENV)/built-tests
	GWATCH_TEST_PTXAS=$$(ls $(abspath $(VENV))/lib/python*/site-packages/nvidia/cu13/bin/ptxas | head -n 1) \
	    $(BIN)/ctest --test-dir $(BUILD) --output-on-failure --parallel 2 --progress

test-python: $(VENV)/built-tests $(VENV)/triton36 $(VENV)/cute47 $(if $(NPM),src/viewer/node_modules)
	GWATCH_TRITON36=$(abspath $(VENV)/triton36) GWATCH_CUTE47=$(abspath $(VENV)/cute47) $(BIN)/python -m pytest tests/python

# Needs an NVIDIA GPU.
test-gpu: $(VENV)/built-tests
	$(BIN)/python -m pytest tests/gpu

lint: $(VENV)/built-tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@$(BIN)/clang-format --dry-run --Werror $(CXX_FILES)

format: $(VENV)/installed-tests
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	@$(BIN)/clang-format -i $(CXX_FILES)

# Writes the stub of the extension anew; a test compares it with the built module.
stub: $(VENV)/built-tests
	$(BIN)/python scripts/make_stub.py

build: $(VENV)/built-tests

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --upgrade "pip>=25.1"
	$(INSTALL) $(addprefix --group ,$(DEMO_GROUPS))
	touch $@

$(VENV)/installed-tests: $(VENV)/installed
	$(INSTALL) $(addprefix --group ,$(TEST_GROUPS))
	touch $@

# The older Triton that is supported, beside the newer one in .venv.
$(VENV)/triton36: $(VENV)/installed
	$(INSTALL) --no-deps --target $@ triton==3.6.0

# The older CuTe DSL, likewise.
$(VENV)/cute47: $(VENV)/installed-tests
	$(INSTALL) --no-deps --target $@ $(addprefix nvidia-cutlass-dsl,$(addsuffix ==4.7.1,-libs-base -libs-core -libs-cu13))

$(VENV)/built: $(VENV)/installed $(CORE_FILES)
	$(INSTALL_GWATCH)
	touch $@

$(VENV)/built-tests: $(VENV)/installed-tests $(CORE_FILES) $(TEST_FILES)
	$(INSTALL_GWATCH) --config-settings=cmake.define.GWATCH_WERROR=ON \
	    --config-settings=cmake.define.GWATCH_BUILD_TESTS=ON \
	    --config-settings=cmake.define.GWATCH_BUILD_BENCHMARKS=ON
	touch $(VENV)/built $@

src/viewer/node_modules: src/viewer/package-lock.json
	cd src/viewer && $(NPM) ci --silent
	touch $@

clean:
	rm -rf $(VENV) $(BUILD) src/viewer/node_modules demo-report.*
