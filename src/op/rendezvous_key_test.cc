#include "op/rendezvous_key.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

constexpr char kPs[] = "/job:ps/replica:0/task:0/device:CPU:0";
constexpr char kWorker[] = "/job:worker/replica:0/task:1/device:CPU:0";

TEST(RendezvousKeyTest, IsWrittenAsTensorFlowWritesIt) {
  RendezvousKey key{kPs, 0xdeadbeef, kWorker, "edge_5_w"};
  EXPECT_EQ(key.ToString(), std::string(kPs) + ";00000000deadbeef;" + kWorker + ";edge_5_w;0:0");
  key.frame = ~uint64_t{0};
  key.iteration = 12;
  EXPECT_EQ(key.ToString(), std::string(kPs) + ";00000000deadbeef;" + kWorker + ";edge_5_w;18446744073709551615:12");
}

TEST(RendezvousKeyTest, RoundTrips) {
  for (const RendezvousKey& key : {
           RendezvousKey{kPs, 0, kWorker, "x:0"},
           RendezvousKey{kPs, ~uint64_t{0}, kPs, "", ~uint64_t{0}, int64_t{1} << 62},
           RendezvousKey{"a", 1, "b", "name/with:colons ^ and \xff", 3, 4},
       }) {
    const Result<RendezvousKey> back = RendezvousKey::Parse(key.ToString());
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(back->ToString(), key.ToString());
    EXPECT_EQ(back->from, key.from);
    EXPECT_EQ(back->incarnation, key.incarnation);
    EXPECT_EQ(back->edge, key.edge);
    EXPECT_EQ(back->iteration, key.iteration);
  }
}

TEST(RendezvousKeyTest, RejectsInvalidKeys) {
  for (const char* text : {
           "",
           ";;;;",
           "a",
           "a;1;b;e",
           "a;1;b;e;0:0;more",
           ";1;b;e;0:0",
           "a;1;;e;0:0",
           "a;;b;e;0:0",
           "a;xyz;b;e;0:0",
           "a;-1;b;e;0:0",
           "a;11111111111111111;b;e;0:0",
           "a;1 ;b;e;0:0",
           "a;1;b;e;",
           "a;1;b;e;0",
           "a;1;b;e;0:",
           "a;1;b;e;:0",
           "a;1;b;e;0:0:0",
           "a;1;b;e;0x1:0",
           "a;1;b;e;99999999999999999999:0",
           "a;1;b;e;0:9223372036854775808",
       }) {
    EXPECT_EQ(RendezvousKey::Parse(text).status().code(), StatusCode::kInvalidArgument) << text;
  }
  // The length of the message is bounded.
  EXPECT_LT(RendezvousKey::Parse(std::string(100'000, 'x')).status().message().size(), 300u);
}

}  // namespace
}  // namespace weir
