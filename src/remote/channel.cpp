#include "remote/channel.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace gwatch::remote {

namespace {

/// Larger messages do not come: the length is not one.
constexpr std::uint64_t kMaxMessageBytes = std::uint64_t{1} << 40;

Error no_connection(const std::string& path) {
    return {ErrorKind::kIo,
            "cannot connect to " + path + ": " + std::strerror(errno),
            {},
            "Start the program with gwatch run."};
}

}  // namespace

Result<Channel> Channel::connect(const std::string& socket_path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    errno = ENAMETOOLONG;
    if (socket_path.size() >= sizeof address.sun_path) return no_connection(socket_path);
    std::memcpy(address.sun_path, socket_path.data(), socket_path.size());
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) return no_connection(socket_path);
    Channel channel(socket);
    const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
    if (::connect(socket, generic, sizeof address) != 0) return no_connection(socket_path);
    return channel;
}

Channel::Channel(Channel&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}

Channel::~Channel() {
    if (socket_ >= 0) close(socket_);
}

bool Channel::send(std::string_view message) {
    const std::uint64_t length = message.size();
    return send_all(reinterpret_cast<const char*>(&length), sizeof length) &&
           send_all(message.data(), message.size());
}

std::optional<std::string> Channel::receive() {
    std::uint64_t length = 0;
    if (!receive_all(reinterpret_cast<char*>(&length), sizeof length)) return std::nullopt;
    if (length > kMaxMessageBytes) return std::nullopt;
    std::string message(length, '\0');
    if (!receive_all(message.data(), message.size())) return std::nullopt;
    return message;
}

bool Channel::send_all(const char* bytes, std::size_t count) {
    while (count > 0) {
        const ssize_t sent = ::send(socket_, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        bytes += sent;
        count -= static_cast<std::size_t>(sent);
    }
    return true;
}

bool Channel::receive_all(char* bytes, std::size_t count) {
    while (count > 0) {
        const ssize_t received = ::recv(socket_, bytes, count, 0);
        if (received < 0 && errno == EINTR) continue;
        if (received <= 0) return false;
        bytes += received;
        count -= static_cast<std::size_t>(received);
    }
    return true;
}

}  // namespace gwatch::remote
