#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace gwatch::assemble {

/// One assembler that may be tried.
struct Candidate {
    std::string path;    ///< of a ptxas program
    std::string origin;  ///< "triton", "PyPI nvidia-cuda-nvcc", "CUDA toolkit", "PATH"
    std::vector<std::string> flags =
        {};  ///< flags that the DSL itself passes; first candidate only, as a rule
};

struct Request {
    std::string ptx;
    std::string entry;                  ///< mangled kernel name, for the resource lines of the log
    std::string target;                 ///< "sm_90a"; empty: what the module's .target says
    std::vector<Candidate> candidates;  ///< in order of preference
    std::string
        keep_folder;  ///< where the files of a failure are kept; empty: the temporary folder
};

/// What ptxas -v says of one kernel; -1 where it says nothing.
struct Resources {
    int registers = -1;
    int spill_store_bytes = -1;
    int spill_load_bytes = -1;
    int stack_bytes = -1;
    int shared_bytes = -1;
};

struct Assembled {
    std::string cubin;  ///< bytes of the ELF image
    std::string path;   ///< of the assembler
    std::string origin;
    std::string version;  ///< "13.5.37"
    std::vector<std::string> flags;
    std::string lowered_from;          ///< the .version that was lowered, else empty
    std::string log;                   ///< all that the assembler printed
    std::vector<std::string> remarks;  ///< lines of the log with a C7xxx code
    Resources resources;
    std::string earlier_failures;  ///< commands and logs of the candidates that were tried before
                                   ///< and failed, else empty
    double seconds = 0;
};

/// The newest PTX .version that an assembler of this release takes, as major * 10 + minor, from a
/// table and, past its end, from asking the program. Fails when the program cannot be run.
Result<int> newest_ptx_version(const std::string& path);

/// Assembles with the first candidate that can take the module's .version and target; lowers too
/// new a .version when no candidate takes it and it assembles so. kAssembler when none is there,
/// none accepts, or the program crashed (the message names the signal): the detail holds the log of
/// each try, the hint the command to repeat it and where the files lie.
Result<Assembled> assemble(const Request& request);

}  // namespace gwatch::assemble
