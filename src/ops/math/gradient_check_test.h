// Compares an op's gradient with finite differences: EXPECT_EQ(CheckGradient("MatMul", {a, b}), ""). Checks inputs of
// type double. Shapes are known to the graph or, in a second pass, unknown.
#ifndef WEIR_OPS_MATH_GRADIENT_CHECK_TEST_H_
#define WEIR_OPS_MATH_GRADIENT_CHECK_TEST_H_

#include <cmath>

#include "graph/build/array_ops.h"
#include "graph/gradients.h"
#include "graph/node_builder.h"
#include "ops/register.h"
#include "runtime/local_session.h"

namespace weir::ops {

inline const OpRegistry& AllOps() {
  static const OpRegistry& registry = *[] {
    auto* r = new OpRegistry;
    RegisterAllOps(*r);
    return r;
  }();
  return registry;
}

struct GradientCheck {
  bool known_shapes_only = false;
  int outputs = -1;  // number of outputs to include; -1: all
  double tolerance = 1e-6;
};

class GradientChecker final {
 public:
  GradientChecker(const std::string& op, std::vector<Tensor> inputs, const AttrMap& attrs, bool known_shapes,
                  int outputs)
      : inputs_(std::move(inputs)), graph_(std::make_shared<Graph>(AllOps())) {
    for (const Tensor& input : inputs_) {
      const PartialShape shape = known_shapes ? PartialShape(input.shape()) : PartialShape();
      placeholders_.push_back(Placeholder(*graph_, input.dtype(), {.shape = shape}));
    }
    NodeBuilder builder(*graph_, op);
    if (AllOps().Find(op)->inputs[0].is_list()) {
      builder.In(placeholders_);
    } else {
      for (const Output& p : placeholders_) builder.In(p);
    }
    for (const auto& [name, value] : attrs) builder.Attr(name, value);
    Node* node = builder.BuildNode();
    if (node == nullptr) return;
    const int count = outputs < 0 ? node->num_outputs() : outputs;
    for (int i = 0; i < count; ++i) ys_.push_back(Output(node, i));
    session_ = std::make_unique<LocalSession>(
        graph_, LocalSession::Dependencies{pool_, blocking_pool_, RealEnv(), nullptr, {}});
  }

  // Returns the largest difference, or the error if there is no gradient.
  Result<double> Worst() {
    WEIR_TRY(graph_->TakeError());
    WEIR_ASSIGN(std::vector<Tensor> values, Run(ys_));
    // The loss is the sum of all outputs with different weights.
    GradientOptions options;
    for (const Tensor& value : values) {
      WEIR_ASSIGN(Tensor weight, Tensor::Allocate(kDouble, value.shape()));
      for (int64_t i = 0; i < weight.num_elements(); ++i)
        weight.data<double>()[i] = std::cos(static_cast<double>(3 * i + 1));
      weights_.push_back(weight);
      options.grad_ys.push_back(Constant(*graph_, weight));
    }
    std::vector<Output> xs;
    std::vector<size_t> checked;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i].dtype() != kDouble) continue;
      xs.push_back(placeholders_[i]);
      checked.push_back(i);
    }
    WEIR_ASSIGN(const std::vector<Grad> grads, AddGradients(*graph_, ys_, xs, options));
    double worst = 0;
    for (size_t k = 0; k < grads.size(); ++k) {
      if (!std::holds_alternative<Output>(grads[k])) continue;
      WEIR_ASSIGN(const std::vector<Tensor> grad, Run({std::get<Output>(grads[k])}));
      WEIR_ASSIGN(const double difference, Compare(checked[k], grad[0]));
      worst = std::max(worst, difference);
    }
    return worst;
  }

 private:
  Result<std::vector<Tensor>> Run(const std::vector<Output>& fetches) {
    RunRequest request{.fetches = fetches};
    for (size_t i = 0; i < inputs_.size(); ++i) request.feeds.push_back({placeholders_[i], inputs_[i]});
    return session_->Run(request);
  }
  Result<double> Total() {
    WEIR_ASSIGN(const std::vector<Tensor> values, Run(ys_));
    double total = 0;
    for (size_t k = 0; k < values.size(); ++k) {
      for (int64_t i = 0; i < values[k].num_elements(); ++i)
        total += values[k].data<double>()[i] * weights_[k].data<double>()[i];
    }
    return total;
  }
  Result<double> Compare(size_t input, const Tensor& grad) {
    if (!(grad.shape() == inputs_[input].shape()))
      return Internal("input {} is {}, its gradient {}", input, inputs_[input].shape(), grad.shape());
    const Tensor original = inputs_[input];
    double worst = 0;
    constexpr double kStep = 1e-5;
    for (int64_t i = 0; i < original.num_elements(); ++i) {
      double sides[2];
      for (int side = 0; side < 2; ++side) {
        WEIR_ASSIGN(inputs_[input], original.Clone());
        inputs_[input].data<double>()[i] += side == 0 ? -kStep : kStep;
        WEIR_ASSIGN(sides[side], Total());
      }
      const double difference = std::abs((sides[1] - sides[0]) / (2 * kStep) - grad.data<double>()[i]);
      worst = std::max(worst, std::isnan(difference) ? INFINITY : difference);
    }
    inputs_[input] = original;
    return worst;
  }

  ThreadPool pool_{"check", 1};
  ElasticPool blocking_pool_{"check_blocking"};
  std::vector<Tensor> inputs_;
  std::shared_ptr<Graph> graph_;
  OutputList placeholders_;
  std::vector<Output> ys_;
  std::vector<Tensor> weights_;
  std::unique_ptr<LocalSession> session_;
};

// Returns "" on success.
inline std::string CheckGradient(const std::string& op, const std::vector<Tensor>& inputs, const AttrMap& attrs = {},
                                 const GradientCheck& check = {}) {
  for (const bool known : {true, false}) {
    if (!known && check.known_shapes_only) continue;
    const Result<double> worst = GradientChecker(op, inputs, attrs, known, check.outputs).Worst();
    if (!worst.ok()) return fmt::format("{}: {}", op, std::string(worst.status().message()));
    if (*worst > check.tolerance) return fmt::format("{}: off by {}", op, *worst);
  }
  return "";
}

// Distinct numbers without special values.
inline Tensor SomeDoubles(const Shape& shape, int salt = 0) {
  Tensor t = Tensor::Allocate(kDouble, shape).value();
  for (int64_t i = 0; i < t.num_elements(); ++i)
    t.data<double>()[i] = std::sin(static_cast<double>(i * i + 5 * i + int64_t{7} * salt + 1)) * 1.5;
  return t;
}

}  // namespace weir::ops

#endif  // WEIR_OPS_MATH_GRADIENT_CHECK_TEST_H_
