// Kernels whose scopes last as long as the device's timer says, or end when every block's do.
#include "gwatch/cuda/trace.hpp"

static __device__ unsigned long long timer() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
}

static __device__ void spin(unsigned long long ns) {
    const unsigned long long begin = timer();
    while (timer() - begin < ns) {
    }
}

extern "C" __global__ void known_spins(unsigned long long ns, int turns) {
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
        GWATCH_CUDA_KERNEL_SCOPE_START(1);
        spin(ns);
        GWATCH_CUDA_KERNEL_SCOPE_END(1);
    }
}

// Each block notes when it ended its wait for all the others.
extern "C" __global__ void meet(unsigned int* arrived, unsigned long long* ended) {
    GWATCH_CUDA_KERNEL_SCOPE_START(1);
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < gridDim.x) {
        }
    }
    __syncthreads();
    GWATCH_CUDA_KERNEL_SCOPE_END(1);
    if (threadIdx.x == 0) ended[blockIdx.x] = timer();
}

// Warp 0 spins; the others wait for it, in a scope that has no loop.
extern "C" __global__ void long_wait(unsigned long long ns) {
    if (threadIdx.x < 32) {
        GWATCH_CUDA_KERNEL_SCOPE_START(1);
        spin(ns);
        GWATCH_CUDA_KERNEL_SCOPE_END(1);
        __syncthreads();
    } else {
        GWATCH_CUDA_KERNEL_SCOPE_START(2);
        __syncthreads();
        GWATCH_CUDA_KERNEL_SCOPE_END(2);
    }
}
