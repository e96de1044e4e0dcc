#pragma once

#include <string>

#include "assemble/assemble.h"
#include "assemble/process.h"

namespace gwatch::assemble {

/// What assemble.h promises, on any runner of processes.
class Assembler {
  public:
    /// The runner must live as long.
    explicit Assembler(ProcessRunner& runner) : runner_(runner) {}

    Result<int> newest_ptx_version(const std::string& path);
    Result<Assembled> assemble(const Request& request);

  private:
    ProcessRunner& runner_;
};

}  // namespace gwatch::assemble
