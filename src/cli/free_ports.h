// Free TCP ports for servers that are about to start.
#ifndef WEIR_CLI_FREE_PORTS_H_
#define WEIR_CLI_FREE_PORTS_H_

#include <vector>

#include "base/status.h"

namespace weir::cli {

// Returns `count` different ports that a server on this host can listen on. They are outside the range of ephemeral
// ports, so that no outgoing connection takes one before the server is up.
Result<std::vector<int>> FindFreePorts(int count);

}  // namespace weir::cli

#endif  // WEIR_CLI_FREE_PORTS_H_
