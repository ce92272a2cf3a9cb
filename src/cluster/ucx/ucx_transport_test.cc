// Tests of behaviour that only the UCX transport has: which peers are asked for it and when, and misbehaving and silent
// peers, which use UCX's functions directly.
#include "cluster/ucx/ucx_transport.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <map>
#include <mutex>
#include <thread>

#include "cluster/call_outcome_test.h"
#include "cluster/grpc/grpc_transport.h"
#include "cluster/silent_port_test.h"
#include "cluster/ucx/ucx_frame.h"
#include "cluster/ucx/ucx_library.h"
#include "cluster/ucx/ucx_runtime.h"

namespace weir {
namespace {

constexpr auto kUcxPatience = std::chrono::seconds(20);  // gives up after this time
constexpr int64_t kUcxPatienceMs = 20'000;
constexpr int64_t kUcxLongMs = 120'000;
constexpr int64_t kUcxShortMs = 800;

// gRPC, with counts of its calls. Responses that are set here replace those of the peer.
class SeenTransport final : public Transport {
 public:
  struct Seen {
    std::mutex mu;
    std::map<std::string, int> calls;
    std::map<std::string, std::string> answers;
    int Of(const std::string& method) {
      std::lock_guard lock(mu);
      return calls[method];
    }
  };
  explicit SeenTransport(std::shared_ptr<Seen> seen, int64_t timeout_ms)
      : seen_(std::move(seen)), grpc_(MakeGrpcTransport({.peer_timeout_ms = timeout_ms})) {}
  std::shared_ptr<Channel> Connect(const std::string& address, const std::string& task) override {
    return std::make_shared<SeenChannel>(seen_, grpc_->Connect(address, task));
  }
  Result<std::unique_ptr<Listener>> Listen(const std::string& address) override { return grpc_->Listen(address); }

 private:
  class SeenChannel final : public Channel {
   public:
    SeenChannel(std::shared_ptr<Seen> seen, std::shared_ptr<Channel> channel)
        : seen_(std::move(seen)), channel_(std::move(channel)) {}
    void Call(const std::string& method, Rope request, const CallOptions& options, Done done) override {
      std::optional<std::string> answer;
      {
        std::lock_guard lock(seen_->mu);
        ++seen_->calls[method];
        if (auto it = seen_->answers.find(method); it != seen_->answers.end()) answer = it->second;
      }
      if (answer.has_value()) return done(Rope(*answer));
      channel_->Call(method, std::move(request), options, std::move(done));
    }
    const std::string& address() const override { return channel_->address(); }

   private:
    const std::shared_ptr<Seen> seen_;
    const std::shared_ptr<Channel> channel_;
  };
  const std::shared_ptr<Seen> seen_;
  const std::unique_ptr<Transport> grpc_;
};

// One end of a connection, driven by hand.
class RawUcxPeer final {
 public:
  explicit RawUcxPeer(UcxInvitation invitation) : invitation_(invitation) {
    ucx_ = *UcxLibrary::Load();
    ucp_config_t* config = nullptr;
    EXPECT_EQ(ucx_->ucp_config_read(nullptr, nullptr, &config), UCS_OK);
    ucx_->ucp_config_modify(config, "TLS", "^posix,sysv,cma");
    ucp_params_t params{};
    params.field_mask = UCP_PARAM_FIELD_FEATURES;
    params.features = UCP_FEATURE_AM;
    EXPECT_EQ(ucx_->ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, config, &context_), UCS_OK);
    ucx_->ucp_config_release(config);
    ucp_worker_params_t worker{};
    EXPECT_EQ(ucx_->ucp_worker_create(context_, &worker, &worker_), UCS_OK);
    ucp_am_handler_param_t handler{};
    handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
    handler.id = 1;
    handler.cb = [](void* self, const void* header, size_t size, void* data, size_t data_size,
                    const ucp_am_recv_param_t*) {
      auto* peer = static_cast<RawUcxPeer*>(self);
      UcxHeader head;
      if (size >= sizeof(head)) std::memcpy(&head, header, sizeof(head));
      peer->received_[head.kind] = std::string(static_cast<const char*>(data), data_size);
      return UCS_OK;
    };
    handler.arg = this;
    EXPECT_EQ(ucx_->ucp_worker_set_am_recv_handler(worker_, &handler), UCS_OK);
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(static_cast<uint16_t>(invitation.port));
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ucp_ep_params_t endpoint{};
    endpoint.field_mask = UCP_EP_PARAM_FIELD_FLAGS | UCP_EP_PARAM_FIELD_SOCK_ADDR |
                          UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
    endpoint.flags = UCP_EP_PARAMS_FLAGS_CLIENT_SERVER;
    endpoint.sockaddr = {reinterpret_cast<const sockaddr*>(&name), sizeof(name)};
    endpoint.err_mode = UCP_ERR_HANDLING_MODE_PEER;
    endpoint.err_handler.cb = [](void* self, ucp_ep_h, ucs_status_t) { static_cast<RawUcxPeer*>(self)->ended_ = true; };
    endpoint.err_handler.arg = this;
    EXPECT_EQ(ucx_->ucp_ep_create(worker_, &endpoint, &endpoint_), UCS_OK);
  }
  ~RawUcxPeer() {
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_CALLBACK;
    param.flags = UCP_EP_CLOSE_FLAG_FORCE;
    param.cb.send = [](void*, ucs_status_t, void*) {};
    const ucs_status_ptr_t request = ucx_->ucp_ep_close_nbx(endpoint_, &param);
    for (int i = 0; i < 1000; ++i) ucx_->ucp_worker_progress(worker_);
    if (UCS_PTR_IS_PTR(request)) ucx_->ucp_request_free(request);
    ucx_->ucp_worker_destroy(worker_);
    ucx_->ucp_cleanup(context_);
  }
  // Sends a message and waits until it is sent.
  void SendBytes(std::string header, std::string data = "", uint32_t flags = UCP_AM_SEND_FLAG_REPLY) {
    ucp_request_param_t param{};
    std::atomic<bool> sent{false};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    param.flags = flags;
    param.user_data = &sent;
    param.cb.send = [](void*, ucs_status_t, void* sent) { *static_cast<std::atomic<bool>*>(sent) = true; };
    const ucs_status_ptr_t request =
        ucx_->ucp_am_send_nbx(endpoint_, 1, header.data(), header.size(), data.data(), data.size(), &param);
    if (!UCS_PTR_IS_PTR(request)) return;
    MoveUntil([&] { return sent.load(); });
    ucx_->ucp_request_free(request);
  }
  void Send(const UcxHeader& head, std::string_view method = "", std::string data = "",
            uint32_t flags = UCP_AM_SEND_FLAG_REPLY) {
    SendBytes(std::string(reinterpret_cast<const char*>(&head), sizeof(head)) + std::string(method), std::move(data),
              flags);
  }
  void ExchangeHello() {
    Send({.kind = UcxHeader::kHello, .id = invitation_.number});
    EXPECT_TRUE(Receives(UcxHeader::kHello));
  }
  bool MoveUntil(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + kUcxPatience;
    while (!condition() && std::chrono::steady_clock::now() < end) {
      if (ucx_->ucp_worker_progress(worker_) == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return condition();
  }
  bool Receives(UcxHeader::Kind kind) {
    return MoveUntil([&] { return received_.contains(kind); });
  }
  bool HasReceived(UcxHeader::Kind kind) const { return received_.contains(kind); }
  const std::string& payload(UcxHeader::Kind kind) { return received_[kind]; }
  bool IsAtEnd() {
    return MoveUntil([&] { return ended_; });
  }

 private:
  const UcxInvitation invitation_;
  std::shared_ptr<const UcxLibrary> ucx_;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_ep_h endpoint_ = nullptr;
  std::map<uint32_t, std::string> received_;
  bool ended_ = false;
};

class UcxTransportTest : public testing::Test {
 protected:
  static TransportSettings Forced(int64_t peer_timeout_ms) {
    return {.peer_timeout_ms = peer_timeout_ms, .force_ucx = true};
  }
  static std::unique_ptr<Transport> Make(int64_t peer_timeout_ms) {
    return MakeUcxTransport(MakeGrpcTransport({.peer_timeout_ms = peer_timeout_ms}), Forced(peer_timeout_ms));
  }
  void Listen(int64_t peer_timeout_ms, CallHandler handler) {
    server_ = Make(peer_timeout_ms);
    listener_ = *server_->Listen("127.0.0.1:0");
    listener_->Serve(std::move(handler));
    client_ = MakeUcxTransport(std::make_unique<SeenTransport>(seen_, peer_timeout_ms), Forced(peer_timeout_ms));
  }
  std::string address() const { return fmt::format("127.0.0.1:{}", listener_->port()); }
  static void Echo(const std::shared_ptr<IncomingCall>& call) { call->Respond(Rope(call->request().Flatten())); }
  static Status Call(Channel& channel, std::string text, std::string* back = nullptr) {
    CallOutcome outcome;
    channel.Call("/a.B/C", Rope(std::move(text)), {}, outcome.Take());
    Status status = outcome.Wait();
    if (back != nullptr) *back = outcome.text();
    return status;
  }
  // An invitation, as a peer gets it.
  UcxInvitation Invitation() {
    const std::unique_ptr<Transport> plain = MakeGrpcTransport({.peer_timeout_ms = kUcxLongMs});
    CallOutcome outcome;
    plain->Connect(address())->Call(kUcxMethod, Rope(), {}, outcome.Take());
    EXPECT_TRUE(outcome.Wait().ok());
    return *UcxInvitation::Parse(outcome.text());
  }

  const std::shared_ptr<SeenTransport::Seen> seen_ = std::make_shared<SeenTransport::Seen>();
  std::unique_ptr<Transport> server_;
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<Transport> client_;
};

TEST_F(UcxTransportTest, PeerIsInvitedOnceThenCalledOverUcx) {
  Listen(kUcxLongMs, Echo);
  const std::shared_ptr<Channel> channel = client_->Connect(address());
  EXPECT_EQ(seen_->Of(kUcxMethod), 0);  // not before the channel is used
  EXPECT_TRUE(Call(*channel, "x").ok());
  EXPECT_TRUE(WaitUntilUcxIsUsed(*channel, kUcxPatienceMs));
  const int before = seen_->Of("/a.B/C");
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Call(*channel, "x").ok());
  EXPECT_EQ(seen_->Of("/a.B/C"), before);
  EXPECT_EQ(seen_->Of(kUcxMethod), 1);
}

TEST_F(UcxTransportTest, FallsBackIfOneSideLacksIt) {
  Listen(kUcxLongMs, Echo);
  const std::unique_ptr<Transport> plain = MakeGrpcTransport({.peer_timeout_ms = kUcxLongMs});
  EXPECT_TRUE(Call(*plain->Connect(address()), "x").ok());
  std::unique_ptr<Listener> other = *plain->Listen("127.0.0.1:0");
  other->Serve([](const std::shared_ptr<IncomingCall>& call) {
    call->method() == kUcxMethod ? call->Respond(Unimplemented("there is no such method")) : Echo(call);
  });
  const std::shared_ptr<Channel> channel = client_->Connect(fmt::format("127.0.0.1:{}", other->port()));
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Call(*channel, "x").ok());
  EXPECT_FALSE(WaitUntilUcxIsUsed(*channel, kUcxPatienceMs));
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Call(*channel, "x").ok());
  EXPECT_EQ(seen_->Of(kUcxMethod), 1);  // nothing has happened that makes it worth asking again
}

TEST_F(UcxTransportTest, NotUsedWithinOneHost) {
  Listen(kUcxLongMs, Echo);
  client_ = MakeUcxTransport(std::make_unique<SeenTransport>(seen_, kUcxLongMs),
                             TransportSettings{.peer_timeout_ms = kUcxLongMs});
  const std::shared_ptr<Channel> channel = client_->Connect(address());
  EXPECT_FALSE(WaitUntilUcxIsUsed(*channel, kUcxPatienceMs));
  EXPECT_TRUE(Call(*channel, "x").ok());
  EXPECT_EQ(seen_->Of(kUcxMethod), 0);
}

TEST_F(UcxTransportTest, RestartedPeerWithoutUcxIsReached) {
  Listen(kUcxLongMs, Echo);
  const std::string where = address();
  const std::shared_ptr<Channel> channel = client_->Connect(where);
  ASSERT_TRUE(WaitUntilUcxIsUsed(*channel, kUcxPatienceMs));
  listener_ = nullptr;
  // The loss is not detected before a call has failed.
  while (Call(*channel, "x").ok()) {
  }
  const std::unique_ptr<Transport> plain = MakeGrpcTransport({.peer_timeout_ms = kUcxLongMs});
  std::unique_ptr<Listener> without = *plain->Listen(where);
  without->Serve(Echo);
  std::string back;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Call(*channel, "plain", &back).ok());
  EXPECT_EQ(back, "plain");
  without = nullptr;
  while (Call(*channel, "x").ok()) {
  }
  listener_ = *server_->Listen(where);
  listener_->Serve(Echo);
  const auto end = std::chrono::steady_clock::now() + kUcxPatience;
  while (!WaitUntilUcxIsUsed(*channel, kUcxPatienceMs) && std::chrono::steady_clock::now() < end)
    Call(*channel, "x").IgnoreError();
  EXPECT_TRUE(WaitUntilUcxIsUsed(*channel, kUcxPatienceMs));
  EXPECT_TRUE(Call(*channel, "again", &back).ok());
  EXPECT_EQ(back, "again");
}

TEST_F(UcxTransportTest, SilentPortFallsBackToGrpc) {
  const SilentPort silent;
  Listen(kUcxShortMs, Echo);
  for (const std::string& answer :
       {fmt::format("{} 1", silent.number()), std::string("1 1"), std::string("none"), std::string("70000 1"),
        std::string("7 x"), std::string("7"), std::string("7 1 2"), std::string()}) {
    seen_->answers[kUcxMethod] = answer;
    const std::shared_ptr<Channel> channel = client_->Connect(address());
    EXPECT_TRUE(Call(*channel, "x").ok());
    EXPECT_FALSE(WaitUntilUcxIsUsed(*channel, kUcxPatienceMs)) << answer;
    EXPECT_TRUE(Call(*channel, "x").ok());
  }
}

TEST_F(UcxTransportTest, EchoesMessagesOfManyShapes) {
  Listen(kUcxLongMs, Echo);
  const std::shared_ptr<Channel> channel = client_->Connect(address());
  ASSERT_TRUE(WaitUntilUcxIsUsed(*channel, kUcxPatienceMs));
  const std::vector<std::vector<size_t>> kinds = {
      {600'000},                                    // one part
      {7, 600'000, 9, 700'000, 3'000, 524'288, 1},  // several parts with short pieces between them
      std::vector<size_t>(300, 5'000),              // many short pieces, together as long as a part
      std::vector<size_t>(30, 20'000),
      {9'000'000},
  };
  for (const std::vector<size_t>& sizes : kinds) {
    Rope rope;
    std::string all;
    for (const size_t size : sizes) {
      auto text = std::make_shared<std::string>(size, static_cast<char>('a' + all.size() % 23));
      all += *text;
      rope.Append(text->data(), size, text);
    }
    CallOutcome outcome;
    channel->Call("/a.B/C", std::move(rope), {}, outcome.Take());
    EXPECT_TRUE(outcome.Wait().ok());
    EXPECT_TRUE(outcome.text() == all) << sizes.size();
  }
  EXPECT_EQ(seen_->Of("/a.B/C"), 0);
}

// ---- peers driven by the test ----

TEST_F(UcxTransportTest, ValidPeerGetsAResponse) {
  Listen(kUcxLongMs, Echo);
  RawUcxPeer peer(Invitation());
  peer.ExchangeHello();
  peer.Send({.kind = UcxHeader::kCall, .message = 2, .id = 7, .size = 5}, "/a.B/C", "hello");
  EXPECT_TRUE(peer.Receives(UcxHeader::kAnswer));
  EXPECT_EQ(peer.payload(UcxHeader::kAnswer), "hello");
  peer.Send({.kind = UcxHeader::kPing});
  EXPECT_TRUE(peer.Receives(UcxHeader::kPong));
}

TEST_F(UcxTransportTest, ConnectionWithoutInvitationIsRejected) {
  Listen(kUcxLongMs, Echo);
  const UcxInvitation invitation = Invitation();
  {
    RawUcxPeer peer(invitation);
    peer.Send({.kind = UcxHeader::kHello, .id = invitation.number + 1});
    EXPECT_TRUE(peer.IsAtEnd());
  }
  {
    RawUcxPeer peer(invitation);
    peer.Send({.kind = UcxHeader::kCall, .message = 1, .id = 1}, "/a.B/C");
    EXPECT_TRUE(peer.IsAtEnd());
  }
  {
    RawUcxPeer peer(invitation);
    peer.ExchangeHello();
  }
  RawUcxPeer late(invitation);  // the invitation is valid once
  EXPECT_TRUE(late.IsAtEnd());
}

TEST_F(UcxTransportTest, GarbageEndsOnlyItsOwnLink) {
  Listen(kUcxLongMs, Echo);
  const std::shared_ptr<Channel> channel = client_->Connect(address());
  ASSERT_TRUE(WaitUntilUcxIsUsed(*channel, kUcxPatienceMs));
  const auto wrong = [&](const std::function<void(RawUcxPeer&)>& speak) {
    RawUcxPeer peer(Invitation());
    peer.ExchangeHello();
    speak(peer);
    EXPECT_TRUE(peer.IsAtEnd());
    EXPECT_TRUE(Call(*channel, "x").ok());
  };
  wrong([](RawUcxPeer& peer) { peer.SendBytes(std::string("?")); });
  wrong([](RawUcxPeer& peer) { peer.SendBytes(std::string(4000, '?')); });
  wrong([](RawUcxPeer& peer) { peer.Send({.version = 2, .kind = UcxHeader::kHello}); });
  wrong([](RawUcxPeer& peer) { peer.Send({.kind = 0}); });
  wrong([](RawUcxPeer& peer) { peer.Send({.kind = 77}); });
  wrong([](RawUcxPeer& peer) { peer.Send({.kind = UcxHeader::kCall, .size = ~uint64_t{0}}, "/a.B/C"); });
  wrong([](RawUcxPeer& peer) { peer.Send({.kind = UcxHeader::kCall, .size = 3}, "/a.B/C", "four"); });
  wrong([](RawUcxPeer& peer) { peer.Send({.kind = UcxHeader::kCall, .parts = 1U << 30, .size = 3}, "/a.B/C", "abc"); });
  wrong([](RawUcxPeer& peer) { peer.Send({.kind = UcxHeader::kCall, .parts = 2, .size = 3}, "/a.B/C", "abc"); });
  wrong([](RawUcxPeer& peer) {  // the same part twice
    for (int i = 0; i < 2; ++i) peer.Send({.kind = UcxHeader::kPart, .message = 5, .size = 4}, "", "four");
  });
  wrong([](RawUcxPeer& peer) {  // a part that is shorter than its message says
    const UcxPart part{0, 5};
    peer.Send({.kind = UcxHeader::kCall, .parts = 1, .message = 5, .id = 1, .size = 5}, "/a.B/C",
              std::string(reinterpret_cast<const char*>(&part), sizeof(part)));
    peer.Send({.kind = UcxHeader::kPart, .message = 5, .size = 4}, "", "four");
  });
  EXPECT_EQ(seen_->Of("/a.B/C"), 0);
}

TEST_F(UcxTransportTest, LostCallersCallsAreCancelled) {
  CallOutcome arrived;
  CallOutcome cancelled;
  std::shared_ptr<IncomingCall> kept;
  Listen(kUcxLongMs, [&](std::shared_ptr<IncomingCall> call) {
    kept = call;
    call->cancel().Register([&, call = call.get()] { cancelled.Set(call->cancel().reason()); });
    arrived.Set(OkStatus());
  });
  {
    RawUcxPeer peer(Invitation());
    peer.ExchangeHello();
    peer.Send({.kind = UcxHeader::kCall, .message = 2, .id = 1}, "/a.B/C");
    EXPECT_TRUE(arrived.Wait().ok());
  }
  EXPECT_EQ(cancelled.Wait().code(), StatusCode::kUnavailable);
  kept->Respond(Rope());
}

TEST_F(UcxTransportTest, SilentCallersCallsAreCancelled) {
  CallOutcome cancelled;
  std::shared_ptr<IncomingCall> kept;
  Listen(kUcxShortMs, [&](std::shared_ptr<IncomingCall> call) {
    kept = call;
    call->cancel().Register([&, call = call.get()] { cancelled.Set(call->cancel().reason()); });
  });
  RawUcxPeer peer(Invitation());
  peer.ExchangeHello();
  peer.Send({.kind = UcxHeader::kHello, .message = 2});  // a second greeting is ignored
  peer.Send({.kind = UcxHeader::kCall, .message = 3, .id = 1}, "/a.B/C");
  EXPECT_TRUE(peer.Receives(UcxHeader::kPing));  // from here on the peer makes no progress
  EXPECT_EQ(cancelled.Wait().code(), StatusCode::kUnavailable);
  kept->Respond(Rope());
}

TEST_F(UcxTransportTest, ConnectionWithoutHelloIsClosed) {
  Listen(kUcxShortMs, Echo);
  RawUcxPeer peer(Invitation());
  EXPECT_TRUE(peer.Receives(UcxHeader::kPing));
  EXPECT_TRUE(peer.IsAtEnd());
}

TEST_F(UcxTransportTest, IdlePeerStaysAndInvitationExpires) {
  Listen(kUcxShortMs, Echo);
  RawUcxPeer silent(Invitation());
  silent.ExchangeHello();
  const UcxInvitation old = Invitation();
  std::this_thread::sleep_for(std::chrono::milliseconds(2 * kUcxShortMs + 1));  // the lifetime of an invitation
  silent.Send({.kind = UcxHeader::kCall, .message = 2, .id = 7, .size = 5}, "/a.B/C", "hello");
  EXPECT_TRUE(silent.Receives(UcxHeader::kAnswer));
  RawUcxPeer late(old);
  late.Send({.kind = UcxHeader::kHello, .id = old.number});
  EXPECT_TRUE(late.IsAtEnd());
  EXPECT_FALSE(late.HasReceived(UcxHeader::kHello));
}

TEST_F(UcxTransportTest, ListenerWaitsUntilResponsesArrive) {
  Listen(kUcxLongMs, Echo);
  RawUcxPeer peer(Invitation());
  peer.ExchangeHello();
  std::thread ends([this] { listener_ = nullptr; });
  EXPECT_TRUE(peer.Receives(UcxHeader::kPing));
  EXPECT_TRUE(peer.IsAtEnd());
  ends.join();
}

TEST_F(UcxTransportTest, CallerThatStartedFirstUsesUcxLater) {
  Listen(kUcxLongMs, Echo);
  const std::string where = address();
  listener_ = nullptr;
  const std::shared_ptr<Channel> channel = client_->Connect(where);
  CallOutcome outcome;
  channel->Call("/a.B/C", Rope("early"), {.wait_for_ready = true}, outcome.Take());
  EXPECT_FALSE(WaitUntilUcxIsUsed(*channel, kUcxPatienceMs));
  listener_ = *server_->Listen(where);
  listener_->Serve(Echo);
  EXPECT_TRUE(outcome.Wait().ok());
  const auto end = std::chrono::steady_clock::now() + kUcxPatience;
  while (!WaitUntilUcxIsUsed(*channel, kUcxPatienceMs) && std::chrono::steady_clock::now() < end)
    EXPECT_TRUE(Call(*channel, "x").ok());
  EXPECT_TRUE(WaitUntilUcxIsUsed(*channel, kUcxPatienceMs));
}

// ---- effects on the process ----

TEST_F(UcxTransportTest, LoadingLeavesSignalsAndEnvironmentAlone) {
  struct sigaction before {};
  struct sigaction after {};
  sigaction(SIGSEGV, nullptr, &before);
  Listen(kUcxLongMs, Echo);
  const std::shared_ptr<Channel> channel = client_->Connect(address());
  ASSERT_TRUE(WaitUntilUcxIsUsed(*channel, kUcxPatienceMs));
  sigaction(SIGSEGV, nullptr, &after);
  EXPECT_EQ(before.sa_sigaction, after.sa_sigaction);
  EXPECT_EQ(std::getenv("UCX_HANDLE_ERRORS"), nullptr);
}

}  // namespace
}  // namespace weir
