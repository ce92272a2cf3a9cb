// TCP ports that nobody uses, for servers that are started next.
#ifndef WEIR_CLI_FREE_PORTS_H_
#define WEIR_CLI_FREE_PORTS_H_

#include <vector>

#include "base/status.h"

namespace weir::cli {

// `count` different ports on which a server on this host can listen. They lie outside the range out of which the system
// gives ports to outgoing connections, so that none is taken by one before its server is up.
Result<std::vector<int>> FindFreePorts(int count);

}  // namespace weir::cli

#endif  // WEIR_CLI_FREE_PORTS_H_
