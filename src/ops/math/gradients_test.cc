// Compares the gradient of every differentiable op of this folder with finite differences, in double precision, with
// static shapes known and unknown.
#include <gtest/gtest.h>

#include <random>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/gradients.h"
#include "ops/register.h"
#include "runtime/constant_evaluator.h"
#include "runtime/local_session.h"

namespace weir::ops::gradients_test {
namespace {

struct Range {
  double low;
  double high;
};

class MathGradients : public ::testing::Test {
 protected:
  MathGradients() : pool_("test", 2), blocking_("test_blocking") { RegisterAllOps(registry_); }

  Tensor Random(const Shape& shape, Range range) {
    std::uniform_real_distribution<double> values(range.low, range.high);
    Tensor t = Tensor::Zeros(kDouble, shape).value();
    for (double& v : t.flat<double>()) v = values(rng_);
    return t;
  }

  // Computes d(sum of w * f(xs)) / dxs for random w, by autodiff and by central differences.
  using Build = std::function<Output(Graph&, const OutputList&)>;
  void Check(const std::string& what, const Build& build, const std::vector<Tensor>& values, bool known_shapes) {
    SCOPED_TRACE(what + (known_shapes ? "" : ", unknown shapes"));
    auto graph = std::make_shared<Graph>(registry_);
    graph->set_constant_evaluator(MakeLocalConstantEvaluator(RealEnv()));
    OutputList xs;
    for (const Tensor& value : values) {
      xs.push_back(
          Placeholder(*graph, kDouble, {.shape = known_shapes ? PartialShape(value.shape()) : PartialShape()}));
    }
    Output y = build(*graph, xs);
    ASSERT_TRUE(graph->TakeError().ok());
    ASSERT_TRUE(y.valid());
    std::vector<Feed> feeds;
    for (size_t i = 0; i < xs.size(); ++i) feeds.push_back({xs[i], values[i].Clone().value()});
    LocalSession session(graph, {pool_, blocking_, RealEnv(), nullptr, {}});
    auto out = session.Run({.feeds = feeds, .fetches = {y}});
    ASSERT_TRUE(out.ok()) << out.status();
    Output weights = Constant(*graph, Random((*out)[0].shape(), {0.5, 1.5}));
    auto grads = AddGradients(*graph, {y}, xs, {.grad_ys = {weights}});
    ASSERT_TRUE(grads.ok()) << grads.status();
    Output total = ReduceSum(y * weights);
    ASSERT_TRUE(graph->TakeError().ok());
    for (size_t i = 0; i < xs.size(); ++i) {
      const Output* grad = std::get_if<Output>(&(*grads)[i]);
      if (grad == nullptr) continue;
      auto got = session.Run({.feeds = feeds, .fetches = {*grad}});
      ASSERT_TRUE(got.ok()) << got.status();
      ASSERT_EQ((*got)[0].shape(), values[i].shape());
      EXPECT_TRUE(grad->shape().CompatibleWith(values[i].shape()));
      for (int64_t k = 0; k < values[i].num_elements(); ++k) {
        double ends[2];
        double& x = feeds[i].value.data<double>()[k];
        const double middle = x;
        for (int side : {0, 1}) {
          feeds[i].value = feeds[i].value.Clone().value();
          feeds[i].value.data<double>()[k] = middle + (side == 0 ? -1e-5 : 1e-5);
          ends[side] = session.Run({.feeds = feeds, .fetches = {total}}).value()[0].scalar<double>();
        }
        feeds[i].value.data<double>()[k] = middle;
        const double slope = (ends[1] - ends[0]) / 2e-5;
        ASSERT_NEAR((*got)[0].data<double>()[k], slope, 1e-6 * (1 + std::abs(slope)))
            << "input " << i << ", element " << k;
      }
    }
  }
  void CheckBoth(const std::string& what, const Build& build, const std::vector<Tensor>& values) {
    Check(what, build, values, true);
    Check(what, build, values, false);
  }
  Build Op(const std::string& op, AttrMap attrs = {}) {
    return [op, attrs](Graph& graph, const OutputList& xs) {
      NodeBuilder node(graph, op);
      for (Output x : xs) node.In(x);
      for (const auto& [name, value] : attrs) node.Attr(name, value);
      return node.BuildOutput();
    };
  }

  std::mt19937 rng_{11};
  OpRegistry registry_;
  ThreadPool pool_;
  ElasticPool blocking_;
};

TEST_F(MathGradients, Unary) {
  const std::vector<std::pair<const char*, Range>> ops = {
      {"Abs", {0.5, 2}},     {"Neg", {-2, 2}},      {"Inv", {0.5, 2}},      {"Reciprocal", {0.5, 2}},
      {"Square", {-2, 2}},   {"Sqrt", {0.5, 2}},    {"Rsqrt", {0.5, 2}},    {"Exp", {-2, 2}},
      {"Expm1", {-2, 2}},    {"Log", {0.5, 2}},     {"Log1p", {-0.5, 2}},   {"Sin", {-2, 2}},
      {"Cos", {-2, 2}},      {"Tan", {-1, 1}},      {"Sinh", {-2, 2}},      {"Cosh", {-2, 2}},
      {"Tanh", {-2, 2}},     {"Asin", {-0.8, 0.8}}, {"Acos", {-0.8, 0.8}},  {"Atan", {-2, 2}},
      {"Asinh", {-2, 2}},    {"Acosh", {1.2, 3}},   {"Atanh", {-0.8, 0.8}}, {"Sigmoid", {-2, 2}},
      {"Sign", {0.5, 2}},    {"Erf", {-1, 1}},      {"Erfc", {-1, 1}},      {"Erfinv", {-0.8, 0.8}},
      {"Ndtri", {0.1, 0.9}}, {"Lgamma", {0.5, 4}},  {"Digamma", {0.5, 4}}};
  for (const auto& [op, range] : ops) Check(op, Op(op), {Random(Shape{2, 3}, range)}, true);
}

TEST_F(MathGradients, Binary) {
  const std::vector<std::pair<const char*, Range>> ops = {{"Add", {-2, 2}},
                                                          {"AddV2", {-2, 2}},
                                                          {"Sub", {-2, 2}},
                                                          {"Mul", {-2, 2}},
                                                          {"MulNoNan", {0.5, 2}},
                                                          {"Div", {0.5, 2}},
                                                          {"RealDiv", {0.5, 2}},
                                                          {"DivNoNan", {0.5, 2}},
                                                          {"FloorMod", {1, 1.5}},
                                                          {"Pow", {0.5, 2}},
                                                          {"Maximum", {-2, 2}},
                                                          {"Minimum", {-2, 2}},
                                                          {"Xlogy", {0.5, 2}},
                                                          {"Xdivy", {0.5, 2}},
                                                          {"Xlog1py", {0.5, 2}},
                                                          {"Atan2", {0.5, 2}},
                                                          {"Igamma", {0.5, 4}},
                                                          {"Igammac", {0.5, 4}},
                                                          {"SquaredDifference", {-2, 2}},
                                                          {"InvGrad", {0.5, 2}},
                                                          {"SqrtGrad", {0.5, 2}},
                                                          {"RsqrtGrad", {0.5, 2}},
                                                          {"TanhGrad", {-2, 2}},
                                                          {"SigmoidGrad", {-2, 2}},
                                                          {"ReciprocalGrad", {0.5, 2}},
                                                          {"Zeta", {1.5, 4}}};
  for (const auto& [op, range] : ops) {
    Check(op, Op(op), {Random(Shape{2, 3}, range), Random(Shape{2, 3}, range)}, true);
  }
  Check("Polygamma", Op("Polygamma"), {Tensor::Vector<double>({1, 2}), Random(Shape{2}, {1, 3})}, true);
  Check("Betainc", Op("Betainc"), {Random(Shape{2}, {1, 3}), Random(Shape{2}, {1, 3}), Random(Shape{2}, {0.2, 0.8})},
        true);
}

TEST_F(MathGradients, Broadcasting) {
  const std::vector<std::pair<Shape, Shape>> shapes = {{{2, 3}, {}},     {{}, {2, 3}},        {{2, 3}, {3}},
                                                       {{2, 1}, {1, 3}}, {{2, 1, 2}, {3, 1}}, {{1}, {1, 1}}};
  for (const auto& [a, b] : shapes) {
    const std::string where = a.ToString() + b.ToString();
    CheckBoth("Mul" + where, Op("Mul"), {Random(a, {0.5, 2}), Random(b, {0.5, 2})});
    CheckBoth("Sub" + where, Op("Sub"), {Random(a, {0.5, 2}), Random(b, {0.5, 2})});
    CheckBoth("Pow" + where, Op("Pow"), {Random(a, {0.5, 2}), Random(b, {0.5, 2})});
  }
}

TEST_F(MathGradients, Reductions) {
  for (const char* op : {"Sum", "Mean", "Prod", "Max", "Min", "EuclideanNorm"}) {
    for (const std::vector<int64_t>& axes : {std::vector<int64_t>{}, {0}, {-1}, {0, 1, 2}, {0, 2}, {1}}) {
      for (bool keep : {false, true}) {
        auto constant = [&](Graph& graph, const OutputList& xs) {
          return NodeBuilder(graph, op).In(xs[0]).In(Input(axes)).Attr("keep_dims", keep).BuildOutput();
        };
        CheckBoth(op, constant, {Random(Shape{2, 3, 2}, {0.5, 2})});
        auto computed = [&](Graph& graph, const OutputList& xs) {
          auto value = ToOutput(graph, Input(axes), kInt32);
          return NodeBuilder(graph, op).In(xs[0]).In(Identity(*value)).Attr("keep_dims", keep).BuildOutput();
        };
        if (!keep) Check(op, computed, {Random(Shape{2, 3, 2}, {0.5, 2})}, false);
      }
    }
  }
  auto prod = [](Graph&, const OutputList& xs) { return ReduceProd(xs[0], {0, 2}); };
  Tensor zeros = Random(Shape{2, 3, 2}, {0.5, 2});
  for (int i : {0, 1, 6}) zeros.data<double>()[i] = 0;
  CheckBoth("Prod with zeros", prod, {zeros});
}

TEST_F(MathGradients, Others) {
  for (const char* op : {"Cumsum", "Cumprod"}) {
    for (bool exclusive : {false, true}) {
      for (bool reverse : {false, true}) {
        auto scan = [&](Graph& graph, const OutputList& xs) {
          return NodeBuilder(graph, op)
              .In(xs[0])
              .In(Input(1))
              .Attr("exclusive", exclusive)
              .Attr("reverse", reverse)
              .BuildOutput();
        };
        Check(op, scan, {Random(Shape{2, 4}, {0.5, 2})}, true);
      }
    }
  }
  Check(
      "AddN", [](Graph& graph, const OutputList& xs) { return NodeBuilder(graph, "AddN").In(xs).BuildOutput(); },
      {Random(Shape{3}, {-1, 1}), Random(Shape{3}, {-1, 1}), Random(Shape{3}, {-1, 1})}, true);
  auto select = [](const char* op) {
    return [op](Graph& graph, const OutputList& xs) {
      return NodeBuilder(graph, op).In(Tensor::Vector<bool>({true, false})).In(xs[0]).In(xs[1]).BuildOutput();
    };
  };
  Check("Select", select("Select"), {Random(Shape{2, 3}, {-1, 1}), Random(Shape{2, 3}, {-1, 1})}, true);
  CheckBoth("SelectV2", select("SelectV2"), {Random(Shape{3, 1}, {-1, 1}), Random(Shape{}, {-1, 1})});
  Check("ClipByValue", Op("ClipByValue"),
        {Tensor::Vector<double>({0, 1.5, 3, 1.2}), Tensor::Scalar(1.0), Tensor::Scalar(2.0)}, true);
  Check("Cross", Op("Cross"), {Random(Shape{2, 3}, {-1, 1}), Random(Shape{2, 3}, {-1, 1})}, true);
  auto complex = [](Graph&, const OutputList& xs) {
    Output z = Complex(xs[0], xs[1], {.Tout = kComplex128});
    Output w = z * Conj(z) + Exp(z) / Square(z);
    return Real(w, {.Tout = kDouble}) + Imag(w, {.Tout = kDouble}) * Angle(z, {.Tout = kDouble}) +
           ComplexAbs(z, {.Tout = kDouble});
  };
  Check("complex", complex, {Random(Shape{3}, {0.5, 2}), Random(Shape{3}, {0.5, 2})}, true);
  auto cast = [](Graph&, const OutputList& xs) { return Cast(Cast(xs[0], kComplex128), kDouble) * xs[0]; };
  Check("Cast", cast, {Random(Shape{3}, {0.5, 2})}, true);
}

}  // namespace
}  // namespace weir::ops::gradients_test
