// UcxLibrary: the functions of UCX. The libraries are loaded when the first peer uses UCX, so that other processes pay
// neither memory nor time for them.
#pragma once

#include <ucp/api/ucp.h>

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"

namespace weir {

#define WEIR_UCX_FUNCTIONS(FUNCTION)       \
  FUNCTION(ucp_config_read)                \
  FUNCTION(ucp_config_modify)              \
  FUNCTION(ucp_config_release)             \
  FUNCTION(ucp_init_version)               \
  FUNCTION(ucp_cleanup)                    \
  FUNCTION(ucp_worker_create)              \
  FUNCTION(ucp_worker_destroy)             \
  FUNCTION(ucp_worker_query)               \
  FUNCTION(ucp_worker_get_efd)             \
  FUNCTION(ucp_worker_arm)                 \
  FUNCTION(ucp_worker_signal)              \
  FUNCTION(ucp_worker_progress)            \
  FUNCTION(ucp_worker_set_am_recv_handler) \
  FUNCTION(ucp_listener_create)            \
  FUNCTION(ucp_listener_query)             \
  FUNCTION(ucp_listener_reject)            \
  FUNCTION(ucp_listener_destroy)           \
  FUNCTION(ucp_ep_create)                  \
  FUNCTION(ucp_ep_close_nbx)               \
  FUNCTION(ucp_am_send_nbx)                \
  FUNCTION(ucp_am_recv_data_nbx)           \
  FUNCTION(ucp_request_free)               \
  FUNCTION(ucs_status_string)

class UcxLibrary final {
 public:
  // FailedPrecondition if UCX is not installed or lacks one of the functions.
  static Result<std::shared_ptr<const UcxLibrary>> Load();
  UcxLibrary(const UcxLibrary&) = delete;
  UcxLibrary& operator=(const UcxLibrary&) = delete;

#define WEIR_UCX_MEMBER(name) decltype(&::name) name = nullptr;
  WEIR_UCX_FUNCTIONS(WEIR_UCX_MEMBER)
#undef WEIR_UCX_MEMBER

 private:
  UcxLibrary() = default;
  Status Open();

  // The environment that the library was loaded with. Kept, because other threads may still be reading it.
  std::vector<std::string> settings_;
  std::vector<char*> environment_;
};

}  // namespace weir
