// GrpcAcceptor: accepts the TCP connections of a gRPC server on a thread of its own. gRPC's own listeners have no
// limit, and stop accepting for good once the process has no file descriptors left.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/this_process.h"
#include "cluster/limits.h"
#include "cluster/owned_fd.h"

namespace weir {

// Not thread-safe.
class GrpcAcceptor final {
 public:
  explicit GrpcAcceptor(const Limits& limits) : limits_(limits) {}
  // Stops accepting. The connections stay open.
  ~GrpcAcceptor();
  GrpcAcceptor(const GrpcAcceptor&) = delete;
  GrpcAcceptor& operator=(const GrpcAcceptor&) = delete;

  // Listens at a numeric host and port. False if that is not possible.
  bool Listen(const std::string& address);
  // Takes over a connection.
  using Handler = std::function<void(int listening_fd, int connection_fd)>;
  void Start(Handler handler);

 private:
  // The fd of an open connection and its identity: the fd may belong to something else after gRPC has closed it.
  struct Connection {
    int fd = -1;
    ino_t inode = 0;
  };
  void Run();
  // False if there is nothing more to accept for now.
  bool AcceptOne(int listening_fd);
  // Forgets connections that gRPC has closed, at most ten times a second. True if there is room for another one.
  bool HasRoom();

  const pid_t process_ = ThisProcess();
  const Limits limits_;
  std::vector<OwnedFd> listening_;
  OwnedFd wake_;  // readable when the thread must end
  Handler handler_;
  std::vector<Connection> connections_;
  int64_t look_again_nanos_ = 0;
  uint64_t num_refused_ = 0;
  bool out_of_descriptors_ = false;
  std::thread thread_;
};

}  // namespace weir
