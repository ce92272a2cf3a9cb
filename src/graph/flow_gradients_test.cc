// Gradients through conds and loops. The expected values are derived by hand.
#include "graph/flow_session_test.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FlowGradientsTest : public FlowTest {
 protected:
  // Runs `body` n times on an index and the loop variables.
  OutputList Repeat(const Input& n, const InputList& start,
                    std::function<Result<OutputList>(Output, const OutputList&)> body,
                    const WhileOptions& options = {}) {
    InputList all = {Input(0)};
    all.insert(all.end(), start.begin(), start.end());
    OutputList out = Must(WhileLoop(
        graph(), [&](const OutputList& v) -> Result<Output> { return Less(v[0], n); },
        [&](const OutputList& v) -> Result<OutputList> {
          WEIR_ASSIGN(OutputList next, body(v[0], OutputList(v.begin() + 1, v.end())));
          next.insert(next.begin(), v[0] + 1);
          return next;
        },
        all, options));
    if (!out.empty()) out.erase(out.begin());
    return out;
  }
};

TEST_F(FlowGradientsTest, OfABranch) {
  Output x = PlaceholderOf(PartialShape::Scalar());
  OutputList out = Must(Cond(
      graph(), Greater(x, 2.0f), [&]() -> Result<OutputList> { return OutputList{x * x}; },
      [&]() -> Result<OutputList> { return OutputList{Scalar(7)}; }));
  Output grad = GradientOf(out[0], x);
  EXPECT_EQ(Float(grad, {{x, Tensor::Scalar(3.0f)}}), 6);
  EXPECT_EQ(Float(grad, {{x, Tensor::Scalar(1.0f)}}), 0);
  // Second derivative.
  Output second = GradientOf(grad, x);
  EXPECT_EQ(Float(second, {{x, Tensor::Scalar(3.0f)}}), 2);
  EXPECT_EQ(Float(second, {{x, Tensor::Scalar(1.0f)}}), 0);
}

TEST_F(FlowGradientsTest, OfALoopVariableAndAnInvariant) {
  Output y = PlaceholderOf(PartialShape::Scalar());
  Output x = PlaceholderOf(PartialShape::Scalar());
  Output n = PlaceholderOf(PartialShape::Scalar(), kInt32);
  OutputList out =
      Repeat(n, {x}, [&](Output, const OutputList& v) -> Result<OutputList> { return OutputList{v[0] * y}; });
  Output dx = GradientOf(out[0], x);
  Output dy = GradientOf(out[0], y);
  const auto feeds = [&](int32_t times) {
    return std::vector<Feed>{{x, Tensor::Scalar(3.0f)}, {y, Tensor::Scalar(2.0f)}, {n, Tensor::Scalar(times)}};
  };
  EXPECT_EQ(Float(dx, feeds(5)), 32);
  EXPECT_EQ(Float(dy, feeds(5)), 3 * 5 * 16);
  EXPECT_EQ(Float(dx, feeds(0)), 1);
  EXPECT_EQ(Float(dy, feeds(0)), 0);
  EXPECT_EQ(Float(dy, feeds(1)), 3);
}

TEST_F(FlowGradientsTest, OfForwardValuesInOrder) {
  // x <- x^2: every iteration needs its own forward value.
  Output x = PlaceholderOf(PartialShape());
  OutputList out =
      Repeat(4, {x}, [&](Output, const OutputList& v) -> Result<OutputList> { return OutputList{v[0] * v[0]}; },
             {.shape_invariants = {PartialShape::Scalar(), PartialShape()}});
  Output dx = GradientOf(out[0], x);
  EXPECT_THAT(Floats(dx, {{x, Tensor::Vector<float>({1, 2})}}), ElementsAre(16, 16 * 32768));
}

TEST_F(FlowGradientsTest, OfNestedLoops) {
  Output x = PlaceholderOf(PartialShape::Scalar());
  // Outer iteration i (0 to 3) multiplies by x (i + 1) times, starting from x: x^(1 + 1 + 2 + 3 + 4).
  OutputList out = Repeat(4, {x}, [&](Output i, const OutputList& v) -> Result<OutputList> {
    OutputList inner =
        Repeat(i + 1, {v[0]}, [&](Output, const OutputList& w) -> Result<OutputList> { return OutputList{w[0] * x}; });
    return inner;
  });
  EXPECT_EQ(Float(out[0], {{x, Tensor::Scalar(2.0f)}}), 2048);
  Output dx = GradientOf(out[0], x);
  EXPECT_EQ(Float(dx, {{x, Tensor::Scalar(2.0f)}}), 11 * 1024);
}

TEST_F(FlowGradientsTest, OfThreeLevelsWithSquares) {
  // Three nested loops of two iterations square v eight times: x^256, exact at x = 1 and -1.
  Output x = PlaceholderOf(PartialShape::Scalar());
  const auto square = [](Output, const OutputList& v) -> Result<OutputList> { return OutputList{v[0] * v[0]}; };
  OutputList out = Repeat(2, {x}, [&](Output, const OutputList& u) -> Result<OutputList> {
    return Repeat(2, {u[0]},
                  [&](Output, const OutputList& v) -> Result<OutputList> { return Repeat(2, {v[0]}, square); });
  });
  Output dx = GradientOf(out[0], x);
  EXPECT_EQ(Float(dx, {{x, Tensor::Scalar(1.0f)}}), 256);
  EXPECT_EQ(Float(dx, {{x, Tensor::Scalar(-1.0f)}}), -256);
}

TEST_F(FlowGradientsTest, OfACondInALoop) {
  Output x = PlaceholderOf(PartialShape::Scalar());
  // i = 0, 1: v <- v^2; i = 2: v <- v * x. Starting from x: x^5.
  OutputList out = Repeat(3, {x}, [&](Output i, const OutputList& v) -> Result<OutputList> {
    return Cond(
        graph(), Greater(i, 1), [&]() -> Result<OutputList> { return OutputList{v[0] * x}; },
        [&]() -> Result<OutputList> { return OutputList{v[0] * v[0]}; });
  });
  EXPECT_EQ(Float(out[0], {{x, Tensor::Scalar(2.0f)}}), 32);
  Output dx = GradientOf(out[0], x);
  EXPECT_EQ(Float(dx, {{x, Tensor::Scalar(2.0f)}}), 80);
}

TEST_F(FlowGradientsTest, OfNestedCondsInALoopWithUnknownShapes) {
  Output x = PlaceholderOf(PartialShape());
  // i = 0: v^2, i = 1: v * 3, i = 2: v * x^2, i = 3: v + x. Starting from x: 3 x^4 + x.
  OutputList out =
      Repeat(4, {x},
             [&](Output i, const OutputList& v) -> Result<OutputList> {
               return Cond(
                   graph(), Less(i, 2),
                   [&] {
                     return Cond(
                         graph(), Less(i, 1), [&]() -> Result<OutputList> { return OutputList{v[0] * v[0]}; },
                         [&]() -> Result<OutputList> { return OutputList{v[0] * 3.0f}; });
                   },
                   [&] {
                     return Cond(
                         graph(), Less(i, 3), [&]() -> Result<OutputList> { return OutputList{v[0] * (x * x)}; },
                         [&]() -> Result<OutputList> { return OutputList{v[0] + x}; });
                   });
             },
             {.shape_invariants = {PartialShape::Scalar(), PartialShape()}});
  EXPECT_THAT(Floats(out[0], {{x, Tensor::Vector<float>({1, 2})}}), ElementsAre(4, 50));
  Output dx = GradientOf(out[0], x);
  EXPECT_THAT(Floats(dx, {{x, Tensor::Vector<float>({1, 2})}}), ElementsAre(13, 97));
}

TEST_F(FlowGradientsTest, OfALoopInACondInALoop) {
  Output x = PlaceholderOf(PartialShape::Scalar());
  // i = 0: v; i = 1: v * x * x; i = 2: v. Starting from x: x^3.
  OutputList out = Repeat(3, {x}, [&](Output i, const OutputList& v) -> Result<OutputList> {
    return Cond(
        graph(), Equal(i, 1),
        [&]() -> Result<OutputList> {
          return Repeat(2, {v[0]},
                        [&](Output, const OutputList& w) -> Result<OutputList> { return OutputList{w[0] * x}; });
        },
        [&]() -> Result<OutputList> { return OutputList{v[0]}; });
  });
  EXPECT_EQ(Float(out[0], {{x, Tensor::Scalar(2.0f)}}), 8);
  Output dx = GradientOf(out[0], x);
  EXPECT_EQ(Float(dx, {{x, Tensor::Scalar(2.0f)}}), 12);
}

TEST_F(FlowGradientsTest, OfUnusedExits) {
  Output x = PlaceholderOf(PartialShape::Scalar());
  // a <- a * b, b <- b + x: only a is used.
  OutputList out = Repeat(3, {x, x}, [&](Output, const OutputList& v) -> Result<OutputList> {
    return OutputList{v[0] * v[1], v[1] + x};
  });
  // x * x * 2x * 3x = 6 x^4
  EXPECT_EQ(Float(out[0], {{x, Tensor::Scalar(2.0f)}}), 96);
  EXPECT_EQ(Float(GradientOf(out[0], x), {{x, Tensor::Scalar(2.0f)}}), 192);
  // Both are used.
  EXPECT_EQ(Float(GradientOf(out[0] + out[1], x), {{x, Tensor::Scalar(2.0f)}}), 196);
}

TEST_F(FlowGradientsTest, OfALoopVariableThatIsResetEachIteration) {
  Output x = PlaceholderOf(PartialShape::Scalar());
  // b does not depend on its last value.
  OutputList out = Repeat(3, {x, x}, [&](Output, const OutputList& v) -> Result<OutputList> {
    return OutputList{v[0] + v[1], x * 2.0f};
  });
  // (x + x) + 2x + 2x, and 2x
  EXPECT_EQ(Float(GradientOf(out[0], x), {{x, Tensor::Scalar(2.0f)}}), 6);
  EXPECT_EQ(Float(GradientOf(out[1], x), {{x, Tensor::Scalar(2.0f)}}), 2);
}

TEST_F(FlowGradientsTest, OfTheSameLoopTwice) {
  Output x = PlaceholderOf(PartialShape::Scalar());
  OutputList out =
      Repeat(3, {x}, [&](Output, const OutputList& v) -> Result<OutputList> { return OutputList{v[0] * v[0]}; });
  Output first = GradientOf(out[0], x);
  Output again = GradientOf(out[0] * 2.0f, x);
  EXPECT_EQ(Float(first, {{x, Tensor::Scalar(2.0f)}}), 8 * 128);
  EXPECT_EQ(Float(again, {{x, Tensor::Scalar(2.0f)}}), 16 * 128);
}

TEST_F(FlowGradientsTest, InsideOfALoop) {
  // Newton's method for the root of z^2 - a; the derivative is taken in the body.
  Output a = PlaceholderOf(PartialShape::Scalar());
  OutputList out = Repeat(20, {a}, [&](Output, const OutputList& v) -> Result<OutputList> {
    Output f = v[0] * v[0] - a;
    WEIR_ASSIGN(std::vector<Grad> df, AddGradients(graph(), {f}, {v[0]}));
    return OutputList{v[0] - f / std::get<Output>(df[0])};
  });
  EXPECT_FLOAT_EQ(Float(out[0], {{a, Tensor::Scalar(2.0f)}}), std::sqrt(2.0f));
}

TEST_F(FlowGradientsTest, OfALoopInsideOfALoopBody) {
  Output a = PlaceholderOf(PartialShape::Scalar());
  // Each iteration computes the gradient of v^4 (two squarings) with respect to v: 4 v^3.
  OutputList out = Repeat(2, {a}, [&](Output, const OutputList& v) -> Result<OutputList> {
    OutputList power =
        Repeat(2, {v[0]}, [&](Output, const OutputList& w) -> Result<OutputList> { return OutputList{w[0] * w[0]}; });
    WEIR_ASSIGN(std::vector<Grad> d, AddGradients(graph(), {power[0]}, {v[0]}));
    return OutputList{std::get<Output>(d[0])};
  });
  EXPECT_EQ(Float(out[0], {{a, Tensor::Scalar(1.0f)}}), 4 * 64);
}

TEST_F(FlowGradientsTest, GradientsOfGatheredRowsStaySparse) {
  Output table = PlaceholderOf({4, 2});
  OutputList out = Repeat(3, {0.0f}, [&](Output i, const OutputList& v) -> Result<OutputList> {
    return OutputList{v[0] + Sum(GatherV2(table, i, 0), 0)};
  });
  Result<std::vector<Grad>> grads = AddGradients(graph(), {out[0]}, {table});
  ASSERT_TRUE(grads.ok()) << grads.status();
  const IndexedSlices* rows = std::get_if<IndexedSlices>(&(*grads)[0]);
  ASSERT_NE(rows, nullptr);
  const std::vector<Feed> feeds = {{table, Tensor::Of<float>(Shape{4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})}};
  EXPECT_EQ(Floats(rows->values, feeds), std::vector<float>(6, 1));
  Result<std::vector<Tensor>> indices = Run({rows->indices, rows->dense_shape}, feeds);
  ASSERT_TRUE(indices.ok()) << indices.status();
  EXPECT_THAT((*indices)[0].Ints(), ElementsAre(2, 1, 0));
  EXPECT_THAT((*indices)[1].Ints(), ElementsAre(4, 2));
}

TEST_F(FlowGradientsTest, RowsThroughACond) {
  Output table = PlaceholderOf({4, 2});
  Output pred = PlaceholderOf(PartialShape::Scalar(), kBool);
  OutputList out = Must(Cond(
      graph(), pred,
      [&]() -> Result<OutputList> {
        return OutputList{Sum(GatherV2(table, Constant(graph(), Tensor::Vector<int32_t>({1, 3})), 0),
                              Constant(graph(), Tensor::Vector<int32_t>({0, 1})))};
      },
      [&]() -> Result<OutputList> { return OutputList{Scalar(1)}; }));
  Result<std::vector<Grad>> grads = AddGradients(graph(), {out[0]}, {table});
  ASSERT_TRUE(grads.ok()) << grads.status();
  const IndexedSlices* rows = std::get_if<IndexedSlices>(&(*grads)[0]);
  ASSERT_NE(rows, nullptr);
  const Tensor values = Tensor::Of<float>(Shape{4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(Floats(rows->values, {{table, values}, {pred, Tensor::Scalar(true)}}), std::vector<float>(4, 1));
  EXPECT_TRUE(Floats(rows->values, {{table, values}, {pred, Tensor::Scalar(false)}}).empty());
}

TEST_F(FlowGradientsTest, WithoutBackProp) {
  Output x = PlaceholderOf(PartialShape::Scalar());
  OutputList out =
      Repeat(3, {x}, [&](Output, const OutputList& v) -> Result<OutputList> { return OutputList{v[0] * v[0]}; },
             {.back_prop = false});
  Result<std::vector<Grad>> grads = AddGradients(graph(), {out[0]}, {x});
  ASSERT_TRUE(grads.ok()) << grads.status();
  EXPECT_FALSE(HasGrad((*grads)[0]));
}

TEST_F(FlowGradientsTest, SecondOrderOfALoopIsRefused) {
  Output x = PlaceholderOf(PartialShape::Scalar());
  OutputList out =
      Repeat(3, {x}, [&](Output, const OutputList& v) -> Result<OutputList> { return OutputList{v[0] * x}; });
  Output dx = GradientOf(out[0], x);
  Result<std::vector<Grad>> second = AddGradients(graph(), {dx}, {x});
  EXPECT_THAT(Message(second), HasSubstr("Second-order gradient for while loops not supported"));
  EXPECT_TRUE(IsTypeError(second.status()));
}

TEST_F(FlowGradientsTest, ManyIterationsAtATime) {
  Output x = PlaceholderOf(PartialShape::Scalar());
  for (const int parallel : {1, 2, 32}) {
    OutputList out = Repeat(1000, {x},
                            [&](Output, const OutputList& v) -> Result<OutputList> {
                              return OutputList{v[0] * 0.999f + Sin(v[0]) * 0.001f};
                            },
                            {.parallel_iterations = parallel});
    const float expected = [] {
      float v = 1, d = 1;
      for (int i = 0; i < 1000; ++i) {
        d *= 0.999f + std::cos(v) * 0.001f;
        v = v * 0.999f + std::sin(v) * 0.001f;
      }
      return d;
    }();
    EXPECT_NEAR(Float(GradientOf(out[0], x), {{x, Tensor::Scalar(1.0f)}}), expected, 1e-4);
  }
}

}  // namespace
}  // namespace weir
