// TransportSettings: the settings of all transports. network.cc reads them from the environment.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "cluster/credentials.h"
#include "cluster/limits.h"

namespace weir {

class Env;

struct TransportSettings {
  // A peer that is silent for about this long counts as lost: calls to it end as Unavailable, and its own calls are
  // cancelled.
  int64_t peer_timeout_ms = 20'000;
  // Use UCX between processes of one host too, where the host transport would be faster, and warn if UCX cannot be
  // used.
  bool force_ucx = false;
  Credentials credentials;
  Env* env = nullptr;        // where the files of the credentials are; null only without credentials
  Limits limits = Limits();  // of what callers may use
};

// Transports divide the timeout by four, and gRPC stores it in an int.
inline TransportSettings WithUsableTimeout(TransportSettings settings) {
  settings.peer_timeout_ms = std::clamp<int64_t>(settings.peer_timeout_ms, 4, std::numeric_limits<int>::max());
  return settings;
}

}  // namespace weir
