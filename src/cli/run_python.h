// Finding this build's or installation's Python package, and becoming a Python process that runs it.
#ifndef WEIR_CLI_RUN_PYTHON_H_
#define WEIR_CLI_RUN_PYTHON_H_

#include <string>
#include <vector>

#include "base/status.h"

namespace weir::cli {

// Replaces this process by `python -m weir ARGUMENTS...`; returns only to say why that failed.
Status RunPython(const std::vector<std::string>& arguments);

// The path of this program.
Result<std::string> ThisProgram();

}  // namespace weir::cli

#endif  // WEIR_CLI_RUN_PYTHON_H_
