// Runs one case in one mode and says what is wrong with it.
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
  std::string skipped;  // why, when this build has no kernel for a type of the case
};

Outcome RunCase(const OpRegistry& registry, const File& file, const Case& one, const RunMode& mode);

// Values of fetches in one step of a case.
using Fetch = std::function<Result<std::vector<Tensor>>(const std::vector<Output>&)>;
// Holds the gradient of `ys` with respect to `xs` (none given: all that is fed as double or complex128) against
// finite differences; `exists` says whether there is any. An error says what differs.
Status CheckGradient(Scope& scope, const std::vector<Output>& ys, std::vector<Output> xs, bool exists, double tolerance,
                     const Fetch& fetch);

}  // namespace weir::optest

#endif  // WEIR_TESTS_OPS_RUN_H_
