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
/// A scope is an id, an integer constant expression from 0 to 65535 (such as a template argument),
/// or, in macros that end in _NAMED, a string literal of [A-Za-z0-9_] that is no number.
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
/// of up to 64 bits, is recorded with the start. A record has one value: that of the first thread
/// of those of a warp that pass the marker together.
#define GWATCH_CUDA_KERNEL_SCOPE_START(...) \
    GWATCH_DETAIL_MAY_CARRY(GWATCH_DETAIL_ID, "start", __VA_ARGS__)
#define GWATCH_CUDA_KERNEL_SCOPE_START_NAMED(...) \
    GWATCH_DETAIL_MAY_CARRY(GWATCH_DETAIL_NAME, "start", __VA_ARGS__)

/// Ends a scope that this warp started.
#define GWATCH_CUDA_KERNEL_SCOPE_END(id) GWATCH_DETAIL_ID("end", id)
#define GWATCH_CUDA_KERNEL_SCOPE_END_NAMED(name) GWATCH_DETAIL_NAME("end", name)

/// Ends one scope and starts another at the same instant, with one record.
#define GWATCH_CUDA_KERNEL_SCOPE_SWITCH(ending, starting) GWATCH_DETAIL_ID_SWITCH(ending, starting)
#define GWATCH_CUDA_KERNEL_SCOPE_SWITCH_NAMED(ending, starting) \
    GWATCH_DETAIL_NAME_SWITCH(ending, starting)

/// Marks an instant: (id) or (id, value).
#define GWATCH_CUDA_KERNEL_MARK(...) GWATCH_DETAIL_MAY_CARRY(GWATCH_DETAIL_ID, "mark", __VA_ARGS__)
#define GWATCH_CUDA_KERNEL_MARK_NAMED(...) \
    GWATCH_DETAIL_MAY_CARRY(GWATCH_DETAIL_NAME, "mark", __VA_ARGS__)

/// Starts a scope here, (id) or (id, value), and ends it where the enclosing block is left.
#define GWATCH_CUDA_KERNEL_SCOPE(...) \
    GWATCH_DETAIL_BLOCK(GWATCH_DETAIL_ID, GWATCH_DETAIL_UNIQUE, __VA_ARGS__)
#define GWATCH_CUDA_KERNEL_SCOPE_NAMED(...) \
    GWATCH_DETAIL_BLOCK(GWATCH_DETAIL_NAME, GWATCH_DETAIL_UNIQUE, __VA_ARGS__)

// All names with DETAIL or detail are the header's own.

#ifdef __COUNTER__
#define GWATCH_DETAIL_UNIQUE __COUNTER__
#else  // NVRTC
#define GWATCH_DETAIL_UNIQUE __LINE__
#endif
#define GWATCH_DETAIL_FIRST(first, ...) first
#define GWATCH_DETAIL_THIRD(first, second, third, ...) third
#define GWATCH_DETAIL_MAY_CARRY(emit, verb, ...)                 \
    GWATCH_DETAIL_THIRD(__VA_ARGS__, emit##_VALUE, emit, unused) \
    (verb, __VA_ARGS__)

#if GWATCH_MARKERS && (defined(__CUDACC__) || defined(__CUDA__))

namespace gwatch {
namespace cuda {
namespace detail {

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

template <bool IsFirst, class First, class Second>
struct Choose {
    using Type = First;
};
template <class First, class Second>
struct Choose<false, First, Second> {
    using Type = Second;
};

/// What a value is recorded as: narrow ones are widened; a class (__half) counts as a float.
template <class T, bool IsClass>
struct Recorded {
    static constexpr bool kIsWide = sizeof(T) > 4, kIsSigned = T(-1) < T(0);
    static constexpr bool kIsFloat = T(0.5) != T(0) && T(0.5) != T(1);
    using Float = typename Choose<kIsWide, double, float>::Type;
    using Signed = typename Choose<kIsWide, long long, int>::Type;
    using Unsigned = typename Choose<kIsWide, unsigned long long, unsigned>::Type;
    using Integer = typename Choose<kIsSigned, Signed, Unsigned>::Type;
    using Type = typename Choose<kIsFloat, Float, Integer>::Type;
};
template <class T>
struct Recorded<T, true> {
    using Type = float;
};
template <class T>
__device__ __forceinline__ auto payload(T value) {
    static_assert(sizeof(T) <= 8, "gwatch: a value has at most 64 bits");
    return static_cast<typename Recorded<T, __is_class(T)>::Type>(value);
}
template <class T>
__device__ __forceinline__ const void* payload(T* value) {
    return (const void*)value;
}

}  // namespace detail
}  // namespace cuda
}  // namespace gwatch

#endif

// A function for both sides is compiled for the host, too, whose assembler knows no PTX.
#if GWATCH_MARKERS && defined(__CUDA_ARCH__)

#define GWATCH_DETAIL_CHECK_ID(id)                                                        \
    static_assert(static_cast<long long>(id) >= 0 && static_cast<long long>(id) <= 65535, \
                  "gwatch: a scope id is from 0 to 65535")
#define GWATCH_DETAIL_CHECK_NAME(name)                   \
    static_assert(::gwatch::cuda::detail::is_name(name), \
                  "gwatch: a scope name is made of [A-Za-z0-9_] and is no number")

#define GWATCH_DETAIL_TEXT(verb, scope, mov) \
    "{\n\t.reg .b32 gwatch$" verb "$" scope ";\n\t// gwatch:" verb " " scope "\n\t" mov "\n\t}"
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

// The type of the instruction says how the value is to be read.
#define GWATCH_DETAIL_CARRY(type, kind, register, verb, scope, ...)          \
    static __device__ __forceinline__ void emit(type gwatch_value) {         \
        type gwatch_carrier;                                                 \
        asm volatile(GWATCH_DETAIL_TEXT(verb, scope, "mov." kind " %0, %1;") \
                     : "=" register(gwatch_carrier)                          \
                     : register(gwatch_value) __VA_ARGS__                    \
                     : "memory");                                            \
        ::gwatch::cuda::detail::ignore(gwatch_carrier);                      \
    }
#define GWATCH_DETAIL_EMIT_VALUE(check, value, ...)                          \
    do {                                                                     \
        check;                                                               \
        struct GwatchMarker {                                                \
            GWATCH_DETAIL_CARRY(int, "s32", "r", __VA_ARGS__)                \
            GWATCH_DETAIL_CARRY(unsigned, "u32", "r", __VA_ARGS__)           \
            GWATCH_DETAIL_CARRY(float, "f32", "f", __VA_ARGS__)              \
            GWATCH_DETAIL_CARRY(long long, "s64", "l", __VA_ARGS__)          \
            GWATCH_DETAIL_CARRY(unsigned long long, "u64", "l", __VA_ARGS__) \
            GWATCH_DETAIL_CARRY(double, "f64", "d", __VA_ARGS__)             \
            GWATCH_DETAIL_CARRY(const void*, "b64", "l", __VA_ARGS__)        \
        };                                                                   \
        GwatchMarker::emit(::gwatch::cuda::detail::payload(value));          \
    } while (0)

#define GWATCH_DETAIL_ID_VALUE(verb, id, value)                               \
    GWATCH_DETAIL_EMIT_VALUE(GWATCH_DETAIL_CHECK_ID(id), value, verb, "%2", , \
                             "n"(static_cast<int>(id)))
#define GWATCH_DETAIL_NAME_VALUE(verb, name, value) \
    GWATCH_DETAIL_EMIT_VALUE(GWATCH_DETAIL_CHECK_NAME(name), value, verb, name, )
#define GWATCH_DETAIL_BLOCK(emit, object, ...) \
    GWATCH_DETAIL_GUARD(emit, object, GWATCH_DETAIL_FIRST(__VA_ARGS__, unused), __VA_ARGS__)
#define GWATCH_DETAIL_GUARD(emit, object, scope, ...)                             \
    struct GwatchAtEnd##object {                                                  \
        __device__ __forceinline__ ~GwatchAtEnd##object() { emit("end", scope); } \
    };                                                                            \
    GWATCH_DETAIL_MAY_CARRY(emit, "start", __VA_ARGS__);                          \
    const GwatchAtEnd##object gwatch_at_end_##object {}

#else

#define GWATCH_DETAIL_ID(verb, id) static_cast<void>(0)
#define GWATCH_DETAIL_NAME(verb, name) static_cast<void>(0)
#define GWATCH_DETAIL_ID_SWITCH(ending, starting) static_cast<void>(0)
#define GWATCH_DETAIL_NAME_SWITCH(ending, starting) static_cast<void>(0)
#define GWATCH_DETAIL_ID_VALUE(verb, id, value) static_cast<void>(0)
#define GWATCH_DETAIL_NAME_VALUE(verb, name, value) static_cast<void>(0)
#define GWATCH_DETAIL_BLOCK(emit, object, ...) static_cast<void>(0)

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
