// Segment ops: values (from TensorFlow), errors, shapes, gradients.
#include <gtest/gtest.h>

#include <limits>

#include "op/testing.h"
#include "ops/math/gradient_check_test.h"

namespace weir::ops::segment_ops_test {
namespace {

using Floats = std::vector<float>;

Tensor F(const Shape& shape, Floats values) { return Tensor::Of<float>(shape, absl::Span<const float>(values)); }
Tensor I(std::vector<int32_t> values) { return Tensor::Vector<int32_t>(values); }
Tensor S(int32_t value) { return Tensor::Scalar(value); }
Tensor Data() { return F({3, 2}, {1, 2, 3, 4, 5, 6}); }

// Returns the values, or the error message.
std::string RunOp(const std::string& op, std::vector<Tensor> inputs) {
  const auto result = RunKernel(AllOps(), op, std::move(inputs));
  if (!result.ok()) {
    EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument);
  }
  return result.ok() ? (*result)[0].ToString(64) : std::string(result.status().message());
}

TEST(SegmentOps, SortedOpsFillGaps) {
  const std::vector<std::pair<std::string, Floats>> cases = {{"SegmentSum", {4, 6, 0, 0, 5, 6}},
                                                             {"SegmentMean", {2, 3, 0, 0, 5, 6}},
                                                             {"SegmentProd", {3, 8, 1, 1, 5, 6}},
                                                             {"SegmentMax", {3, 4, 0, 0, 5, 6}},
                                                             {"SegmentMin", {1, 2, 0, 0, 5, 6}}};
  for (const auto& [op, expected] : cases) {
    EXPECT_EQ(RunOp(op, {Data(), I({0, 0, 2})}), F({3, 2}, expected).ToString()) << op;
    EXPECT_EQ(RunOp(op, {F({0, 2}, {}), I({})}), F({0, 2}, {}).ToString()) << op;
    EXPECT_NE(RunOp(op, {Data(), I({1, 0, 2})}).find("segment ids are not increasing"), std::string::npos);
    EXPECT_NE(RunOp(op, {Data(), I({-1, 0, 2})}).find("segment ids must be >= 0"), std::string::npos);
  }
  EXPECT_EQ(RunOp("SegmentMean", {Tensor::Vector<int32_t>({1, 2, 4}), I({0, 0, 0})}), I({2}).ToString());
}

TEST(SegmentOps, UnsortedOpsDropNegativeIds) {
  constexpr float kLow = std::numeric_limits<float>::lowest(), kHigh = std::numeric_limits<float>::max();
  const std::vector<std::pair<std::string, Floats>> cases = {{"UnsortedSegmentSum", {0, 0, 6, 8}},
                                                             {"UnsortedSegmentProd", {1, 1, 5, 12}},
                                                             {"UnsortedSegmentMax", {kLow, kLow, 5, 6}},
                                                             {"UnsortedSegmentMin", {kHigh, kHigh, 1, 2}}};
  for (const auto& [op, expected] : cases) {
    EXPECT_EQ(RunOp(op, {Data(), I({1, -1, 1}), S(2)}), F({2, 2}, expected).ToString()) << op;
    EXPECT_EQ(RunOp(op, {Data(), I({1, 2, 1}), S(2)}), "segment_ids[1] = 2 is out of range [0, 2)");
    EXPECT_EQ(RunOp(op, {F({0, 2}, {}), I({}), S(0)}), F({0, 2}, {}).ToString()) << op;
  }
  // Ids with the whole shape of the data, and scalar ids.
  EXPECT_EQ(RunOp("UnsortedSegmentSum", {Data(), Tensor::Of<int32_t>({3, 2}, {0, 1, 1, 0, 2, 2}), S(3)}),
            F({3}, {5, 5, 11}).ToString());
  EXPECT_EQ(RunOp("UnsortedSegmentSum", {F({2}, {1, 2}), S(1), S(2)}), F({2, 2}, {0, 0, 1, 2}).ToString());
}

TEST(SegmentOps, HalfSumsAreComputedInFloat) {
  std::vector<half> ones(3000, half(1.0f));
  const Tensor sum =
      RunKernel(AllOps(), "UnsortedSegmentSum", {Tensor::Vector<half>(ones), I(std::vector<int32_t>(3000, 0)), S(1)})
          .value()[0];
  EXPECT_EQ(static_cast<float>(sum.data<half>()[0]), 3000.0f);
}

TEST(SegmentOps, ManyRowsOnManyThreads) {
  constexpr int kRows = 20000, kWidth = 33, kSegments = 500;
  std::vector<float> data(kRows * kWidth, 1.0f);
  std::vector<int32_t> ids(kRows);
  std::vector<float> counts(kSegments, 0.0f);
  for (int i = 0; i < kRows; ++i) ids[i] = (i * 7919) % (kSegments + 1) - 1;
  for (const int32_t id : ids) counts[id < 0 ? 0 : id] += id < 0 ? 0.0f : 1.0f;
  KernelTester tester(AllOps(), /*num_threads=*/4);
  const Tensor sum = tester.Run("UnsortedSegmentSum", {F({kRows, kWidth}, data), I(ids), S(kSegments)}).value()[0];
  for (int i = 0; i < kSegments; ++i) {
    for (int j = 0; j < kWidth; ++j) ASSERT_EQ(sum.data<float>()[i * kWidth + j], counts[i]);
  }
}

TEST(SegmentOps, SparseSegmentsAndTheirGradients) {
  const Tensor indices = I({0, 2, 1}), ids = I({0, 0, 2});
  const float root = std::sqrt(2.0f);
  EXPECT_EQ(RunOp("SparseSegmentSum", {Data(), indices, ids}), F({3, 2}, {6, 8, 0, 0, 3, 4}).ToString());
  EXPECT_EQ(RunOp("SparseSegmentMean", {Data(), indices, ids}), F({3, 2}, {3, 4, 0, 0, 3, 4}).ToString());
  EXPECT_EQ(RunOp("SparseSegmentSqrtN", {Data(), indices, ids}),
            F({3, 2}, {6 / root, 8 / root, 0, 0, 3, 4}).ToString());
  EXPECT_EQ(RunOp("SparseSegmentMeanWithNumSegments", {Data(), indices, ids, S(4)}),
            F({4, 2}, {3, 4, 0, 0, 3, 4, 0, 0}).ToString());
  EXPECT_EQ(RunOp("SparseSegmentSumWithNumSegments", {Data(), I({}), I({}), S(2)}), F({2, 2}, {0, 0, 0, 0}).ToString());
  EXPECT_EQ(RunOp("SparseSegmentMeanGrad", {Data(), I({0, 2, 1, 2}), I({0, 0, 2, 2}), S(4)}),
            F({4, 2}, {0.5f, 1, 2.5f, 3, 3, 4, 0, 0}).ToString());
  EXPECT_EQ(RunOp("SparseSegmentSumGrad", {Data(), I({0, 2, 1, 2}), I({0, 0, 2, 2}), S(4)}),
            F({4, 2}, {1, 2, 5, 6, 6, 8, 0, 0}).ToString());
  EXPECT_EQ(RunOp("SparseSegmentSum", {Data(), I({0, 3, 1}), ids}), "Bad: indices[1] == 3 out of range [0, 3)");
  EXPECT_NE(
      RunOp("SparseSegmentSumWithNumSegments", {Data(), indices, ids, S(2)}).find("segment ids must be < num_segments"),
      std::string::npos);
  EXPECT_EQ(RunOp("SparseSegmentMeanGrad", {Data(), I({0, 4}), I({0, 0}), S(4)}), "Index 4 out of range [0, 4).");
  EXPECT_EQ(RunOp("SparseSegmentMeanGrad", {Data(), I({0, 1}), I({0, 3}), S(4)}), "Segment id 3 out of range [0, 3).");
}

TEST(SegmentOps, Shapes) {
  EXPECT_EQ(ShapeTest(AllOps(), "SegmentSum", "[5,3];[5]"), "[?,3]");
  EXPECT_EQ(ShapeTest(AllOps(), "SegmentSum", "?;[5]"), "?");
  EXPECT_EQ(ShapeTest(AllOps(), "SegmentSum", "[5,3];[4]"), "[?,3]");
  EXPECT_EQ(ShapeTest(AllOps(), "SegmentSum", "[5,3];[5,1]").substr(0, 5), "error");
  EXPECT_EQ(ShapeTest(AllOps(), "UnsortedSegmentMax", "[5,3,2];[5,3];[]", {}, {{2, S(7)}}), "[7,2]");
  EXPECT_EQ(ShapeTest(AllOps(), "UnsortedSegmentMax", "[5,3,2];[4];[]").substr(0, 5), "error");
  EXPECT_EQ(ShapeTest(AllOps(), "SparseSegmentMean", "[5,3];[?];[7]"), "[?,3]");
  EXPECT_EQ(ShapeTest(AllOps(), "SparseSegmentMeanWithNumSegments", "[5,3];[?];[7];[]", {}, {{3, S(4)}}), "[4,3]");
  EXPECT_EQ(ShapeTest(AllOps(), "SparseSegmentMeanGrad", "[5,3];[?];[7];[]", {}, {{3, S(9)}}), "[9,3]");
}

TEST(SegmentOps, Gradients) {
  const Tensor data = SomeDoubles({5, 2}), ids = I({0, 0, 2, 2, 3});
  for (const char* op : {"SegmentSum", "SegmentMean", "SegmentProd", "SegmentMax", "SegmentMin"})
    EXPECT_EQ(CheckGradient(op, {data, ids}), "");
  for (const char* op : {"UnsortedSegmentSum", "UnsortedSegmentProd"})
    EXPECT_EQ(CheckGradient(op, {data, I({2, -1, 2, 0, 0}), S(4)}), "");
  // An empty segment holds the lowest number, next to which differences vanish, so no segment is empty here.
  for (const char* op : {"UnsortedSegmentMax", "UnsortedSegmentMin"})
    EXPECT_EQ(CheckGradient(op, {data, I({1, -1, 1, 0, 0}), S(2)}), "");
  const Tensor indices = I({4, 1, 1, 0, 3});
  for (const char* op : {"SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"}) {
    EXPECT_EQ(CheckGradient(op, {data, indices, ids}), "");
    EXPECT_EQ(CheckGradient(std::string(op) + "WithNumSegments", {data, indices, ids, S(5)}), "");
  }
  // Products with one zero and with two.
  Tensor zeros = data.Clone().value();
  zeros.data<double>()[0] = zeros.data<double>()[5] = zeros.data<double>()[7] = 0;
  EXPECT_EQ(CheckGradient("SegmentProd", {zeros, ids}), "");
  EXPECT_EQ(CheckGradient("UnsortedSegmentProd", {zeros, ids, S(4)}), "");
}

}  // namespace
}  // namespace weir::ops::segment_ops_test
