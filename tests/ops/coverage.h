// Checks that the cases cover every op: a value, an error, a shape and, if the op has one, a gradient. reasons.txt
// lists the exceptions with their reasons.
#ifndef WEIR_TESTS_OPS_COVERAGE_H_
#define WEIR_TESTS_OPS_COVERAGE_H_

#include <map>
#include <set>

#include "tests/ops/parse.h"

namespace weir::optest {

using Checks = std::set<std::string, std::less<>>;  // "value", "error", "shape", "gradient"
using Coverage = std::map<std::string, Checks, std::less<>>;
using Groups = std::map<std::string, std::vector<std::string>>;  // a folder of src/ops -> its ops

void AddCoverage(const OpRegistry& registry, const File& file, Coverage* coverage);
// The checks that an op needs.
Checks NeededChecks(const OpDef& op);

struct CoverageReport {
  std::vector<std::string> wrong;  // missing checks, and reasons that are stale or malformed
  std::vector<std::string> todo;   // missing checks in groups that reasons.txt marks as "todo"
};
// `reasons` is the text of reasons.txt: lines "OP CHECK[,CHECK] why", "todo GROUP" and comments.
CoverageReport CheckCoverage(const OpRegistry& registry, const Groups& groups, const Coverage& coverage,
                             std::string_view reasons);

}  // namespace weir::optest

#endif  // WEIR_TESTS_OPS_COVERAGE_H_
