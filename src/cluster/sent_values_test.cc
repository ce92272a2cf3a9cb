#include "cluster/sent_values.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

using SentValue = Rendezvous::Value;

SentValue Bytes(int64_t size) { return {*Tensor::Allocate(kUint8, Shape{size}), false}; }

TEST(SentValues, ACopyOfARequestGetsTheValue) {
  SentValues sent;
  sent.KeepValues();
  EXPECT_FALSE(sent.Request("a").has_value());
  EXPECT_FALSE(sent.expects_copies());
  EXPECT_FALSE(sent.Send("a", Bytes(7)));
  EXPECT_TRUE(sent.expects_copies());
  for (int i = 0; i < 2; ++i) {
    const auto again = sent.Request("a");
    ASSERT_TRUE(again.has_value() && again->ok());
    EXPECT_EQ((*again)->tensor.num_elements(), 7);
  }
  EXPECT_FALSE(sent.Request("b").has_value());
}

TEST(SentValues, AllCopiesOfARequestThatWaitGetTheValue) {
  SentValues sent;
  sent.KeepValues();
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(sent.Request("a").has_value());  // before the value exists
  sent.GiveUp("a");
  EXPECT_TRUE(sent.Send("a", Bytes(7)));
  EXPECT_TRUE(sent.Send("a", Bytes(7)));
  EXPECT_FALSE(sent.Send("a", Bytes(7)));
  EXPECT_TRUE(sent.Request("a").has_value());
}

TEST(SentValues, DeadValuesAreKept) {
  SentValues sent;
  sent.KeepValues();
  EXPECT_FALSE(sent.Request("a").has_value());
  EXPECT_FALSE(sent.Send("a", {Tensor(), true}));
  const auto again = sent.Request("a");
  ASSERT_TRUE(again.has_value() && again->ok());
  EXPECT_TRUE((*again)->dead);
}

TEST(SentValues, ValuesThatDoNotFitAreAborted) {
  SentValues sent;
  sent.KeepValues();
  constexpr auto kMost = static_cast<int64_t>(kKeptValueBytes);
  for (const auto& [key, size] : {std::pair{"a", kMost - 1}, std::pair{"b", int64_t{2}}, std::pair{"c", int64_t{1}}}) {
    EXPECT_FALSE(sent.Request(key).has_value());
    EXPECT_FALSE(sent.Send(key, Bytes(size)));
  }
  EXPECT_TRUE(sent.Sent("a").ok());
  EXPECT_EQ(sent.Sent("b").status().code(), StatusCode::kAborted);
  EXPECT_TRUE(sent.Sent("c").ok());
  EXPECT_EQ(sent.Sent("d").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(sent.Request("b")->status().code(), StatusCode::kAborted);
  sent.Clear();
  EXPECT_FALSE(sent.expects_copies());
  EXPECT_FALSE(sent.Request("a").has_value());
}

TEST(SentValues, WithoutAPromiseNothingIsKept) {
  SentValues sent;
  EXPECT_FALSE(sent.Request("a").has_value());
  EXPECT_FALSE(sent.Send("a", Bytes(7)));
  EXPECT_FALSE(sent.expects_copies());
  EXPECT_FALSE(sent.Request("a").has_value());
}

}  // namespace
}  // namespace weir
