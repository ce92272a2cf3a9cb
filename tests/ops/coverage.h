// What the cases of all files check of each op, held against what every op must have: a value, an error, a shape and,
// where it has one, a gradient. reasons.txt says what is left out and why.
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
// What an op must have.
Checks NeededChecks(const OpDef& op);

struct CoverageReport {
  std::vector<std::string> wrong;  // missing checks, and reasons that are stale or not understood
  std::vector<std::string> todo;   // missing in groups that reasons.txt lists as to be done
};
// `reasons` is the text of reasons.txt: lines "OP CHECK[,CHECK] why", "todo GROUP" and comments.
CoverageReport CheckCoverage(const OpRegistry& registry, const Groups& groups, const Coverage& coverage,
                             std::string_view reasons);

}  // namespace weir::optest

#endif  // WEIR_TESTS_OPS_COVERAGE_H_
