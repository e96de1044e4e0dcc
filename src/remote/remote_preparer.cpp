#include "remote/remote_preparer.h"

#include <utility>

#include "remote/messages.h"

namespace gwatch::remote {

Result<capture::PreparedKernel> RemotePreparer::prepare(const capture::LaunchInfo& launch) {
    const std::string question = to_bytes(Message(launch));
    std::optional<std::string> bytes;
    {
        const std::lock_guard lock(mutex_);
        if (channel_.send(question)) bytes = channel_.receive();
    }
    if (!bytes) {
        return Error{ErrorKind::kCapture,
                     "kernel " + launch.kernel + " is not traced: gwatch run has ended"};
    }
    Result<Answer> answer = answer_from(*bytes);
    if (!answer.ok()) return answer.error();
    if (const Error* const error = std::get_if<Error>(&*answer)) return *error;
    return std::get<capture::PreparedKernel>(std::move(*answer));
}

}  // namespace gwatch::remote
