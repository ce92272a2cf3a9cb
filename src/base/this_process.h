// A cheap process id, to detect that the process is a forked child: it must not use its parent's connections, threads
// or random numbers.
#pragma once

#include <sys/types.h>

namespace weir {

// Like getpid(), without a system call. Thread-safe.
pid_t ThisProcess();

}  // namespace weir
