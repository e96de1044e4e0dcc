// libgwatch_injection.so: the CUDA driver loads it into a program that `gwatch run` starts
// (CUDA_INJECTION64_PATH) and calls InitializeInjection() within cuInit(). Whatever fails, the
// program runs on with its own kernels.
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>

#include "capture/capture.h"
#include "remote/channel.h"
#include "remote/messages.h"
#include "remote/remote_preparer.h"

namespace gwatch::remote {

namespace {

constexpr char kSocketVariable[] = "GWATCH_RUN_SOCKET";

/// Lives until the process ends.
struct Injection {
    Channel channel;
    pid_t process_id;
};
Injection* injection = nullptr;

std::string program_name() {
    std::string path(4096, '\0');
    const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
    path.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    return path;
}

/// At the end of the program: what was captured goes to `gwatch run`. Only the first call counts.
void finish() {
    static std::atomic<bool> is_finished = false;
    // A forked child that ends has no part in it.
    if (!injection || injection->process_id != getpid() || is_finished.exchange(true)) return;
    injection->channel.send(to_bytes(Message(capture::end_capture())));
}

/// Asks `gwatch run`, and sees to it that records are read while the driver still works: what is
/// registered last runs first, and the driver may register its own end after cuInit() has called
/// InitializeInjection().
class LatePreparer : public RemotePreparer {
  public:
    using RemotePreparer::RemotePreparer;

    Result<capture::PreparedKernel> prepare(const capture::LaunchInfo& launch) override {
        static const int registered = std::atexit(finish);
        static_cast<void>(registered);
        return RemotePreparer::prepare(launch);
    }
};

Result<void> start(Channel& channel) {
    channel.send(to_bytes(Message(Hello{getpid(), program_name()})));
    const std::optional<std::string> bytes = channel.receive();
    if (!bytes) return Error{ErrorKind::kCapture, "gwatch run has ended"};
    const Result<Orders> orders = orders_from(*bytes);
    if (!orders.ok()) return orders.error();
    if (Result<void> hooked = capture::init_hooks(orders->cupti_paths); !hooked.ok()) return hooked;
    return capture::begin_capture(orders->options, std::make_shared<LatePreparer>(channel));
}

void inject() {
    const char* const path = std::getenv(kSocketVariable);
    if (injection || !path) return;
    Result<Channel> channel = Channel::connect(path);
    if (!channel.ok()) return;
    injection = new Injection{std::move(channel).value(), getpid()};
    const Result<void> started = start(injection->channel);
    if (!started.ok()) {
        injection->channel.send(to_bytes(Message(started.error())));
    } else {
        std::atexit(finish);
    }
}

}  // namespace

}  // namespace gwatch::remote

/// Called by the CUDA driver; 1 lets it go on.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
    try {
        gwatch::remote::inject();
    } catch (...) {
        // Out of memory: the program goes on untraced.
    }
    return 1;
}
