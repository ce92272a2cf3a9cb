// Sends arbitrary bytes to a HostLink: it must answer the messages in them or close the connection.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/check.h"
#include "base/clock.h"
#include "cluster/host/host_listener.h"

namespace {

// Low limits, so that they are reached.
weir::Limits FewCalls() {
  weir::Limits::Settings settings;
  settings[static_cast<size_t>(weir::Limit::kStreams)] = 2;
  settings[static_cast<size_t>(weir::Limit::kMessageBytes)] = 1;
  settings[static_cast<size_t>(weir::Limit::kUnreadOfPeer)] = 1;
  return weir::Limits(settings);
}

struct Server {
  weir::EpollLoop loop;
  weir::ThreadAlarms alarms{weir::RealClock()};
  std::shared_ptr<weir::IncomingLinkCalls> calls = std::make_shared<weir::IncomingLinkCalls>("host", FewCalls());
  Server() {
    calls->set_handler([](const std::shared_ptr<weir::IncomingCall>& call) {
      call->Respond(weir::Rope(call->method() + call->request().Flatten().substr(0, 1000)));
    });
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Server server;
  int ends[2] = {-1, -1};
  WEIR_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0, size);
  const weir::OwnedFd ours(ends[0]);
  auto link = std::make_shared<weir::HostLink>(
      weir::HostLink::Shared{server.loop, server.alarms, {.peer_timeout_ms = 60'000, .limits = FewCalls()}},
      weir::OwnedFd(ends[1]), std::make_unique<weir::LinkCallee>(server.calls));
  link->Start();
  if (send(ours.get(), data, size, MSG_NOSIGNAL) < 0) return 0;
  shutdown(ours.get(), SHUT_WR);
  // The link closes the connection after it has read everything and answered all valid calls.
  char bytes[4096];
  ssize_t got = 1;
  while (got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN))) {
    pollfd more{ours.get(), POLLIN, 0};
    poll(&more, 1, -1);
    got = read(ours.get(), bytes, sizeof(bytes));
  }
  server.calls->WaitForNone();
  return 0;
}
