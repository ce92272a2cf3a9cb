// The ops of this folder, one line per file.
#include "ops/ragged/register.h"

namespace weir::ops {

void RegisterRagged(OpRegistry& registry);
void RegisterRaggedToTensor(OpRegistry& registry);
void RegisterUnicode(OpRegistry& registry);

void RegisterRaggedOps(OpRegistry& registry) {
  RegisterRagged(registry);
  RegisterRaggedToTensor(registry);
  RegisterUnicode(registry);
}

}  // namespace weir::ops
