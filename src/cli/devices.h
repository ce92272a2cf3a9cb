// `weir devices`: prints the devices of a cluster as a table, given one of its servers.
#ifndef WEIR_CLI_DEVICES_H_
#define WEIR_CLI_DEVICES_H_

#include <string>

#include "base/status.h"
#include "cluster/credentials.h"

namespace weir::cli {

struct DevicesOptions {
  std::string target;  // "grpc://host:port", or without the scheme
  double timeout_seconds = 5;
  Credentials credentials;  // what is not set comes from the environment
};

// Prints the table on standard output and the tasks that did not answer in time on standard error. Fails if the server
// itself did not answer.
Status ListDevices(const DevicesOptions& options);

}  // namespace weir::cli

#endif  // WEIR_CLI_DEVICES_H_
