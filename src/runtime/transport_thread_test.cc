#include "runtime/transport_thread.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

namespace weir {
namespace {

class NotedSender final : public SendBatch::Sender {
 public:
  void FlushQueue() override {
    ++count;
    if (then) then();
  }
  int count = 0;
  std::function<void()> then;
};

TEST(SendBatchTest, EachSenderIsFlushedOnceAtTheEnd) {
  const auto a = std::make_shared<NotedSender>();
  const auto b = std::make_shared<NotedSender>();
  {
    SendBatch batch;
    ASSERT_EQ(TransportThread::Current().batch(), &batch);
    for (int i = 0; i < 3; ++i) {
      batch.Add(a);
      batch.Add(b);
    }
    EXPECT_EQ(a->count + b->count, 0);
  }
  EXPECT_EQ(a->count, 1);
  EXPECT_EQ(b->count, 1);
  EXPECT_EQ(TransportThread::Current().batch(), nullptr);
}

TEST(SendBatchTest, FlushedSendersAreNotFlushedAgain) {
  const auto a = std::make_shared<NotedSender>();
  SendBatch batch;
  batch.Add(a);
  batch.Flush();
  batch.Flush();
  EXPECT_EQ(a->count, 1);
  batch.Add(a);
  batch.Flush();
  EXPECT_EQ(a->count, 2);
}

TEST(SendBatchTest, OnlyTheOutermostScopeIsActive) {
  const auto a = std::make_shared<NotedSender>();
  {
    SendBatch outer;
    {
      const SendBatch inner;
      EXPECT_EQ(TransportThread::Current().batch(), &outer);
      TransportThread::Current().batch()->Add(a);
    }
    EXPECT_EQ(TransportThread::Current().batch(), &outer);
    EXPECT_EQ(a->count, 0);
  }
  EXPECT_EQ(a->count, 1);
}

TEST(SendBatchTest, SendersMayAddSendersWhileTheyAreFlushed) {
  const auto a = std::make_shared<NotedSender>();
  const auto b = std::make_shared<NotedSender>();
  bool kept = false;
  a->then = [&] {
    kept = TransportThread::Current().batch() != nullptr;
    if (kept) TransportThread::Current().batch()->Add(b);
  };
  {
    SendBatch batch;
    batch.Add(a);
    batch.Flush();  // inside the scope
    EXPECT_TRUE(kept);
    EXPECT_EQ(b->count, 1);
    batch.Add(a);
  }
  EXPECT_FALSE(kept);  // the flush at the end of the scope does not buffer
  EXPECT_EQ(a->count, 2);
}

TEST(SendBatchTest, AffectsOnlyItsThread) {
  const SendBatch batch;
  std::thread([] { EXPECT_EQ(TransportThread::Current().batch(), nullptr); }).join();
}

}  // namespace
}  // namespace weir
