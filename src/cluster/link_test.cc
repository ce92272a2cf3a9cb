// Tests the code that all links share, on a link without a connection: tests deliver its messages and fire its alarms.
#include "cluster/link.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "cluster/call_outcome_test.h"
#include "cluster/manual_alarms_test.h"

namespace weir {
namespace {

class TestLink final : public Link, public std::enable_shared_from_this<TestLink> {
 public:
  TestLink(std::unique_ptr<LinkHandler> end, Alarms& alarms, int64_t peer_timeout_ms)
      : Link(std::move(end), alarms, {.peer_timeout_ms = peer_timeout_ms}) {}
  bool SendMessage(const LinkMessage& message, std::string_view, Rope payload) override {
    if (!broken_.ok()) return false;
    sent.push_back(message);
    last_payload = payload.Flatten();
    return true;
  }
  void Break(const Status& reason) override {
    if (!broken_.ok()) return;
    broken_ = reason;
    events += "broken ";
    link_handler().OnBroken(reason);
  }
  bool IsConnected() const override { return broken_.ok(); }
  void WaitUntilSent(int64_t) override { events += "sent "; }
  void Post(std::function<void()> work) override {
    ++posts;
    work();
  }
  std::shared_ptr<Link> self() override { return shared_from_this(); }
  using Link::RecordActivity;

  // Messages from the peer:
  void BringCall(uint64_t id, std::string payload) {
    link_handler().OnMessageStart({.kind = LinkMessage::kCall, .id = id}, "/a.B/C");
    link_handler().OnMessage({.kind = LinkMessage::kCall, .id = id}, Rope(std::move(payload)));
  }
  void BringAnswer(uint64_t id, std::string payload) {
    link_handler().OnMessage({.kind = LinkMessage::kAnswer, .id = id}, Rope(std::move(payload)));
  }

  std::vector<LinkMessage> sent;
  std::string last_payload;
  std::string events;
  int posts = 0;
  int pings = 0;

 private:
  void Ping() override { ++pings; }
  Status broken_;
};

constexpr int64_t kTestLinkTimeoutMs = 200;
constexpr auto kLinkPatience = std::chrono::seconds(20);  // gives up after this time

class LinkCallerTest : public testing::Test {
 protected:
  LinkCallerTest() { caller_ = Connect(); }
  std::shared_ptr<LinkCaller> Connect() {
    return callers_.Add([this](std::unique_ptr<LinkHandler> end) {
      link_ = std::make_shared<TestLink>(std::move(end), alarms_, kTestLinkTimeoutMs);
      return link_;
    });
  }
  bool Call(CallOutcome& outcome, const CallOptions& options = {}) {
    Channel::Done done = outcome.Take();
    return CallThen(std::move(done), options);
  }
  bool CallThen(Channel::Done done, const CallOptions& options = {}) {
    Rope request("x");
    return caller_->Call("/a.B/C", request, options, done);
  }
  uint64_t last_id() const { return link_->sent.back().id; }

  ManualAlarms alarms_;
  OutgoingLinks callers_;
  std::shared_ptr<TestLink> link_;
  std::shared_ptr<LinkCaller> caller_;
};

TEST_F(LinkCallerTest, AnsweredCallLeavesNothing) {
  CancelToken token;
  for (int i = 0; i < 3; ++i) {
    CallOutcome outcome;
    ASSERT_TRUE(Call(outcome, {.timeout_ms = 1'000'000, .cancel = &token}));
    link_->BringAnswer(last_id(), "yes");
    EXPECT_TRUE(outcome.Wait().ok());
    EXPECT_EQ(outcome.text(), "yes");
    EXPECT_EQ(alarms_.count(), 1U);  // watches the peer
    alarms_.FireAll();
    EXPECT_EQ(alarms_.count(), 0U);  // a peer is watched only while a call waits for it
  }
  token.Cancel(Aborted("enough"));
  EXPECT_EQ(link_->posts, 0);  // there is nothing left to cancel
}

TEST_F(LinkCallerTest, LostLinkRefusesCalls) {
  CallOutcome open;
  ASSERT_TRUE(Call(open));
  link_->Break(Unavailable("lost"));
  EXPECT_EQ(open.Wait(), Unavailable("lost"));
  Rope request("x");
  bool ended = false;
  Channel::Done done = [&](const Result<Rope>&) { ended = true; };
  EXPECT_FALSE(caller_->Call("/a.B/C", request, {}, done));
  EXPECT_FALSE(ended);
  EXPECT_EQ(request.Flatten(), "x");  // unchanged, for the next connection
  EXPECT_TRUE(done != nullptr);
}

TEST_F(LinkCallerTest, LinkClosesAfterLastCall) {
  CallOutcome first, second;
  ASSERT_TRUE(Call(first));
  ASSERT_TRUE(Call(second));
  caller_->CloseAfterLastCall();
  EXPECT_TRUE(link_->IsConnected());
  link_->BringAnswer(1, "one");
  EXPECT_TRUE(first.Wait().ok());
  EXPECT_TRUE(link_->IsConnected());
  link_->BringAnswer(2, "two");
  EXPECT_TRUE(second.Wait().ok());
  EXPECT_FALSE(link_->IsConnected());
  caller_ = Connect();
  caller_->CloseAfterLastCall();
  EXPECT_FALSE(link_->IsConnected());
}

TEST_F(LinkCallerTest, CloseWaitsForCallbacks) {
  std::promise<void> begun, go_on;
  std::atomic<bool> notified{false};
  ASSERT_TRUE(CallThen([&](const Result<Rope>&) {
    begun.set_value();
    go_on.get_future().wait();
    notified = true;
  }));
  std::thread brings([&] { link_->BringAnswer(1, "yes"); });
  begun.get_future().wait();
  std::future<bool> closed = std::async(std::launch::async, [&] {
    callers_.Close();
    return notified.load();
  });
  EXPECT_EQ(closed.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  go_on.set_value();
  EXPECT_TRUE(closed.get());
  brings.join();
  EXPECT_EQ(Connect(), nullptr);
}

// ---- signs of life ----

TEST_F(LinkCallerTest, SilentPeerIsPingedOnceThenLost) {
  CallOutcome outcome;
  ASSERT_TRUE(Call(outcome));
  const auto end = std::chrono::steady_clock::now() + kLinkPatience;
  while (link_->IsConnected() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kTestLinkTimeoutMs / 4));
    alarms_.FireAll();
  }
  EXPECT_EQ(link_->pings, 1);
  EXPECT_EQ(outcome.Wait().code(), StatusCode::kUnavailable);
  EXPECT_EQ(alarms_.count(), 0U);
}

TEST_F(LinkCallerTest, LateAlarmDoesNotBreakTheLink) {
  CallOutcome outcome;
  ASSERT_TRUE(Call(outcome));
  for (int i = 0; i < 3; ++i) {  // each far later than scheduled
    std::this_thread::sleep_for(std::chrono::milliseconds(kTestLinkTimeoutMs));
    alarms_.FireAll();
    EXPECT_TRUE(link_->IsConnected());
    EXPECT_EQ(link_->pings, 1);
  }
  link_->RecordActivity();
  link_->BringAnswer(last_id(), "yes");
  EXPECT_TRUE(outcome.Wait().ok());
}

TEST_F(LinkCallerTest, IdlePeerIsPingedBeforeItIsLost) {
  std::this_thread::sleep_for(std::chrono::milliseconds(kTestLinkTimeoutMs));
  CallOutcome outcome;
  ASSERT_TRUE(Call(outcome));
  alarms_.FireAll();
  EXPECT_TRUE(link_->IsConnected());
  EXPECT_EQ(link_->pings, 1);
  link_->BringAnswer(last_id(), "yes");
  EXPECT_TRUE(outcome.Wait().ok());
}

TEST_F(LinkCallerTest, ActivityRestartsThePeerTimeout) {
  CallOutcome outcome;
  ASSERT_TRUE(Call(outcome));
  for (int i = 1; i <= 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kTestLinkTimeoutMs / 4));
    alarms_.FireAll();
    EXPECT_EQ(link_->pings, i);
    link_->RecordActivity();
  }
  link_->BringAnswer(last_id(), "yes");
  EXPECT_TRUE(outcome.Wait().ok());
}

// ---- the serving side ----

class LinkCalleeTest : public testing::Test {
 protected:
  LinkCalleeTest() {
    calls_->set_handler([this](std::shared_ptr<IncomingCall> call) { incoming_.push_back(std::move(call)); });
    auto callee = std::make_unique<LinkCallee>(calls_);
    LinkCallee* const end = callee.get();
    link_ = std::make_shared<TestLink>(std::move(callee), alarms_, kTestLinkTimeoutMs);
    EXPECT_TRUE(calls_->Add(link_, end));
  }
  ~LinkCalleeTest() override {
    for (const std::shared_ptr<IncomingCall>& call : incoming_) call->Respond(Rope());
  }

  ManualAlarms alarms_;
  const std::shared_ptr<IncomingLinkCalls> calls_ = std::make_shared<IncomingLinkCalls>();
  std::vector<std::shared_ptr<IncomingCall>> incoming_;
  std::shared_ptr<TestLink> link_;
};

TEST_F(LinkCalleeTest, AnsweredCallKeepsNothingAlive) {
  for (uint64_t id = 1; id <= 3; ++id) {
    link_->BringCall(id, "x");
    ASSERT_EQ(incoming_.size(), id);
    EXPECT_EQ(alarms_.count(), 1U);
    incoming_.back()->Respond(Rope("yes"));
    alarms_.FireAll();
    EXPECT_EQ(alarms_.count(), 0U);  // no call from the caller is open any more
  }
  calls_->WaitForNone();
  bool notified = false;
  incoming_[0]->cancel().Register([&] { notified = true; });
  link_->Break(Unavailable("lost"));
  EXPECT_FALSE(notified);
  const std::weak_ptr<TestLink> weak = link_;
  link_ = nullptr;
  EXPECT_TRUE(weak.expired());
}

TEST_F(LinkCalleeTest, ADuplicateCallIsHandledOnce) {
  link_->BringCall(1, "first");
  link_->BringCall(1, "second");
  link_->BringAnswer(1, "third");
  ASSERT_EQ(incoming_.size(), 1U);
  EXPECT_EQ(incoming_[0]->request().Flatten(), "first");
  incoming_[0]->Respond(Rope("yes"));
  EXPECT_EQ(link_->sent.size(), 1U);
  alarms_.FireAll();
  EXPECT_EQ(alarms_.count(), 0U);
  link_->BringCall(1, "again");  // the id is free again
  EXPECT_EQ(incoming_.size(), 2U);
}

TEST_F(LinkCalleeTest, DrainWaitsForTheLastResponse) {
  link_->BringCall(1, "x");
  calls_->Close();
  std::future<void> drained = std::async(std::launch::async, [&] { calls_->Drain(); });
  EXPECT_EQ(drained.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  incoming_[0]->Respond(Rope("yes"));
  EXPECT_EQ(drained.wait_for(kLinkPatience), std::future_status::ready);
  EXPECT_EQ(link_->last_payload, "yes");
}

TEST_F(LinkCalleeTest, AnswersAreSentBeforeTheConnectionEnds) {
  link_->BringCall(1, "x");
  calls_->Close();
  EXPECT_EQ(incoming_[0]->cancel().reason(), Unavailable("the server is stopping"));
  auto late = std::make_unique<LinkCallee>(calls_);
  LinkCallee* const end = late.get();
  EXPECT_FALSE(calls_->Add(std::make_shared<TestLink>(std::move(late), alarms_, kTestLinkTimeoutMs), end));
  incoming_[0]->Respond(Rope("yes"));
  calls_->Drain();
  EXPECT_EQ(link_->last_payload, "yes");
  EXPECT_EQ(link_->events, "sent broken ");
}

}  // namespace
}  // namespace weir
