// Compares ropes with the text that they represent, split at every position.
#include "cluster/rope.h"

#include <gtest/gtest.h>

#include <cstring>

namespace weir {
namespace {

// Makes one slice per text, even for short texts.
Rope Slices(const std::vector<std::string>& texts) {
  Rope rope;
  for (const std::string& text : texts) {
    Rope slice(text);
    rope.Append(std::move(slice));
  }
  return rope;
}

std::string Letters(size_t size) {
  std::string text(size, ' ');
  for (size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i % 26);
  return text;
}

TEST(RopeTest, ShortTextJoinsTheSliceBeforeIt) {
  Rope rope("one");
  rope.Append("two");
  rope.Append("");
  EXPECT_EQ(rope.slices().size(), 1u);
  EXPECT_EQ(rope.Flatten(), "onetwo");
  rope.Append(Rope("three"));
  rope.Append("four");
  EXPECT_EQ(rope.Flatten(), "onetwothreefour");
  EXPECT_EQ(rope.size(), 15u);
}

TEST(RopeTest, LongBytesAreSharedAndKeptAlive) {
  auto bytes = std::make_shared<std::string>(Letters(100'000));
  const std::weak_ptr<std::string> watch = bytes;
  {
    Rope rope("head");
    rope.Append(bytes->data(), bytes->size(), bytes);
    rope.Append("tail");
    EXPECT_EQ(rope.slices()[1].data, bytes->data());
    const std::string whole = "head" + *bytes + "tail";
    bytes = nullptr;
    EXPECT_EQ(rope.Flatten(), whole);
    Rope part;
    RopeReader reader(rope);
    ASSERT_TRUE(reader.Skip(10) && reader.Take(50'000, &part));
    rope = Rope();
    EXPECT_EQ(part.Flatten(), whole.substr(10, 50'000));
    EXPECT_FALSE(watch.expired());
  }
  EXPECT_TRUE(watch.expired());
}

TEST(RopeTest, AMovedFromRopeIsEmptyAndReusable) {
  Rope from("text");
  Rope to = std::move(from);
  from.Append("new");  // NOLINT(bugprone-use-after-move)
  to.Append("!");
  EXPECT_EQ(from.Flatten(), "new");
  EXPECT_EQ(to.Flatten(), "text!");
}

TEST(RopeReaderTest, ReadsAcrossSlicesCutAnywhere) {
  const std::string text = Letters(12);
  for (size_t i = 0; i <= text.size(); ++i) {
    for (size_t j = i; j <= text.size(); ++j) {
      const Rope rope = Slices({text.substr(0, i), text.substr(i, j - i), text.substr(j)});
      for (size_t first = 0; first <= text.size(); ++first) {
        RopeReader reader(rope);
        std::string head;
        Rope rest;
        ASSERT_TRUE(reader.Read(&head, first));
        ASSERT_TRUE(reader.Take(text.size() - first, &rest));
        EXPECT_EQ(head + rest.Flatten(), text);
        EXPECT_EQ(reader.left(), 0u);
        EXPECT_TRUE(reader.Peek().empty());
      }
    }
  }
}

TEST(RopeReaderTest, NothingIsReadPastTheEnd) {
  const Rope rope = Slices({"abc", "de"});
  char buffer[8] = {};
  std::string text;
  Rope part;
  uint64_t number = 0;
  for (int way = 0; way < 5; ++way) {
    RopeReader reader(rope);
    ASSERT_TRUE(reader.Skip(1));
    const size_t far = way == 0 ? 5 : static_cast<size_t>(-1);
    EXPECT_FALSE(way == 0   ? reader.Read(buffer, far)
                 : way == 1 ? reader.Read(&text, far)
                 : way == 2 ? reader.Skip(far)
                 : way == 3 ? reader.Take(far, &part)
                            : reader.Skip(4) && reader.ReadVarint(&number));
    EXPECT_EQ(reader.left(), 0u) << way;
    EXPECT_FALSE(reader.Skip(1));
    EXPECT_TRUE(reader.Skip(0));
  }
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(part.size(), 0u);
}

BufferPtr Received(size_t size) {
  BufferPtr buffer = CpuAllocator().Allocate(size).value();
  std::memset(buffer->data(), 'r', size);
  return buffer;
}

TEST(RopeReaderTest, TakeBufferSharesReceivedBuffers) {
  const BufferPtr buffer = Received(10'000);
  {
    Rope rope("head");
    rope.Append(buffer);
    rope.Append("tail");
    EXPECT_EQ(rope.Flatten(), "head" + std::string(10'000, 'r') + "tail");
    RopeReader reader(rope);
    void* data = nullptr;
    EXPECT_FALSE(reader.TakeBuffer(10'000, &data));  // the buffer does not begin here
    ASSERT_TRUE(reader.Skip(4));
    EXPECT_FALSE(reader.TakeBuffer(10'001, &data));  // the buffer is shorter
    EXPECT_FALSE(reader.TakeBuffer(0, &data));
    const BufferPtr taken = reader.TakeBuffer(9'999, &data);
    EXPECT_EQ(taken, buffer);
    EXPECT_EQ(data, buffer->data());
    EXPECT_EQ(reader.left(), 5u);
    rope = Rope();
    EXPECT_FALSE(buffer->RefCountIsOne());
  }
  EXPECT_TRUE(buffer->RefCountIsOne());
}

TEST(RopeReaderTest, TakeBufferNeedsAlignmentAndMostOfTheBuffer) {
  Rope rope;
  rope.Append(Received(100'000));
  void* data = nullptr;
  RopeReader reader(rope);
  EXPECT_FALSE(reader.TakeBuffer(80'000, &data));
  ASSERT_TRUE(reader.Skip(1));
  EXPECT_FALSE(reader.TakeBuffer(99'999, &data));
  EXPECT_EQ(reader.left(), 99'999u);
  ASSERT_TRUE(reader.Skip(63));
  EXPECT_TRUE(reader.TakeBuffer(99'936, &data));
  EXPECT_FALSE(reader.TakeBuffer(1, &data));  // at the end
}

TEST(RopeReaderTest, Varints) {
  struct Case {
    std::string bytes;
    bool good;
    uint64_t value;
  };
  const std::vector<Case> cases = {
      {std::string(1, '\0'), true, 0},
      {"\x7f", true, 127},
      {"\x80\x01", true, 128},
      {std::string(9, '\xff') + "\x01", true, ~uint64_t{0}},
      {"", false, 0},
      {"\x80", false, 0},                            // ends too early
      {std::string(10, '\xff') + "\x01", false, 0},  // too long
  };
  for (const Case& c : cases) {
    for (size_t cut = 0; cut <= c.bytes.size(); ++cut) {
      const Rope rope = Slices({c.bytes.substr(0, cut), c.bytes.substr(cut)});
      RopeReader reader(rope);
      uint64_t value = 0;
      EXPECT_EQ(reader.ReadVarint(&value), c.good) << testing::PrintToString(c.bytes);
      EXPECT_EQ(c.good ? value : 0, c.value);
    }
  }
}

TEST(RopeStreamTest, GivesItsBytesAndTakesThemBack) {
  const Rope rope = Slices({"abc", "defg", "h"});
  RopeStream stream(rope);
  const void* data = nullptr;
  int size = 0;
  ASSERT_TRUE(stream.Next(&data, &size));
  EXPECT_EQ(std::string(static_cast<const char*>(data), size), "abc");
  stream.BackUp(2);
  EXPECT_EQ(stream.ByteCount(), 1);
  ASSERT_TRUE(stream.Next(&data, &size));
  EXPECT_EQ(std::string(static_cast<const char*>(data), size), "bc");
  stream.BackUp(1);
  ASSERT_TRUE(stream.Skip(3));  // "c", "d", "e"
  EXPECT_EQ(stream.ByteCount(), 5);
  ASSERT_TRUE(stream.Next(&data, &size));
  EXPECT_EQ(std::string(static_cast<const char*>(data), size), "fg");
  EXPECT_FALSE(stream.Skip(2));
  EXPECT_EQ(stream.ByteCount(), 8);
  EXPECT_FALSE(stream.Next(&data, &size));
}

}  // namespace
}  // namespace weir
