// Checks whether a checkpoint can be restored: its files exist, have the sizes of the index and the right checksums.
#ifndef WEIR_IO_VERIFY_H_
#define WEIR_IO_VERIFY_H_

#include <string>

#include "base/env.h"

namespace weir::io {

// Checksums are verified only in checkpoints of up to this size. Verifying a larger one takes as long as restoring it.
constexpr uint64_t kMaxVerifiedBytes = uint64_t{256} << 20;

// Returns the error that restoring everything would return, as far as it can be found cheaply.
Status VerifyCheckpoint(Env& env, const std::string& prefix);

}  // namespace weir::io

#endif  // WEIR_IO_VERIFY_H_
