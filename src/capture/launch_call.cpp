#include "capture/launch_call.h"

#include <cupti.h>

namespace gwatch::capture {

const std::array<CUpti_CallbackId, 6> kLaunchCallbacks{
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
};

const std::array<CUpti_CallbackId, 2> kGraphLaunchCallbacks{
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz,
};

namespace {

/// CUPTI hands out its parameters as const, yet the driver reads them after the enter callback.
template <class Parameters>
Parameters& parameters(const CUpti_CallbackData& data) {
    return *static_cast<Parameters*>(const_cast<void*>(data.functionParams));
}

template <class Parameters, class Shape>
LaunchCall read_shape(Parameters& parameters, const Shape& p) {
    LaunchCall call;
    call.function = &parameters.f;
    call.kernel_parameters = &parameters.kernelParams;
    if constexpr (requires { parameters.extra; }) call.extra = &parameters.extra;
    call.grid = {p.gridDimX, p.gridDimY, p.gridDimZ};
    call.block = {p.blockDimX, p.blockDimY, p.blockDimZ};
    call.dynamic_shared_bytes = p.sharedMemBytes;
    call.stream = p.hStream;
    return call;
}

template <class Parameters>
LaunchCall read_plain(Parameters& p) {
    return read_shape(p, p);
}

template <class Parameters>
LaunchCall read_cooperative(Parameters& p) {
    LaunchCall call = read_shape(p, p);
    call.cooperative = true;
    return call;
}

void read_attribute(const CUlaunchAttribute& attribute, LaunchCall& call) {
    const CUlaunchAttributeValue& value = attribute.value;
    switch (attribute.id) {
        case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
            call.cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
            break;
        case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
            call.cooperative = value.cooperative != 0;
            break;
        case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
            call.programmatic = value.programmaticStreamSerializationAllowed != 0;
            break;
        default:
            break;
    }
}

template <class Parameters>
std::optional<LaunchCall> read_extended(Parameters& p) {
    if (!p.config) return std::nullopt;
    const CUlaunchConfig& config = *p.config;
    LaunchCall call = read_shape(p, config);
    for (unsigned i = 0; config.attrs && i < config.numAttrs; ++i) {
        read_attribute(config.attrs[i], call);
    }
    return call;
}

LaunchCall with_thread_stream(LaunchCall call) {
    if (!call.stream) call.stream = CU_STREAM_PER_THREAD;
    return call;
}

}  // namespace

std::optional<LaunchCall> read_launch_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    if (!data.functionParams) return std::nullopt;
    switch (id) {
        case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
            return read_plain(parameters<cuLaunchKernel_params>(data));
        case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
            return with_thread_stream(read_plain(parameters<cuLaunchKernel_ptsz_params>(data)));
        case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
            return read_extended(parameters<cuLaunchKernelEx_params>(data));
        case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: {
            std::optional<LaunchCall> call =
                read_extended(parameters<cuLaunchKernelEx_ptsz_params>(data));
            return call ? std::optional(with_thread_stream(*call)) : std::nullopt;
        }
        case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
            return read_cooperative(parameters<cuLaunchCooperativeKernel_params>(data));
        case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
            return with_thread_stream(
                read_cooperative(parameters<cuLaunchCooperativeKernel_ptsz_params>(data)));
        default:
            return std::nullopt;
    }
}

}  // namespace gwatch::capture
