#include "assemble/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <string_view>

extern char** environ;

namespace gwatch::assemble {

namespace {

/// Both ends of a pipe, closed when it goes.
class Pipe {
  public:
    Pipe() {
        if (pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
    }
    ~Pipe() {
        close_end(0);
        close_end(1);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    bool is_open() const { return ends_[0] >= 0; }
    int read_end() const { return ends_[0]; }
    int write_end() const { return ends_[1]; }
    void close_write_end() { close_end(1); }

  private:
    void close_end(std::size_t end) {
        if (ends_[end] >= 0) close(ends_[end]);
        ends_[end] = -1;
    }

    std::array<int, 2> ends_{-1, -1};
};

/// What the child does before the program starts: no input, all output into the pipe, default
/// signals.
class SpawnSetup {
  public:
    explicit SpawnSetup(int output) {
        posix_spawn_file_actions_init(&actions_);
        posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
        posix_spawnattr_init(&attributes_);
        sigset_t none;
        sigemptyset(&none);
        posix_spawnattr_setsigmask(&attributes_, &none);
        sigset_t defaults;
        sigemptyset(&defaults);
        sigaddset(&defaults, SIGPIPE);
        posix_spawnattr_setsigdefault(&attributes_, &defaults);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    ~SpawnSetup() {
        posix_spawn_file_actions_destroy(&actions_);
        posix_spawnattr_destroy(&attributes_);
    }
    SpawnSetup(const SpawnSetup&) = delete;
    SpawnSetup& operator=(const SpawnSetup&) = delete;

    int spawn(pid_t* child, const std::vector<std::string>& argv) const {
        std::vector<char*> arguments;
        for (const std::string& argument : argv) {
            arguments.push_back(const_cast<char*>(argument.c_str()));
        }
        arguments.push_back(nullptr);
        return posix_spawn(child, arguments[0], &actions_, &attributes_, arguments.data(), environ);
    }

  private:
    posix_spawn_file_actions_t actions_;
    posix_spawnattr_t attributes_;
};

Error run_error(const std::string& program, const std::string& what, int error_number) {
    return {ErrorKind::kAssembler, program + ": " + what + ": " + std::strerror(error_number)};
}

std::string read_all(int descriptor) {
    std::string text;
    std::array<char, 65536> chunk;
    while (true) {
        const ssize_t count = read(descriptor, chunk.data(), chunk.size());
        if (count > 0) text.append(chunk.data(), static_cast<std::size_t>(count));
        if (count == 0 || (count < 0 && errno != EINTR)) return text;
    }
}

/// The status of waitpid, or nothing when the process's end was reaped elsewhere (errno says why).
std::optional<int> wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return std::nullopt;
    }
    return status;
}

bool needs_quotes(char c) {
    constexpr std::string_view kPlain = "_@%+=:,./-";
    return !std::isalnum(static_cast<unsigned char>(c)) && kPlain.find(c) == kPlain.npos;
}

std::string quoted(const std::string& argument) {
    if (!argument.empty() && std::none_of(argument.begin(), argument.end(), needs_quotes)) {
        return argument;
    }
    std::string text = "'";
    for (const char c : argument) {
        if (c == '\'') {
            text += "'\\''";
        } else {
            text += c;
        }
    }
    return text + "'";
}

}  // namespace

Result<ProcessResult> PosixRunner::run(const std::vector<std::string>& argv) {
    Pipe pipe;
    if (!pipe.is_open()) return run_error(argv[0], "cannot open a pipe", errno);
    pid_t child = 0;
    const int failure = SpawnSetup(pipe.write_end()).spawn(&child, argv);
    if (failure != 0) return run_error(argv[0], "cannot be run", failure);
    pipe.close_write_end();

    ProcessResult result;
    result.output = read_all(pipe.read_end());
    const std::optional<int> status = wait_for(child);
    if (!status) return run_error(argv[0], "its exit status was lost", errno);
    if (WIFSIGNALED(*status)) {
        result.signal = WTERMSIG(*status);
    } else {
        result.exit_status = WEXITSTATUS(*status);
    }
    return result;
}

std::string shell_command(const std::vector<std::string>& argv) {
    std::string text;
    for (const std::string& argument : argv) {
        if (!text.empty()) text += ' ';
        text += quoted(argument);
    }
    return text;
}

std::string signal_name(int signal) {
    const char* name = sigabbrev_np(signal);
    return name ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

}  // namespace gwatch::assemble
