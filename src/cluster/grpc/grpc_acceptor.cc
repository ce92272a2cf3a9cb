#include "cluster/grpc/grpc_acceptor.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/alarms.h"
#include "base/clock.h"
#include "base/log.h"
#include "cluster/resolve.h"

namespace weir {
namespace {

constexpr int kPauseMs = 100;

void Set(int fd, int level, int option, int value) { setsockopt(fd, level, option, &value, sizeof(value)); }

OwnedFd ListenAt(const SocketAddress& address, bool both_families) {
  OwnedFd fd(socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return fd;
  Set(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  Set(fd.get(), IPPROTO_TCP, TCP_NODELAY, 1);  // connections inherit it
  if (address.family() == AF_INET6) Set(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, both_families ? 0 : 1);
  if (bind(fd.get(), address.get(), address.size) != 0 || listen(fd.get(), SOMAXCONN) != 0) return OwnedFd();
  return fd;
}

}  // namespace

GrpcAcceptor::~GrpcAcceptor() {
  if (!thread_.joinable()) return;
  if (ThisProcess() != process_) {  // a forked child does not have the thread
    thread_.detach();
    return;
  }
  eventfd_write(wake_.get(), 1);
  thread_.join();
}

bool GrpcAcceptor::Listen(const std::string& address) {
  const Result<Address> parsed = Address::Parse(address);
  if (!parsed.ok()) return false;
  if (parsed->host == "0.0.0.0" || parsed->host == "::") {  // as gRPC: all addresses of both families, if possible
    const Result<std::vector<SocketAddress>> any = Resolve("::", parsed->port);
    OwnedFd fd = any.ok() && !any->empty() ? ListenAt(any->front(), /*both_families=*/true) : OwnedFd();
    if (fd.valid()) {
      listening_.push_back(std::move(fd));
      return true;
    }
  }
  const Result<std::vector<SocketAddress>> found = Resolve(parsed->host, parsed->port);
  if (!found.ok() || found->empty()) return false;
  OwnedFd fd = ListenAt(found->front(), /*both_families=*/false);
  if (!fd.valid()) return false;
  listening_.push_back(std::move(fd));
  return true;
}

void GrpcAcceptor::Start(Handler handler) {
  handler_ = std::move(handler);
  if (listening_.empty()) return;
  wake_ = OwnedFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  thread_ = std::thread([this] { Run(); });
}

void GrpcAcceptor::Run() {
  std::vector<pollfd> polled{{wake_.get(), POLLIN, 0}};
  for (const OwnedFd& fd : listening_) polled.push_back({fd.get(), POLLIN, 0});
  for (;;) {
    // Without descriptors, the connections that wait would only make this spin.
    const bool pause = std::exchange(out_of_descriptors_, false);
    const int ready = poll(polled.data(), pause ? 1 : polled.size(), pause ? kPauseMs : -1);
    if (ready < 0 && errno != EINTR) return LogError("cannot wait for connections: {}", std::strerror(errno));
    if (polled[0].revents != 0) return;
    if (ready <= 0) continue;
    for (size_t i = 1; i < polled.size(); ++i) {
      while (polled[i].revents != 0 && AcceptOne(polled[i].fd)) {
      }
    }
  }
}

bool GrpcAcceptor::AcceptOne(int listening_fd) {
  OwnedFd fd(accept4(listening_fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd.valid()) {
    out_of_descriptors_ = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    return errno == EINTR || errno == ECONNABORTED;
  }
  if (!HasRoom()) {
    // A line for the 1st, 2nd, 4th, 8th and so on: callers could fill the log.
    if (std::has_single_bit(++num_refused_))
      LogWarning("Refused a connection: {}",
                 std::string(limits_.Reached(Limit::kConnections, "this server").message()));
    return true;
  }
  struct stat info {};
  if (fstat(fd.get(), &info) == 0) connections_.push_back({fd.get(), info.st_ino});
  handler_(listening_fd, fd.release());
  return true;
}

bool GrpcAcceptor::HasRoom() {
  const auto most = static_cast<size_t>(limits_[Limit::kConnections]);
  if (connections_.size() < most) return true;
  const int64_t now = RealClock().MonotonicNanos();
  if (now < look_again_nanos_) return false;
  look_again_nanos_ = now + kPauseMs * kNanosPerMilli;
  std::erase_if(connections_, [](const Connection& connection) {
    struct stat info {};
    return fstat(connection.fd, &info) != 0 || info.st_ino != connection.inode;
  });
  return connections_.size() < most;
}

}  // namespace weir
