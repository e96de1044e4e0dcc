#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace gwatch::remote {

/// The other end of one Channel: gives the answers, in order, one a message.
class Listener {
  public:
    explicit Listener(std::vector<std::string> answers) : answers_(std::move(answers)) {
        static int count = 0;
        path_ =
            testing::TempDir() + "gw" + std::to_string(getpid()) + "." + std::to_string(count++);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, path_.c_str(), sizeof address.sun_path - 1);
        socket_ = socket(AF_UNIX, SOCK_STREAM, 0);
        EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        EXPECT_EQ(listen(socket_, 1), 0);
        thread_ = std::thread([this] { serve(); });
    }
    ~Listener() {
        join();
        close(socket_);
        unlink(path_.c_str());
    }

    const std::string& path() const { return path_; }
    /// All messages, once the other end is gone.
    const std::vector<std::string>& messages() {
        join();
        return messages_;
    }

  private:
    void join() {
        if (thread_.joinable()) thread_.join();
    }
    static bool receive(int connection, char* to, std::size_t count) {
        while (count > 0) {
            const ssize_t got = recv(connection, to, count, 0);
            if (got <= 0) return false;
            to += got;
            count -= static_cast<std::size_t>(got);
        }
        return true;
    }
    void serve() {
        const int connection = accept(socket_, nullptr, nullptr);
        std::uint64_t length = 0;
        while (receive(connection, reinterpret_cast<char*>(&length), sizeof length)) {
            messages_.emplace_back(length, '\0');
            if (!receive(connection, messages_.back().data(), length)) break;
            if (messages_.size() > answers_.size()) break;
            const std::string& answer = answers_[messages_.size() - 1];
            const std::uint64_t size = answer.size();
            send(connection, &size, sizeof size, MSG_NOSIGNAL);
            // In two pieces, as a network may deliver it.
            send(connection, answer.data(), answer.size() / 2, MSG_NOSIGNAL);
            send(connection, answer.data() + answer.size() / 2, answer.size() - answer.size() / 2,
                 MSG_NOSIGNAL);
        }
        close(connection);
    }

    std::vector<std::string> answers_;
    std::vector<std::string> messages_;
    std::string path_;
    int socket_;
    std::thread thread_;
};

}  // namespace gwatch::remote
