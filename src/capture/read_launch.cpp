#include "capture/guards.h"
#include "capture/stopwatch.h"
#include "capture/traced_build.h"

namespace gwatch::capture {

namespace {

Result<void> copy_variables_back(Driver& driver, const ActiveLaunch& launch) {
    const auto stream = reinterpret_cast<CUstream>(launch.info.stream);
    for (const VariablePair& pair : launch.variables) {
        Result<void> copied =
            check(driver, driver.copy_on_device(pair.original, pair.traced, pair.bytes, stream),
                  "cuMemcpyDtoDAsync_v2",
                  "to copy variable " + pair.name + " back after kernel " + launch.info.kernel);
        if (!copied.ok()) return copied;
    }
    return {};
}

/// The event stays null when it could not be recorded: then the end waits for the whole context.
void mark_end(Driver& driver, ActiveLaunch& launch) {
    if (launch.info.in_stream_capture) return;
    const auto stream = reinterpret_cast<CUstream>(launch.info.stream);
    if (driver.event_record(launch.resources.launched, stream) == CUDA_SUCCESS) return;
    driver.event_destroy(launch.resources.launched);
    launch.resources.launched = nullptr;
}

/// The stream may be gone by now; then the driver says so, and the capture is over.
bool is_still_captured(Driver& driver, const ActiveLaunch& launch) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const auto stream = reinterpret_cast<CUstream>(launch.info.stream);
    return driver.stream_is_capturing(stream, &status) == CUDA_SUCCESS &&
           status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

Error still_captured(const ActiveLaunch& launch) {
    return {ErrorKind::kCapture,
            "kernel " + launch.info.kernel + " has not run: its stream is still being captured",
            {},
            "End the stream capture and replay the graph inside the traced function."};
}

Result<void> wait_for(Driver& driver, const ActiveLaunch& launch) {
    const bool by_event = launch.resources.launched && !launch.info.in_stream_capture;
    const CUresult code = by_event ? driver.event_synchronize(launch.resources.launched)
                                   : driver.context_synchronize();
    if (code == CUDA_SUCCESS) return {};
    return Error{
        ErrorKind::kDriver,
        "kernel " + launch.info.kernel + " ended with " + describe(driver, code) +
            ": its records cannot be read",
        by_event ? "from cuEventSynchronize" : "from cuCtxSynchronize",
        "Run it without tracing to see whether it fails by itself; compute-sanitizer finds bad "
        "accesses. After such an error the CUDA context cannot be used any more."};
}

Result<record::RawRecords> read_records(Driver& driver, const ActiveLaunch& launch) {
    DeviceMemoryReader memory(driver, launch.resources.memory, launch.resources.stream);
    return record::read_records(launch.plan, launch.info.grid, launch.info.block, memory);
}

Result<record::RawRecords> wait_and_read(Driver& driver, Clock& clock, ActiveLaunch& launch) {
    if (launch.info.in_stream_capture && is_still_captured(driver, launch)) {
        launch.resources.abandon();
        return still_captured(launch);
    }
    {
        const Stopwatch watch(clock, launch.stage_seconds, "launch wait");
        if (Result<void> ended = wait_for(driver, launch); !ended.ok()) {
            launch.resources.abandon();
            return ended.error();
        }
    }
    const Stopwatch watch(clock, launch.stage_seconds, "read back");
    return read_records(driver, launch);
}

/// Frees what a failed launch held once nothing can use it any more; a graph may for ever.
void give_up(Driver& driver, ActiveLaunch& launch) {
    if (launch.info.in_stream_capture || !wait_for(driver, launch).ok()) launch.resources.abandon();
    launch.resources.release();
}

}  // namespace

void leave_launch(Driver& driver, ActiveLaunch& launch, CUresult code) {
    Result<void> left =
        check(driver, code, "the launch", "of the traced build of kernel " + launch.info.kernel);
    if (left.ok()) left = copy_variables_back(driver, launch);
    if (left.ok()) {
        mark_end(driver, launch);
    } else {
        launch.failure = left.error();
    }
    launch.returned = true;
}

Result<TracedLaunch> read_launch(Driver& driver, Clock& clock, ActiveLaunch& launch) {
    const RelaxedStreamCapture relaxed(driver);
    const CurrentContext current(driver, launch.resources.context());
    if (Result<void> entered = current.status(); !entered.ok()) {
        launch.resources.abandon();
        return entered.error();
    }
    if (launch.failure) {
        give_up(driver, launch);
        return *launch.failure;
    }
    Result<record::RawRecords> records = wait_and_read(driver, clock, launch);
    {
        const Stopwatch watch(clock, launch.stage_seconds, "free");
        if (launch.info.in_stream_capture) launch.resources.abandon();
        launch.resources.release();
    }
    if (!records.ok()) return records.error();
    TracedLaunch traced;
    traced.info = std::move(launch.info);
    traced.token = launch.token;
    traced.records = std::move(records).value();
    traced.original = launch.original;
    traced.traced = launch.traced;
    traced.stage_seconds = std::move(launch.stage_seconds);
    return traced;
}

}  // namespace gwatch::capture
