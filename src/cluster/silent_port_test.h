// SilentPort: a port whose connections the kernel accepts, but at which no process ever answers.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "base/check.h"

namespace weir {

class SilentPort final {
 public:
  SilentPort() {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(name);
    WEIR_CHECK(bind(fd_, reinterpret_cast<sockaddr*>(&name), size) == 0, errno);
    WEIR_CHECK(listen(fd_, 10) == 0, errno);
    WEIR_CHECK(getsockname(fd_, reinterpret_cast<sockaddr*>(&name), &size) == 0, errno);
    number_ = ntohs(name.sin_port);
  }
  ~SilentPort() { close(fd_); }
  SilentPort(const SilentPort&) = delete;
  SilentPort& operator=(const SilentPort&) = delete;
  int number() const { return number_; }

 private:
  const int fd_ = socket(AF_INET, SOCK_STREAM, 0);
  int number_ = 0;
};

}  // namespace weir
