"""Triton kernels that tests share, and what compiles and disassembles them without a GPU."""
