// `weir certs make`: writes a CA and the certificates of a cluster to a folder.
#ifndef WEIR_CLI_CERTS_H_
#define WEIR_CLI_CERTS_H_

#include <string>
#include <vector>

#include "base/env.h"
#include "cli/serve.h"

namespace weir::cli {

struct MakeCertsOptions {
  std::string folder;
  ServeOptions cluster;                              // where the tasks come from; the same options as for `weir serve`
  std::vector<std::string> clients, administrators;  // names
  int valid_days = 365;
};

// Uses the CA in the folder, if it has one. Does not overwrite certificates.
Status MakeCerts(const MakeCertsOptions& options, Env& env);

}  // namespace weir::cli

#endif  // WEIR_CLI_CERTS_H_
