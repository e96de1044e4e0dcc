#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gwatch::remote {

/// A connection to `gwatch run`, over a Unix socket. A message is its length in 8 bytes, and
/// itself.
class Channel {
  public:
    /// kIo when nobody listens there.
    static Result<Channel> connect(const std::string& socket_path);

    Channel(Channel&& other) noexcept;
    Channel& operator=(Channel&& other) = delete;
    ~Channel();

    /// False when the other end is gone.
    bool send(std::string_view message);
    /// nullopt when the other end is gone.
    std::optional<std::string> receive();

  private:
    explicit Channel(int socket) : socket_(socket) {}
    bool send_all(const char* bytes, std::size_t count);
    bool receive_all(char* bytes, std::size_t count);

    int socket_;
};

}  // namespace gwatch::remote
