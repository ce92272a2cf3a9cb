// Compares gradients with central differences of a weighted sum of the outputs. All weights are different.
#include <cmath>

#include "graph/gradients.h"
#include "tests/ops/run.h"

namespace weir::optest {
namespace {

constexpr double kStep = 1e-5;

bool Differentiable(DType t) { return t == kDouble || t == kComplex128; }

class GradientCheck final {
 public:
  GradientCheck(Scope& scope, const std::vector<Output>& ys, double tolerance, const Fetch& fetch)
      : scope_(scope), tolerance_(tolerance), fetch_(fetch) {
    for (const Output& y : ys) {
      if (Differentiable(y.base_dtype())) ys_.push_back(y);
    }
  }

  Status Run(std::vector<Output> xs, bool exists) {
    if (ys_.empty()) return InvalidArgument("a gradient needs an output of type double or complex128");
    if (xs.empty()) {
      for (const Feed& feed : scope_.feeds()) {
        if (Differentiable(feed.output.dtype())) xs.push_back(feed.output);
      }
    }
    if (xs.empty()) return InvalidArgument("a gradient needs something fed as double or complex128");
    WEIR_TRY(MakeWeights());
    GradientOptions options;
    for (const Tensor& weight : weights_) options.grad_ys.push_back(Constant(scope_.graph(), weight));
    WEIR_ASSIGN(const std::vector<Grad> grads, AddGradients(scope_.graph(), ys_, xs, options));
    bool any = false;
    for (size_t i = 0; i < xs.size(); ++i) {
      any |= HasGrad(grads[i]);
      if (Status status = CheckOne(xs[i], grads[i]); !status.ok()) {
        return WithContext(status, fmt::format("gradient with respect to fed value {} ('{}')", i, xs[i].node->name()));
      }
    }
    if (any == exists) return OkStatus();
    return InvalidArgument("{} gradient reaches what is fed", any ? "a" : "no");
  }

 private:
  Status MakeWeights() {
    WEIR_ASSIGN(const std::vector<Tensor> values, fetch_(ys_));
    for (const Tensor& value : values) {
      WEIR_ASSIGN(Tensor weight, Tensor::Allocate(value.dtype(), value.shape()));
      for (int64_t i = 0; i < weight.num_elements(); ++i) {
        const double x = std::cos(static_cast<double>(3 * i + 1));
        if (value.dtype() == kDouble) {
          weight.data<double>()[i] = x;
        } else {
          weight.data<std::complex<double>>()[i] = {x, std::sin(static_cast<double>(2 * i + 1))};
        }
      }
      weights_.push_back(std::move(weight));
    }
    return OkStatus();
  }

  // The real part of sum(conj(weight) * y). The parts of the gradient of a complex x are then the slopes along its real
  // and imaginary parts.
  Result<double> Total() {
    WEIR_ASSIGN(const std::vector<Tensor> values, fetch_(ys_));
    double total = 0;
    for (size_t k = 0; k < values.size(); ++k) {
      for (int64_t i = 0; i < values[k].num_elements(); ++i) {
        total += (std::conj(Element(weights_[k], i)) * Element(values[k], i)).real();
      }
    }
    return total;
  }

  // Converts the gradient to one dense tensor, adding up sparse rows; zeros if there is none.
  Result<Tensor> Dense(const Grad& grad, const Tensor& x) {
    if (const auto* dense = std::get_if<Output>(&grad)) {
      WEIR_ASSIGN(const std::vector<Tensor> value, fetch_({*dense}));
      if (!(value[0].shape() == x.shape())) return Internal("the gradient of {} is {}", x.shape(), value[0].shape());
      return value[0];
    }
    WEIR_ASSIGN(Tensor sum, Tensor::Zeros(x.dtype(), x.shape()));
    const auto* rows = std::get_if<IndexedSlices>(&grad);
    if (rows == nullptr) return sum;
    WEIR_ASSIGN(const std::vector<Tensor> value, fetch_({rows->values, rows->indices}));
    const int64_t row = x.dim(0) == 0 ? 0 : x.num_elements() / x.dim(0);
    if (x.dtype() != kDouble || value[0].num_elements() != row * value[1].num_elements()) {
      return Internal("rows {} at {} do not fit {}", value[0].shape(), value[1].shape(), x.shape());
    }
    for (int64_t i = 0; i < value[1].num_elements(); ++i) {
      for (int64_t j = 0; j < row; ++j)
        sum.data<double>()[value[1].Int(i) * row + j] += value[0].data<double>()[i * row + j];
    }
    return sum;
  }

  Status CheckOne(Output x, const Grad& grad) {
    Feed* feed = nullptr;
    for (Feed& one : scope_.feeds()) feed = one.output == x ? &one : feed;
    if (feed == nullptr || !Differentiable(x.dtype())) return InvalidArgument("it is not fed as double or complex128");
    const Tensor original = feed->value;
    WEIR_ASSIGN(const Tensor expected, Dense(grad, original));
    const int parts = original.dtype() == kComplex128 ? 2 : 1;
    for (int64_t i = 0; i < original.num_elements() * parts; ++i) {
      double sides[2];
      for (int side = 0; side < 2; ++side) {
        WEIR_ASSIGN(feed->value, original.Clone());
        static_cast<double*>(feed->value.raw())[i] += side == 0 ? -kStep : kStep;
        Result<double> total = Total();
        feed->value = original;
        WEIR_ASSIGN(sides[side], std::move(total));
      }
      const double slope = (sides[1] - sides[0]) / (2 * kStep);
      const double given = static_cast<const double*>(expected.raw())[i];
      if (!(std::abs(slope - given) <= tolerance_ * (1 + std::abs(given)))) {
        return Internal("element {} is {}, by differences {}; all: {}", i, given, slope, expected.ToString(40));
      }
    }
    return OkStatus();
  }

  Scope& scope_;
  const double tolerance_;
  const Fetch& fetch_;
  std::vector<Output> ys_;
  std::vector<Tensor> weights_;
};

}  // namespace

Status CheckGradient(Scope& scope, const std::vector<Output>& ys, std::vector<Output> xs, bool exists, double tolerance,
                     const Fetch& fetch) {
  return GradientCheck(scope, ys, tolerance, fetch).Run(std::move(xs), exists);
}

}  // namespace weir::optest
