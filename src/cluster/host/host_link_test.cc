// Tests when HostLink writes its messages, and in how many writes. The peer is a socket that preserves write
// boundaries.
#include "cluster/host/host_link.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <cstring>
#include <future>
#include <new>
#include <thread>

#include "base/clock.h"
#include "cluster/call_outcome_test.h"

namespace weir {
namespace {

constexpr int64_t kLinkTimeoutMs = 120'000;

struct WrittenMessage {
  HostHeader head;
  std::string method;
  std::string payload;
};

class HostLinkTest : public testing::Test {
 protected:
  HostLinkTest() : calls_(std::make_shared<IncomingLinkCalls>()) {
    calls_->set_handler([this](std::shared_ptr<IncomingCall> call) { handle_(std::move(call)); });
  }
  ~HostLinkTest() override {
    calls_->Close();
    callers_.Close();
    if (link_ != nullptr) link_->Break(Cancelled("the test has ended"));
    calls_->WaitForNone();
    link_ = nullptr;
  }

  // With SOCK_SEQPACKET, each read returns the bytes of exactly one write.
  int Pair(int type) {
    int fds[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, type | SOCK_NONBLOCK, 0, fds), 0);
    peer_ = OwnedFd(fds[1]);
    return fds[0];
  }
  void AnswerCalls(int type = SOCK_SEQPACKET) {
    auto callee = std::make_unique<LinkCallee>(calls_);
    LinkCallee* const end = callee.get();
    link_ = std::make_shared<HostLink>(shared(), OwnedFd(Pair(type)), std::move(callee));
    EXPECT_TRUE(calls_->Add(link_, end));
    link_->Start();
    if (type != SOCK_SEQPACKET) return;
    EXPECT_EQ(NextWrite().at(0).head.kind, HostHeader::kHello);
  }
  std::shared_ptr<LinkCaller> MakeCalls() {
    std::shared_ptr<LinkCaller> caller = callers_.Add([&](std::unique_ptr<LinkHandler> end) {
      link_ = std::make_shared<HostLink>(shared(), OwnedFd(Pair(SOCK_SEQPACKET)), std::move(end));
      link_->Start();
      return link_;
    });
    EXPECT_EQ(NextWrite().at(0).head.kind, HostHeader::kHello);
    return caller;
  }
  HostLink::Shared shared() { return {loop_, alarms_, {.peer_timeout_ms = kLinkTimeoutMs}}; }

  bool CanRead(int timeout_ms) const {
    pollfd polled{peer_.get(), POLLIN, 0};
    return poll(&polled, 1, timeout_ms) == 1;
  }
  // The messages of one write; empty if none comes.
  std::vector<WrittenMessage> NextWrite() {
    std::string bytes(size_t{1} << 20, '\0');
    if (!CanRead(20'000)) return {};
    const ssize_t size = recv(peer_.get(), bytes.data(), bytes.size(), 0);
    if (size <= 0) return {};
    bytes.resize(static_cast<size_t>(size));
    return Parse(bytes);
  }
  static std::vector<WrittenMessage> Parse(std::string_view bytes) {
    std::vector<WrittenMessage> messages;
    while (bytes.size() >= sizeof(HostHeader)) {
      WrittenMessage& message = messages.emplace_back();
      std::memcpy(&message.head, bytes.data(), sizeof(HostHeader));
      bytes.remove_prefix(sizeof(HostHeader));
      message.method = bytes.substr(0, message.head.method_size);
      bytes.remove_prefix(message.head.method_size);
      message.payload = bytes.substr(0, message.head.size);
      bytes.remove_prefix(message.head.size);
    }
    EXPECT_TRUE(bytes.empty());
    return messages;
  }
  bool Say(uint64_t id, std::string text = "") {
    return link_->SendMessage({.kind = LinkMessage::kAnswer, .id = id}, "", Rope(std::move(text)));
  }
  static bool Ask(LinkCaller& caller, CallOutcome& outcome, CancelToken* cancel = nullptr) {
    Channel::Done done = outcome.Take();
    Rope request("x");
    return caller.Call("/a.B/C", request, CallOptions{.cancel = cancel}, done);
  }
  static std::string CallBytes(uint64_t id, const std::string& payload) {
    const std::string method = "/a.B/C";
    const HostHeader head{.kind = HostHeader::kCall,
                          .id = id,
                          .size = payload.size(),
                          .method_size = static_cast<uint32_t>(method.size())};
    return std::string(reinterpret_cast<const char*>(&head), sizeof(head)) + method + payload;
  }
  void Write(const std::string& bytes) {
    EXPECT_EQ(send(peer_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  static std::vector<uint64_t> IdsOf(const std::vector<WrittenMessage>& messages) {
    std::vector<uint64_t> ids;
    for (const WrittenMessage& message : messages) ids.push_back(message.head.id);
    return ids;
  }
  using Ids = std::vector<uint64_t>;

  OwnedFd peer_;
  CallHandler handle_;
  EpollLoop loop_;
  ThreadAlarms alarms_{RealClock()};
  std::shared_ptr<IncomingLinkCalls> calls_;
  OutgoingLinks callers_;
  std::shared_ptr<HostLink> link_;
};

TEST_F(HostLinkTest, BatchIsOneWriteInOrder) {
  AnswerCalls();
  {
    const SendBatch batch;
    for (uint64_t id = 1; id <= 5; ++id) EXPECT_TRUE(Say(id, std::string(id, 'x')));
    EXPECT_FALSE(CanRead(0));
  }
  const std::vector<WrittenMessage> write = NextWrite();
  EXPECT_EQ(IdsOf(write), (Ids{1, 2, 3, 4, 5}));
  EXPECT_EQ(write.at(4).payload, "xxxxx");
  EXPECT_FALSE(CanRead(0));
}

TEST_F(HostLinkTest, SingleMessageIsSentAtOnce) {
  AnswerCalls();
  for (uint64_t id = 1; id <= 2; ++id) {
    EXPECT_TRUE(Say(id));
    EXPECT_EQ(IdsOf(NextWrite()), Ids{id});
  }
}

TEST_F(HostLinkTest, OtherSendsFlushTheBatch) {
  AnswerCalls();
  const SendBatch batch;
  EXPECT_TRUE(Say(1));
  std::thread([&] { EXPECT_TRUE(Say(2)); }).join();
  EXPECT_EQ(IdsOf(NextWrite()), (Ids{1, 2}));
  EXPECT_TRUE(Say(3));
  EXPECT_TRUE(Say(4, std::string(40'000, 'x')));
  EXPECT_EQ(IdsOf(NextWrite()), (Ids{3, 4}));
}

TEST_F(HostLinkTest, LargeBatchesTakeSeveralWrites) {
  AnswerCalls();
  constexpr uint64_t kMany = 200;
  {
    const SendBatch batch;
    for (uint64_t id = 1; id <= kMany; ++id) EXPECT_TRUE(Say(id, "text"));
  }
  Ids ids;
  int writes = 0;
  for (; ids.size() < kMany && CanRead(20'000); ++writes) {
    for (const uint64_t id : IdsOf(NextWrite())) ids.push_back(id);
  }
  ASSERT_EQ(ids.size(), kMany);
  for (uint64_t i = 0; i < kMany; ++i) EXPECT_EQ(ids[i], i + 1);
  EXPECT_LT(writes, 20);
}

TEST_F(HostLinkTest, FullSocketIsRetried) {
  AnswerCalls(SOCK_STREAM);
  constexpr uint64_t kMany = 3000;
  {
    const SendBatch batch;
    for (uint64_t id = 1; id <= kMany; ++id) EXPECT_TRUE(Say(id, std::string(id % 2000, static_cast<char>(id))));
  }
  std::string bytes;
  std::vector<WrittenMessage> messages;
  constexpr size_t kPiece = 10'007;
  const size_t all = (kMany + 1) * sizeof(HostHeader);
  while (CanRead(2'000)) {
    std::string piece(kPiece, '\0');
    const ssize_t size = recv(peer_.get(), piece.data(), piece.size(), 0);
    if (size <= 0) break;
    bytes.append(piece, 0, static_cast<size_t>(size));
    if (bytes.size() < all) continue;
    HostHeader last;
    std::memcpy(&last, bytes.data() + bytes.size() - sizeof(last) - kMany % 2000, sizeof(last));
    if (last.kind == HostHeader::kAnswer && last.id == kMany) break;
  }
  messages = Parse(bytes);
  ASSERT_EQ(messages.size(), kMany + 1);  // and the greeting
  for (uint64_t id = 1; id <= kMany; ++id) {
    ASSERT_EQ(messages[id].head.id, id);
    ASSERT_EQ(messages[id].payload, std::string(id % 2000, static_cast<char>(id)));
  }
}

TEST_F(HostLinkTest, LargeMessagesSendShortSpansInline) {
  handle_ = [](const std::shared_ptr<IncomingCall>& call) { call->Respond(Rope("read")); };
  AnswerCalls();
  const HostHeader may_read{.kind = HostHeader::kCanReadMemory};
  Write(std::string(reinterpret_cast<const char*>(&may_read), sizeof(may_read)) + CallBytes(1, ""));
  EXPECT_EQ(IdsOf(NextWrite()), Ids{1});
  const auto large = std::make_shared<const std::string>(40'000, 'x');
  Rope payload;
  const auto append = [&](const std::shared_ptr<const std::string>& text) {
    payload.Append(text->data(), text->size(), text);
  };
  append(std::make_shared<const std::string>("begin"));
  append(large);
  append(std::make_shared<const std::string>("end"));
  EXPECT_TRUE(link_->SendMessage({.kind = LinkMessage::kAnswer, .id = 2}, "", std::move(payload)));
  ASSERT_TRUE(CanRead(20'000));
  std::string bytes(1000, '\0');
  const ssize_t size = recv(peer_.get(), bytes.data(), bytes.size(), 0);
  HostHeader head;
  ASSERT_GE(size, static_cast<ssize_t>(sizeof(head)));
  std::memcpy(&head, bytes.data(), sizeof(head));
  EXPECT_EQ(head.size, 40'008u);
  EXPECT_EQ(head.spans, 3u);
  EXPECT_EQ(bytes.substr(static_cast<size_t>(size) - 8, 8), "beginend");
}

TEST_F(HostLinkTest, ResponsesToBatchedCallsAreBatched) {
  handle_ = [](const std::shared_ptr<IncomingCall>& call) { call->Respond(Rope(call->request().Flatten())); };
  AnswerCalls();
  Write(CallBytes(1, "a") + CallBytes(2, "b") + CallBytes(3, "c"));
  const std::vector<WrittenMessage> write = NextWrite();
  ASSERT_EQ(IdsOf(write), (Ids{1, 2, 3}));
  EXPECT_EQ(write[2].payload, "c");
  EXPECT_EQ(write[2].head.kind, HostHeader::kAnswer);
}

TEST_F(HostLinkTest, ErrorsAreBatchedToo) {
  handle_ = [](const std::shared_ptr<IncomingCall>& call) {
    if (call->request().Flatten() == "bad") return call->Respond(Result<Rope>(InvalidArgument("no")));
    call->Respond(Rope(call->request().Flatten()));
  };
  AnswerCalls();
  Write(CallBytes(1, "a") + CallBytes(2, "bad") + CallBytes(3, "c"));
  const std::vector<WrittenMessage> write = NextWrite();
  ASSERT_EQ(IdsOf(write), (Ids{1, 2, 3}));
  EXPECT_EQ(write[1].head.kind, HostHeader::kError);
  EXPECT_EQ(write[1].payload, "no");
}

TEST_F(HostLinkTest, AHandlerThatThrowsDoesNotBlockLaterMessages) {
  handle_ = [](const std::shared_ptr<IncomingCall>& call) {
    call->Respond(Rope("fine"));
    if (call->request().Flatten() == "bad") throw std::bad_alloc();
  };
  AnswerCalls();
  Write(CallBytes(1, "bad") + CallBytes(2, "b"));
  Ids ids;
  while (ids.size() < 2 && CanRead(5'000)) {
    for (const uint64_t id : IdsOf(NextWrite())) ids.push_back(id);
  }
  EXPECT_EQ(ids, (Ids{1, 2}));
}

TEST_F(HostLinkTest, GarbageDoesNotBlockEarlierResponses) {
  std::atomic<int> answered{0};
  handle_ = [&](const std::shared_ptr<IncomingCall>& call) {
    call->Respond(Rope("fine"));
    ++answered;
  };
  AnswerCalls();
  const HostHeader unknown{.kind = 99};
  Write(CallBytes(1, "a") + CallBytes(2, "b") + std::string(reinterpret_cast<const char*>(&unknown), sizeof(unknown)));
  EXPECT_EQ(IdsOf(NextWrite()), (Ids{1, 2}));
  EXPECT_EQ(answered, 2);
  EXPECT_TRUE(CanRead(20'000));  // the connection is closed
  EXPECT_TRUE(NextWrite().empty());
}

TEST_F(HostLinkTest, StallCheckFlushesResponsesBehindSlowHandler) {
  std::promise<void> go_on;
  std::future<void> gone_on = go_on.get_future();
  handle_ = [&](const std::shared_ptr<IncomingCall>& call) {
    if (call->request().Flatten() == "long") gone_on.wait();
    call->Respond(Rope("fine"));
  };
  AnswerCalls();
  Write(CallBytes(1, "short") + CallBytes(2, "long"));
  const auto looked = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!CanRead(10) && std::chrono::steady_clock::now() < looked) link_->OnReady(false, false);
  EXPECT_EQ(IdsOf(NextWrite()), Ids{1});
  go_on.set_value();
  EXPECT_EQ(IdsOf(NextWrite()), Ids{2});
}

TEST_F(HostLinkTest, WaitingFlushesTheBatch) {
  AnswerCalls();
  const SendBatch batch;
  EXPECT_TRUE(Say(1));
  link_->WaitUntilSent(20'000);
  EXPECT_TRUE(CanRead(0));
  EXPECT_EQ(IdsOf(NextWrite()), Ids{1});

  EXPECT_TRUE(Say(2));
  OneShotEvent event;
  std::thread peer([&] {
    EXPECT_EQ(IdsOf(NextWrite()), Ids{2});
    event.Set();
  });
  loop_.WaitFor(event);
  peer.join();
}

TEST_F(HostLinkTest, CancelledBatchedCallIsSentBeforeItsCancel) {
  const std::shared_ptr<LinkCaller> caller = MakeCalls();
  CancelToken cancel;
  CallOutcome outcome;
  {
    const SendBatch batch;
    EXPECT_TRUE(Ask(*caller, outcome, &cancel));
    cancel.Cancel(Cancelled("enough"));
    EXPECT_EQ(outcome.Wait().code(), StatusCode::kCancelled);
    const std::vector<WrittenMessage> write = NextWrite();
    ASSERT_EQ(write.size(), 2u);
    EXPECT_EQ(write[0].head.kind, HostHeader::kCall);
    EXPECT_EQ(write[0].method, "/a.B/C");
    EXPECT_EQ(write[1].head.kind, HostHeader::kCancel);
  }
  EXPECT_FALSE(CanRead(0));
}

TEST_F(HostLinkTest, ACancellationRunsWithoutTheLocksOfTheLink) {
  std::promise<std::shared_ptr<IncomingCall>> begun;
  std::promise<bool> asked;
  std::future<bool> has_more;
  handle_ = [&](const std::shared_ptr<IncomingCall>& call) {
    call->cancel().Register([&] {
      // A callback that begins long work asks this on its own thread. Here another thread asks, so that the test ends.
      has_more = std::async(std::launch::async, [&] { return link_->HasMore(); });
      asked.set_value(has_more.wait_for(std::chrono::seconds(5)) == std::future_status::ready);
    });
    begun.set_value(call);
  };
  AnswerCalls();
  Write(CallBytes(1, "a"));
  const std::shared_ptr<IncomingCall> call = begun.get_future().get();
  const HostHeader cancel{.kind = HostHeader::kCancel, .id = 1};
  Write(std::string(reinterpret_cast<const char*>(&cancel), sizeof(cancel)));
  std::future<bool> answered = asked.get_future();
  ASSERT_EQ(answered.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  EXPECT_TRUE(answered.get());
  call->Respond(Rope("late"));
}

TEST_F(HostLinkTest, BreakEndsBatchedCalls) {
  const std::shared_ptr<LinkCaller> caller = MakeCalls();
  CallOutcome outcome;
  {
    const SendBatch batch;
    EXPECT_TRUE(Ask(*caller, outcome));
    link_->Break(Unavailable("gone"));
    EXPECT_EQ(outcome.Wait().code(), StatusCode::kUnavailable);
    EXPECT_FALSE(Say(7));
  }
  EXPECT_TRUE(NextWrite().empty());
}

TEST_F(HostLinkTest, FailedFlushEndsTheCalls) {
  const std::shared_ptr<LinkCaller> caller = MakeCalls();
  CallOutcome outcome;
  {
    const SendBatch batch;
    EXPECT_TRUE(Ask(*caller, outcome));
    peer_ = OwnedFd();
  }
  EXPECT_EQ(outcome.Wait().code(), StatusCode::kUnavailable);
}

}  // namespace
}  // namespace weir
