// Files that are written under a temporary name until they are whole. Who is killed meanwhile leaves them behind, and
// the next one who writes files of the same prefix removes them. A file that is being written is never removed: its
// writer holds a lock on it (Env::Lock), which ends with its process.
#ifndef WEIR_IO_TEMPORARY_FILES_H_
#define WEIR_IO_TEMPORARY_FILES_H_

#include <string>

#include "base/env.h"

namespace weir::io {

// Returns ".tempstate<host>-<number>", unique per writer. The host part tells whether locks on the file are visible
// here.
std::string TemporarySuffix();

// Removes what writers that were killed have left of checkpoints of the same name, whatever their step: for
// "model.ckpt-30" also of "model.ckpt-20". Files of other hosts, whose locks may not be seen here, and such as have no
// lock, must be an hour old; so must shards that nobody has merged. Errors are ignored.
void RemoveStaleTemporaries(Env& env, const std::string& prefix);

}  // namespace weir::io

#endif  // WEIR_IO_TEMPORARY_FILES_H_
