#include "cluster/ucx/ucx_frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace weir {
namespace {

struct Frame {
  std::string header;
  std::string data;
};

// The active messages that are sent.
std::vector<Frame> FramesOf(const UcxOutgoing& message) {
  std::vector<Frame> frames(1);
  frames[0].header = message.header;
  for (const UcxOutgoing::Bytes& bytes : message.data) frames[0].data.append(bytes.data, bytes.size);
  for (size_t i = 0; i < message.parts.size(); ++i) {
    frames.push_back({std::string(reinterpret_cast<const char*>(&message.part_heads[i]), sizeof(UcxHeader)),
                      std::string(message.parts[i].data, message.parts[i].size)});
  }
  return frames;
}

Result<std::optional<UcxInbox::Message>> Put(UcxInbox& inbox, const Frame& frame) {
  WEIR_ASSIGN(UcxInbox::Fragment fragment, inbox.Begin(frame.header, frame.data.size()));
  if (!frame.data.empty()) std::memcpy(fragment.memory->data(), frame.data.data(), frame.data.size());
  return inbox.End(std::move(fragment));
}

Rope RopeOf(const std::vector<size_t>& sizes, std::string* all) {
  Rope rope;
  for (const size_t size : sizes) {
    auto text = std::make_shared<std::string>(size, static_cast<char>('a' + all->size() % 23));
    *all += *text;
    rope.Append(text->data(), size, text);
  }
  return rope;
}

TEST(UcxFrameTest, PartsMayArriveInAnyOrder) {
  const std::vector<size_t> sizes = {3'000, kUcxPartBytes, 100, kUcxPartBytes + 1, kUcxPartBytes + 2, 5};
  std::vector<size_t> order = {0, 1, 2, 3};
  do {
    std::string all;
    const std::unique_ptr<UcxOutgoing> out =
        MakeUcxOutgoing({.kind = UcxHeader::kAnswer, .message = 9, .id = 4}, "", RopeOf(sizes, &all));
    const std::vector<Frame> frames = FramesOf(*out);
    ASSERT_EQ(frames.size(), 4U);
    UcxInbox inbox;
    for (size_t i = 0; i < order.size(); ++i) {
      Result<std::optional<UcxInbox::Message>> message = Put(inbox, frames[order[i]]);
      ASSERT_TRUE(message.ok()) << message.status();
      EXPECT_EQ(message->has_value(), i + 1 == order.size());
      if (!message->has_value()) continue;
      EXPECT_EQ((*message)->head.id, 4U);
      EXPECT_TRUE((*message)->payload->Flatten() == all);
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(UcxFrameTest, PartsAreAligned) {
  std::string all;
  const std::unique_ptr<UcxOutgoing> out =
      MakeUcxOutgoing({.kind = UcxHeader::kCall, .message = 1}, "/a.B/C", RopeOf({100, kUcxPartBytes, 100}, &all));
  UcxInbox inbox;
  for (const Frame& frame : FramesOf(*out)) {
    Result<std::optional<UcxInbox::Message>> message = Put(inbox, frame);
    ASSERT_TRUE(message.ok());
    if (!message->has_value()) continue;
    const Rope& payload = *(*message)->payload;
    ASSERT_EQ(payload.slices().size(), 3U);
    RopeReader reader(payload);
    ASSERT_TRUE(reader.Skip(100));
    void* kept = nullptr;
    EXPECT_TRUE(static_cast<bool>(reader.TakeBuffer(kUcxPartBytes, &kept)));
    EXPECT_EQ(kept, payload.slices()[1].data);
    EXPECT_EQ(payload.slices()[1].size, kUcxPartBytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(payload.slices()[1].data) % 64, 0U);
  }
}

TEST(UcxFrameTest, InconsistentPartsAreErrors) {
  const auto ends_in_error = [](uint64_t size, std::vector<UcxPart> table, const std::string& inline_bytes,
                                const std::vector<std::string>& parts) {
    UcxHeader head{.kind = UcxHeader::kCall, .parts = uint32_t(table.size()), .message = 1, .size = size};
    Frame first{std::string(reinterpret_cast<const char*>(&head), sizeof(head)), ""};
    first.data.append(reinterpret_cast<const char*>(table.data()), table.size() * sizeof(UcxPart));
    first.data += inline_bytes;
    UcxInbox inbox;
    if (!Put(inbox, first).ok()) return true;
    for (size_t i = 0; i < parts.size(); ++i) {
      UcxHeader part{.kind = UcxHeader::kPart, .message = 1, .id = i, .size = parts[i].size()};
      if (!Put(inbox, {std::string(reinterpret_cast<const char*>(&part), sizeof(part)), parts[i]}).ok()) return true;
    }
    return false;
  };
  EXPECT_FALSE(ends_in_error(7, {{1, 4}}, "abc", {"four"}));
  EXPECT_TRUE(ends_in_error(7, {{4, 4}}, "abc", {"four"}));  // after more bytes than there are
  EXPECT_TRUE(ends_in_error(7, {{~uint64_t{0}, 4}}, "abc", {"four"}));
  EXPECT_TRUE(ends_in_error(7, {{1, ~uint64_t{0}}}, "abc", {"four"}));
  EXPECT_TRUE(ends_in_error(8, {{1, 4}}, "abc", {"four"}));                   // too few bytes
  EXPECT_TRUE(ends_in_error(6, {{1, 4}}, "abc", {"four"}));                   // too many bytes
  EXPECT_TRUE(ends_in_error(11, {{2, 4}, {1, 4}}, "abc", {"four", "more"}));  // not in order
  // The maximal number of parts, and one more.
  EXPECT_FALSE(ends_in_error(3, std::vector<UcxPart>(4096), "abc", {}));
  EXPECT_TRUE(ends_in_error(3, std::vector<UcxPart>(4097), "abc", {}));
}

std::string HeaderOf(const UcxHeader& head) { return {reinterpret_cast<const char*>(&head), sizeof(head)}; }

TEST(UcxFrameTest, InvalidHeadersAreErrors) {
  UcxInbox inbox;
  const auto put = [&](const UcxHeader& head, const std::string& data) {
    return Put(inbox, {HeaderOf(head), data}).status().code();
  };
  const UcxPart part{0, 4};
  const std::string table(reinterpret_cast<const char*>(&part), sizeof(part));
  EXPECT_EQ(put({.kind = UcxHeader::kPart, .message = 1, .id = 4095, .size = 4}, "four"), StatusCode::kOk);
  EXPECT_EQ(put({.kind = UcxHeader::kPart, .message = 1, .id = 4096, .size = 4}, "four"), StatusCode::kInvalidArgument);
  EXPECT_EQ(put({.kind = UcxHeader::kPart, .message = 2, .size = 5}, "four"), StatusCode::kInvalidArgument);
  EXPECT_EQ(put({.kind = UcxHeader::kPart, .parts = 1, .message = 2, .size = 16}, table), StatusCode::kInvalidArgument);
  EXPECT_EQ(put({.kind = UcxHeader::kCall, .message = 3, .size = 5}, "four"), StatusCode::kInvalidArgument);
  EXPECT_EQ(put({.kind = UcxHeader::kCall, .parts = 1, .message = 4, .size = (uint64_t{1} << 40) + 1}, table),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(put({.kind = UcxHeader::kCall, .parts = 1, .message = 5, .size = 4}, table), StatusCode::kOk);
  EXPECT_EQ(put({.kind = UcxHeader::kCall, .parts = 1, .message = 5, .size = 4}, table), StatusCode::kInvalidArgument);
  EXPECT_EQ(put({.kind = UcxHeader::kPart, .message = 6, .id = 1, .size = 4}, "four"), StatusCode::kOk);
  EXPECT_EQ(put({.kind = UcxHeader::kCall, .parts = 1, .message = 6, .size = 4}, table), StatusCode::kInvalidArgument);
}

TEST(UcxFrameTest, MessageNumberIsReusable) {
  UcxInbox inbox;
  for (int i = 0; i < 3; ++i) {
    std::string all;
    const auto out = MakeUcxOutgoing({.kind = UcxHeader::kCall, .message = 1}, "", RopeOf({kUcxPartBytes, 5}, &all));
    const std::vector<Frame> frames = FramesOf(*out);
    ASSERT_TRUE(Put(inbox, frames[1]).ok());
    const Result<std::optional<UcxInbox::Message>> message = Put(inbox, frames[0]);
    ASSERT_TRUE(message.ok()) << message.status();
    ASSERT_TRUE(message->has_value());
    EXPECT_TRUE((*message)->payload->Flatten() == all);
  }
}

TEST(UcxFrameTest, IncompleteMessagesAreLimited) {
  constexpr uint64_t kMost = 1 << 16;
  UcxInbox inbox;
  const auto put = [&](uint64_t number, uint64_t runtime) {
    return Put(inbox, {HeaderOf({.kind = UcxHeader::kPart, .message = number, .id = runtime, .size = 1}), "x"})
        .status();
  };
  for (uint64_t number = 0; number < kMost; ++number) ASSERT_TRUE(put(number, 0).ok());
  EXPECT_EQ(put(kMost, 0).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(put(7, 1).ok());  // messages that have begun may continue
}

TEST(UcxFrameTest, AllocationFailureAffectsOneMessage) {
  std::string all;
  for (const std::vector<size_t>& sizes : {std::vector<size_t>{10}, {kUcxPartBytes, 5}}) {
    const auto out = MakeUcxOutgoing({.kind = UcxHeader::kCall, .message = 1}, "", RopeOf(sizes, &all));
    const std::vector<Frame> frames = FramesOf(*out);
    for (size_t failing = 0; failing < frames.size(); ++failing) {
      UcxInbox inbox;
      for (size_t i = 0; i < frames.size(); ++i) {
        Result<UcxInbox::Fragment> fragment = inbox.Begin(frames[i].header, frames[i].data.size());
        ASSERT_TRUE(fragment.ok());
        if (i == failing) {
          fragment->memory = nullptr;
          fragment->failed = ResourceExhausted("no memory");
        }
        const Result<std::optional<UcxInbox::Message>> message = inbox.End(*std::move(fragment));
        ASSERT_TRUE(message.ok()) << message.status();
        ASSERT_EQ(message->has_value(), i + 1 == frames.size());
        if (!message->has_value()) continue;
        EXPECT_EQ((*message)->payload.status(), ResourceExhausted("no memory"));
      }
    }
  }
}

TEST(UcxFrameTest, SenderRespectsReceiverLimits) {
  constexpr size_t kMostBytes = size_t{128} << 20;
  const auto* const bytes = reinterpret_cast<const char*>(uintptr_t{1} << 40);  // never read
  Rope one;
  one.Append(bytes, 2 * kMostBytes + kUcxPartBytes, nullptr);
  std::unique_ptr<UcxOutgoing> out = MakeUcxOutgoing({.kind = UcxHeader::kCall}, "", std::move(one));
  ASSERT_EQ(out->parts.size(), 3U);
  uint64_t size = 0;
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(out->parts[i].data, bytes + i * kMostBytes);
    EXPECT_EQ(out->part_heads[i].size, out->parts[i].size);
    size += out->parts[i].size;
  }
  EXPECT_EQ(size, 2 * kMostBytes + kUcxPartBytes);
  Rope many;
  for (int i = 0; i < 5000; ++i) many.Append(bytes, kUcxPartBytes, nullptr);
  out = MakeUcxOutgoing({.kind = UcxHeader::kCall}, "", std::move(many));
  EXPECT_EQ(out->parts.size(), 4096U);
  EXPECT_EQ(out->data_size, (5000 - 4096) * kUcxPartBytes + 4096 * sizeof(UcxPart));
}

}  // namespace
}  // namespace weir
