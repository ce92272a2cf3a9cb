#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace weir {
void CheckFailed(const char* file, int line, const char* condition, const std::string& operands) {
  std::fprintf(stderr, "%s:%d: check failed: %s%s%s\n", file, line, condition, operands.empty() ? "" : " with",
               operands.c_str());
  std::fflush(stderr);
  std::abort();
}
}  // namespace weir
