# Two commands do all the set-up: `make demo` and `make test`. Both create .venv and build the C++ core once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BUILD := build
GROUPS := build demo test lint
CXX_FILES = $(shell git ls-files 'src/*.h' 'src/*.cpp' 'tests/cpp/*.h' 'tests/cpp/*.cpp' 'benchmarks/*.cpp' 'include/*.hpp')

.PHONY: demo test test-cpp test-python test-gpu lint format stub build benchmarks clean

demo: $(VENV)/built
	$(BIN)/gwatch demo --report demo-report.html --report demo-report.json
	@echo "Open demo-report.html in a browser, or: $(BIN)/gwatch show demo-report.json"

test: test-cpp test-python lint

test-cpp: $(VENV)/built
	$(BIN)/ctest --test-dir $(BUILD) --output-on-failure --parallel 2

test-python: $(VENV)/built $(VENV)/triton36
	GWATCH_TRITON36=$(abspath $(VENV)/triton36) $(BIN)/python -m pytest tests/python

# Needs an NVIDIA GPU, torch and triton in .venv.
test-gpu: $(VENV)/built
	$(BIN)/python -m pytest tests/gpu

lint: $(VENV)/built
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CXX_FILES)

format: $(VENV)/installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CXX_FILES)

# Writes the stub of the extension anew; a test compares it with the built module.
stub: $(VENV)/built
	$(BIN)/python scripts/make_stub.py

build: $(VENV)/built

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet $(foreach group,$(GROUPS),--group $(group))
	touch $@

# The older Triton that is supported, beside the newer one in .venv.
$(VENV)/triton36: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --no-deps --target $@ triton==3.6.0

$(VENV)/built: $(VENV)/installed CMakeLists.txt $(shell find src cmake tests/cpp benchmarks -type f -not -name '*.py' 2>/dev/null)
	$(BIN)/python -m pip install --quiet --no-build-isolation --no-deps --editable . \
	    --config-settings=build-dir=$(BUILD) --config-settings=cmake.define.GWATCH_BUILD_TESTS=ON \
	    --config-settings=cmake.define.GWATCH_BUILD_BENCHMARKS=ON
	touch $@

clean:
	rm -rf $(VENV) $(BUILD) demo-report.*
