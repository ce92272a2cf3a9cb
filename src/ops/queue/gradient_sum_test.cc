// Compares gradient sums with plain loops; tests the memory they keep and that inputs stay unchanged.
#include "ops/queue/gradient_sum.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace weir::ops {
namespace {

Tensor Ints(const std::vector<int64_t>& values) { return Tensor::Vector<int64_t>(values); }

Tensor Rows(int64_t rows, int64_t width, float first) {
  Tensor tensor = *Tensor::Allocate(kFloat, Shape{rows, width});
  for (int64_t i = 0; i < rows * width; ++i) tensor.data<float>()[i] = first + static_cast<float>(i % 977);
  return tensor;
}

// Sums up the rows of several gradients one after the other.
struct PlainSum {
  void Add(const std::vector<int64_t>& indices, const Tensor& values) {
    const int64_t width = values.dim(1);
    std::set<int64_t> seen;
    for (size_t i = 0; i < indices.size(); ++i) {
      const float* row = values.data<float>() + static_cast<int64_t>(i) * width;
      auto [it, is_new] = rows.try_emplace(indices[i], row, row + width);
      for (int64_t k = 0; !is_new && k < width; ++k) it->second[static_cast<size_t>(k)] += row[k];
      if (seen.insert(indices[i]).second) ++counts[indices[i]];
    }
  }
  std::map<int64_t, std::vector<float>> rows;
  std::map<int64_t, int> counts;
};

void ExpectEqual(GradientSum& sum, const PlainSum& plain, bool mean) {
  Result<std::vector<Tensor>> taken = sum.Finish(1, mean);
  ASSERT_TRUE(taken.ok()) << taken.status();
  const Tensor& indices = (*taken)[0];
  const Tensor& values = (*taken)[1];
  ASSERT_EQ(indices.num_elements(), static_cast<int64_t>(plain.rows.size()));
  int64_t i = 0;
  for (const auto& [index, row] : plain.rows) {
    ASSERT_EQ(indices.data<int64_t>()[i], index);
    for (size_t k = 0; k < row.size(); ++k) {
      const float expected = mean ? row[k] / static_cast<float>(plain.counts.at(index)) : row[k];
      ASSERT_EQ(values.data<float>()[i * values.dim(1) + static_cast<int64_t>(k)], expected) << index << ", " << k;
    }
    ++i;
  }
}

TEST(GradientSumTest, RowsAreAddedUpInArrivalOrder) {
  std::mt19937 random(1);
  for (const bool mean : {false, true}) {
    for (const int64_t range : {int64_t{3}, int64_t{5'000}, int64_t{1} << 40, int64_t{1} << 62}) {
      std::unique_ptr<GradientSum> sum = *MakeSparseSum(kFloat, PartialShape());
      PlainSum plain;
      for (int gradient = 0; gradient < 4; ++gradient) {
        std::vector<int64_t> indices;
        for (int i = 0; i < 300; ++i)
          indices.push_back(std::uniform_int_distribution<int64_t>(0, range)(random) % (i % 3 == 0 ? 7 : range));
        const Tensor ids = Ints(indices);
        const Tensor values = Rows(300, 3, 0.1F * static_cast<float>(gradient));
        ASSERT_TRUE(sum->Add({.values = values, .indices = &ids}).ok());
        plain.Add(indices, values);
      }
      ExpectEqual(*sum, plain, mean);
    }
  }
}

// The sum is merged while gradients are added; values and counts must stay correct.
TEST(GradientSumTest, ManyGradientsAreAddedUpAsTheyArrive) {
  const auto check = [](int gradients, int64_t rows, int64_t width) {
    std::unique_ptr<GradientSum> sum = *MakeSparseSum(kFloat, PartialShape());
    PlainSum plain;
    for (int g = 0; g < gradients; ++g) {
      std::vector<int64_t> indices;
      for (int64_t i = 0; i < rows; ++i) indices.push_back((i * 7 + g % 3) % (rows / 2 + 1));
      const Tensor ids = Ints(indices);
      const Tensor values = Rows(rows, width, static_cast<float>(g));
      ASSERT_TRUE(sum->Add({.values = values, .indices = &ids}).ok());
      plain.Add(indices, values);
    }
    ExpectEqual(*sum, plain, /*mean=*/true);
  };
  check(40, 64, 64 << 10);  // exceeds the size limit
  check(2'500, 2, 1);       // exceeds the limit on the number of parts
}

TEST(GradientSumTest, SharedInputsAreNotModified) {
  for (const bool mean : {false, true}) {
    std::unique_ptr<GradientSum> sum = *MakeDenseSum(kFloat, PartialShape());
    const Tensor first = Rows(300, 300, 1), second = Rows(300, 300, 2);
    ASSERT_TRUE(sum->Add({.values = first}).ok());
    ASSERT_TRUE(sum->Add({.values = second}).ok());
    Result<std::vector<Tensor>> taken = sum->Finish(2, mean);
    ASSERT_TRUE(taken.ok());
    EXPECT_EQ(first.data<float>()[5], 6);
    EXPECT_EQ(second.data<float>()[5], 7);
    EXPECT_EQ((*taken)[0].data<float>()[5], mean ? 6.5F : 13.0F);
  }
  std::unique_ptr<GradientSum> alone = *MakeDenseSum(kFloat, PartialShape());
  const Tensor only = Rows(300, 300, 1);
  ASSERT_TRUE(alone->Add({.values = only}).ok());
  EXPECT_EQ((*alone->Finish(3, /*mean=*/true))[0].data<float>()[5], 2);
  EXPECT_EQ(only.data<float>()[5], 6);
}

}  // namespace
}  // namespace weir::ops
