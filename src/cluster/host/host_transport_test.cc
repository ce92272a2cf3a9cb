// Tests of behaviour that only the host transport has: misbehaving and silent peers, and how peers are found. The peers
// are bare sockets.
#include "cluster/host/host_transport.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <optional>
#include <thread>

#include "cluster/call_outcome_test.h"
#include "cluster/grpc/grpc_transport.h"
#include "cluster/host/host_link.h"
#include "cluster/host/host_socket.h"
#include "cluster/host/raw_host_peer_test.h"
#include "cluster/resolve.h"
#include "tensor/shared_blocks.h"
#include "tensor/tensor.h"

namespace weir {
namespace {

constexpr int64_t kManyMs = 120'000;
constexpr int64_t kFewMs = 800;

class HostTransportTest : public testing::Test {
 protected:
  static std::unique_ptr<Transport> Make(int64_t peer_timeout_ms) {
    return MakeHostTransport(MakeGrpcTransport({.peer_timeout_ms = peer_timeout_ms}),
                             {.peer_timeout_ms = peer_timeout_ms});
  }
  void Listen(int64_t peer_timeout_ms, CallHandler handler) {
    server_ = Make(peer_timeout_ms);
    listener_ = *server_->Listen("127.0.0.1:0");
    listener_->Serve(std::move(handler));
  }
  std::string address() const { return fmt::format("127.0.0.1:{}", listener_->port()); }
  static void Echo(const std::shared_ptr<IncomingCall>& call) { call->Respond(Rope(call->request().Flatten())); }
  Status CallThrough(Transport& transport, const std::string& where, std::string text, std::string* back = nullptr) {
    CallOutcome outcome;
    transport.Connect(where)->Call("/a.B/C", Rope(std::move(text)), {}, outcome.Take());
    Status status = outcome.Wait();
    if (back != nullptr) *back = outcome.text();
    return status;
  }

  std::unique_ptr<Transport> server_;
  std::unique_ptr<Listener> listener_;
};

TEST_F(HostTransportTest, FallsBackIfOneSideLacksIt) {
  Listen(kManyMs, Echo);
  const std::unique_ptr<Transport> plain = MakeGrpcTransport({.peer_timeout_ms = kManyMs});
  EXPECT_TRUE(CallThrough(*plain, address(), "x").ok());
  std::unique_ptr<Listener> other = *plain->Listen("127.0.0.1:0");
  other->Serve(Echo);
  std::string back;
  EXPECT_TRUE(CallThrough(*server_, fmt::format("127.0.0.1:{}", other->port()), "x", &back).ok());
  EXPECT_EQ(back, "x");
}

TEST_F(HostTransportTest, AProcessThatListensOnAllAddressesIsReachedAtEach) {
  server_ = Make(kManyMs);
  listener_ = *server_->Listen("0.0.0.0:0");
  listener_->Serve(Echo);
  RawHostPeer end(ConnectOnHost(address()));
  end.WriteCall(1, "/a.B/C", "here");
  std::string back;
  ASSERT_TRUE(end.Read(HostHeader::kAnswer, &back).has_value());
  EXPECT_EQ(back, "here");
}

TEST_F(HostTransportTest, AddressesElsewhereAreNotOfThisHost) {
  EXPECT_TRUE(NumericAddresses({"192.0.2.1", 2222, ""}).empty());  // an address for documentation
  EXPECT_TRUE(NumericAddresses({"", 0, "/some/path"}).empty());
  EXPECT_EQ(NumericAddresses({"127.0.0.1", 2222, ""}), std::vector<std::string>{"127.0.0.1:2222"});
}

TEST_F(HostTransportTest, NameIsExclusive) {
  const OwnedFd first = ListenOnHost("127.0.0.1:1");
  ASSERT_TRUE(first.valid());
  EXPECT_FALSE(ListenOnHost("127.0.0.1:1").valid());
  EXPECT_FALSE(ConnectOnHost("127.0.0.1:2").valid());
  { const OwnedFd second = ListenOnHost("127.0.0.1:2"); }
  EXPECT_TRUE(ListenOnHost("127.0.0.1:2").valid());
}

TEST_F(HostTransportTest, SilentPeerIsLost) {
  const OwnedFd silent = ListenOnHost("127.0.0.1:3");
  ASSERT_TRUE(silent.valid());
  const std::unique_ptr<Transport> client = Make(kFewMs);
  const Status status = CallThrough(*client, "127.0.0.1:3", "x");
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_NE(status.message().find("no sign of life from the peer for 800 ms"), absl::string_view::npos) << status;
}

TEST_F(HostTransportTest, APeerThatHangsUpEndsItsCalls) {
  const OwnedFd door = ListenOnHost("127.0.0.1:4");
  const std::unique_ptr<Transport> client = Make(kManyMs);
  const std::shared_ptr<Channel> channel = client->Connect("127.0.0.1:4");
  CallOutcome outcome;
  channel->Call("/a.B/C", Rope("x"), {}, outcome.Take());
  {
    RawHostPeer end(AcceptOnHost(door.get()));
    EXPECT_TRUE(end.Read(HostHeader::kCall).has_value());
  }
  const Status status = outcome.Wait();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_NE(status.message().find("the peer's process has ended"), absl::string_view::npos) << status;
  // The next call connects to the process that listens now.
  CallOutcome again;
  channel->Call("/a.B/C", Rope("x"), {}, again.Take());
  RawHostPeer end(AcceptOnHost(door.get()));
  const std::optional<HostHeader> call = end.Read(HostHeader::kCall);
  ASSERT_TRUE(call.has_value());
  end.Write({.kind = HostHeader::kAnswer, .id = call->id, .size = 3}, "yes");
  EXPECT_TRUE(again.Wait().ok());
  EXPECT_EQ(again.text(), "yes");
}

TEST_F(HostTransportTest, SilentCallersCallsAreCancelled) {
  CallOutcome cancelled;
  std::shared_ptr<IncomingCall> kept;
  Listen(kFewMs, [&](std::shared_ptr<IncomingCall> call) {
    kept = call;
    call->cancel().Register([&, call = call.get()] { cancelled.Set(call->cancel().reason()); });
  });
  RawHostPeer end(ConnectOnHost(address()));
  end.WriteCall(1, "/a.B/C", "x");
  EXPECT_TRUE(end.Read(HostHeader::kPing).has_value());
  EXPECT_EQ(cancelled.Wait().code(), StatusCode::kUnavailable);
  kept->Respond(Rope());
  EXPECT_TRUE(end.IsAtEnd());
}

TEST_F(HostTransportTest, PingIsAnswered) {
  Listen(kManyMs, Echo);
  RawHostPeer end(ConnectOnHost(address()));
  end.Write({.kind = HostHeader::kPing});
  EXPECT_TRUE(end.Read(HostHeader::kPong).has_value());
}

TEST_F(HostTransportTest, CallCancelledOnArrivalIsCancelled) {
  CallOutcome seen;
  Listen(kManyMs, [&](const std::shared_ptr<IncomingCall>& call) {
    seen.Set(call->cancel().reason());
    call->Respond(Rope());
  });
  RawHostPeer end(ConnectOnHost(address()));
  // In one write, so that both are read at once.
  const HostHeader call{.kind = HostHeader::kCall, .id = 7, .method_size = 6};
  const HostHeader cancel{.kind = HostHeader::kCancel, .id = 7};
  std::string bytes(reinterpret_cast<const char*>(&call), sizeof(call));
  bytes += "/a.B/C";
  bytes.append(reinterpret_cast<const char*>(&cancel), sizeof(cancel));
  end.Write(bytes.data(), bytes.size());
  EXPECT_EQ(seen.Wait().code(), StatusCode::kUnavailable);
}

TEST_F(HostTransportTest, MessagesBehindBlockedCallAreHandled) {
  CallOutcome second_came;
  Listen(kFewMs, [&](const std::shared_ptr<IncomingCall>& call) {
    if (call->request().Flatten() == "second") second_came.Set(OkStatus());
    EXPECT_TRUE(second_came.Wait().ok());
    call->Respond(Rope());
  });
  RawHostPeer end(ConnectOnHost(address()));
  // In one write, so that both are read at once.
  std::string bytes;
  for (const std::string_view text : {"first", "second"}) {
    const HostHeader call{.kind = HostHeader::kCall, .id = text.size(), .size = text.size(), .method_size = 6};
    bytes.append(reinterpret_cast<const char*>(&call), sizeof(call));
    bytes += "/a.B/C";
    bytes += text;
  }
  end.Write(bytes.data(), bytes.size());
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(end.Read(HostHeader::kAnswer).has_value());
}

TEST_F(HostTransportTest, PayloadsAreReferencedOnlyIfThePeerCanReadThem) {
  Listen(kManyMs, Echo);
  const std::string large(100'000, 'x');
  RawHostPeer end(ConnectOnHost(address()));
  end.WriteCall(1, "/a.B/C", large);
  std::string back;
  std::optional<HostHeader> answer = end.Read(HostHeader::kAnswer, &back);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->spans, 0U);
  EXPECT_EQ(back, large);
  end.Write({.kind = HostHeader::kCanReadMemory});
  end.WriteCall(2, "/a.B/C", large);
  answer = end.Read(HostHeader::kAnswer, &back);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->spans, 1U);
  EXPECT_EQ(answer->size, large.size());
}

TEST_F(HostTransportTest, GarbageEndsOnlyItsOwnLink) {
  Listen(kManyMs, Echo);
  const std::shared_ptr<Channel> channel = server_->Connect(address());
  std::vector<HostHeader> wrong = {
      {.kind = 0},
      {.kind = 77},
      {.kind = HostHeader::kCall, .method_size = 1U << 30},
      {.kind = HostHeader::kCall, .size = ~uint64_t{0}},
      {.kind = HostHeader::kCall, .size = 10, .spans = 1U << 30},
      {.kind = HostHeader::kHello, .id = 1},
  };
  for (const HostHeader& head : wrong) {
    RawHostPeer end(ConnectOnHost(address()));
    end.Write(head);
    EXPECT_TRUE(end.IsAtEnd()) << head.kind << " " << head.size;
    CallOutcome outcome;
    channel->Call("/a.B/C", Rope("x"), {}, outcome.Take());
    EXPECT_TRUE(outcome.Wait().ok());
  }
}

TEST_F(HostTransportTest, ListenerDoesNotWaitForCallsBehindGarbage) {
  std::atomic<int> handled{0};
  Listen(kManyMs, [&](const std::shared_ptr<IncomingCall>& call) {
    ++handled;
    Echo(call);
  });
  const HostHeader greeting{.kind = HostHeader::kHello, .id = 1};
  const HostHeader call{.kind = HostHeader::kCall, .id = 9, .method_size = 6};
  std::string together(reinterpret_cast<const char*>(&greeting), sizeof(greeting));
  together.append(reinterpret_cast<const char*>(&call), sizeof(call));
  together += "/a.B/C";
  RawHostPeer end(ConnectOnHost(address()));
  end.Write(together.data(), together.size());
  EXPECT_TRUE(end.IsAtEnd());
  listener_ = nullptr;  // waits for open calls
  EXPECT_EQ(handled, 0);
}

TEST_F(HostTransportTest, ACallIsHandledOnce) {
  std::mutex mu;
  std::vector<std::shared_ptr<IncomingCall>> calls;
  CallOutcome arrived;
  Listen(kManyMs, [&](const std::shared_ptr<IncomingCall>& call) {
    if (call->method() == "/the/last") {
      call->Respond(Rope("last"));
      return arrived.Set(OkStatus());
    }
    std::lock_guard lock(mu);
    calls.push_back(call);
  });
  RawHostPeer end(ConnectOnHost(address()));
  end.WriteCall(9, "/a.B/C", "first");
  end.WriteCall(9, "/a.B/C", "again");
  end.Write({.kind = HostHeader::kAnswer, .id = 9, .size = 6}, "answer");
  end.WriteCall(10, "/the/last", "");
  EXPECT_TRUE(arrived.Wait().ok());
  std::lock_guard lock(mu);
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0]->request().Flatten(), "first");
  calls[0]->Respond(Rope("done"));
}

TEST_F(HostTransportTest, InvalidSpansAreErrorsAndReleased) {
  Listen(kManyMs, Echo);
  RawHostPeer end(ConnectOnHost(address()));
  uint64_t id = 0;
  const auto ends_with = [&](uint64_t size, const std::vector<TestSpan>& spans) {
    WriteCallByReference(end, ++id, size, spans);
    EXPECT_EQ(end.Read(HostHeader::kRelease).value_or(HostHeader()).id, id);
    return static_cast<StatusCode>(end.Read(HostHeader::kError).value_or(HostHeader()).code);
  };
  constexpr uint64_t kFar = uint64_t{1} << 39;
  EXPECT_EQ(ends_with(100, {{16, 100}}), StatusCode::kUnavailable);                  // nothing is mapped there
  EXPECT_EQ(ends_with(kFar, {{16, kFar}}), StatusCode::kResourceExhausted);          // no memory is allocated for it
  EXPECT_EQ(ends_with(100, {{16, 60}, {16, 60}}), StatusCode::kInternal);            // more than the message has
  EXPECT_EQ(ends_with(100, {{16, 60}, {16, ~uint64_t{0}}}), StatusCode::kInternal);  // and more than there can be
  EXPECT_EQ(ends_with(100, {{16, 60}, {16, 30}}), StatusCode::kInternal);            // less than the message has
  constexpr uint64_t kHalf = uint64_t{1} << 63;
  EXPECT_EQ(ends_with(100, {{16, 60}, {16, kHalf}, {16, kHalf + 40}}), StatusCode::kInternal);
}

TEST_F(HostTransportTest, ManySpansAreReadInTheirOrder) {
  Listen(kManyMs, Echo);
  RawHostPeer end(ConnectOnHost(address()));
  std::string text(60'000, '\0');
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 23);
  const auto where = reinterpret_cast<uint64_t>(text.data());
  std::string back;
  for (const size_t size : {size_t{20}, text.size()}) {  // the kernel accepts 1024 per call
    std::vector<TestSpan> spans;
    for (size_t at = 0; at < text.size(); at += size) spans.push_back({where + at, size});
    WriteCallByReference(end, 1, text.size(), spans);
    ASSERT_TRUE(end.Read(HostHeader::kAnswer, &back).has_value());
    EXPECT_EQ(back, text);
  }
}

TEST_F(HostTransportTest, WrongTokenDisablesMemoryReads) {
  Listen(kManyMs, Echo);
  const uint64_t token = 42;
  const std::string where = std::to_string(reinterpret_cast<uint64_t>(&token));
  RawHostPeer end(ConnectOnHost(address()));
  const std::optional<HostHeader> greeting = end.Read(HostHeader::kHello);
  ASSERT_TRUE(greeting.has_value());
  const auto hello = [&](uint64_t found, const std::string& at) {
    end.Write({.kind = HostHeader::kHello, .id = greeting->id, .size = at.size(), .reference = found}, at);
    end.WriteCall(1, "/a.B/C", "x");
    EXPECT_TRUE(end.Read(HostHeader::kAnswer).has_value());
    return end.HasSeen(HostHeader::kCanReadMemory);
  };
  EXPECT_FALSE(hello(43, where));
  EXPECT_FALSE(hello(42, "16"));
  EXPECT_TRUE(hello(42, where));
}

TEST_F(HostTransportTest, InlineSpansKeepTheirPositions) {
  Listen(kManyMs, Echo);
  RawHostPeer end(ConnectOnHost(address()));
  std::string text(500, 'y');
  const auto where = reinterpret_cast<uint64_t>(text.data());
  WriteCallByReference(end, 1, 506, {{0, 3}, {where, 500}, {0, 0}, {0, 2}, {0, 1}}, "abcdef");
  std::string back;
  ASSERT_TRUE(end.Read(HostHeader::kAnswer, &back).has_value());
  EXPECT_EQ(back, "abc" + text + "def");
  WriteCallByReference(end, 2, 3, {{0, 3}}, "abc");  // nothing else
  ASSERT_TRUE(end.Read(HostHeader::kAnswer, &back).has_value());
  EXPECT_EQ(back, "abc");
  WriteCallByReference(end, 3, 4, {{0, 3}}, "abc");  // less than the message has
  EXPECT_TRUE(end.Read(HostHeader::kError).has_value());
}

TEST_F(HostTransportTest, TooManyInlineBytesAreRejected) {
  Listen(kManyMs, Echo);
  for (const std::vector<TestSpan>& spans :
       {std::vector<TestSpan>{{0, 5000}}, {{0, 4000}, {0, 4000}}, {{0, 1}, {0, ~uint64_t{0}}}}) {
    RawHostPeer end(ConnectOnHost(address()));
    WriteCallByReference(end, 1, 1'000'000, spans);
    EXPECT_TRUE(end.IsAtEnd());
  }
}

TEST_F(HostTransportTest, InvalidBlocksAreNotMapped) {
  Listen(kManyMs, Echo);
  ShareLargeBlocks();
  const Tensor tensor = Tensor::Zeros(kUint8, Shape{1 << 20}).value();
  std::memset(tensor.raw(), 't', tensor.num_bytes());
  const SharedBlock block = FindSharedBlock(tensor.raw(), tensor.num_bytes()).value();
  std::string text(10'000, 'y');
  const auto where = reinterpret_cast<uint64_t>(text.data());
  int pipe_ends[2] = {-1, -1};
  ASSERT_EQ(pipe(pipe_ends), 0);
  const OwnedFd in(pipe_ends[0]), out(pipe_ends[1]);
  const OwnedFd file(open("/proc/self/exe", O_RDONLY));
  const OwnedFd may_shrink(memfd_create("may_shrink", MFD_ALLOW_SEALING));
  struct stat shrinks {};
  ASSERT_EQ(ftruncate(may_shrink.get(), 10'000), 0);
  ASSERT_EQ(fstat(may_shrink.get(), &shrinks), 0);
  const uint64_t capacity = block.capacity;
  const std::vector<TestSpan> wrong = {
      {where, text.size(), block.id + 1, 0, capacity, block.fd},               // another block
      {where, text.size(), block.id, 0, capacity + 1, block.fd},               // larger than the block
      {where, text.size(), block.id, capacity - 100, capacity, block.fd},      // beyond the end of the block
      {where, text.size(), block.id, ~uint64_t{0} - 100, capacity, block.fd},  // the end overflows
      {where, text.size(), block.id, 0, capacity, -1},                         // not a descriptor
      {where, text.size(), block.id, 0, capacity, in.get()},                   // not a file
      {where, text.size(), block.id, 0, 10'000, file.get()},                   // not a block
      {where, text.size(), shrinks.st_ino, 0, 10'000, may_shrink.get()},       // may shrink: a reader could be killed
  };
  std::string back;
  for (size_t i = 0; i < wrong.size(); ++i) {
    RawHostPeer end(ConnectOnHost(address()));
    WriteCallByReference(end, 1, text.size(), {wrong[i]});
    ASSERT_TRUE(end.Read(HostHeader::kAnswer, &back).has_value()) << i;
    EXPECT_EQ(back, text) << i;  // the bytes at the address
  }
  RawHostPeer end(ConnectOnHost(address()));
  WriteCallByReference(end, 1, text.size(), {{where, text.size(), block.id, 64, capacity, block.fd}});
  ASSERT_TRUE(end.Read(HostHeader::kAnswer, &back).has_value());
  EXPECT_EQ(back, std::string(text.size(), 't'));
  WriteCallByReference(end, 2, text.size(),
                       {{where, text.size(), block.id, capacity, 2 * capacity, block.fd}});  // it has not grown
  ASSERT_TRUE(end.Read(HostHeader::kAnswer, &back).has_value());
  EXPECT_EQ(back, text);
}

// A tensor in flight, and whether its sender still holds it.
struct TensorInFlight {
  Tensor tensor;
  Rope rope;
  std::weak_ptr<int> kept;
};

TensorInFlight NewTensorInFlight(char fill) {
  TensorInFlight sent;
  sent.tensor = Tensor::Allocate(kUint8, Shape{3 << 20}).value();
  std::memset(sent.tensor.raw(), fill, sent.tensor.num_bytes());
  auto kept = std::make_shared<int>();
  sent.kept = kept;
  sent.rope.Append(sent.tensor.raw(), sent.tensor.num_bytes(),
                   std::shared_ptr<void>(nullptr, [kept, tensor = sent.tensor.Lease()](void*) {}));
  return sent;
}

bool Becomes(bool wanted, const std::function<bool()>& what) {
  for (int i = 0; i < 2000 && what() != wanted; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return what() == wanted;
}

class HostMappingTest : public HostTransportTest {
 protected:
  HostMappingTest() {
    ShareLargeBlocks();
    Listen(kManyMs, [this](const std::shared_ptr<IncomingCall>& call) {
      if (call->method() == "/a.B/SendBack") return call->Respond(call->TakeRequest());
      if (call->method() == "/a.B/SendStartBack") return SendStartBack(*call);
      if (call->request().size() > 10) {
        std::lock_guard lock(mu_);
        received_ = call->TakeRequest();
      }
      call->Respond(Rope("yes"));
    });
    client_ = Make(kManyMs);
    channel_ = client_->Connect(address());
    // Until each side knows that the other can read its memory.
    EXPECT_TRUE(Becomes(true, [this] {
      CallThrough(Rope(std::string(100'000, 'x'))).IgnoreError();
      std::lock_guard lock(mu_);
      return received_.slices().size() == 1 && received_.slices()[0].buffer != nullptr;
    }));
  }
  Status CallThrough(Rope request, const char* method = "/a.B/C") {
    CallOutcome outcome;
    channel_->Call(method, std::move(request), {}, outcome.Take());
    return outcome.Wait();
  }
  static void SendStartBack(IncomingCall& call) {
    Rope request = call.TakeRequest();
    Rope start;
    RopeReader(request).Take(10'000, &start);
    request = Rope();
    call.Respond(std::move(start));
  }
  Rope TakeReceived() {
    std::lock_guard lock(mu_);
    return std::exchange(received_, Rope());
  }

  std::mutex mu_;
  Rope received_;
  std::unique_ptr<Transport> client_;
  std::shared_ptr<Channel> channel_;
};

TEST_F(HostMappingTest, TensorIsMappedAndKeptUntilReleased) {
  for (int i = 0; i < 3; ++i) {
    TensorInFlight sent = NewTensorInFlight('s');
    ASSERT_TRUE(CallThrough(std::move(sent.rope)).ok());
    Rope received = TakeReceived();
    ASSERT_EQ(received.size(), sent.tensor.num_bytes());
    RopeReader reader(received);
    void* data = nullptr;
    BufferPtr buffer = reader.TakeBuffer(received.size(), &data);
    received = Rope();
    ASSERT_TRUE(buffer);
    const Tensor tensor = Tensor::FromBuffer(kUint8, sent.tensor.shape(), std::move(buffer), data);
    static_cast<char*>(sent.tensor.raw())[5] = '!';  // the same memory at another address
    EXPECT_NE(tensor.raw(), sent.tensor.raw());
    EXPECT_EQ(tensor.data<uint8_t>()[5], '!');
    EXPECT_EQ(tensor.data<uint8_t>()[tensor.num_bytes() - 1], 's');
    // Neither side may write in place.
    EXPECT_FALSE(tensor.OwnsMemoryAlone());
    EXPECT_TRUE(sent.tensor.HasReaders());
    EXPECT_FALSE(sent.kept.expired());
    const_cast<Tensor&>(tensor) = Tensor();
    EXPECT_TRUE(Becomes(true, [&] { return sent.kept.expired(); }));
    EXPECT_FALSE(sent.tensor.HasReaders());
  }
}

TEST_F(HostMappingTest, ReferencedMemoryIsNeverReusedAfterTheLinkBreaks) {
  TensorInFlight sent = NewTensorInFlight('s');
  ASSERT_TRUE(CallThrough(std::move(sent.rope)).ok());
  const Rope received = TakeReceived();
  channel_ = nullptr;
  client_ = nullptr;
  EXPECT_TRUE(sent.kept.expired());
  EXPECT_TRUE(sent.tensor.HasReaders());  // forever: updates use other memory
  sent.tensor = Tensor();
  const TensorInFlight next = NewTensorInFlight('n');
  EXPECT_EQ(received.Flatten(), std::string(received.size(), 's'));
}

TEST_F(HostMappingTest, OtherMemoryIsCopiedOnce) {
  const auto text = std::make_shared<std::string>(1 << 20, 'm');
  Rope rope;
  rope.Append(text->data(), text->size(), text);
  ASSERT_TRUE(CallThrough(std::move(rope)).ok());
  Rope received = TakeReceived();
  RopeReader reader(received);
  void* data = nullptr;
  const BufferPtr buffer = reader.TakeBuffer(received.size(), &data);
  received = Rope();
  ASSERT_TRUE(buffer);
  EXPECT_FALSE(buffer->has_readers());
  EXPECT_TRUE(buffer->RefCountIsOne());
  EXPECT_TRUE(Becomes(true, [&] { return text.use_count() == 1; }));
}

TEST_F(HostMappingTest, EchoedTensorIsReleasedByBothSides) {
  for (const char* method : {"/a.B/SendBack", "/a.B/SendStartBack"}) {  // sent back in place, and copied
    for (int i = 0; i < 3; ++i) {
      TensorInFlight sent = NewTensorInFlight('s');
      ASSERT_TRUE(CallThrough(std::move(sent.rope), method).ok());
      EXPECT_TRUE(Becomes(true, [&] { return sent.kept.expired(); })) << method;
      EXPECT_FALSE(sent.tensor.HasReaders());
    }
  }
}

int64_t UsedMicros() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1'000'000 + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
}

TEST_F(HostTransportTest, APeerThatReadsSlowlyGetsAllOfIt) {
  std::string large(5'000'000, '\0');
  for (size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>('a' + i % 23);
  Listen(kManyMs, [&](const std::shared_ptr<IncomingCall>& call) {
    Rope rope("1234567");
    for (size_t at = 0; at < large.size(); at += 50'000) rope.Append(large.data() + at, 50'000, nullptr);
    call->Respond(std::move(rope));
  });
  RawHostPeer end(ConnectOnHost(address()));
  std::string back;
  for (int round = 0; round < 2; ++round) {
    for (const uint64_t id : {1, 2}) end.WriteCall(id, "/a.B/C", "x");
    for (const uint64_t id : {1, 2}) {
      EXPECT_EQ(end.Read(HostHeader::kAnswer, &back).value_or(HostHeader()).id, id);
      EXPECT_TRUE(back == "1234567" + large);
    }
  }
  // The loop no longer watches for writability.
  const int64_t before = UsedMicros();
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  EXPECT_LT(UsedMicros() - before, 20'000);
}

TEST_F(HostTransportTest, UnreadMemoryIsReleasedOnBreak) {
  const OwnedFd door = ListenOnHost("127.0.0.1:5");
  const std::unique_ptr<Transport> client = Make(kManyMs);
  const std::shared_ptr<Channel> channel = client->Connect("127.0.0.1:5");
  const auto text = std::make_shared<std::string>(5'000'000, 'x');
  Rope rope;
  rope.Append(text->data(), text->size(), text);
  CallOutcome outcome;
  channel->Call("/a.B/C", std::move(rope), {}, outcome.Take());
  { const OwnedFd end = AcceptOnHost(door.get()); }
  EXPECT_EQ(outcome.Wait().code(), StatusCode::kUnavailable);
  EXPECT_EQ(text.use_count(), 1);
}

TEST_F(HostTransportTest, UnreferencedChannelClosesItsLink) {
  const OwnedFd door = ListenOnHost("127.0.0.1:6");
  const std::unique_ptr<Transport> client = Make(kManyMs);
  std::shared_ptr<Channel> channel = client->Connect("127.0.0.1:6");
  CallOutcome outcome;
  channel->Call("/a.B/C", Rope("x"), {}, outcome.Take());
  RawHostPeer end(AcceptOnHost(door.get()));
  const std::optional<HostHeader> call = end.Read(HostHeader::kCall);
  ASSERT_TRUE(call.has_value());
  channel = nullptr;  // that call keeps the connection open
  end.Write({.kind = HostHeader::kAnswer, .id = call->id, .size = 3}, "yes");
  EXPECT_TRUE(outcome.Wait().ok());
  EXPECT_TRUE(end.IsAtEnd());
}

TEST_F(HostTransportTest, AnnouncedSizeIsNotAllocated) {
  Listen(kManyMs, Echo);
  const std::string before(1000, 'x');
  std::vector<std::unique_ptr<RawHostPeer>> ends;
  for (int i = 0; i < 20; ++i) {  // 20 TB
    ends.push_back(std::make_unique<RawHostPeer>(ConnectOnHost(address())));
    ends.back()->Write({.kind = HostHeader::kCall, .id = 1, .size = uint64_t{1} << 40, .method_size = 6}, "/a.B/C");
    ends.back()->Write(before.data(), before.size());
  }
  std::string back;
  EXPECT_TRUE(CallThrough(*server_, address(), "still there", &back).ok());
  EXPECT_EQ(back, "still there");
}

}  // namespace
}  // namespace weir
