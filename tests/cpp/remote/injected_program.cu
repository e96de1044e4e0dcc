// A program with a marked kernel in its fat binary, which it launches on the stand-in for libcuda
// as the CUDA runtime would: cuInit() loads the injected library. Compiled by
// tests/python/test_run_command.py.
//
//     injected_program HOW    "exit N": returns N; "kill": ends by a signal; "_exit"; "fork": a
//     child
//                             ends first; "none": uses no CUDA; "twice": launches two times
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <gwatch/cuda/trace.hpp>

extern "C" __global__ void marked(int* out) {
    GWATCH_CUDA_KERNEL_SCOPE_START(7);
    out[threadIdx.x] = static_cast<int>(threadIdx.x) * *out;
    GWATCH_CUDA_KERNEL_SCOPE_END(7);
}

extern "C" __global__ void unmarked(int* out) {
    __syncthreads();
    *out = 1;
}

namespace {

template <class Function>
Function call(const char* name) {
    static void* const cuda = dlopen("libcuda.so.1", RTLD_NOW);
    return reinterpret_cast<Function>(cuda ? dlsym(cuda, name) : nullptr);
}

void initialize() {
    dlopen("libcupti.so.12", RTLD_NOW);  // the stand-in, before a real one can be found
    const char* const path = std::getenv("CUDA_INJECTION64_PATH");
    void* const library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!library) return;
    reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"))();
}

void launch(const char* kernel) {
    void* const function = call<void* (*)(const char*)>("fake_load")(kernel);
    void* const ran = call<void* (*)(void*)>("fake_launch")(function);
    std::printf("%s ran %s\n", kernel, ran == function ? "as it is" : "traced");
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** values) {
    const char* const how = count > 1 ? values[1] : "";
    if (std::strcmp(how, "none") == 0) return 3;
    initialize();
    launch("unmarked");
    launch("marked");
    if (std::strcmp(how, "twice") == 0) launch("marked");
    if (std::strcmp(how, "kill") == 0) raise(SIGKILL);
    if (std::strcmp(how, "_exit") == 0) _exit(4);
    if (std::strcmp(how, "fork") == 0) {
        const pid_t child = fork();
        if (child == 0) std::exit(0);
        waitpid(child, nullptr, 0);
    }
    return count > 2 ? std::atoi(values[2]) : 0;
}
