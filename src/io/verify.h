// Whether a checkpoint can be restored: its files are there, as long as their index says, and of the right checksums.
#ifndef WEIR_IO_VERIFY_H_
#define WEIR_IO_VERIFY_H_

#include <string>

#include "base/env.h"

namespace weir::io {

// Values are compared with their checksums in checkpoints of up to so many bytes: larger ones would take as long as
// restoring them does.
constexpr uint64_t kVerifiedBytes = uint64_t{256} << 20;

// The error that restoring everything would give, as far as it can be told at little cost.
Status VerifyCheckpoint(Env& env, const std::string& prefix);

}  // namespace weir::io

#endif  // WEIR_IO_VERIFY_H_
