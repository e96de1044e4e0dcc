// Launches of every kind of one chain of steps, for test_gpu_launch_kinds.py.
#include <cooperative_groups.h>

#include <gwatch/cuda/trace.hpp>

namespace groups = cooperative_groups;

namespace {

__device__ unsigned chain(unsigned value, int turns) {
    for (int turn = 0; turn < turns; ++turn) {
        GWATCH_CUDA_KERNEL_SCOPE_START_NAMED("turn", turn);
        value = value * 3u + 1u;
        GWATCH_CUDA_KERNEL_SCOPE_END_NAMED("turn");
    }
    return value;
}

cudaLaunchConfig_t configuration(int blocks, int threads, cudaStream_t stream,
                                 cudaLaunchAttribute* attribute) {
    cudaLaunchConfig_t made{};
    made.gridDim = dim3(blocks);
    made.blockDim = dim3(threads);
    made.stream = stream;
    made.attrs = attribute;
    made.numAttrs = 1;
    return made;
}

}  // namespace

/// Takes the value of the next block of its cluster through distributed shared memory.
extern "C" __global__ void clustered(unsigned* out, int turns) {
    extern __shared__ unsigned values[];
    const groups::cluster_group cluster = groups::this_cluster();
    const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    values[threadIdx.x] = chain(out[id], turns);
    GWATCH_CUDA_KERNEL_SCOPE_START_NAMED("cluster", cluster.block_rank());
    cluster.sync();
    GWATCH_CUDA_KERNEL_SCOPE_END_NAMED("cluster");
    const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    const unsigned value = cluster.map_shared_rank(values, next)[threadIdx.x];
    cluster.sync();
    out[id] = value;
}

/// Takes the value of the next block of the grid.
extern "C" __global__ void cooperative(unsigned* out, unsigned* scratch, int turns) {
    const groups::grid_group grid = groups::this_grid();
    const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    scratch[id] = chain(out[id], turns);
    GWATCH_CUDA_KERNEL_SCOPE_START_NAMED("grid", blockIdx.x);
    grid.sync();
    GWATCH_CUDA_KERNEL_SCOPE_END_NAMED("grid");
    out[id] = scratch[(id + blockDim.x) % (gridDim.x * blockDim.x)];
}

/// May begin before the kernel ahead of it ends.
extern "C" __global__ void dependent(unsigned* out, int turns) {
    const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    GWATCH_CUDA_KERNEL_SCOPE_START_NAMED("before");
    cudaGridDependencySynchronize();
    GWATCH_CUDA_KERNEL_SCOPE_END_NAMED("before");
    cudaTriggerProgrammaticLaunchCompletion();
    out[id] = chain(out[id], turns);
}

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int launch_clustered(unsigned* out, int blocks, int threads, int turns, int cluster,
                            cudaStream_t stream) {
    cudaFuncSetAttribute(clustered, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = configuration(blocks, threads, stream, &attribute);
    config.dynamicSmemBytes = threads * sizeof(unsigned);
    return cudaLaunchKernelEx(&config, clustered, out, turns);
}

EXPORT int launch_cooperative(unsigned* out, unsigned* scratch, int blocks, int threads, int turns,
                              cudaStream_t stream) {
    void* arguments[] = {&out, &scratch, &turns};
    return cudaLaunchCooperativeKernel(reinterpret_cast<void*>(cooperative), dim3(blocks),
                                       dim3(threads), arguments, 0, stream);
}

EXPORT int launch_dependent(unsigned* out, int blocks, int threads, int turns,
                            cudaStream_t stream) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    const cudaLaunchConfig_t config = configuration(blocks, threads, stream, &attribute);
    return cudaLaunchKernelEx(&config, dependent, out, turns);
}
