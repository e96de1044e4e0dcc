// A library and a program with one marked kernel, for test_gpu_cuda_cpp.py: launch() runs it once.
#include <cstdio>
#include <cstring>
#include <gwatch/cuda/trace.hpp>

__global__ void steps(unsigned* out, int count) {
    const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = id;
    for (int i = 0; i < count; ++i) {
        GWATCH_CUDA_KERNEL_SCOPE_START_NAMED("step");
        value = value * 1664525u + 1013904223u;
        GWATCH_CUDA_KERNEL_SCOPE_END_NAMED("step");
    }
    out[id] = value;
}

extern "C" __attribute__((visibility("default"))) int launch(unsigned* out, int blocks, int threads,
                                                             int count) {
    steps<<<blocks, threads>>>(out, count);
    return cudaGetLastError();
}

/// The same on a device that need not be the current one.
extern "C" __attribute__((visibility("default"))) int launch_on(int device, unsigned* out,
                                                                int blocks, int threads,
                                                                int count) {
    int current = 0;
    if (cudaGetDevice(&current) != cudaSuccess) return 1;
    if (cudaSetDevice(device) != cudaSuccess) return 2;
    const int result = launch(out, blocks, threads, count);
    cudaSetDevice(current);
    return result;
}

/// program [reset]: launches it twice; "reset" ends with cudaDeviceReset().
int main(int count, char** values) {
    constexpr int kBlocks = 8;
    constexpr int kThreads = 64;
    constexpr int kSteps = 100;
    unsigned* out = nullptr;
    if (cudaMalloc(&out, kBlocks * kThreads * sizeof *out) != cudaSuccess) return 2;
    for (int turn = 0; turn < 2; ++turn) launch(out, kBlocks, kThreads, kSteps);
    unsigned last = 0;
    const unsigned id = kBlocks * kThreads - 1;
    if (cudaMemcpy(&last, out + id, sizeof last, cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
    unsigned expected = id;
    for (int i = 0; i < kSteps; ++i) expected = expected * 1664525u + 1013904223u;
    if (count > 1 && std::strcmp(values[1], "reset") == 0) cudaDeviceReset();
    std::printf("%s\n", last == expected ? "right" : "wrong");
    return last == expected ? 7 : 1;
}
