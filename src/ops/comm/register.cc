// The ops of this folder, one line per file.
#include "ops/register.h"

namespace weir::ops {

void RegisterSendRecv(OpRegistry& registry);

void RegisterCommOps(OpRegistry& registry) { RegisterSendRecv(registry); }

}  // namespace weir::ops
