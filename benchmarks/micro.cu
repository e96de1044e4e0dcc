// Kernels that do little but pass markers: what an event costs. A warp passes 2 events a turn; in
// `halves` each half of the warp does.
#include "gwatch/cuda/trace.hpp"

#define STEPS                                                                     \
    for (int step = 0; step < 16; ++step) value = fmaf(value, 1.0001f, 0.5f);     \
    asm volatile("" : "+f"(value))
#define ONE_SCOPE(id)                       \
    asm volatile("" : "+f"(value));         \
    GWATCH_CUDA_KERNEL_SCOPE_START(id);     \
    STEPS;                                  \
    GWATCH_CUDA_KERNEL_SCOPE_END(id);       \
    asm volatile("" : "+f"(value))

extern "C" __global__ void full_warps(float* out, int turns) {
    float value = threadIdx.x;
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
        ONE_SCOPE(1);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

extern "C" __global__ void one_lane(float* out, int turns) {
    float value = threadIdx.x;
    if (threadIdx.x % 32 == 3) {
#pragma unroll 1
        for (int turn = 0; turn < turns; ++turn) {
            ONE_SCOPE(1);
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

extern "C" __global__ void halves(float* out, int turns) {
    float value = threadIdx.x;
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
        if (threadIdx.x % 32 < 16) {
            ONE_SCOPE(1);
        } else {
            ONE_SCOPE(2);
            value += 1.0f;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

static __device__ __noinline__ float scope_in_a_function(float value) {
    ONE_SCOPE(1);
    return value;
}

extern "C" __global__ void device_function(float* out, int turns) {
    float value = threadIdx.x;
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) value = scope_in_a_function(value);
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
