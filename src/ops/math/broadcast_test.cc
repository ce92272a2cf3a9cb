#include "ops/math/broadcast.h"

#include <gtest/gtest.h>

#include <vector>

namespace weir::ops::broadcast_test {
namespace {

// The input elements that each output element is computed from, as visited by the plan.
std::vector<std::vector<int64_t>> Visit(const BroadcastPlan& plan, int inputs, int64_t begin, int64_t end) {
  std::vector<std::vector<int64_t>> seen;
  plan.ForRuns(begin, end, [&](const BroadcastPlan::Offsets& at, int64_t out, int64_t n) {
    for (int64_t k = 0; k < n; ++k) {
      std::vector<int64_t> element{out + k};
      for (int i = 0; i < inputs; ++i) element.push_back(at[i] + (plan.is_scalar_in_run(i) ? 0 : k));
      seen.push_back(element);
    }
  });
  return seen;
}

// The same, element by element from the definition.
std::vector<std::vector<int64_t>> Expected(const Shape& out, const std::vector<Shape>& inputs, int64_t begin,
                                           int64_t end) {
  std::vector<std::vector<int64_t>> all;
  for (int64_t e = begin; e < end; ++e) {
    std::vector<int64_t> element{e};
    for (const Shape& in : inputs) {
      int64_t rest = e;
      int64_t offset = 0;
      int64_t stride = 1;
      for (int d = out.rank() - 1; d >= 0; --d) {
        const int64_t index = rest % out[d];
        rest /= out[d];
        const int own = d - (out.rank() - in.rank());
        if (own < 0) continue;
        offset += (in[own] == 1 ? 0 : index) * stride;
        stride *= in[own];
      }
      element.push_back(offset);
    }
    all.push_back(element);
  }
  return all;
}

TEST(BroadcastPlan, MatchesTheDefinition) {
  const std::vector<std::pair<Shape, Shape>> pairs = {
      {{}, {}},
      {{5}, {5}},
      {{3, 4}, {}},
      {{}, {3, 4}},
      {{3, 4}, {4}},
      {{3, 1}, {1, 4}},
      {{2, 3, 4}, {3, 1}},
      {{4}, {2, 3, 4}},
      {{1}, {3, 1, 2}},
      {{2, 1, 3, 1}, {1, 5, 1, 2}},
      {{1, 1}, {1}},
      {{2, 3, 4}, {2, 1, 1}},
      {{2, 3, 4}, {1, 3, 4}},
      {{0, 3}, {3}},
      {{0, 1}, {1, 7}},
  };
  for (const auto& [a, b] : pairs) {
    auto plan = BroadcastPlan::Make({&a, &b});
    ASSERT_TRUE(plan.ok()) << a.ToString() << b.ToString();
    const int64_t n = plan->shape().num_elements();
    EXPECT_EQ(Visit(*plan, 2, 0, n), Expected(plan->shape(), {a, b}, 0, n)) << a.ToString() << b.ToString();
    EXPECT_EQ(Visit(*plan, 2, n / 3, n - n / 4), Expected(plan->shape(), {a, b}, n / 3, n - n / 4));
  }
}

TEST(BroadcastPlan, ThreeInputs) {
  const Shape a{2, 1, 3}, b{4, 1}, c{1, 1, 3};
  auto plan = BroadcastPlan::Make({&a, &b, &c});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->shape(), (Shape{2, 4, 3}));
  EXPECT_EQ(Visit(*plan, 3, 0, 24), Expected(plan->shape(), {a, b, c}, 0, 24));
}

TEST(BroadcastPlan, MergesDimensionsThatBroadcastAlike) {
  const Shape a{2, 3, 4, 5}, b{4, 5}, c{2, 3, 1, 1};
  EXPECT_EQ(BroadcastPlan::Make({&a, &a})->run_length(), 120);
  EXPECT_EQ(BroadcastPlan::Make({&a, &b})->run_length(), 20);
  EXPECT_EQ(BroadcastPlan::Make({&a, &c})->run_length(), 20);
}

TEST(BroadcastPlan, ErrorsNameIncompatibleShapes) {
  const Shape a{2}, b{3};
  EXPECT_EQ(BroadcastPlan::Make({&a, &b}).status().message(), "Incompatible shapes: [2] vs. [3]");
  const Shape huge{int64_t{1} << 40, 1}, wide{1, int64_t{1} << 40};
  EXPECT_FALSE(BroadcastPlan::Make({&huge, &wide}).ok());
}

}  // namespace
}  // namespace weir::ops::broadcast_test
