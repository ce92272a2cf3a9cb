// Temporary files, which get their final name when they are complete. A writer that is killed leaves its temporary
// files behind; the next writer with the same prefix removes them. A file in use is never removed, because its writer
// holds a lock on it (flock), which the system releases when the process ends.
#ifndef WEIR_IO_TEMPORARY_FILES_H_
#define WEIR_IO_TEMPORARY_FILES_H_

#include <string>

#include "base/env.h"

namespace weir::io {

// Returns ".tempstate<host>-<number>", unique per writer. The host part tells whether locks on the file are visible
// here.
std::string TemporarySuffix();

// Creates a temporary file and holds a lock on it. Best effort: does nothing if the file cannot be locked or `env` is
// not the real file system.
class HeldTemporary final {
 public:
  HeldTemporary(Env& env, const std::string& path);
  ~HeldTemporary();
  HeldTemporary(const HeldTemporary&) = delete;
  HeldTemporary& operator=(const HeldTemporary&) = delete;

 private:
  int fd_ = -1;
};

// Removes temporary files that killed writers have left for checkpoints of the same name, for any step: for
// "model.ckpt-30" also those of "model.ckpt-20". Files of other hosts, whose locks may be invisible here, and files
// without locks are removed only if they are an hour old. Ignores errors.
void RemoveStaleTemporaries(Env& env, const std::string& prefix);

}  // namespace weir::io

#endif  // WEIR_IO_TEMPORARY_FILES_H_
