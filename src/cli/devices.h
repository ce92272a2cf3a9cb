// `weir devices`: the devices of the cluster behind a server, as a table.
#ifndef WEIR_CLI_DEVICES_H_
#define WEIR_CLI_DEVICES_H_

#include <string>

#include "base/status.h"

namespace weir::cli {

struct DevicesOptions {
  std::string target;  // "grpc://host:port", or without the scheme
  double timeout_seconds = 5;
};

// Prints the table on standard output and, on standard error, which tasks have not answered in time. An error where the
// server itself has not.
Status ListDevices(const DevicesOptions& options);

}  // namespace weir::cli

#endif  // WEIR_CLI_DEVICES_H_
