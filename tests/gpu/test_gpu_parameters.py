"""The launch constants reach a kernel by whatever way its parameters are passed."""

from __future__ import annotations

import ctypes

import pytest

BLOCKS, THREADS = 3, 64
WARPS = THREADS // 32
MANY_BYTES = 4080
"""Of parameters: no room for more among the 4096 that every driver takes."""

MARKED = """\t// gwatch:{0} write
\tmov.u32 %r9, 0;
"""
WRITE = f"""{MARKED.format("start")}\tmov.u32 %r1, %tid.x;
\tmov.u32 %r2, %ctaid.x;
\tmov.u32 %r3, %ntid.x;
\tmad.lo.u32 %r1, %r2, %r3, %r1;
\tmad.wide.u32 %rd2, %r1, 4, %rd1;
\tst.global.u32 [%rd2], %r4;
{MARKED.format("end")}\tret;
"""


def entry(name: str, parameters: str, load: str) -> str:
    registers = "\t.reg .b32 %r<10>;\n\t.reg .b64 %rd<3>;\n"
    return f".visible .entry {name}({parameters})\n{{\n{registers}{load}{WRITE}}}\n"


PTX = (
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    f".visible .global .align 4 .b32 results[{BLOCKS * THREADS}];\n"
    + entry(
        "few",
        ".param .u64 .ptr .global .align 4 few_out, .param .u32 few_value",
        "\tld.param.u64 %rd1, [few_out];\n\tld.param.u32 %r4, [few_value];\n",
    )
    + entry(
        "aligned",
        ".param .u32 aligned_value, .param .align 64 .b8 aligned_map[128]",
        "\tld.param.u64 %rd1, [aligned_map+8];\n\tld.param.u32 %r4, [aligned_value];\n",
    )
    + entry("none", "", "\tmov.u64 %rd1, results;\n\tmov.u32 %r4, 11;\n")
    + entry(
        "many",
        f".param .align 8 .b8 many_all[{MANY_BYTES}]",
        f"\tld.param.u64 %rd1, [many_all+{MANY_BYTES - 16}];\n"
        f"\tld.param.u32 %r4, [many_all+{MANY_BYTES - 8}];\n",
    )
)


class Few(ctypes.Structure):
    _fields_ = (("out", ctypes.c_uint64), ("value", ctypes.c_uint32))


class Many(ctypes.Structure):
    _fields_ = (
        ("unused", ctypes.c_uint8 * (MANY_BYTES - 16)),
        ("out", ctypes.c_uint64),
        ("value", ctypes.c_uint64),
    )


class Program:
    """The kernels, loaded by the driver as text, which gwatch sees."""

    def __init__(self):
        import torch

        torch.zeros(1, device="cuda")  # makes PyTorch's context the current one
        self._cuda = ctypes.CDLL("libcuda.so.1")
        self._module = ctypes.c_void_p()
        self._check(self._cuda.cuModuleLoadData(ctypes.byref(self._module), PTX.encode()))

    def _function(self, kernel):
        function = ctypes.c_void_p()
        self._check(
            self._cuda.cuModuleGetFunction(ctypes.byref(function), self._module, kernel.encode())
        )
        return function

    def offset_of_parameter(self, kernel, index):
        """In a buffer that a launch of the kernel passes."""
        offset, size = ctypes.c_size_t(), ctypes.c_size_t()
        self._check(
            self._cuda.cuFuncGetParamInfo(
                self._function(kernel),
                ctypes.c_size_t(index),
                ctypes.byref(offset),
                ctypes.byref(size),
            )
        )
        return offset.value

    def launch(self, kernel, pointers=None, extra=None):
        import torch

        function = self._function(kernel)
        shape = (BLOCKS, 1, 1, THREADS, 1, 1, 0, None)
        self._check(self._cuda.cuLaunchKernel(function, *shape, pointers, extra))
        torch.cuda.synchronize()

    def address_of_results(self):
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        self._check(
            self._cuda.cuModuleGetGlobal_v2(
                ctypes.byref(address), ctypes.byref(size), self._module, b"results"
            )
        )
        return address.value

    def results(self):
        found = (ctypes.c_uint32 * (BLOCKS * THREADS))()
        self._check(
            self._cuda.cuMemcpyDtoH_v2(
                found, ctypes.c_uint64(self.address_of_results()), ctypes.sizeof(found)
            )
        )
        return set(found)

    @staticmethod
    def _check(code):
        assert code == 0, f"the driver gave {code}"


@pytest.fixture(scope="module")
def program():
    from gwatch import libpygwatch

    libpygwatch.init_cupti_hooks()
    return Program()


def pointers_to(*values):
    return (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))


def buffer_of(packed, size):
    """The form that packs all parameters into one buffer."""
    keys = {"pointer": 1, "size": 2, "end": 0}
    return (ctypes.c_void_p * 5)(
        keys["pointer"],
        ctypes.addressof(packed),
        keys["size"],
        ctypes.addressof(size),
        keys["end"],
    )


def check(workloads, program, launch, kernel, value):
    for _ in range(2):
        (run,) = workloads.do_trace(launch, f"^{kernel}$", "cuda").runs
        assert program.results() == {value}
        assert run.counts.warps_recorded == BLOCKS * WARPS
        assert run.counts.events == 2 * BLOCKS * WARPS
        assert run.counts.dropped_events == 0


def test_pointers_to_each(workloads, program):
    out, value = ctypes.c_uint64(program.address_of_results()), ctypes.c_uint32(5)
    pointers = pointers_to(out, value)

    check(workloads, program, lambda: program.launch("few", pointers), "few", 5)


def test_one_buffer(workloads, program):
    packed = Few(program.address_of_results(), 7)
    size = ctypes.c_size_t(12)  # without the bytes that C++ adds at the end
    extra = buffer_of(packed, size)

    check(workloads, program, lambda: program.launch("few", None, extra), "few", 7)
    assert size.value == 12


def test_one_buffer_with_a_parameter_that_is_aligned_as_a_tensor_map(workloads, program):
    """ptxas aligns its address in the constant bank: the offset is 48 on an H200, not 64."""
    start = program.offset_of_parameter("aligned", 1)
    packed = ctypes.create_string_buffer(start + 128)
    ctypes.c_uint32.from_buffer(packed, 0).value = 17
    ctypes.c_uint64.from_buffer(packed, start + 8).value = program.address_of_results()
    size = ctypes.c_size_t(len(packed))
    extra = buffer_of(packed, size)

    check(workloads, program, lambda: program.launch("aligned", None, extra), "aligned", 17)


@pytest.mark.parametrize("pointers", [None, pointers_to()], ids=["null", "empty"])
def test_none(workloads, program, pointers):
    check(workloads, program, lambda: program.launch("none", pointers), "none", 11)


def test_more_than_leave_room(workloads, program):
    packed = Many(out=program.address_of_results(), value=13)

    check(workloads, program, lambda: program.launch("many", pointers_to(packed)), "many", 13)


def test_overhead_is_measured_with_the_parameters_of_each_launch(workloads, program):
    from gwatch.cuda.trace import do_trace

    values = iter(range(100, 200))
    out = ctypes.c_uint64(program.address_of_results())

    def launch():
        value = ctypes.c_uint32(next(values))
        program.launch("few", pointers_to(out, value))
        assert program.results() == {value.value}

    result = do_trace(fn=launch, kernel_name_pattern="^few$", dsl="cuda", measure_overhead=True)

    assert result.runs[0].fidelity.overhead is not None
