// The process that this one is: what a process has with others (connections, threads, random numbers) is not for a
// child that is forked from it.
#pragma once

#include <sys/types.h>

namespace weir {

// As getpid(), without a call of the kernel.
pid_t ThisProcess();

}  // namespace weir
