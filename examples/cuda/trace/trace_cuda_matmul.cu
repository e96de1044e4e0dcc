// A tiled matrix product in CUDA C++ with gwatch markers. No Python: `gwatch run` traces it.
//
//     nvcc -O3 -std=c++17 -lineinfo -gencode arch=compute_90a,code=[compute_90a,sm_90a] \
//         -I "$(gwatch include)" trace_cuda_matmul.cu -o trace_cuda_matmul
//     gwatch run --kernel matmul -o trace.json -- ./trace_cuda_matmul
//     gwatch show trace.json
//
// code=compute_90a keeps the PTX, which gwatch instruments; other GPUs have other numbers.
// Exit code: 0 when the product is right, 1 when it is wrong, 2 when CUDA fails.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <gwatch/cuda/trace.hpp>
#include <vector>

namespace {

constexpr int kTile = 64;      // rows and columns of the product that a block makes
constexpr int kDepth = 16;     // columns of A and rows of B in shared memory
constexpr int kThreads = 256;  // a block
constexpr int kPerThread = 4;  // rows and columns of the product that a thread makes

enum ScopeId { kLoad = 100, kMultiply = 101 };

struct Tiles {
    float a[kDepth][kTile + 4];  // transposed; padded against bank conflicts
    float b[kDepth][kTile];
};

__device__ void load(Tiles& tiles, const float* a, const float* b, int n, int k) {
    for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
        tiles.a[i % kDepth][i / kDepth] = a[i / kDepth * k + i % kDepth];
        tiles.b[i / kTile][i % kTile] = b[i / kTile * n + i % kTile];
    }
}

__device__ void multiply(const Tiles& tiles, float (&sums)[kPerThread][kPerThread]) {
    const int row = threadIdx.x / 16 * kPerThread;
    const int column = threadIdx.x % 16 * kPerThread;
#pragma unroll
    for (int depth = 0; depth < kDepth; ++depth) {
#pragma unroll
        for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
            for (int j = 0; j < kPerThread; ++j) {
                sums[i][j] += tiles.a[depth][row + i] * tiles.b[depth][column + j];
            }
        }
    }
}

}  // namespace

/// c = a * b; a is m x k, b is k x n, all row-major. m and n are multiples of kTile, k of kDepth.
__global__ void __launch_bounds__(kThreads)
    matmul(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, int n,
           int k) {
    __shared__ Tiles tiles;
    const int row = blockIdx.y * kTile;
    const int column = blockIdx.x * kTile;
    float sums[kPerThread][kPerThread] = {};
    for (int depth = 0; depth < k; depth += kDepth) {
        GWATCH_CUDA_KERNEL_SCOPE_START(kLoad);
        load(tiles, a + row * k + depth, b + depth * n + column, n, k);
        __syncthreads();
        GWATCH_CUDA_KERNEL_SCOPE_SWITCH(kLoad, kMultiply);
        multiply(tiles, sums);
        __syncthreads();
        GWATCH_CUDA_KERNEL_SCOPE_END(kMultiply);
    }
    GWATCH_CUDA_KERNEL_SCOPE_NAMED("store");
    for (int i = 0; i < kPerThread; ++i) {
        float* out = c + (row + threadIdx.x / 16 * kPerThread + i) * n + column +
                     threadIdx.x % 16 * kPerThread;
        for (int j = 0; j < kPerThread; ++j) out[j] = sums[i][j];
    }
}

namespace {

void check(cudaError_t code, const char* what) {
    if (code == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
    std::exit(2);
}

float* to_device(const std::vector<float>& values) {
    float* there = nullptr;
    check(cudaMalloc(&there, values.size() * sizeof(float)), "cudaMalloc");
    check(cudaMemcpy(there, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice),
          "cudaMemcpy");
    return there;
}

/// Small integers: their sums are exact in single precision.
std::vector<float> small_integers(int count, int seed) {
    std::vector<float> values(count);
    for (int i = 0; i < count; ++i) values[i] = static_cast<float>((i * 7 + seed) % 5 - 2);
    return values;
}

/// Compares every 97th element with a sum made here.
bool is_right(const std::vector<float>& c, const std::vector<float>& a, const std::vector<float>& b,
              int m, int n, int k) {
    for (int at = 0; at < m * n; at += 97) {
        float sum = 0;
        for (int i = 0; i < k; ++i) sum += a[at / n * k + i] * b[i * n + at % n];
        if (c[at] != sum) return false;
    }
    return true;
}

int argument(int count, char** values, const char* name, int otherwise) {
    for (int i = 1; i + 1 < count; ++i) {
        if (std::strcmp(values[i], name) == 0) return std::atoi(values[i + 1]);
    }
    return otherwise;
}

}  // namespace

int main(int count, char** values) {
    const int m = argument(count, values, "--m", 512);
    const int n = argument(count, values, "--n", 512);
    const int k = argument(count, values, "--k", 512);
    if (m <= 0 || n <= 0 || k <= 0 || m % kTile || n % kTile || k % kDepth) {
        std::fprintf(stderr, "--m and --n must be multiples of %d, --k of %d\n", kTile, kDepth);
        return 2;
    }
    const std::vector<float> a = small_integers(m * k, 1);
    const std::vector<float> b = small_integers(k * n, 3);
    std::vector<float> c(m * n, -1.0f);
    float* const device_a = to_device(a);
    float* const device_b = to_device(b);
    float* const device_c = to_device(c);
    matmul<<<dim3(n / kTile, m / kTile), kThreads>>>(device_c, device_a, device_b, n, k);
    check(cudaGetLastError(), "launch");
    check(cudaMemcpy(c.data(), device_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost),
          "cudaMemcpy");
    const bool right = is_right(c, a, b, m, n, k);
    std::printf("%d x %d x %d: the product is %s\n", m, n, k, right ? "right" : "wrong");
    return right ? 0 : 1;
}
