// Where a server can listen, said in words where it cannot: gRPC itself does not tell.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "session/cluster_spec.h"

namespace weir {

// The addresses, with numbers for names and one port for all of them, that a server binds which is to be reached at
// `address`: a name may stand for several, as localhost does, and the port is free at all that are this machine's. For
// port 0 any free one. Nothing is kept: others may be faster, and binding then fails. Errors as Transport::Listen's.
Result<std::vector<std::string>> FindFreePort(const Address& address, int* port);

// Unavailable, naming port and address.
Status PortInUse(const Address& address);

}  // namespace weir
