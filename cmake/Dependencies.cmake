# Finds what the core needs: nlohmann/json, zlib, protozero, threads, CUDA and CUPTI headers (never their
# libraries: those are opened at run time), and GoogleTest for the tests.
# A Python package that carries headers counts as installed; what is nowhere is fetched, pinned.
include(FetchContent)
find_package(Threads REQUIRED)
find_package(Python3 COMPONENTS Interpreter QUIET)

function(gwatch_python_include_dir module subfolder result)
    set(found "")
    if(Python3_Interpreter_FOUND)
        execute_process(
            COMMAND ${Python3_EXECUTABLE} -c
                "import importlib.util as u; s = u.find_spec('${module}'); print(next(iter(s.submodule_search_locations)) if s else '')"
            OUTPUT_VARIABLE package OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
        if(package AND EXISTS "${package}/${subfolder}")
            set(found "${package}/${subfolder}")
        endif()
    endif()
    set(${result} "${found}" PARENT_SCOPE)
endfunction()

# nlohmann/json: installed, else PyPI's nlohmann-json, else fetched.
gwatch_python_include_dir(nlohmann_json include json_from_python)
find_path(NLOHMANN_JSON_INCLUDE_DIR nlohmann/json.hpp HINTS ${json_from_python})
if(NOT NLOHMANN_JSON_INCLUDE_DIR)
    FetchContent_Declare(json URL https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz)
    FetchContent_MakeAvailable(json)
    set(NLOHMANN_JSON_INCLUDE_DIR ${json_SOURCE_DIR}/include)
endif()
add_library(gwatch_json INTERFACE)
target_include_directories(gwatch_json SYSTEM INTERFACE ${NLOHMANN_JSON_INCLUDE_DIR})

find_package(ZLIB QUIET)
if(NOT ZLIB_FOUND)
    FetchContent_Declare(zlib URL https://github.com/madler/zlib/releases/download/v1.3.1/zlib-1.3.1.tar.gz)
    FetchContent_MakeAvailable(zlib)
    target_include_directories(zlibstatic INTERFACE ${zlib_SOURCE_DIR} ${zlib_BINARY_DIR})
    add_library(ZLIB::ZLIB ALIAS zlibstatic)
endif()

# protozero, headers only, writes Perfetto's protobuf messages: installed (Debian: libprotozero-dev), else fetched.
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_builder.hpp)
if(NOT PROTOZERO_INCLUDE_DIR)
    FetchContent_Declare(protozero
        URL https://github.com/mapbox/protozero/archive/refs/tags/v1.8.2.tar.gz
        URL_HASH SHA256=68d1df951b4d8397355c8fc9ffed40d9c06282a877fe847403feac6edcee3ef1
        SOURCE_SUBDIR none)
    FetchContent_MakeAvailable(protozero)
    set(PROTOZERO_INCLUDE_DIR ${protozero_SOURCE_DIR}/include)
endif()
add_library(gwatch_protozero INTERFACE)
target_include_directories(gwatch_protozero SYSTEM INTERFACE ${PROTOZERO_INCLUDE_DIR})

# CUDA and CUPTI headers: the toolkit's, else those of the PyPI wheels nvidia-cuda-runtime and nvidia-cuda-cupti.
gwatch_python_include_dir(nvidia.cu13 include cuda_from_python)
find_path(CUDA_INCLUDE_DIR cuda.h HINTS ENV CUDA_HOME ENV CUDA_PATH ${cuda_from_python}
    PATHS /usr/local/cuda/include PATH_SUFFIXES include)
find_path(CUPTI_INCLUDE_DIR cupti.h HINTS ${CUDA_INCLUDE_DIR} ${CUDA_INCLUDE_DIR}/../extras/CUPTI/include
    ${cuda_from_python} PATHS /usr/local/cuda/extras/CUPTI/include)
if(NOT CUDA_INCLUDE_DIR OR NOT CUPTI_INCLUDE_DIR)
    message(FATAL_ERROR "cuda.h or cupti.h not found. Install a CUDA toolkit, or: "
        "pip install nvidia-cuda-runtime nvidia-cuda-cupti nvidia-cuda-crt")
endif()
add_library(gwatch_cuda_headers INTERFACE)
target_include_directories(gwatch_cuda_headers SYSTEM INTERFACE ${CUDA_INCLUDE_DIR} ${CUPTI_INCLUDE_DIR})

if(GWATCH_BUILD_TESTS)
    find_package(GTest QUIET)
    if(NOT GTest_FOUND)
        FetchContent_Declare(googletest URL https://github.com/google/googletest/archive/refs/tags/v1.15.2.tar.gz)
        set(INSTALL_GTEST OFF)
        FetchContent_MakeAvailable(googletest)
    endif()
    include(GoogleTest)
endif()
