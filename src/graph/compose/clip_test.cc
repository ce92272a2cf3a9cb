// Clipping by value and by norm. The expected numbers are TensorFlow's.
#include "graph/compose/clip.h"

#include "graph/flow_session_test.h"

namespace weir {
namespace {

using testing::FloatNear;
using testing::Pointwise;

class ClipTest : public FlowTest {
 protected:
  void Expect(Output clipped, std::vector<float> wanted) {
    EXPECT_THAT(Floats(clipped), Pointwise(FloatNear(1e-6f), wanted));
  }
};

TEST_F(ClipTest, ByValueAndByNorm) {
  const Output a = Vector({3, 4});
  Expect(ClipByValueBounds(a, 3.5f, 3.75f), {3.5f, 3.75f});
  Expect(ClipByNorm(a, 2.5f), {1.5f, 2});
  Expect(ClipByNorm(a, 10.0f), {3, 4});
  Expect(ClipByNorm(a, 3.5f, std::vector<int64_t>{}), {3, 3.5f});
  Expect(ClipByNorm(Reshape(Vector({3, 4, 0.3f, 0.4f}), {2, 2}), 1.0f, std::vector<int64_t>{1}),
         {0.6f, 0.8f, 0.3f, 0.4f});
  Expect(ClipByAverageNorm(a, 1.0f), {1.2f, 1.6f});
}

TEST_F(ClipTest, ByGlobalNorm) {
  const std::vector<Grad> list = {Grad(Vector({3, 4})), Grad(), Grad(Vector({12, 0}))};
  EXPECT_FLOAT_EQ(Float(GlobalNorm(list)), 13);
  ClippedByGlobalNorm clipped = ClipByGlobalNorm(list, 6.5f);
  EXPECT_FLOAT_EQ(Float(clipped.global_norm), 13);
  ASSERT_EQ(clipped.list.size(), 3u);
  Expect(std::get<Output>(clipped.list[0]), {1.5f, 2});
  EXPECT_FALSE(HasGrad(clipped.list[1]));
  Expect(std::get<Output>(clipped.list[2]), {6, 0});
}

TEST_F(ClipTest, IndexedSlicesStaySparse) {
  const IndexedSlices rows{Reshape(Vector({3, 4}), {1, 2}), Constant(graph(), Tensor::Vector<int32_t>({1})), {}};
  ClippedByGlobalNorm clipped = ClipByGlobalNorm({Grad(rows)}, 1.0f);
  ASSERT_TRUE(std::holds_alternative<IndexedSlices>(clipped.list[0]));
  Expect(std::get<IndexedSlices>(clipped.list[0]).values, {0.6f, 0.8f});
}

TEST_F(ClipTest, AnInfiniteOrNanNormGivesNan) {
  ClippedByGlobalNorm clipped = ClipByGlobalNorm({Grad(Vector({INFINITY, 1}))}, 1.0f);
  for (float value : Floats(std::get<Output>(clipped.list[0]))) EXPECT_TRUE(std::isnan(value));
}

}  // namespace
}  // namespace weir
