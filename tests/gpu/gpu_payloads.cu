// Kernels whose markers carry values, for test_gpu_payloads.py: nvcc makes a library of them, NVRTC
// a module.
#include <gwatch/cuda/trace.hpp>

extern "C" __global__ void payloads(unsigned* out, int turns) {
    const int block = static_cast<int>(blockIdx.x);
    GWATCH_CUDA_KERNEL_MARK_NAMED("block", block);
    GWATCH_CUDA_KERNEL_MARK_NAMED("negative", -block - 1);
    GWATCH_CUDA_KERNEL_MARK_NAMED("unsigned", blockIdx.x - 1u);
    GWATCH_CUDA_KERNEL_MARK_NAMED("narrow", static_cast<signed char>(-block));
    GWATCH_CUDA_KERNEL_MARK_NAMED("even", block % 2 == 0);
    GWATCH_CUDA_KERNEL_MARK_NAMED("wide", 10000000000ll * block - 5);
    GWATCH_CUDA_KERNEL_MARK_NAMED("single", block * 0.5f);
    GWATCH_CUDA_KERNEL_MARK_NAMED("double", block / 3.0);
    GWATCH_CUDA_KERNEL_MARK_NAMED("address", out);
    unsigned value = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned id = value;
    for (int turn = 0; turn < turns; ++turn) {
        GWATCH_CUDA_KERNEL_SCOPE_START_NAMED("turn", turn);
        value = value * 1664525u + 1013904223u;
        GWATCH_CUDA_KERNEL_SCOPE_END_NAMED("turn");
    }
    GWATCH_CUDA_KERNEL_MARK(7);
    out[id] = value;
}

/// One lane after the other marks its own number; then lanes leave a loop one after the other.
extern "C" __global__ void diverged(unsigned* out, int turns) {
    const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    unsigned value = id;
#pragma unroll 1
    for (int turn = 0; turn < 32; ++turn) {
        if (turn == lane) {
            GWATCH_CUDA_KERNEL_MARK_NAMED("lane", lane);
            value = value * 1664525u + static_cast<unsigned>(turns);
        }
    }
#pragma unroll 1
    for (int trip = 0; trip < lane % 4; ++trip) {
        GWATCH_CUDA_KERNEL_SCOPE_START_NAMED("trip", 1000000000000ll * trip);
        value = value * 22695477u + 1u;
        GWATCH_CUDA_KERNEL_SCOPE_END_NAMED("trip");
    }
    if (lane < 16) {
        GWATCH_CUDA_KERNEL_SCOPE_START_NAMED("side", 0.5f);
        value ^= value >> 16;
        GWATCH_CUDA_KERNEL_SCOPE_END_NAMED("side");
    } else {
        GWATCH_CUDA_KERNEL_SCOPE_START_NAMED("side", 1.5f);
        value ^= value << 7;
        GWATCH_CUDA_KERNEL_SCOPE_END_NAMED("side");
    }
    out[id] = value;
}

#ifndef __CUDACC_RTC__
extern "C" __attribute__((visibility("default"))) int launch_payloads(unsigned* out, int blocks,
                                                                      int threads, int turns) {
    payloads<<<blocks, threads>>>(out, turns);
    return cudaGetLastError();
}

extern "C" __attribute__((visibility("default"))) int launch_diverged(unsigned* out, int blocks,
                                                                      int threads, int turns) {
    diverged<<<blocks, threads>>>(out, turns);
    return cudaGetLastError();
}
#endif
