// Finds the Python package of this build or installation, and runs it by replacing this process.
#ifndef WEIR_CLI_RUN_PYTHON_H_
#define WEIR_CLI_RUN_PYTHON_H_

#include <string>
#include <vector>

#include "base/status.h"

namespace weir::cli {

// Replaces this process with `python -m weir ARGUMENTS...`. Returns only on failure.
Status RunPython(const std::vector<std::string>& arguments);

// Returns the path of this executable.
Result<std::string> ThisProgram();

}  // namespace weir::cli

#endif  // WEIR_CLI_RUN_PYTHON_H_
