// What is particular to calls between the processes of a host: peers that speak badly or not at all, and who is reached
// how. The peers are made of bare sockets.
#include "cluster/host/host_transport.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <optional>
#include <thread>

#include "cluster/grpc/grpc_transport.h"
#include "cluster/host/host_link.h"

namespace weir {
namespace {

constexpr auto kHostPatience = std::chrono::seconds(20);  // what takes longer will not come
constexpr int64_t kManyMs = 120'000;
constexpr int64_t kFewMs = 800;

// The end of a call, or anything else that one thread waits for.
class Outcome final {
 public:
  void Set(Status status, std::string text = "") {
    std::lock_guard lock(mu_);
    status_ = std::move(status);
    text_ = std::move(text);
    there_ = true;
    changed_.notify_all();
  }
  Channel::Done Take() {
    return [this](Result<Rope> result) {
      if (result.ok()) {
        Set(OkStatus(), result->Flatten());
      } else {
        Set(result.status());
      }
    };
  }
  Status Wait() {
    std::unique_lock lock(mu_);
    if (!changed_.wait_for(lock, kHostPatience, [&] { return there_; })) return Internal("nothing came");
    return status_;
  }
  const std::string& text() const { return text_; }

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  bool there_ = false;
  Status status_;
  std::string text_;
};

// One end of a connection that a test speaks on by hand.
class BareEnd final {
 public:
  explicit BareEnd(OwnedFd fd) : fd_(std::move(fd)) {
    EXPECT_TRUE(fd_.valid());
    fcntl(fd_.get(), F_SETFL, fcntl(fd_.get(), F_GETFL) & ~O_NONBLOCK);
    const timeval patience{20, 0};
    setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  }
  void Write(const void* data, size_t size) {
    EXPECT_EQ(send(fd_.get(), data, size, MSG_NOSIGNAL), static_cast<ssize_t>(size));
  }
  void Write(const HostHead& head, std::string_view rest = "") {
    Write(&head, sizeof(head));
    if (!rest.empty()) Write(rest.data(), rest.size());
  }
  void WriteCall(uint64_t id, std::string_view method, std::string_view payload) {
    Write({.kind = HostHead::kCall, .id = id, .size = payload.size(), .method_size = uint32_t(method.size())},
          std::string(method) + std::string(payload));
  }
  // The next message of that kind, without its payload where that is lent; nothing at the end of the connection.
  std::optional<HostHead> Read(uint32_t kind, std::string* payload = nullptr) {
    HostHead head;
    while (ReadAll(&head, sizeof(head))) {
      std::string rest(head.method_size + head.spans * 16 + (head.spans > 0 ? 0 : head.size), '\0');
      if (!ReadAll(rest.data(), rest.size())) return std::nullopt;
      if (head.kind != kind) continue;
      if (payload != nullptr) *payload = rest;
      return head;
    }
    return std::nullopt;
  }
  bool IsAtEnd() { return !Read(~uint32_t{0}).has_value(); }

 private:
  bool ReadAll(void* to, size_t size) {
    return size == 0 || recv(fd_.get(), to, size, MSG_WAITALL) == static_cast<ssize_t>(size);
  }
  OwnedFd fd_;
};

class HostTransportTest : public testing::Test {
 protected:
  static std::unique_ptr<Transport> Make(int64_t peer_timeout_ms) {
    return MakeHostTransport(MakeGrpcTransport(peer_timeout_ms), peer_timeout_ms);
  }
  void Listen(int64_t peer_timeout_ms, CallHandler handler) {
    server_ = Make(peer_timeout_ms);
    listener_ = *server_->Listen("127.0.0.1:0");
    listener_->Serve(std::move(handler));
  }
  std::string address() const { return fmt::format("127.0.0.1:{}", listener_->port()); }
  static void Echo(const std::shared_ptr<IncomingCall>& call) { call->Respond(Rope(call->request().Flatten())); }
  Status CallThrough(Transport& transport, const std::string& where, std::string text, std::string* back = nullptr) {
    Outcome outcome;
    transport.Connect(where)->Call("/a.B/C", Rope(std::move(text)), {}, outcome.Take());
    Status status = outcome.Wait();
    if (back != nullptr) *back = outcome.text();
    return status;
  }

  std::unique_ptr<Transport> server_;
  std::unique_ptr<Listener> listener_;
};

TEST_F(HostTransportTest, EitherSideMayBeWithoutIt) {
  Listen(kManyMs, Echo);
  const std::unique_ptr<Transport> plain = MakeGrpcTransport(kManyMs);
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
  BareEnd end(ConnectOnHost(address()));
  end.WriteCall(1, "/a.B/C", "here");
  std::string back;
  ASSERT_TRUE(end.Read(HostHead::kAnswer, &back).has_value());
  EXPECT_EQ(back, "here");
}

TEST_F(HostTransportTest, AddressesElsewhereAreNotOfThisHost) {
  EXPECT_TRUE(NumericAddresses({"192.0.2.1", 2222, ""}).empty());  // of documents only
  EXPECT_TRUE(NumericAddresses({"", 0, "/some/path"}).empty());
  EXPECT_EQ(NumericAddresses({"127.0.0.1", 2222, ""}), std::vector<std::string>{"127.0.0.1:2222"});
}

TEST_F(HostTransportTest, ANameIsHadByOneAndFreeAfterwards) {
  const OwnedFd first = ListenOnHost("127.0.0.1:1");
  ASSERT_TRUE(first.valid());
  EXPECT_FALSE(ListenOnHost("127.0.0.1:1").valid());
  EXPECT_FALSE(ConnectOnHost("127.0.0.1:2").valid());
  { const OwnedFd second = ListenOnHost("127.0.0.1:2"); }
  EXPECT_TRUE(ListenOnHost("127.0.0.1:2").valid());
}

TEST_F(HostTransportTest, APeerThatNeverSpeaksIsLost) {
  const OwnedFd silent = ListenOnHost("127.0.0.1:3");
  ASSERT_TRUE(silent.valid());
  const std::unique_ptr<Transport> client = Make(kFewMs);
  const Status status = CallThrough(*client, "127.0.0.1:3", "x");
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_NE(status.message().find("no sign of life for 800 ms"), absl::string_view::npos) << status;
}

TEST_F(HostTransportTest, APeerThatHangsUpEndsItsCalls) {
  const OwnedFd door = ListenOnHost("127.0.0.1:4");
  const std::unique_ptr<Transport> client = Make(kManyMs);
  const std::shared_ptr<Channel> channel = client->Connect("127.0.0.1:4");
  Outcome outcome;
  channel->Call("/a.B/C", Rope("x"), {}, outcome.Take());
  {
    BareEnd end(AcceptOnHost(door.get()));
    EXPECT_TRUE(end.Read(HostHead::kCall).has_value());
  }
  const Status status = outcome.Wait();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_NE(status.message().find("its process has ended"), absl::string_view::npos) << status;
  // Who asks anew finds who is there now.
  Outcome again;
  channel->Call("/a.B/C", Rope("x"), {}, again.Take());
  BareEnd end(AcceptOnHost(door.get()));
  const std::optional<HostHead> call = end.Read(HostHead::kCall);
  ASSERT_TRUE(call.has_value());
  end.Write({.kind = HostHead::kAnswer, .id = call->id, .size = 3}, "yes");
  EXPECT_TRUE(again.Wait().ok());
  EXPECT_EQ(again.text(), "yes");
}

TEST_F(HostTransportTest, ACallerThatFallsSilentIsNotWorkedFor) {
  Outcome cancelled;
  std::shared_ptr<IncomingCall> kept;
  Listen(kFewMs, [&](std::shared_ptr<IncomingCall> call) {
    kept = call;
    call->cancel().Register([&, call = call.get()] { cancelled.Set(call->cancel().reason()); });
  });
  BareEnd end(ConnectOnHost(address()));
  end.WriteCall(1, "/a.B/C", "x");
  EXPECT_TRUE(end.Read(HostHead::kPing).has_value());
  EXPECT_EQ(cancelled.Wait().code(), StatusCode::kUnavailable);
  kept->Respond(Rope());
  EXPECT_TRUE(end.IsAtEnd());
}

TEST_F(HostTransportTest, ACallThatIsGivenUpBeforeItIsThereIsCancelled) {
  Outcome seen;
  Listen(kManyMs, [&](const std::shared_ptr<IncomingCall>& call) {
    seen.Set(call->cancel().reason());
    call->Respond(Rope());
  });
  BareEnd end(ConnectOnHost(address()));
  // In one piece, so that both are read at once.
  const HostHead call{.kind = HostHead::kCall, .id = 7, .method_size = 6};
  const HostHead cancel{.kind = HostHead::kCancel, .id = 7};
  std::string bytes(reinterpret_cast<const char*>(&call), sizeof(call));
  bytes += "/a.B/C";
  bytes.append(reinterpret_cast<const char*>(&cancel), sizeof(cancel));
  end.Write(bytes.data(), bytes.size());
  EXPECT_EQ(seen.Wait().code(), StatusCode::kUnavailable);
}

TEST_F(HostTransportTest, MemoryIsLentOnlyToWhoCanReadIt) {
  Listen(kManyMs, Echo);
  const std::string large(100'000, 'x');
  BareEnd end(ConnectOnHost(address()));
  end.WriteCall(1, "/a.B/C", large);
  std::string back;
  std::optional<HostHead> answer = end.Read(HostHead::kAnswer, &back);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->spans, 0U);
  EXPECT_EQ(back, large);
  end.Write({.kind = HostHead::kMayRead});
  end.WriteCall(2, "/a.B/C", large);
  answer = end.Read(HostHead::kAnswer, &back);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->spans, 1U);
  EXPECT_EQ(answer->size, large.size());
}

TEST_F(HostTransportTest, WhatIsNoMessageEndsItsConnectionAndNoOther) {
  Listen(kManyMs, Echo);
  const std::shared_ptr<Channel> channel = server_->Connect(address());
  std::vector<HostHead> wrong = {
      {.kind = 0},
      {.kind = 77},
      {.kind = HostHead::kCall, .method_size = 1U << 30},
      {.kind = HostHead::kCall, .size = ~uint64_t{0}},
      {.kind = HostHead::kCall, .size = 10, .spans = 1U << 30},
      {.kind = HostHead::kHello, .id = 1},
  };
  for (const HostHead& head : wrong) {
    BareEnd end(ConnectOnHost(address()));
    end.Write(head);
    EXPECT_TRUE(end.IsAtEnd()) << head.kind << " " << head.size;
    Outcome outcome;
    channel->Call("/a.B/C", Rope("x"), {}, outcome.Take());
    EXPECT_TRUE(outcome.Wait().ok());
  }
}

TEST_F(HostTransportTest, AddressesThatLeadNowhereAreAnError) {
  Listen(kManyMs, Echo);
  BareEnd end(ConnectOnHost(address()));
  const auto lend = [&](uint64_t id, uint64_t size, std::vector<std::pair<uint64_t, uint64_t>> spans) {
    std::string rest = "/a.B/C";
    for (const auto& [where, bytes] : spans) {
      rest.append(reinterpret_cast<const char*>(&where), sizeof(where));
      rest.append(reinterpret_cast<const char*>(&bytes), sizeof(bytes));
    }
    end.Write({.kind = HostHead::kCall,
               .id = id,
               .size = size,
               .lent = id,
               .method_size = 6,
               .spans = static_cast<uint32_t>(spans.size())},
              rest);
  };
  lend(1, 100, {{16, 100}});                     // nothing is there
  lend(2, 100, {{16, 60}, {16, 60}});            // more than the message has
  lend(3, 100, {{16, 60}, {16, ~uint64_t{0}}});  // and more than there can be
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(end.Read(HostHead::kError).has_value());
  std::string text(50'000, 'y');
  lend(4, text.size(), {{reinterpret_cast<uint64_t>(text.data()), text.size()}});
  std::string back;
  ASSERT_TRUE(end.Read(HostHead::kAnswer, &back).has_value());
  EXPECT_EQ(back, text);
}

TEST_F(HostTransportTest, WhatIsOnlyAnnouncedTakesNoMemory) {
  Listen(kManyMs, Echo);
  const std::string before(1000, 'x');
  std::vector<std::unique_ptr<BareEnd>> ends;
  for (int i = 0; i < 20; ++i) {  // 20 TB
    ends.push_back(std::make_unique<BareEnd>(ConnectOnHost(address())));
    ends.back()->Write({.kind = HostHead::kCall, .id = 1, .size = uint64_t{1} << 40, .method_size = 6}, "/a.B/C");
    ends.back()->Write(before.data(), before.size());
  }
  std::string back;
  EXPECT_TRUE(CallThrough(*server_, address(), "still there", &back).ok());
  EXPECT_EQ(back, "still there");
}

}  // namespace
}  // namespace weir
