// Runs one case in one mode and reports its problems.
#ifndef WEIR_TESTS_OPS_RUN_H_
#define WEIR_TESTS_OPS_RUN_H_

#include "tests/ops/scope.h"

namespace weir::optest {

struct Problem {
  int line = 0;
  std::string text;
};

struct Outcome {
  std::vector<Problem> problems;
  std::string skipped;  // the reason, if this build has no kernel for a type of the case
};

Outcome RunCase(const OpRegistry& registry, const File& file, const Case& one, const RunMode& mode);

// Runs one step of a case and returns the fetched values.
using Fetch = std::function<Result<std::vector<Tensor>>(const std::vector<Output>&)>;
// Compares the gradient of `ys` with respect to `xs` (if empty: all double and complex128 feeds) with finite
// differences. `exists` says whether there should be a gradient. An error describes the difference.
Status CheckGradient(Scope& scope, const std::vector<Output>& ys, std::vector<Output> xs, bool exists, double tolerance,
                     const Fetch& fetch);

}  // namespace weir::optest

#endif  // WEIR_TESTS_OPS_RUN_H_
