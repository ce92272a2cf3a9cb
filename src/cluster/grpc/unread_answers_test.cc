// A caller that does not read its answers reaches a limit, on each transport, and others are served meanwhile.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <netinet/in.h>
#include <sys/socket.h>

#include <thread>

#include "base/manual_clock.h"
#include "cluster/grpc/grpc_transport.h"
#include "cluster/host/host_socket.h"
#include "cluster/host/host_transport.h"
#include "cluster/host/raw_host_peer_test.h"
#include "cluster/services.h"
#include "cluster/transport_test.h"

namespace weir {
namespace {

using transport_tests::Answer;
using transport_tests::kPatience;

constexpr char kMethod[] = "/tensorflow.WorkerService/GetStatus";
constexpr size_t kAnswerBytes = size_t{1} << 20;
constexpr int kUnreadMegabytes = 4;
constexpr int kCalls = 40;

// Answers all calls at once: GetStatus with a megabyte, others with nothing.
class Generous final : public WorkerService, public MasterService {
 public:
#define WEIR_ANSWER(Method, Request, Response, Allowed) \
  void Method(Request, const CallOptions&, Reply<Response> done) override { Give(done); }
  WEIR_WORKER_METHODS(WEIR_ANSWER)
  WEIR_MASTER_METHODS(WEIR_ANSWER)
#undef WEIR_ANSWER

 private:
  template <class Response>
  static void Give(const Reply<Response>& done) {
    Response response;
    if constexpr (std::is_same_v<Response, tensorflow::GetStatusResponse>)
      response.add_device_attributes()->set_physical_device_desc(std::string(kAnswerBytes, 'x'));
    done(std::move(response));
  }
};

class UnreadAnswers : public testing::Test {
 protected:
  static Limits Low() {
    Limits::Settings settings;
    settings[static_cast<size_t>(Limit::kUnreadOfPeer)] = kUnreadMegabytes;
    settings[static_cast<size_t>(Limit::kUnread)] = 100;
    settings[static_cast<size_t>(Limit::kStreams)] = 2 * kCalls;
    settings[static_cast<size_t>(Limit::kConnections)] = 3;
    settings[static_cast<size_t>(Limit::kMessageBytes)] = 2;
    return Limits(settings);
  }
  static TransportSettings Settings() {
    TransportSettings settings;
    settings.limits = Low();
    return settings;
  }
  void Listen(std::unique_ptr<Transport> transport) {
    transport_ = std::move(transport);
    Result<std::unique_ptr<Listener>> listener = transport_->Listen("localhost:0");
    ASSERT_TRUE(listener.ok()) << listener.status();
    listener_ = *std::move(listener);
    listener_->Serve(MakeServiceHandler(services_, services_, access_, unread_));
  }
  std::string address() const { return fmt::format("localhost:{}", listener_->port()); }
  std::unique_ptr<RawHostPeer> ConnectRaw() const {
    return std::make_unique<RawHostPeer>(ConnectOnHost(fmt::format("127.0.0.1:{}", listener_->port())));
  }
  Status CallFromOther(const std::string& method = kMethod, size_t bytes = 0) const {
    const std::unique_ptr<Transport> client = MakeGrpcTransport({});
    Answer answer;
    client->Connect(address())->Call(method, Rope(std::string(bytes, '\0')), {.timeout_ms = 20'000}, answer.Take());
    return answer.Wait();
  }
  // Until nothing is unread any more.
  void ExpectAllReleased() const {
    for (int i = 0; i < 2000 && unread_.used() > 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(unread_.used(), 0);
  }

  Generous services_;
  AccessControl access_{RealClock()};
  Quota unread_{Low(), Limit::kUnreadOfPeer, Limit::kUnread};
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<Listener> listener_;
};

TEST_F(UnreadAnswers, OverGrpc) {
  Listen(MakeGrpcTransport(Settings()));
  grpc::ChannelArguments args;
  args.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  args.SetMaxReceiveMessageSize(-1);
  const auto channel = grpc::CreateCustomChannel(address(), grpc::InsecureChannelCredentials(), args);
  grpc::GenericStub stub(channel);
  grpc::CompletionQueue queue;
  struct Stalled {
    grpc::ClientContext context;
    std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream;
    grpc::ByteBuffer answer;
    grpc::Status status;
  };
  std::vector<std::unique_ptr<Stalled>> calls;
  const auto next = [&] {
    void* tag = nullptr;
    bool ok = false;
    return queue.AsyncNext(&tag, &ok, std::chrono::system_clock::now() + std::chrono::nanoseconds(kPatience)) ==
               grpc::CompletionQueue::GOT_EVENT &&
           ok;
  };
  // Calls whose answers are not asked for: HTTP/2's flow control holds them back on the server.
  for (int i = 0; i < kCalls; ++i) {
    Stalled& call = *calls.emplace_back(std::make_unique<Stalled>());
    call.stream = stub.PrepareCall(&call.context, kMethod, &queue);
    call.stream->StartCall(&call);
    ASSERT_TRUE(next());
    grpc::Slice empty;
    call.stream->WriteLast(grpc::ByteBuffer(&empty, 1), grpc::WriteOptions(), &call);
    ASSERT_TRUE(next());
  }
  for (int i = 0; i < 2000 && unread_.used() < (kUnreadMegabytes - 1) * kMegabyte; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(CallFromOther().ok()) << "others are served";
  EXPECT_LE(unread_.used(), kUnreadMegabytes * kMegabyte);
  EXPECT_GE(unread_.used(), (kUnreadMegabytes - 1) * kMegabyte);
  int refused = 0;
  for (const auto& call : calls) {
    call->stream->Read(&call->answer, call.get());
    next();
    call->stream->Finish(&call->status, call.get());
    ASSERT_TRUE(next());
    refused += call->status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED;
    EXPECT_TRUE(call->status.ok() || call->status.error_message().find("WEIR_MAX_PEER_UNREAD_MB") != std::string::npos)
        << call->status.error_message();
  }
  EXPECT_GE(refused, kCalls - kUnreadMegabytes);
  EXPECT_LT(refused, kCalls);
  ExpectAllReleased();
  queue.Shutdown();
}

TEST_F(UnreadAnswers, OverTheHostSocket) {
  Listen(MakeHostTransport(MakeGrpcTransport(Settings()), Settings()));
  const std::unique_ptr<RawHostPeer> peer = ConnectRaw();
  for (uint64_t id = 1; id <= kCalls; ++id) peer->WriteCall(id, kMethod, "");
  for (int i = 0; i < 2000 && unread_.used() < (kUnreadMegabytes - 1) * kMegabyte; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(CallFromOther().ok()) << "others are served";
  EXPECT_LE(unread_.used(), kUnreadMegabytes * kMegabyte);
  int answers = 0, refused = 0;
  while (answers + refused < kCalls) {
    std::string payload;
    // Answers and errors come in any order.
    const std::optional<HostHeader> head = peer->ReadAny({HostHeader::kAnswer, HostHeader::kError}, &payload);
    ASSERT_TRUE(head.has_value());
    answers += head->kind == HostHeader::kAnswer;
    if (head->kind == HostHeader::kAnswer) continue;
    ++refused;
    EXPECT_EQ(head->code, static_cast<uint32_t>(StatusCode::kResourceExhausted));
    EXPECT_NE(payload.find("WEIR_MAX_PEER_UNREAD_MB"), std::string::npos) << payload;
  }
  EXPECT_GE(answers, kUnreadMegabytes - 1);
  EXPECT_GT(refused, 0);
  ExpectAllReleased();
}

// Even the errors that a peer gets are held for it only up to a limit: then it is disconnected.
TEST_F(UnreadAnswers, APeerThatNeverReadsIsDisconnected) {
  Listen(MakeHostTransport(MakeGrpcTransport(Settings()), Settings()));
  const std::unique_ptr<RawHostPeer> peer = ConnectRaw();
  bool connected = true;
  for (uint64_t id = 1; id <= 20'000 && connected; ++id) connected = peer->TryWriteCall(id, kMethod);
  EXPECT_FALSE(connected);
  ExpectAllReleased();
  EXPECT_TRUE(CallFromOther().ok());
}

TEST_F(UnreadAnswers, MessagesHaveALimit) {
  Listen(MakeHostTransport(MakeGrpcTransport(Settings()), Settings()));
  EXPECT_TRUE(CallFromOther("/tensorflow.WorkerService/RunGraph", size_t{1} << 20).code() !=
              StatusCode::kResourceExhausted);
  const Status status = CallFromOther("/tensorflow.WorkerService/RunGraph", size_t{3} << 20);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
  EXPECT_NE(status.message().find("WEIR_MAX_MESSAGE_MB"), std::string::npos) << status;
  const std::unique_ptr<RawHostPeer> peer = ConnectRaw();
  std::string payload;
  peer->WriteCall(1, "/tensorflow.WorkerService/RunGraph", std::string(size_t{3} << 20, '\0'));
  const std::optional<HostHeader> head = peer->Read(HostHeader::kError, &payload);
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->code, static_cast<uint32_t>(StatusCode::kResourceExhausted));
  EXPECT_NE(payload.find("WEIR_MAX_MESSAGE_MB"), std::string::npos) << payload;
  peer->WriteCall(2, kMethod, "");
  EXPECT_TRUE(peer->Read(HostHeader::kAnswer).has_value()) << "the connection goes on";
}

TEST_F(UnreadAnswers, ConnectionsHaveALimit) {
  Listen(MakeHostTransport(MakeGrpcTransport(Settings()), Settings()));
  std::vector<std::unique_ptr<RawHostPeer>> peers;
  for (int i = 0; i < 3; ++i) {
    peers.push_back(ConnectRaw());
    ASSERT_TRUE(peers.back()->Read(HostHeader::kHello).has_value());
  }
  EXPECT_TRUE(ConnectRaw()->IsAtEnd());
  peers.pop_back();
  bool served = false;
  for (int i = 0; i < 500 && !served; ++i) {
    served = ConnectRaw()->Read(HostHeader::kHello).has_value();
    if (!served) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(served) << "there is room again";
}

TEST_F(UnreadAnswers, ConnectionsOfGrpcHaveALimit) {
  Listen(MakeGrpcTransport(Settings()));
  const auto connect_raw = [&] {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    name.sin_port = htons(static_cast<uint16_t>(listener_->port()));
    OwnedFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(connect(fd.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)), 0);
    return fd;
  };
  // A server of HTTP/2 speaks first.
  const auto is_served = [](const OwnedFd& fd) {
    char byte = 0;
    return recv(fd.get(), &byte, 1, 0) == 1;
  };
  std::vector<OwnedFd> peers;
  for (int i = 0; i < 3; ++i) {
    peers.push_back(connect_raw());
    ASSERT_TRUE(is_served(peers.back()));
  }
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(is_served(connect_raw()));
  peers.pop_back();
  Status status;
  for (int i = 0; i < 500; ++i) {
    status = CallFromOther();
    if (status.ok()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(status.ok()) << status;
}

// A caller with too many calls that wait gets an error, and others are not affected.
TEST_F(UnreadAnswers, CallsOnOneConnectionHaveALimit) {
  transport_ = MakeHostTransport(MakeGrpcTransport(Settings()), Settings());
  listener_ = transport_->Listen("localhost:0").value();
  std::mutex mu;
  std::vector<std::shared_ptr<IncomingCall>> waiting;
  listener_->Serve([&](std::shared_ptr<IncomingCall> call) {
    if (call->method() != "/a/wait") return call->Respond(Rope("yes"));
    std::lock_guard lock(mu);
    waiting.push_back(std::move(call));
  });
  const std::unique_ptr<RawHostPeer> peer = ConnectRaw();
  for (uint64_t id = 1; id <= 2 * kCalls; ++id) peer->WriteCall(id, "/a/wait", "");
  peer->WriteCall(1000, "/a/b", "");
  std::string payload;
  const std::optional<HostHeader> head = peer->Read(HostHeader::kError, &payload);
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->id, 1000U);
  EXPECT_NE(payload.find("WEIR_MAX_CONNECTION_CALLS"), std::string::npos) << payload;
  EXPECT_TRUE(CallFromOther("/a/b").ok());
  std::lock_guard lock(mu);
  EXPECT_EQ(waiting.size(), 2U * kCalls);
  for (const auto& call : waiting) call->Respond(Rope("at last"));
}

}  // namespace
}  // namespace weir
