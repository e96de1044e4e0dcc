#!/usr/bin/env bash
# Builds gwatch on a machine with an NVIDIA GPU and runs all that needs one: the GPU tests, the benchmarks, and the
# recording that `gwatch demo` ships. A step that fails does not stop the others.
#
#     scripts/run_on_gpu.sh [--prebuilt FOLDER] [--pack] [STEP...]
#
# --prebuilt FOLDER   use FOLDER/gwatch/libpygwatch*.so and libgwatch_injection.so instead of building
# --pack              leave two files: summary.txt, and results.tar.gz with all the rest
# STEP                only these: tests_exact tests_launches tests_records tests_failures tests_examples tests_devices tests_exports tests_cuda_cpp tests_payloads tests_parameters tests_launch_kinds tests_gluon tests_cute tests_auto_scopes tests_fidelity tests_time record_demo
#                     recording do_trace_time untraced_launch
#
# Needs python3 with torch, triton, pytest and pybind11; cmake, ninja, a C++20 compiler; a CUDA toolkit or its headers.
# OUT             where results go; build-gpu/out
# PYTHON          the interpreter; python3
# EXTRA_INCLUDE   a folder with headers that the machine lacks, such as nlohmann/json.hpp or zlib.h
# CMAKE_ARGS      more arguments for the configuration
# BUDGET_SECONDS  when the time is up the remaining steps are skipped; 480
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

BUILD=$PWD/build-gpu
OUT=${OUT:-$BUILD/out}
PYTHON=$(command -v "${PYTHON:-python3}") || { echo "no ${PYTHON:-python3} here" >&2; exit 2; }
SITE=$BUILD/site
BUDGET_SECONDS=${BUDGET_SECONDS:-480}
prebuilt=
pack=
steps=()
while (($#)); do
    case $1 in
        --prebuilt) prebuilt=${2:?--prebuilt needs a folder}; shift ;;
        --pack) pack=1 ;;
        -*) echo "unknown option $1; see the head of $0" >&2; exit 2 ;;
        *) steps+=("$1") ;;
    esac
    shift
done
mkdir -p "$OUT" "$SITE"
OUT=$(cd "$OUT" && pwd)
SUMMARY=$OUT/summary.txt
failed=0

note() { printf '%s\n' "$*" | tee -a "$SUMMARY"; }

is_wanted() {
    ((${#steps[@]} == 0)) && return
    local step
    for step in "${steps[@]}"; do [[ $step == "$1" ]] && return; done
    return 1
}

# run NAME SECONDS COMMAND...: its output goes to NAME.log, one line about it to the summary.
run() {
    local name=$1 limit=$2 started=$SECONDS code=0 verdict=ok
    shift 2
    local left=$((BUDGET_SECONDS - SECONDS))
    if ((left < 5)); then
        note "$(printf '%-16s skipped: the time is up' "$name")"
        failed=1
        return 1
    fi
    timeout --signal=INT --kill-after=15 $((limit < left ? limit : left)) "$@" >"$OUT/$name.log" 2>&1 || code=$?
    ((code == 0)) || { verdict="exit $code" failed=1; }
    note "$(printf '%-16s %-8s %4d s   %s' "$name" "$verdict" $((SECONDS - started)) "$(tail -n 1 "$OUT/$name.log")")"
    return $code
}

run_if_wanted() { if is_wanted "$1"; then run "$@"; fi; }

configure() {
    local arguments=(-G Ninja -S . -B "$BUILD" -DCMAKE_BUILD_TYPE=Release
        "-DPython_EXECUTABLE=$PYTHON" "-DPython3_EXECUTABLE=$PYTHON"
        "-Dpybind11_DIR=$("$PYTHON" -m pybind11 --cmakedir)"
        -DGWATCH_BUILD_PYTHON=ON -DGWATCH_BUILD_TESTS=OFF -DGWATCH_BUILD_BENCHMARKS=OFF)
    if [[ -n ${EXTRA_INCLUDE:-} ]]; then
        EXTRA_INCLUDE=$(cd "$EXTRA_INCLUDE" && pwd) || return
        export CMAKE_INCLUDE_PATH=$EXTRA_INCLUDE${CMAKE_INCLUDE_PATH:+:$CMAKE_INCLUDE_PATH}
        # A header without its development package: link to the library that programs use.
        local library
        library=$(ldconfig -p | awk '/libz\.so\.1 /{print $NF; exit}')
        if [[ -f $EXTRA_INCLUDE/zlib.h && -n $library ]]; then arguments+=("-DZLIB_LIBRARY=$library"); fi
    fi
    # shellcheck disable=SC2206  # several arguments in one variable
    arguments+=(${CMAKE_ARGS:-})
    run configure 120 cmake "${arguments[@]}"
}

build() {
    configure && run compile 300 cmake --build "$BUILD" --parallel "$(nproc)" --target libpygwatch gwatch_injection &&
        run install 60 cmake --install "$BUILD" --prefix "$SITE"
}

# The package as it would be installed: the extension from the build, all else from the checkout.
make_site() {
    if [[ -n $prebuilt ]]; then
        mkdir -p "$SITE/gwatch" && cp "$prebuilt"/gwatch/lib{pygwatch*,gwatch_injection}.so "$SITE/gwatch/" || return
    else
        build || return
    fi
    cp -r python/gwatch/. include "$SITE/gwatch/" && mkdir -p "$SITE/gwatch/demo" &&
        cp examples/cuda/trace/trace_triton_attention.py "$SITE/gwatch/demo/attention.py"
}

test_file() { # test_file NAME SECONDS
    run_if_wanted "tests_$1" "$2" "$PYTHON" -m pytest "tests/gpu/test_gpu_$1.py" -q --color=no -p no:cacheprovider \
        "--junitxml=$OUT/tests_$1.xml" "${pytest_timeout[@]}"
}

: >"$SUMMARY"
note "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>&1 | head -n 1)"
note "$("$PYTHON" -c 'import sys, torch, triton
print("python", sys.version.split()[0], "torch", torch.__version__, "triton", triton.__version__)' 2>&1 | tail -n 1)"
make_site || { note "no package to test: the build failed"; tail -n 30 "$OUT/configure.log" "$OUT/compile.log" 2>&1; exit 1; }

export PYTHONPATH=$SITE${PYTHONPATH:+:$PYTHONPATH}
export PYTHONUNBUFFERED=1 PYTHONFAULTHANDLER=1 PYTHONDONTWRITEBYTECODE=1
export TRITON_CACHE_DIR=${TRITON_CACHE_DIR:-$BUILD/triton-cache}
pytest_timeout=()
"$PYTHON" -c 'import pytest_timeout' 2>/dev/null && pytest_timeout=(--timeout=120)

run import 60 "$PYTHON" -c 'import gwatch.libpygwatch as core; core.init_cupti_hooks(); print("CUPTI is ready")'
test_file exact 150
run_if_wanted record_demo 60 "$PYTHON" scripts/record_demo.py --folder "$OUT/demo"
run_if_wanted recording 300 "$PYTHON" benchmarks/recording.py --json "$OUT/recording.json"
run_if_wanted do_trace_time 60 "$PYTHON" benchmarks/do_trace_time.py --json "$OUT/do_trace_time.json"
test_file records 90
test_file launches 120
test_file failures 150
test_file examples 240
test_file devices 120
test_file exports 90
test_file payloads 180
test_file parameters 60
test_file launch_kinds 240
test_file gluon 60
test_file cuda_cpp 240
test_file time 90
test_file fidelity 120
test_file cute 150
test_file auto_scopes 120
run_if_wanted untraced_launch 60 "$PYTHON" benchmarks/untraced_launch.py --json "$OUT/untraced_launch.json"

note "$SECONDS s in all"
if [[ -n $pack ]]; then
    archive=$(mktemp) && tar -czf "$archive" -C "$OUT" . &&
        find "$OUT" -mindepth 1 -not -name summary.txt -delete && mv "$archive" "$OUT/results.tar.gz"
    chmod 644 "$OUT/results.tar.gz"
fi
exit $failed
