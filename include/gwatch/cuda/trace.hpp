/// Markers for CUDA C++ kernels: nvcc, clang and NVRTC, C++14 or later, no other header.
///
///     __global__ void kernel(...) {
///         GWATCH_CUDA_KERNEL_SCOPE_START(100);
///         load();
///         GWATCH_CUDA_KERNEL_SCOPE_SWITCH(100, 101);
///         multiply();
///         GWATCH_CUDA_KERNEL_SCOPE_END(101);
///     }
///
/// A scope is an id, an integer constant expression from 0 to 65535 (a literal, a constexpr value,
/// a template argument, an enumerator), or, in the macros that end in _NAMED, a string literal of
/// the characters [A-Za-z0-9_] that is no number.
///
/// A marker is a comment in the PTX, a declaration that says the same (nvcc drops the comments of
/// the PTX that it puts into a program), and one instruction that ptxas removes: an untraced kernel
/// does not execute it. Like a compiler barrier, it keeps loads and stores on their side of it.
/// To be traced, a program must carry PTX (nvcc -gencode arch=compute_90a,code=compute_90a beside
/// code=sm_90a); with -lineinfo reports show the source line of each scope.
///
/// With -DGWATCH_MARKERS=0 every macro and Scope is nothing, and no value is computed.
#pragma once

#ifndef GWATCH_MARKERS
#define GWATCH_MARKERS 1
#endif

/// Starts a scope: (id) or (id, value). The value, an integer, a floating-point number or a pointer
/// of up to 64 bits, is recorded with the start.
#define GWATCH_CUDA_KERNEL_SCOPE_START(...)                                            \
    GWATCH_DETAIL_THIRD(__VA_ARGS__, GWATCH_DETAIL_ID_VALUE, GWATCH_DETAIL_ID, unused) \
    ("start", __VA_ARGS__)
#define GWATCH_CUDA_KERNEL_SCOPE_START_NAMED(...)                                          \
    GWATCH_DETAIL_THIRD(__VA_ARGS__, GWATCH_DETAIL_NAME_VALUE, GWATCH_DETAIL_NAME, unused) \
    ("start", __VA_ARGS__)

/// Ends a scope that this warp started.
#define GWATCH_CUDA_KERNEL_SCOPE_END(id) GWATCH_DETAIL_ID("end", id)
#define GWATCH_CUDA_KERNEL_SCOPE_END_NAMED(name) GWATCH_DETAIL_NAME("end", name)

/// Ends one scope and starts another at the same instant, with one record.
#define GWATCH_CUDA_KERNEL_SCOPE_SWITCH(ending, starting) GWATCH_DETAIL_ID_SWITCH(ending, starting)
#define GWATCH_CUDA_KERNEL_SCOPE_SWITCH_NAMED(ending, starting) \
    GWATCH_DETAIL_NAME_SWITCH(ending, starting)

/// Marks an instant: (id) or (id, value).
#define GWATCH_CUDA_KERNEL_MARK(...)                                                   \
    GWATCH_DETAIL_THIRD(__VA_ARGS__, GWATCH_DETAIL_ID_VALUE, GWATCH_DETAIL_ID, unused) \
    ("mark", __VA_ARGS__)
#define GWATCH_CUDA_KERNEL_MARK_NAMED(...)                                                 \
    GWATCH_DETAIL_THIRD(__VA_ARGS__, GWATCH_DETAIL_NAME_VALUE, GWATCH_DETAIL_NAME, unused) \
    ("mark", __VA_ARGS__)

/// Starts a scope here and ends it where the enclosing block is left.
#define GWATCH_CUDA_KERNEL_SCOPE(id) GWATCH_DETAIL_ID_BLOCK(id, __COUNTER__)
#define GWATCH_CUDA_KERNEL_SCOPE_NAMED(name) GWATCH_DETAIL_NAME_BLOCK(name, __COUNTER__)

// All names with DETAIL or detail are the header's own.

#define GWATCH_DETAIL_THIRD(first, second, third, ...) third

#if GWATCH_MARKERS && (defined(__CUDACC__) || defined(__CUDA__))

namespace gwatch {
namespace cuda {
namespace detail {

__host__ __device__ constexpr bool is_id(long long id) {
    return 0 <= id && id <= 65535;
}

__host__ __device__ constexpr bool is_name_byte(char c) {
    return ('A' <= c && c <= 'Z') || ('a' <= c && c <= 'z') || ('0' <= c && c <= '9') || c == '_';
}

template <unsigned long long Size>
__host__ __device__ constexpr bool is_name(const char (&text)[Size]) {
    bool has_other_than_digits = false;
    for (unsigned long long i = 0; i + 1 < Size; ++i) {
        if (!is_name_byte(text[i])) return false;
        has_other_than_digits |= text[i] < '0' || '9' < text[i];
    }
    return has_other_than_digits;
}

/// Tells the compiler that a result is meant to be unused.
template <class T>
__host__ __device__ __forceinline__ void ignore(T) {}

/// The value as the register that a marker copies: its bits stay, narrow integers are widened.
__device__ __forceinline__ float payload(float value) {
    return value;
}
__device__ __forceinline__ double payload(double value) {
    return value;
}
template <class T>
__device__ __forceinline__ unsigned long long payload(T* value) {
    return reinterpret_cast<unsigned long long>(value);
}
template <bool IsWide>
struct Register {
    using Type = unsigned;
};
template <>
struct Register<true> {
    using Type = unsigned long long;
};
template <class T>
__device__ __forceinline__ typename Register<(sizeof(T) > 4)>::Type payload(T value) {
    static_assert(sizeof(T) <= 8, "gwatch: a value has at most 64 bits");
    return static_cast<typename Register<(sizeof(T) > 4)>::Type>(value);
}

}  // namespace detail
}  // namespace cuda
}  // namespace gwatch

#endif

// A function for both sides is compiled for the host, too, whose assembler knows no PTX.
#if GWATCH_MARKERS && defined(__CUDA_ARCH__)

#define GWATCH_DETAIL_CHECK_ID(id)                                           \
    static_assert(::gwatch::cuda::detail::is_id(static_cast<long long>(id)), \
                  "gwatch: a scope id is from 0 to 65535")
#define GWATCH_DETAIL_CHECK_NAME(name)                   \
    static_assert(::gwatch::cuda::detail::is_name(name), \
                  "gwatch: a scope name is made of [A-Za-z0-9_] and is no number")

#define GWATCH_DETAIL_TEXT(verb, scope, carrier)                                            \
    "{\n\t.reg .b32 gwatch$" verb "$" scope ";\n\t// gwatch:" verb " " scope "\n\t" carrier \
    "\n\t"                                                                                  \
    "}"
#define GWATCH_DETAIL_EMIT(text, ...)                                       \
    do {                                                                    \
        unsigned gwatch_carrier;                                            \
        asm volatile(text : "=r"(gwatch_carrier) : __VA_ARGS__ : "memory"); \
        ::gwatch::cuda::detail::ignore(gwatch_carrier);                     \
    } while (0)
#define GWATCH_DETAIL_EMPTY "mov.u32 %0, 0;"

#define GWATCH_DETAIL_ID(verb, id)                                              \
    do {                                                                        \
        GWATCH_DETAIL_CHECK_ID(id);                                             \
        GWATCH_DETAIL_EMIT(GWATCH_DETAIL_TEXT(verb, "%1", GWATCH_DETAIL_EMPTY), \
                           "n"(static_cast<int>(id)));                          \
    } while (0)
#define GWATCH_DETAIL_NAME(verb, name)                                             \
    do {                                                                           \
        GWATCH_DETAIL_CHECK_NAME(name);                                            \
        GWATCH_DETAIL_EMIT(GWATCH_DETAIL_TEXT(verb, name, GWATCH_DETAIL_EMPTY), ); \
    } while (0)

#define GWATCH_DETAIL_SWITCH_TEXT(ending, starting)                                     \
    "{\n\t.reg .b32 gwatch$switch$" ending "$" starting ";\n\t// gwatch:switch " ending \
    " " starting "\n\t" GWATCH_DETAIL_EMPTY "\n\t}"
#define GWATCH_DETAIL_ID_SWITCH(ending, starting)                                                \
    do {                                                                                         \
        GWATCH_DETAIL_CHECK_ID(ending);                                                          \
        GWATCH_DETAIL_CHECK_ID(starting);                                                        \
        GWATCH_DETAIL_EMIT(GWATCH_DETAIL_SWITCH_TEXT("%1", "%2"), "n"(static_cast<int>(ending)), \
                           "n"(static_cast<int>(starting)));                                     \
    } while (0)
#define GWATCH_DETAIL_NAME_SWITCH(ending, starting)                        \
    do {                                                                   \
        GWATCH_DETAIL_CHECK_NAME(ending);                                  \
        GWATCH_DETAIL_CHECK_NAME(starting);                                \
        GWATCH_DETAIL_EMIT(GWATCH_DETAIL_SWITCH_TEXT(ending, starting), ); \
    } while (0)

#define GWATCH_DETAIL_CARRY(type, bits, input, carrier, output, verb, scope, ...) \
    static __device__ __forceinline__ void emit(type gwatch_value) {              \
        carrier gwatch_carrier;                                                   \
        asm volatile(GWATCH_DETAIL_TEXT(verb, scope, "mov." bits " %0, %1;")      \
                     : output(gwatch_carrier)                                     \
                     : input(gwatch_value) __VA_ARGS__                            \
                     : "memory");                                                 \
        ::gwatch::cuda::detail::ignore(gwatch_carrier);                           \
    }
#define GWATCH_DETAIL_EMIT_VALUE(value, ...)                                                       \
    struct GwatchMarker {                                                                          \
        GWATCH_DETAIL_CARRY(unsigned, "b32", "r", unsigned, "=r", __VA_ARGS__)                     \
        GWATCH_DETAIL_CARRY(float, "b32", "f", unsigned, "=r", __VA_ARGS__)                        \
        GWATCH_DETAIL_CARRY(unsigned long long, "b64", "l", unsigned long long, "=l", __VA_ARGS__) \
        GWATCH_DETAIL_CARRY(double, "b64", "d", unsigned long long, "=l", __VA_ARGS__)             \
    };                                                                                             \
    GwatchMarker::emit(::gwatch::cuda::detail::payload(value))

#define GWATCH_DETAIL_ID_VALUE(verb, id, value)                                   \
    do {                                                                          \
        GWATCH_DETAIL_CHECK_ID(id);                                               \
        GWATCH_DETAIL_EMIT_VALUE(value, verb, "%2", , "n"(static_cast<int>(id))); \
    } while (0)
#define GWATCH_DETAIL_NAME_VALUE(verb, name, value)    \
    do {                                               \
        GWATCH_DETAIL_CHECK_NAME(name);                \
        GWATCH_DETAIL_EMIT_VALUE(value, verb, name, ); \
    } while (0)

#define GWATCH_DETAIL_BLOCK(object, id, START, END)                    \
    struct GwatchAtEnd##object {                                       \
        __device__ __forceinline__ ~GwatchAtEnd##object() { END(id); } \
    };                                                                 \
    START(id);                                                         \
    const GwatchAtEnd##object gwatch_at_end_##object {}
#define GWATCH_DETAIL_ID_BLOCK(id, object) \
    GWATCH_DETAIL_BLOCK(object, id, GWATCH_CUDA_KERNEL_SCOPE_START, GWATCH_CUDA_KERNEL_SCOPE_END)
#define GWATCH_DETAIL_NAME_BLOCK(name, object)                              \
    GWATCH_DETAIL_BLOCK(object, name, GWATCH_CUDA_KERNEL_SCOPE_START_NAMED, \
                        GWATCH_CUDA_KERNEL_SCOPE_END_NAMED)

#else

#define GWATCH_DETAIL_ID(verb, id) static_cast<void>(0)
#define GWATCH_DETAIL_NAME(verb, name) static_cast<void>(0)
#define GWATCH_DETAIL_ID_SWITCH(ending, starting) static_cast<void>(0)
#define GWATCH_DETAIL_NAME_SWITCH(ending, starting) static_cast<void>(0)
#define GWATCH_DETAIL_ID_VALUE(verb, id, value) static_cast<void>(0)
#define GWATCH_DETAIL_NAME_VALUE(verb, name, value) static_cast<void>(0)
#define GWATCH_DETAIL_ID_BLOCK(id, object) static_cast<void>(0)
#define GWATCH_DETAIL_NAME_BLOCK(name, object) static_cast<void>(0)

#endif

#if defined(__CUDACC__) || defined(__CUDA__)

namespace gwatch {
namespace cuda {

/// A scope that lasts as long as the object: const gwatch::cuda::Scope<100> scope;
template <int Id>
class Scope {
  public:
    __device__ __forceinline__ Scope() { GWATCH_CUDA_KERNEL_SCOPE_START(Id); }
    __device__ __forceinline__ ~Scope() { GWATCH_CUDA_KERNEL_SCOPE_END(Id); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
};

}  // namespace cuda
}  // namespace gwatch

#endif
