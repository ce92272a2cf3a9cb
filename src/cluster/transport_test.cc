// Calls over real sockets, with each of gRPC, the host transport and UCX: how they are answered, cancelled and lost,
// and when a peer counts as dead.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <optional>
#include <thread>

#include "cluster/grpc/grpc_transport.h"
#include "cluster/host/host_transport.h"
#include "cluster/resolve.h"
#include "cluster/ucx/ucx_transport.h"
#include "session/cluster_spec.h"

namespace weir {
namespace {

constexpr char kSignOfLife[] = "/weir.Connection/GiveSignOfLife";
constexpr int64_t kPatience = 20'000'000'000;  // in nanoseconds: gives up after this time

// A one-shot event.
class Signal final {
 public:
  void Give() {
    std::lock_guard lock(mu_);
    given_ = true;
    changed_.notify_all();
  }
  bool Wait() {
    std::unique_lock lock(mu_);
    return changed_.wait_for(lock, std::chrono::nanoseconds(kPatience), [&] { return given_; });
  }

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  bool given_ = false;
};

// The response to a call.
class Answer final {
 public:
  Channel::Done Take() {
    return [this](Result<Rope> result) {
      std::lock_guard lock(mu_);
      ++times_;
      if (result.ok()) {
        text_ = result->Flatten();
      } else {
        status_ = result.status();
      }
      come_.notify_all();
    };
  }
  // Waits for the end of the call.
  Status Wait() {
    std::unique_lock lock(mu_);
    if (!come_.wait_for(lock, std::chrono::nanoseconds(kPatience), [&] { return times_ > 0; }))
      return Internal("no answer came");
    EXPECT_EQ(times_, 1);
    return status_;
  }
  const std::string& text() const { return text_; }

 private:
  std::mutex mu_;
  std::condition_variable come_;
  int times_ = 0;
  Status status_;
  std::string text_;
};

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

enum class Kind { kGrpc, kHost, kUcx };

class TransportTest : public testing::TestWithParam<Kind> {
 protected:
  static std::unique_ptr<Transport> Make(int64_t peer_timeout_ms) {
    std::unique_ptr<Transport> grpc = MakeGrpcTransport(peer_timeout_ms);
    if (GetParam() == Kind::kHost) return MakeHostTransport(std::move(grpc), peer_timeout_ms);
    if (GetParam() == Kind::kUcx) return MakeUcxTransport(std::move(grpc), peer_timeout_ms, /*forced=*/true);
    return grpc;
  }
  // A listener waits until all calls have been answered.
  void TearDown() override {
    std::lock_guard lock(mu_);
    for (const std::shared_ptr<IncomingCall>& call : kept_) call->Respond(Cancelled("the test has ended"));
  }
  void Keep(std::shared_ptr<IncomingCall> call) {
    std::lock_guard lock(mu_);
    kept_.push_back(std::move(call));
  }
  IncomingCall& kept(size_t i) {
    std::lock_guard lock(mu_);
    return *kept_.at(i);
  }
  void Listen(int64_t peer_timeout_ms, CallHandler handler) {
    server_ = Make(peer_timeout_ms);
    Result<std::unique_ptr<Listener>> listener = server_->Listen("localhost:0");
    ASSERT_TRUE(listener.ok()) << listener.status();
    listener_ = *std::move(listener);
    ASSERT_GT(listener_->port(), 0);
    client_ = Make(peer_timeout_ms);
    channel_ = client_->Connect(address());
    if (!handler) return;
    listener_->Serve(std::move(handler));
    const bool is_ready = GetParam() != Kind::kUcx || WaitUntilUcxIsUsed(*channel_, kPatience / 1'000'000);
    ASSERT_TRUE(is_ready);
  }
  std::string address() const { return fmt::format("localhost:{}", listener_->port()); }
  Status Call(const std::string& method, std::string request, std::string* response = nullptr,
              const CallOptions& options = {}) {
    Answer answer;
    channel_->Call(method, Rope(std::move(request)), options, answer.Take());
    Status status = answer.Wait();
    if (response != nullptr) *response = answer.text();
    return status;
  }
  static void Echo(const std::shared_ptr<IncomingCall>& call) {
    if (call->method() == kSignOfLife) return call->Respond(Unimplemented("there is no such method"));
    call->Respond(Rope(call->method() + ":" + call->request().Flatten()));
  }

  std::mutex mu_;
  std::vector<std::shared_ptr<IncomingCall>> kept_;  // not answered yet
  std::unique_ptr<Transport> server_;
  std::unique_ptr<Transport> client_;
  std::unique_ptr<Listener> listener_;
  std::shared_ptr<Channel> channel_;
};

// For tests in which the handler makes a peer silent by not answering probes.
class GrpcTransportTest : public TransportTest {};

constexpr int64_t kLongTimeoutMs = 120'000;

TEST_P(TransportTest, MessagesOfAllSizesComeBack) {
  Listen(kLongTimeoutMs, Echo);
  for (const size_t size : {0, 1, 1'000, 300'000, 5'000'000}) {
    std::string response;
    const Status status = Call("/a.B/C", std::string(size, 'x'), &response);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(response, "/a.B/C:" + std::string(size, 'x'));
  }
}

TEST_P(TransportTest, FragmentedMessagesAreReassembled) {
  std::atomic<int> given_back{0};
  // Short and long pieces, whose memory the sender keeps for a while, and pieces that are sent at once.
  const std::vector<std::vector<size_t>> kinds = {{5, 100'000, 3, 2'000, 1'000'000, 1}, {2'000, 3}};
  auto in_pieces = [&](const std::vector<size_t>& sizes, std::string* all) {
    Rope rope;
    for (const size_t size : sizes) {
      auto text = std::make_unique<std::string>(size, static_cast<char>('a' + size % 7));
      *all += *text;
      const char* data = text->data();
      rope.Append(data, size, std::shared_ptr<std::string>(text.release(), [&](std::string* owned) {
                    ++given_back;
                    owned->assign(owned->size(), '!');
                    delete owned;
                  }));
    }
    return rope;
  };
  Listen(kLongTimeoutMs, [&](const std::shared_ptr<IncomingCall>& call) {
    std::string all;
    Rope answer = in_pieces(kinds[call->method() == "/a.B/Few" ? 1 : 0], &all);
    if (call->request().Flatten() != all) return call->Respond(DataLoss("another message came"));
    call->Respond(std::move(answer));
  });
  constexpr int kCalls = 20;
  for (int i = 0; i < kCalls; ++i) {
    std::string all;
    Answer answer;
    channel_->Call(i % 2 == 0 ? "/a.B/Many" : "/a.B/Few", in_pieces(kinds[i % 2], &all), {}, answer.Take());
    const Status status = answer.Wait();
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(answer.text(), all);
  }
  listener_ = nullptr;
  EXPECT_EQ(given_back, 2 * kCalls / 2 * (6 + 2));
}

TEST_P(TransportTest, SentMemoryIsReleased) {
  std::atomic<int> kept{0};
  const auto owned = [&] {
    ++kept;
    auto* text = new std::string(2'000, 'x');  // long enough not to be copied
    Rope rope;
    rope.Append(text->data(), text->size(), std::shared_ptr<std::string>(text, [&](std::string* former) {
                  --kept;
                  delete former;
                }));
    return rope;
  };
  Listen(kLongTimeoutMs, [&](const std::shared_ptr<IncomingCall>& call) { call->Respond(owned()); });
  for (int i = 0; i < 20; ++i) {
    Answer answer;
    channel_->Call("/a.B/C", owned(), {}, answer.Take());
    EXPECT_TRUE(answer.Wait().ok());
  }
  // The sender may release the memory a moment later.
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(kPatience);
  while (kept > 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(kept, 0);
}

TEST_P(TransportTest, ErrorsKeepTheirCodeAndTheirText) {
  Listen(kLongTimeoutMs, [](const std::shared_ptr<IncomingCall>& call) {
    call->Respond(NotFound("no {}", call->request().Flatten()));
  });
  const Status status = Call("/a.B/C", "such thing");
  EXPECT_EQ(status, NotFound("no such thing"));
  const Status cut = Call("/a.B/C", std::string(100'000, 'x'));  // too long for gRPC
  EXPECT_EQ(cut.code(), StatusCode::kNotFound);
  EXPECT_EQ(cut.message(), absl::StrCat("no ", std::string(4096 - 3, 'x')));
}

TEST_P(TransportTest, OnlyTheFirstAnswerCounts) {
  Listen(kLongTimeoutMs, [](const std::shared_ptr<IncomingCall>& call) {
    call->Respond(Rope("first"));
    call->Respond(Rope("second"));
    call->Respond(Internal("third"));
  });
  std::string response;
  EXPECT_TRUE(Call("/a.B/C", "", &response).ok());
  EXPECT_EQ(response, "first");
}

TEST_P(TransportTest, CallsBeforeServeAreQueued) {
  Listen(kLongTimeoutMs, nullptr);
  EXPECT_EQ(Call("/a.B/C", "", nullptr, {.timeout_ms = 50}).code(), StatusCode::kDeadlineExceeded);
  Answer early;
  channel_->Call("/a.B/C", Rope("x"), {}, early.Take());
  listener_->Serve(Echo);
  EXPECT_TRUE(early.Wait().ok());
  EXPECT_EQ(early.text(), "/a.B/C:x");
}

TEST_P(TransportTest, CancelledCallEndsOnBothSides) {
  Signal came;
  Signal cancelled;
  Listen(kLongTimeoutMs, [&](std::shared_ptr<IncomingCall> call) {
    call->cancel().Register([&] { cancelled.Give(); });
    Keep(std::move(call));
    came.Give();
  });
  CancelToken token;
  Answer answer;
  channel_->Call("/a.B/C", Rope("x"), {.cancel = &token}, answer.Take());
  ASSERT_TRUE(came.Wait());
  token.Cancel(Aborted("enough"));
  EXPECT_EQ(answer.Wait(), Aborted("enough"));
  EXPECT_TRUE(cancelled.Wait());
  EXPECT_EQ(kept(0).cancel().reason().code(), StatusCode::kUnavailable);
  kept(0).Respond(Rope("too late"));
  // A call with a cancelled token does not start.
  EXPECT_EQ(Call("/a.B/C", "", nullptr, {.cancel = &token}), Aborted("enough"));
}

TEST_P(TransportTest, ATimeoutEndsACallOnBothSides) {
  Signal cancelled;
  Listen(kLongTimeoutMs, [&](std::shared_ptr<IncomingCall> call) {
    call->cancel().Register([&] { cancelled.Give(); });
    Keep(std::move(call));
  });
  EXPECT_EQ(Call("/a.B/C", "x", nullptr, {.timeout_ms = 200}),
            DeadlineExceeded("no response within the timeout of the call"));
  EXPECT_TRUE(cancelled.Wait());
}

TEST_P(TransportTest, DestroyedListenerCancelsCallsAndFreesItsPort) {
  Signal came;
  Listen(kLongTimeoutMs, [&](std::shared_ptr<IncomingCall> call) {
    call->cancel().Register([call = call.get()] { call->Respond(call->cancel().reason()); });
    Keep(std::move(call));
    came.Give();
  });
  Answer answer;
  channel_->Call("/a.B/C", Rope("x"), {}, answer.Take());
  ASSERT_TRUE(came.Wait());
  const std::string where = address();
  listener_ = nullptr;
  EXPECT_EQ(answer.Wait(), Unavailable("the server is stopping"));
  EXPECT_EQ(Call("/a.B/C", "x").code(), StatusCode::kUnavailable);  // nobody listens
  Result<std::unique_ptr<Listener>> next = server_->Listen(where);
  ASSERT_TRUE(next.ok()) << next.status();
  (*next)->Serve(Echo);
  EXPECT_TRUE(Call("/a.B/C", "x").ok());  // the next call uses the new listener
}

TEST_P(TransportTest, DestroyedTransportCancelsItsCalls) {
  Signal came;
  Listen(kLongTimeoutMs, [&](std::shared_ptr<IncomingCall> call) {
    Keep(std::move(call));
    came.Give();
  });
  Answer answer;
  channel_->Call("/a.B/C", Rope("x"), {}, answer.Take());
  ASSERT_TRUE(came.Wait());
  client_ = nullptr;
  EXPECT_EQ(answer.Wait().code(), StatusCode::kCancelled);
  EXPECT_EQ(Call("/a.B/C", "x").code(), StatusCode::kCancelled);
}

TEST_P(TransportTest, CallsFromFinalCallbacksFail) {
  Signal came;
  Listen(kLongTimeoutMs, [&](std::shared_ptr<IncomingCall> call) {
    if (call->method() != "/a.B/Keep") return Echo(call);
    Keep(std::move(call));
    came.Give();
  });
  Answer again;
  channel_->Call("/a.B/Keep", Rope("x"), {}, [&](const Result<Rope>& result) {
    EXPECT_EQ(result.status().code(), StatusCode::kCancelled);
    channel_->Call("/a.B/C", Rope("x"), {}, again.Take());
  });
  ASSERT_TRUE(came.Wait());
  client_ = nullptr;
  EXPECT_EQ(again.Wait(), Cancelled("the transport of this process is shutting down"));
}

TEST_P(TransportTest, CallDuringListenerShutdownIsCancelled) {
  Signal came;
  Signal came_late;
  Status late;
  Answer second;
  Listen(kLongTimeoutMs, [&](std::shared_ptr<IncomingCall> call) {
    if (call->method() == "/a.B/Late") {
      late = call->cancel().cancelled() ? call->cancel().reason() : OkStatus();
      came_late.Give();
      return call->Respond(late.ok() ? Result<Rope>(Rope()) : late);
    }
    // When the listener begins to end, makes another call, which arrives before it has ended.
    call->cancel().Register([&, call = call.get()] {
      channel_->Call("/a.B/Late", Rope("x"), {}, second.Take());
      EXPECT_TRUE(came_late.Wait());
      call->Respond(call->cancel().reason());
    });
    Keep(std::move(call));
    came.Give();
  });
  Answer first;
  channel_->Call("/a.B/C", Rope("x"), {}, first.Take());
  ASSERT_TRUE(came.Wait());
  listener_ = nullptr;
  EXPECT_EQ(late, Unavailable("the server is stopping"));
  EXPECT_EQ(first.Wait(), Unavailable("the server is stopping"));
  EXPECT_EQ(second.Wait(), Unavailable("the server is stopping"));
}

TEST_P(TransportTest, HandlerDoesNotRunAfterListenerIsDestroyed) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> gone{false};
    std::atomic<int> late{0};
    Signal served;
    Listen(kLongTimeoutMs, [&](const std::shared_ptr<IncomingCall>& call) {
      if (call->method() == kSignOfLife) return Echo(call);
      for (int i = 0; i < 20; ++i) {
        if (gone) ++late;
        std::this_thread::yield();
      }
      served.Give();
      Echo(call);
    });
    std::vector<std::thread> callers;
    for (int i = 0; i < 3; ++i) {
      callers.emplace_back([&] {
        while (Call("/a.B/C", "x").ok()) continue;
      });
    }
    ASSERT_TRUE(served.Wait());
    listener_ = nullptr;
    gone = true;
    for (std::thread& caller : callers) caller.join();
    channel_ = nullptr;
    client_ = nullptr;
    server_ = nullptr;
    EXPECT_EQ(late, 0);
  }
}

TEST_P(TransportTest, AddressIsExclusive) {
  Listen(kLongTimeoutMs, Echo);
  Result<std::unique_ptr<Listener>> second = client_->Listen(address());
  EXPECT_EQ(second.status().code(), StatusCode::kUnavailable);
  EXPECT_NE(second.status().message().find(address()), absl::string_view::npos) << second.status();
  // Also if the name has several addresses and one of them is free.
  for (const char* host : {"127.0.0.1", "0.0.0.0"})
    EXPECT_EQ(client_->Listen(fmt::format("{}:{}", host, listener_->port())).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(client_->Listen("192.0.2.1:0").status().code(), StatusCode::kInvalidArgument);  // documentation only
  EXPECT_EQ(client_->Listen("no.such.host.invalid:0").status().code(), StatusCode::kInvalidArgument);
}

// The addresses of "localhost" that this machine has: it may lack IPv6.
std::vector<std::string> LoopbackHosts() {
  std::vector<std::string> hosts;
  const std::vector<SocketAddress> all = *Resolve("localhost", 0);
  for (const SocketAddress& address : all) {
    const int probe = socket(address.family(), SOCK_STREAM, 0);
    if (probe >= 0 && bind(probe, address.get(), address.size) == 0) hosts.push_back(address.Host());
    close(probe);
  }
  return hosts;
}

TEST_P(TransportTest, AllAddressesOfANameAreListenedOn) {
  Listen(kLongTimeoutMs, Echo);
  for (const std::string& host : LoopbackHosts()) {
    channel_ = client_->Connect(Address{host, listener_->port(), ""}.ToString());
    const Status status = Call("/a.B/C", "x");
    EXPECT_TRUE(status.ok()) << host << ": " << status;
  }
}

TEST_P(TransportTest, AllAddressesOfANameAreDialled) {
  server_ = Make(kLongTimeoutMs);
  client_ = Make(kLongTimeoutMs);
  for (const std::string& host : LoopbackHosts()) {
    Result<std::unique_ptr<Listener>> listener = server_->Listen(Address{host, 0, ""}.ToString());
    ASSERT_TRUE(listener.ok()) << listener.status();
    (*listener)->Serve(Echo);
    for (const char* name : {"localhost", "LOCALHOST.", "a.localhost"}) {
      channel_ = client_->Connect(fmt::format("{}:{}", name, (*listener)->port()));
      const Status status = Call("/a.B/C", "x");
      EXPECT_TRUE(status.ok()) << name << " at " << host << ": " << status;
    }
  }
}

// ---- signs of life ----

constexpr int64_t kShortTimeoutMs = 1'000;

TEST_P(TransportTest, WaitForReadyCallIsAnsweredLater) {
  Listen(kShortTimeoutMs, nullptr);
  const std::string where = address();
  listener_ = nullptr;
  Answer answer;
  channel_->Call("/a.B/C", Rope("x"), {.wait_for_ready = true}, answer.Take());
  // A peer that is not running yet does not count as lost, even after a long time.
  EXPECT_EQ(Call("/a.B/C", "x", nullptr, {.timeout_ms = 2 * kShortTimeoutMs, .wait_for_ready = true}).code(),
            StatusCode::kDeadlineExceeded);
  Result<std::unique_ptr<Listener>> next = server_->Listen(where);
  ASSERT_TRUE(next.ok()) << next.status();
  (*next)->Serve(Echo);
  EXPECT_TRUE(answer.Wait().ok());
}

TEST_P(TransportTest, WaitForReadySurvivesSilentPort) {
  client_ = Make(kShortTimeoutMs);
  const int silent = socket(AF_INET, SOCK_STREAM, 0);  // the kernel accepts connections, but no process ever answers
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(name);
  ASSERT_EQ(bind(silent, reinterpret_cast<sockaddr*>(&name), size), 0);
  ASSERT_EQ(listen(silent, 10), 0);
  ASSERT_EQ(getsockname(silent, reinterpret_cast<sockaddr*>(&name), &size), 0);
  channel_ = client_->Connect(fmt::format("127.0.0.1:{}", ntohs(name.sin_port)));
  const Status status = Call("/a.B/C", "x", nullptr, {.timeout_ms = 4 * kShortTimeoutMs, .wait_for_ready = true});
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status;
  close(silent);
}

TEST_P(TransportTest, APeerThatTakesLongButGivesSignsOfLifeIsNotLost) {
  Signal came;
  Listen(kShortTimeoutMs, [&](std::shared_ptr<IncomingCall> call) {
    if (call->method() == kSignOfLife) return Echo(call);
    Keep(std::move(call));
    came.Give();
  });
  Answer slow;
  channel_->Call("/a.B/C", Rope("x"), {}, slow.Take());
  ASSERT_TRUE(came.Wait());
  EXPECT_EQ(Call("/a.B/Never", "x", nullptr, {.timeout_ms = 2 * kShortTimeoutMs}).code(),
            StatusCode::kDeadlineExceeded);
  kept(0).Respond(Rope("at last"));
  const Status status = slow.Wait();
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(slow.text(), "at last");
}

TEST_P(GrpcTransportTest, AnswersAreSignsOfLife) {
  Signal came;
  Listen(kShortTimeoutMs, [&](std::shared_ptr<IncomingCall> call) {
    if (call->method() == "/a.B/C") return Echo(call);
    const bool is_sign = call->method() == kSignOfLife;
    Keep(std::move(call));  // probes are not answered
    if (!is_sign) came.Give();
  });
  Answer slow;
  channel_->Call("/a.B/Slow", Rope("x"), {}, slow.Take());
  ASSERT_TRUE(came.Wait());
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2 * kShortTimeoutMs);
  while (std::chrono::steady_clock::now() < end) {
    const Status status = Call("/a.B/C", "x");
    ASSERT_TRUE(status.ok()) << status;
  }
  kept(0).Respond(Rope("at last"));
  const Status status = slow.Wait();
  EXPECT_TRUE(status.ok()) << status;
}

TEST_P(GrpcTransportTest, APeerThatIsSilentIsLostAndFoundAgain) {
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

TEST_P(GrpcTransportTest, BothSidesDetectAPartition) {
  Signal came;
  Signal cancelled;
  Listen(kShortTimeoutMs, [&](std::shared_ptr<IncomingCall> call) {
    if (call->method() == kSignOfLife) return Echo(call);
    call->cancel().Register([&] { cancelled.Give(); });
    Keep(std::move(call));
    came.Give();
  });
  Proxy proxy(listener_->port());
  channel_ = client_->Connect(fmt::format("127.0.0.1:{}", proxy.port()));
  Answer answer;
  channel_->Call("/a.B/C", Rope("x"), {}, answer.Take());
  ASSERT_TRUE(came.Wait());
  proxy.Cut();
  EXPECT_EQ(answer.Wait().code(), StatusCode::kUnavailable);
  EXPECT_TRUE(cancelled.Wait());
}

TEST_P(GrpcTransportTest, StaleConnectionIsReplaced) {
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

TEST_P(GrpcTransportTest, ASilentPeerCostsOnlyItsOwnCalls) {
  Listen(kShortTimeoutMs, [&](std::shared_ptr<IncomingCall> call) { Keep(std::move(call)); });
  const std::unique_ptr<Transport> healthy = Make(kLongTimeoutMs);
  std::unique_ptr<Listener> other = *healthy->Listen("localhost:0");
  Signal came;
  std::shared_ptr<IncomingCall> slow;
  other->Serve([&](std::shared_ptr<IncomingCall> call) {
    if (call->method() == kSignOfLife) return Echo(call);
    slow = std::move(call);
    came.Give();
  });
  const std::shared_ptr<Channel> to_other = client_->Connect(fmt::format("localhost:{}", other->port()));
  Answer answer;
  to_other->Call("/a.B/C", Rope("x"), {}, answer.Take());
  ASSERT_TRUE(came.Wait());
  EXPECT_EQ(Call("/a.B/C", "x").code(), StatusCode::kUnavailable);
  slow->Respond(Rope("fine"));
  EXPECT_TRUE(answer.Wait().ok());
}

TEST_P(TransportTest, BusyServerStillResponds) {
  Signal busy;
  Signal enough;
  Listen(kShortTimeoutMs, [&](const std::shared_ptr<IncomingCall>& call) {
    if (call->method() == "/a.B/Block") {
      busy.Give();
      EXPECT_TRUE(enough.Wait());
    }
    Echo(call);
  });
  Answer blocked;
  Answer blocked_too;
  channel_->Call("/a.B/Block", Rope("x"), {}, blocked.Take());
  ASSERT_TRUE(busy.Wait());
  channel_->Call("/a.B/Block", Rope("y"), {}, blocked_too.Take());
  const Status status = Call("/a.B/C", "x");
  EXPECT_TRUE(status.ok()) << status;
  enough.Give();
  for (Answer* answer : {&blocked, &blocked_too}) {
    const Status ended = answer->Wait();
    EXPECT_TRUE(ended.ok()) << ended;
  }
}

TEST_P(TransportTest, BusyClientStillReceivesResponses) {
  Listen(kShortTimeoutMs, Echo);
  Signal busy;
  Signal enough;
  Signal ended;
  channel_->Call("/a.B/C", Rope("x"), {}, [&](const Result<Rope>& result) {
    EXPECT_TRUE(result.ok()) << result.status();
    busy.Give();
    EXPECT_TRUE(enough.Wait());
    ended.Give();
  });
  ASSERT_TRUE(busy.Wait());
  const Status status = Call("/a.B/C", "y");
  EXPECT_TRUE(status.ok()) << status;
  enough.Give();
  EXPECT_TRUE(ended.Wait());
}

INSTANTIATE_TEST_SUITE_P(Grpc, GrpcTransportTest, testing::Values(Kind::kGrpc));
INSTANTIATE_TEST_SUITE_P(Grpc, TransportTest, testing::Values(Kind::kGrpc));
INSTANTIATE_TEST_SUITE_P(Host, TransportTest, testing::Values(Kind::kHost));
INSTANTIATE_TEST_SUITE_P(Ucx, TransportTest, testing::Values(Kind::kUcx));

}  // namespace
}  // namespace weir
