// When a peer counts as dead, and what happens to its calls and connections then.
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "cluster/transport_test.h"

namespace weir::transport_tests {
namespace {

// Forwards connections to a local port. Cut makes it drop bytes without telling either side.
class Proxy final {
 public:
  explicit Proxy(int port) : to_(port) {
    sockaddr_in name = Loopback(0);
    socklen_t size = sizeof(name);
    const bool listens = bind(listener_, reinterpret_cast<sockaddr*>(&name), size) == 0 && listen(listener_, 10) == 0 &&
                         getsockname(listener_, reinterpret_cast<sockaddr*>(&name), &size) == 0 && pipe(wake_) == 0;
    EXPECT_TRUE(listens);
    port_ = ntohs(name.sin_port);
    thread_ = std::thread([this] { Run(); });
  }
  ~Proxy() {
    Wake('e');
    thread_.join();
    for (const int fd : {listener_, wake_[0], wake_[1]}) close(fd);
    for (const auto& [a, b] : pairs_) {
      close(a);
      close(b);
    }
  }
  int port() const { return port_; }
  int connections() const { return connections_; }
  // Nothing passes any more over the existing connections.
  void Cut() {
    Wake('c');
    EXPECT_TRUE(cut_.Wait());
  }

 private:
  static sockaddr_in Loopback(int port) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(static_cast<uint16_t>(port));
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return name;
  }
  void Wake(char what) { EXPECT_EQ(write(wake_[1], &what, 1), 1); }
  void Accept() {
    const int from = accept(listener_, nullptr, nullptr);
    const int to = socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in name = Loopback(to_);
    EXPECT_EQ(connect(to, reinterpret_cast<const sockaddr*>(&name), sizeof(name)), 0);
    pairs_.emplace_back(from, to);
    ++connections_;
  }
  // False at the end of the connection.
  static bool Pass(int from, int to) {
    char bytes[4096];
    const ssize_t size = read(from, bytes, sizeof(bytes));
    return size > 0 && send(to, bytes, static_cast<size_t>(size), MSG_NOSIGNAL) == size;
  }
  void Run() {
    size_t first = 0;  // index of the first pair that is not cut
    for (;;) {
      std::vector<pollfd> polled = {{wake_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
      for (size_t i = first; i < pairs_.size(); ++i) {
        polled.push_back({pairs_[i].first, POLLIN, 0});
        polled.push_back({pairs_[i].second, POLLIN, 0});
      }
      poll(polled.data(), polled.size(), -1);
      for (size_t k = 2; k < polled.size(); ++k) {
        const auto& [a, b] = pairs_[first + (k - 2) / 2];
        if (polled[k].revents == 0) continue;
        if (!Pass(polled[k].fd, polled[k].fd == a ? b : a)) {
          shutdown(a, SHUT_RDWR);
          shutdown(b, SHUT_RDWR);
        }
      }
      if (polled[1].revents != 0) Accept();
      char what = 0;
      if (polled[0].revents == 0 || read(wake_[0], &what, 1) != 1) continue;
      if (what == 'e') return;
      first = pairs_.size();
      cut_.Give();
    }
  }

  const int to_;
  const int listener_ = socket(AF_INET, SOCK_STREAM, 0);
  int port_ = 0;
  int wake_[2] = {-1, -1};
  std::vector<std::pair<int, int>> pairs_;
  std::atomic<int> connections_{0};
  Signal cut_;
  std::thread thread_;
};

class KeepaliveTest : public TransportTest {};

// For tests in which the handler makes a peer silent by not answering probes.
class GrpcKeepaliveTest : public TransportTest {};

TEST_P(KeepaliveTest, ASlowPeerThatAnswersPingsIsNotLost) {
  Signal arrived;
  Listen(kShortTimeoutMs, [&](std::shared_ptr<IncomingCall> call) {
    if (call->method() == kSignOfLife) return Echo(call);
    Keep(std::move(call));
    arrived.Give();
  });
  Answer slow;
  channel_->Call("/a.B/C", Rope("x"), {}, slow.Take());
  ASSERT_TRUE(arrived.Wait());
  EXPECT_EQ(Call("/a.B/Never", "x", nullptr, {.timeout_ms = 2 * kShortTimeoutMs}).code(),
            StatusCode::kDeadlineExceeded);
  kept(0).Respond(Rope("at last"));
  const Status status = slow.Wait();
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(slow.text(), "at last");
}

TEST_P(GrpcKeepaliveTest, AnswersAreSignsOfLife) {
  Signal arrived;
  Listen(kShortTimeoutMs, [&](std::shared_ptr<IncomingCall> call) {
    if (call->method() == "/a.B/C") return Echo(call);
    const bool is_sign = call->method() == kSignOfLife;
    Keep(std::move(call));  // probes are not answered
    if (!is_sign) arrived.Give();
  });
  Answer slow;
  channel_->Call("/a.B/Slow", Rope("x"), {}, slow.Take());
  ASSERT_TRUE(arrived.Wait());
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2 * kShortTimeoutMs);
  while (std::chrono::steady_clock::now() < end) {
    const Status status = Call("/a.B/C", "x");
    ASSERT_TRUE(status.ok()) << status;
  }
  kept(0).Respond(Rope("at last"));
  const Status status = slow.Wait();
  EXPECT_TRUE(status.ok()) << status;
}

TEST_P(GrpcKeepaliveTest, APeerThatIsSilentIsLostAndFoundAgain) {
  std::atomic<bool> silent{true};
  Listen(kShortTimeoutMs, [&](std::shared_ptr<IncomingCall> call) {
    if (!silent) return Echo(call);
    Keep(std::move(call));
  });
  Answer first;
  Answer second;
  channel_->Call("/a.B/C", Rope("x"), {}, first.Take());
  channel_->Call("/a.B/D", Rope("x"), {.wait_for_ready = true}, second.Take());
  for (Answer* answer : {&first, &second}) {
    const Status status = answer->Wait();
    EXPECT_EQ(status.code(), StatusCode::kUnavailable);
    EXPECT_NE(status.message().find("no sign of life from the peer for 1000 ms"), absl::string_view::npos) << status;
  }
  silent = false;
  EXPECT_TRUE(Call("/a.B/C", "x").ok());
}

TEST_P(GrpcKeepaliveTest, BothSidesDetectAPartition) {
  Signal arrived;
  Signal cancelled;
  Listen(kShortTimeoutMs, [&](std::shared_ptr<IncomingCall> call) {
    if (call->method() == kSignOfLife) return Echo(call);
    call->cancel().Register([&] { cancelled.Give(); });
    Keep(std::move(call));
    arrived.Give();
  });
  Proxy proxy(listener_->port());
  channel_ = client_->Connect(fmt::format("127.0.0.1:{}", proxy.port()));
  Answer answer;
  channel_->Call("/a.B/C", Rope("x"), {}, answer.Take());
  ASSERT_TRUE(arrived.Wait());
  proxy.Cut();
  EXPECT_EQ(answer.Wait().code(), StatusCode::kUnavailable);
  EXPECT_TRUE(cancelled.Wait());
}

TEST_P(GrpcKeepaliveTest, StaleConnectionIsReplaced) {
  std::atomic<int> signs{0};
  Listen(kShortTimeoutMs, [&](const std::shared_ptr<IncomingCall>& call) {
    if (call->method() == kSignOfLife) ++signs;
    Echo(call);
  });
  Proxy proxy(listener_->port());
  channel_ = client_->Connect(fmt::format("127.0.0.1:{}", proxy.port()));
  EXPECT_TRUE(Call("/a.B/C", "x").ok());
  EXPECT_EQ(proxy.connections(), 1);
  // During this time neither side sends anything, because a peer without open calls is not probed.
  Answer late;
  client_->Connect("127.0.0.1:1")
      ->Call("/a.B/C", Rope(), {.timeout_ms = 2 * kShortTimeoutMs, .wait_for_ready = true}, late.Take());
  EXPECT_EQ(late.Wait().code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(signs, 0);
  proxy.Cut();
  const Status status = Call("/a.B/C", "x");
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(proxy.connections(), 2);
}

TEST_P(GrpcKeepaliveTest, ASilentPeerCostsOnlyItsOwnCalls) {
  Listen(kShortTimeoutMs, [&](std::shared_ptr<IncomingCall> call) { Keep(std::move(call)); });
  const std::unique_ptr<Transport> healthy = Make(kLongTimeoutMs);
  std::unique_ptr<Listener> other = *healthy->Listen("localhost:0");
  Signal arrived;
  std::shared_ptr<IncomingCall> slow;
  other->Serve([&](std::shared_ptr<IncomingCall> call) {
    if (call->method() == kSignOfLife) return Echo(call);
    slow = std::move(call);
    arrived.Give();
  });
  const std::shared_ptr<Channel> to_other = client_->Connect(fmt::format("localhost:{}", other->port()));
  Answer answer;
  to_other->Call("/a.B/C", Rope("x"), {}, answer.Take());
  ASSERT_TRUE(arrived.Wait());
  EXPECT_EQ(Call("/a.B/C", "x").code(), StatusCode::kUnavailable);
  slow->Respond(Rope("fine"));
  EXPECT_TRUE(answer.Wait().ok());
}

INSTANTIATE_TEST_SUITE_P(Grpc, GrpcKeepaliveTest, testing::Values(Kind::kGrpc));
INSTANTIATE_TEST_SUITE_P(Grpc, KeepaliveTest, testing::Values(Kind::kGrpc));
INSTANTIATE_TEST_SUITE_P(Host, KeepaliveTest, testing::Values(Kind::kHost));
INSTANTIATE_TEST_SUITE_P(Ucx, KeepaliveTest, testing::Values(Kind::kUcx));

}  // namespace
}  // namespace weir::transport_tests
