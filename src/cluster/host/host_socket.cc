#include "cluster/host/host_socket.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>

namespace weir {
namespace {

// An abstract name, because its first byte is 0. The number 2 is the version of the protocol.
sockaddr_un NameOf(const std::string& numeric_address, socklen_t* size) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string text = std::string(1, '\0') + "weir/2/" + numeric_address;
  const size_t length = std::min(text.size(), sizeof(name.sun_path));
  std::memcpy(name.sun_path, text.data(), length);
  *size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  return name;
}

OwnedFd NewSocket() { return OwnedFd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)); }

std::optional<ucred> PeerOf(int fd) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer;
}

bool IsOfThisUser(int fd) {
  const std::optional<ucred> peer = PeerOf(fd);
  return peer.has_value() && peer->uid == geteuid();
}

}  // namespace

OwnedFd ConnectOnHost(const std::string& numeric_address) {
  OwnedFd fd = NewSocket();
  socklen_t size = 0;
  const sockaddr_un name = NameOf(numeric_address, &size);
  if (!fd.valid() || connect(fd.get(), reinterpret_cast<const sockaddr*>(&name), size) != 0 || !IsOfThisUser(fd.get()))
    return OwnedFd();
  return fd;
}

OwnedFd ListenOnHost(const std::string& numeric_address) {
  OwnedFd fd = NewSocket();
  socklen_t size = 0;
  const sockaddr_un name = NameOf(numeric_address, &size);
  constexpr int kWaiting = 4096;
  if (!fd.valid() || bind(fd.get(), reinterpret_cast<const sockaddr*>(&name), size) != 0 ||
      listen(fd.get(), kWaiting) != 0)
    return OwnedFd();
  return fd;
}

OwnedFd AcceptOnHost(int listener) {
  for (;;) {
    OwnedFd fd(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd.valid() && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (fd.valid() && !IsOfThisUser(fd.get())) continue;
    return fd;
  }
}

int PeerProcess(int fd) {
  const std::optional<ucred> peer = PeerOf(fd);
  return peer.has_value() ? peer->pid : 0;
}

}  // namespace weir
