// Calls over real sockets, with each of gRPC, the host transport and UCX: how they are answered, cancelled and lost.
#include "cluster/transport_test.h"

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <thread>

#include "cluster/resolve.h"
#include "cluster/silent_port_test.h"
#include "session/cluster_spec.h"

namespace weir::transport_tests {
namespace {

TEST_P(TransportTest, MessagesOfAllSizesAreEchoed) {
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
  Signal arrived;
  Signal cancelled;
  Listen(kLongTimeoutMs, [&](std::shared_ptr<IncomingCall> call) {
    call->cancel().Register([&] { cancelled.Give(); });
    Keep(std::move(call));
    arrived.Give();
  });
  CancelToken token;
  Answer answer;
  channel_->Call("/a.B/C", Rope("x"), {.cancel = &token}, answer.Take());
  ASSERT_TRUE(arrived.Wait());
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
  Signal arrived;
  Listen(kLongTimeoutMs, [&](std::shared_ptr<IncomingCall> call) {
    call->cancel().Register([call = call.get()] { call->Respond(call->cancel().reason()); });
    Keep(std::move(call));
    arrived.Give();
  });
  Answer answer;
  channel_->Call("/a.B/C", Rope("x"), {}, answer.Take());
  ASSERT_TRUE(arrived.Wait());
  const std::string where = address();
  listener_ = nullptr;
  EXPECT_EQ(answer.Wait(), Unavailable("the server is stopping"));
  EXPECT_EQ(Call("/a.B/C", "x").code(), StatusCode::kUnavailable);  // no listener
  Result<std::unique_ptr<Listener>> next = server_->Listen(where);
  ASSERT_TRUE(next.ok()) << next.status();
  (*next)->Serve(Echo);
  EXPECT_TRUE(Call("/a.B/C", "x").ok());  // the next call uses the new listener
}

TEST_P(TransportTest, DestroyedTransportCancelsItsCalls) {
  Signal arrived;
  Listen(kLongTimeoutMs, [&](std::shared_ptr<IncomingCall> call) {
    Keep(std::move(call));
    arrived.Give();
  });
  Answer answer;
  channel_->Call("/a.B/C", Rope("x"), {}, answer.Take());
  ASSERT_TRUE(arrived.Wait());
  client_ = nullptr;
  EXPECT_EQ(answer.Wait().code(), StatusCode::kCancelled);
  EXPECT_EQ(Call("/a.B/C", "x").code(), StatusCode::kCancelled);
}

TEST_P(TransportTest, CallsFromFinalCallbacksFail) {
  Signal arrived;
  Listen(kLongTimeoutMs, [&](std::shared_ptr<IncomingCall> call) {
    if (call->method() != "/a.B/Keep") return Echo(call);
    Keep(std::move(call));
    arrived.Give();
  });
  Answer again;
  channel_->Call("/a.B/Keep", Rope("x"), {}, [&](const Result<Rope>& result) {
    EXPECT_EQ(result.status().code(), StatusCode::kCancelled);
    channel_->Call("/a.B/C", Rope("x"), {}, again.Take());
  });
  ASSERT_TRUE(arrived.Wait());
  client_ = nullptr;
  EXPECT_EQ(again.Wait(), Cancelled("the transport of this process is shutting down"));
}

TEST_P(TransportTest, CallDuringListenerShutdownIsCancelled) {
  Signal arrived;
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
    arrived.Give();
  });
  Answer first;
  channel_->Call("/a.B/C", Rope("x"), {}, first.Take());
  ASSERT_TRUE(arrived.Wait());
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
  const SilentPort silent;
  channel_ = client_->Connect(fmt::format("127.0.0.1:{}", silent.number()));
  const Status status = Call("/a.B/C", "x", nullptr, {.timeout_ms = 4 * kShortTimeoutMs, .wait_for_ready = true});
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status;
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

INSTANTIATE_TEST_SUITE_P(Grpc, TransportTest, testing::Values(Kind::kGrpc));
INSTANTIATE_TEST_SUITE_P(Host, TransportTest, testing::Values(Kind::kHost));
INSTANTIATE_TEST_SUITE_P(Ucx, TransportTest, testing::Values(Kind::kUcx));

}  // namespace
}  // namespace weir::transport_tests
