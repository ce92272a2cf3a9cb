// Temporary names for files until they are complete. A process that is killed while it writes leaves such files behind;
// the next writer of files with the same prefix deletes them. A file that is being written is never deleted: its writer
// holds a lock on it (Env::Lock), which ends with the process.
#ifndef WEIR_IO_TEMPORARY_FILES_H_
#define WEIR_IO_TEMPORARY_FILES_H_

#include <string>

#include "base/env.h"

namespace weir::io {

// Returns ".tempstate<host>-<number>", unique per writer. The host part tells whether locks on the file are visible
// here.
std::string TemporarySuffix();

// Deletes files that killed writers of checkpoints with the same name left, for any step: for "model.ckpt-30" also
// those of "model.ckpt-20". Files of other hosts (whose locks may not be visible here), files without a lock, and
// shards that were never merged are deleted only after an hour. Ignores errors.
void RemoveStaleTemporaries(Env& env, const std::string& prefix);

}  // namespace weir::io

#endif  // WEIR_IO_TEMPORARY_FILES_H_
