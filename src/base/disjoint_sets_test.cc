#include "base/disjoint_sets.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(DisjointSetsTest, RepresentativeIsTheLowestElement) {
  DisjointSets sets(6);
  for (int32_t x = 0; x < 6; ++x) EXPECT_EQ(sets.Find(x), x);
  sets.Join(4, 5);
  sets.Join(2, 3);
  EXPECT_EQ(sets.Find(5), 4);
  EXPECT_EQ(sets.Find(3), 2);
  sets.Join(5, 3);
  for (int32_t x = 2; x < 6; ++x) EXPECT_EQ(sets.Find(x), 2);
  sets.Join(3, 4);  // already joined
  EXPECT_EQ(sets.Find(5), 2);
  EXPECT_EQ(sets.Find(1), 1);
  EXPECT_EQ(sets.Add(), 6);
  EXPECT_EQ(sets.size(), 7U);
  sets.Join(6, 1);
  EXPECT_EQ(sets.Find(6), 1);
  EXPECT_EQ(sets.Find(0), 0);
}

}  // namespace
}  // namespace weir
