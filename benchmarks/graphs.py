"""CUDA graphs of one kernel node, and how to put another build of the kernel into them."""

from __future__ import annotations

import ctypes

import torch
from gpu_cases import Case
from pairs import capture_launch

GRAPH_NODE_KERNEL = 0  # CU_GRAPH_NODE_TYPE_KERNEL
GRAPH_NODE_MEMSET = 2  # CU_GRAPH_NODE_TYPE_MEMSET
MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


class KernelNodeParams(ctypes.Structure):
    """CUDA_KERNEL_NODE_PARAMS_v2."""

    _fields_ = (
        ("function", ctypes.c_void_p),
        *((name, ctypes.c_uint) for name in ("grid_x", "grid_y", "grid_z")),
        *((name, ctypes.c_uint) for name in ("block_x", "block_y", "block_z", "shared_bytes")),
        ("parameters", ctypes.c_void_p),
        ("extra", ctypes.c_void_p),
        ("kernel", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
    )


def driver() -> ctypes.CDLL:
    return ctypes.CDLL("libcuda.so.1")


def check(code: int, call: str) -> None:
    if code != 0:
        raise RuntimeError(f"{call} failed with CUDA error {code}")


def nodes_of(graph: int) -> list[ctypes.c_void_p]:
    """The nodes of a cudaGraph_t."""
    count = ctypes.c_size_t()
    handle = ctypes.c_void_p(graph)
    check(driver().cuGraphGetNodes(handle, None, ctypes.byref(count)), "cuGraphGetNodes")
    nodes = (ctypes.c_void_p * count.value)()
    check(driver().cuGraphGetNodes(handle, nodes, ctypes.byref(count)), "cuGraphGetNodes")
    return list(map(ctypes.c_void_p, nodes))


class MemsetNodeParams(ctypes.Structure):
    """CUDA_MEMSET_NODE_PARAMS."""

    _fields_ = (
        ("address", ctypes.c_uint64),
        ("pitch", ctypes.c_size_t),
        ("value", ctypes.c_uint),
        ("element_size", ctypes.c_uint),
        ("width", ctypes.c_size_t),
        ("height", ctypes.c_size_t),
    )


def cleared_address(graph: int) -> int:
    """The lowest device address that a cudaGraph_t clears."""
    addresses = []
    for node in nodes_of(graph):
        kind, memset = ctypes.c_int(), MemsetNodeParams()
        check(driver().cuGraphNodeGetType(node, ctypes.byref(kind)), "cuGraphNodeGetType")
        if kind.value != GRAPH_NODE_MEMSET:
            continue
        code = driver().cuGraphMemsetNodeGetParams(node, ctypes.byref(memset))
        check(code, "cuGraphMemsetNodeGetParams")
        addresses.append(memset.address)
    return min(addresses)


def keep_only_kernel(graph: int) -> None:
    """Take all nodes but the one kernel out of a cudaGraph_t."""
    kernels = 0
    for node in nodes_of(graph):
        kind = ctypes.c_int()
        check(driver().cuGraphNodeGetType(node, ctypes.byref(kind)), "cuGraphNodeGetType")
        if kind.value == GRAPH_NODE_KERNEL:
            kernels += 1
        else:
            check(driver().cuGraphDestroyNode(node), "cuGraphDestroyNode")
    if kernels != 1:
        raise RuntimeError(f"the graph has {kernels} kernels instead of 1")


def capture(case: Case) -> torch.cuda.CUDAGraph:
    return capture_launch(case.launch)


class OtherBuild:
    """A cubin of the kernel of a graph, loaded to be launched in its place."""

    def __init__(self, cubin: bytes, entry: str) -> None:
        self._module = ctypes.c_void_p()
        self._function = ctypes.c_void_p()
        code = driver().cuModuleLoadData(ctypes.byref(self._module), cubin)
        check(code, "cuModuleLoadData")
        code = driver().cuModuleGetFunction(
            ctypes.byref(self._function), self._module, entry.encode()
        )
        check(code, "cuModuleGetFunction")

    def set_pointer(self, symbol: str, value: int) -> None:
        """Write a .const variable of 64 bits."""
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        code = driver().cuModuleGetGlobal_v2(
            ctypes.byref(address), ctypes.byref(size), self._module, symbol.encode()
        )
        check(code, "cuModuleGetGlobal")
        pointer = ctypes.c_uint64(value)
        check(driver().cuMemcpyHtoD_v2(address, ctypes.byref(pointer), size), "cuMemcpyHtoD")

    def put_into(self, graph: torch.cuda.CUDAGraph) -> KernelNodeParams:
        """Launch this build in a graph of one kernel; returns the launch it replaces."""
        (node,) = nodes_of(graph.raw_cuda_graph())
        launch = KernelNodeParams()
        code = driver().cuGraphKernelNodeGetParams_v2(node, ctypes.byref(launch))
        check(code, "cuGraphKernelNodeGetParams")
        code = driver().cuFuncSetAttribute(self._function, MAX_DYNAMIC_SHARED, launch.shared_bytes)
        check(code, "cuFuncSetAttribute")
        launch.function, launch.kernel, launch.context = self._function.value, None, None
        code = driver().cuGraphKernelNodeSetParams_v2(node, ctypes.byref(launch))
        check(code, "cuGraphKernelNodeSetParams")
        graph.instantiate()
        return launch
