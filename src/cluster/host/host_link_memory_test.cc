// HostLink alone: which memory it keeps, and for how long.
#include "cluster/host/host_link.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <future>
#include <optional>
#include <thread>

#include "cluster/host/raw_host_peer_test.h"
#include "cluster/manual_alarms_test.h"
#include "tensor/shared_blocks.h"
#include "tensor/tensor.h"

namespace weir {
namespace {

constexpr int64_t kLinkSilentMs = 120'000;
constexpr auto kHostLinkPatience = std::chrono::seconds(20);  // gives up after this time

// A link without a transport. The test fires its alarms and acts as its peer.
class LinkFixture final {
 public:
  LinkFixture() : LinkFixture(Pair()) {}
  ~LinkFixture() {
    if (link != nullptr) link->Break(Cancelled("the end"));
    calls->WaitForNone();
  }

  ManualAlarms alarms;
  EpollLoop loop;
  const std::shared_ptr<IncomingLinkCalls> calls = std::make_shared<IncomingLinkCalls>();
  std::optional<RawHostPeer> end;
  std::shared_ptr<HostLink> link;

 private:
  static std::array<int, 2> Pair() {
    std::array<int, 2> ends = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()), 0);
    return ends;
  }
  explicit LinkFixture(const std::array<int, 2>& ends)
      : end(OwnedFd(ends[0])),
        link(std::make_shared<HostLink>(HostLink::Shared{loop, alarms, {.peer_timeout_ms = kLinkSilentMs}},
                                        OwnedFd(ends[1]), std::make_unique<LinkCallee>(calls))) {
    calls->set_handler([](const std::shared_ptr<IncomingCall>& call) { call->Respond(call->TakeRequest()); });
  }
};

TEST(HostLinkMemoryTest, MappingsAreSweptWhileAnyExists) {
  ShareLargeBlocks();
  const Tensor tensor = Tensor::Zeros(kUint8, Shape{1 << 20}).value();
  const SharedBlock block = FindSharedBlock(tensor.raw(), tensor.num_bytes()).value();
  LinkFixture bare;
  bare.link->Start();
  std::string back;
  for (const uint64_t id : {1, 2}) {
    WriteCallByReference(*bare.end, id, 1000, {{1, 1000, block.id, 0, block.capacity, block.fd}});
    ASSERT_TRUE(bare.end->Read(HostHeader::kAnswer, &back).has_value());
    EXPECT_EQ(back, std::string(1000, '\0'));
    EXPECT_EQ(bare.alarms.count(), 2U);  // the second one watches the peer
  }
  for (int i = 0; i < 3; ++i) {
    bare.alarms.FireAll();
    EXPECT_EQ(bare.alarms.count(), 1U);  // the mapping was used recently; no call waits for the peer
  }
  bare.link->Break(Cancelled("the end"));
  EXPECT_TRUE(bare.end->IsAtEnd());
  bare.alarms.FireAll();
  EXPECT_EQ(bare.alarms.count(), 0U);
}

TEST(HostLinkMemoryTest, MappingResumesAfterABlockThatCannotBeMapped) {
  ShareLargeBlocks();
  const Tensor tensor = Tensor::Zeros(kUint8, Shape{1 << 20}).value();
  const SharedBlock block = FindSharedBlock(tensor.raw(), tensor.num_bytes()).value();
  const auto address = reinterpret_cast<uint64_t>(tensor.raw());
  LinkFixture bare;
  bare.link->Start();
  std::string back;
  testing::internal::CaptureStderr();
  WriteCallByReference(*bare.end, 1, 1000, {{address, 1000, block.id + 1, 0, block.capacity, block.fd}});
  ASSERT_TRUE(bare.end->Read(HostHeader::kAnswer, &back).has_value());
  EXPECT_EQ(back, std::string(1000, '\0'));  // copied
  EXPECT_EQ(bare.alarms.count(), 1U);        // watches the peer
  const auto end = std::chrono::steady_clock::now() + kHostLinkPatience / 4;
  for (uint64_t id = 2; bare.alarms.count() < 2 && std::chrono::steady_clock::now() < end; ++id) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    WriteCallByReference(*bare.end, id, 1000, {{address, 1000, block.id, 0, block.capacity, block.fd}});
    ASSERT_TRUE(bare.end->Read(HostHeader::kAnswer, &back).has_value());
    EXPECT_EQ(back, std::string(1000, '\0'));
  }
  EXPECT_EQ(bare.alarms.count(), 2U);  // one sweeps the mapping
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("cannot be mapped"), std::string::npos) << log;
  EXPECT_EQ(log.find("cannot be mapped"), log.rfind("cannot be mapped")) << log;
}

TEST(HostLinkMemoryTest, WaitUntilSentReturnsInEveryCase) {
  LinkFixture bare;
  bare.link->Start();
  std::string large(5'000'000, 'x');
  const auto wait = [&] {
    return std::async(std::launch::async,
                      [&] { bare.link->WaitUntilSent(3 * kHostLinkPatience / std::chrono::milliseconds(1)); });
  };
  // WaitUntilSent blocks until the response is written,
  EXPECT_TRUE(bare.end->Read(HostHeader::kHello).has_value());
  bare.end->WriteCall(1, "/a.B/C", large);
  ASSERT_TRUE(bare.end->HasMore());
  std::future<void> sent = wait();
  EXPECT_EQ(sent.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  EXPECT_TRUE(bare.end->Read(HostHeader::kAnswer).has_value());
  EXPECT_EQ(sent.wait_for(kHostLinkPatience), std::future_status::ready);
  // until the peer has released the referenced payload,
  bare.end->Write({.kind = HostHeader::kCanReadMemory});
  bare.end->WriteCall(2, "/a.B/C", large);
  const std::optional<HostHeader> answer = bare.end->Read(HostHeader::kAnswer);
  ASSERT_TRUE(answer.has_value());
  EXPECT_GT(answer->spans, 0U);
  sent = wait();
  EXPECT_EQ(sent.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  bare.end->Write({.kind = HostHeader::kRelease, .id = answer->reference});
  EXPECT_EQ(sent.wait_for(kHostLinkPatience), std::future_status::ready);
  // or until the link breaks.
  bare.end->WriteCall(3, "/a.B/C", large);
  EXPECT_TRUE(bare.end->Read(HostHeader::kAnswer).has_value());
  sent = wait();
  bare.end.reset();
  EXPECT_EQ(sent.wait_for(kHostLinkPatience), std::future_status::ready);
}

TEST(HostLinkMemoryTest, PeerGoneBeforeStartLeaksNothing) {
  LinkFixture bare;
  bare.end.reset();
  bare.link->Start();
  EXPECT_FALSE(bare.link->IsConnected());
  const std::weak_ptr<HostLink> weak = bare.link;
  bare.link = nullptr;
  const auto end = std::chrono::steady_clock::now() + kHostLinkPatience;
  while (!weak.expired() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_TRUE(weak.expired());
}

}  // namespace
}  // namespace weir
