// The stand-in for libcuda and libcupti, whose modules take any image: a real cubin has the kernel
// that is asked for. Compiled by tests/python/test_run_command.py.
#define cuModuleGetFunction cuModuleGetFunctionByName
#include "../capture/fake_cuda_library.cpp"
#undef cuModuleGetFunction

EXPORT int cuModuleGetFunction(Module** function, Module* module, const char* name) {
    module->kernel = name;
    *function = module;
    return 0;
}
