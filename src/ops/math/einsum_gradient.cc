#include "ops/math/einsum_gradient.h"

#include <optional>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "ops/math/broadcast_gradient.h"
#include "ops/math/einsum_equation.h"

namespace weir::ops {
namespace {

// The arguments of a derivative: input x, the other input if there is one, and the incoming gradient.
struct GradientTerms {
  Output x;
  Subscripts x_subscripts;
  std::optional<Output> y;  // conjugated
  Subscripts y_subscripts;
  Output dy;
  Subscripts output;
};

// The labels that occur only in x, each once. The forward op summed over them.
std::string SummedLabels(const GradientTerms& t) {
  std::string summed;
  for (const char label : t.x_subscripts.before + t.x_subscripts.after) {
    if (t.output.Has(label) || (t.y && t.y_subscripts.Has(label)) || summed.find(label) != std::string::npos) continue;
    summed += label;
  }
  return summed;
}

Subscripts Without(Subscripts s, const std::string& labels) {
  for (const char label : labels) {
    std::erase(s.before, label);
    std::erase(s.after, label);
  }
  return s;
}

// The axis of a label of x: counted from the front or, after an ellipsis, negative from the back.
int AxisOf(const Subscripts& s, char label) {
  const size_t at = s.before.find(label);
  if (at != std::string::npos) return static_cast<int>(at);
  return static_cast<int>(s.after.find(label)) - static_cast<int>(s.after.size());
}

// Element `axis` of a shape vector, as a vector.
Output SizeAt(Output shape, int axis) {
  return StridedSlice(shape, {axis}, {axis + 1}, {1}, {.end_mask = axis == -1 ? 1 : 0});
}

// The part of a shape vector that the ellipsis stands for.
Output EllipsisPart(Output shape, const Subscripts& s) {
  const int end = -static_cast<int>(s.after.size());
  return StridedSlice(shape, {static_cast<int>(s.before.size())}, {end}, {1}, {.end_mask = end == 0 ? 1 : 0});
}

// The product of dy and y, in the order `target`.
Output Combine(const GradientTerms& t, Output dy, const std::string& dy_labels, const Subscripts& target) {
  if (!t.y) return Einsum({dy}, fmt::format("{}->{}", dy_labels, target.ToString()));
  return Einsum({dy, *t.y}, fmt::format("{},{}->{}", dy_labels, t.y_subscripts.ToString(), target.ToString()));
}

// Sums up `dx` over the dimensions along which the ellipsis of x was broadcast. `target`: the labels of dx.
Output Unbroadcast(const GradientTerms& t, Output dx, const Subscripts& target, Output without_shape) {
  if (!t.output.ellipsis || !t.y || !t.y_subscripts.ellipsis) return dx;
  Output y = *t.y;
  if (!t.x_subscripts.ellipsis) {
    const Output rank = Rank(y) - t.y_subscripts.num_labels();
    return Sum(dx, Range(0, rank, 1));
  }
  const BroadcastGradientArgsResult repeated =
      BroadcastGradientArgs(EllipsisPart(ShapeOf(t.x), t.x_subscripts), EllipsisPart(ShapeOf(y), t.y_subscripts));
  return Reshape(Sum(dx, repeated.r0 + static_cast<int>(target.before.size())), without_shape);
}

// The shape of x without the labels `dropped`, or with size 1 for them.
Output ShapeWithout(const GradientTerms& t, const std::string& dropped, bool keep_ones) {
  const Output shape = ShapeOf(t.x);
  InputList parts;
  auto add = [&](const std::string& labels, int first_axis) {
    for (size_t i = 0; i < labels.size(); ++i) {
      if (dropped.find(labels[i]) == std::string::npos) {
        parts.push_back(SizeAt(shape, first_axis + static_cast<int>(i)));
      } else if (keep_ones) {
        parts.push_back(OnesLike(SizeAt(shape, first_axis + static_cast<int>(i))));
      }
    }
  };
  add(t.x_subscripts.before, 0);
  if (t.x_subscripts.ellipsis) parts.push_back(EllipsisPart(shape, t.x_subscripts));
  add(t.x_subscripts.after, -static_cast<int>(t.x_subscripts.after.size()));
  if (parts.empty()) return ToOutput(t.x.graph(), Tensor::Vector<int32_t>({})).value_or(Output());
  if (parts.size() == 1) return Reshape(parts[0], {-1});
  return ConcatV2(parts, 0);
}

Output GradientOf(const GradientTerms& t) {
  const std::string summed = SummedLabels(t);
  Subscripts target = t.x_subscripts;
  if (t.output.ellipsis && t.y && t.y_subscripts.ellipsis && !target.ellipsis) {
    target.after = target.before;  // y's ellipsis dimensions come first; they are summed up
    target.before = "";
    target.ellipsis = true;
  }
  if (t.x_subscripts.HasRepeated() && !summed.empty()) {
    // Broadcast dy along the summed labels first, so that the product can fill diagonals.
    const Output shape = ShapeOf(t.x);
    InputList sizes;
    for (const char label : summed) sizes.push_back(SizeAt(shape, AxisOf(t.x_subscripts, label)));
    sizes.push_back(ShapeOf(t.dy));
    const Output repeated = BroadcastTo(t.dy, ConcatV2(sizes, 0));
    Subscripts labels = t.output;
    labels.before = summed + labels.before;
    return Unbroadcast(t, Combine(t, repeated, labels.ToString(), target), target, shape);
  }
  const Subscripts without = Without(target, summed);
  Output dx = Combine(t, t.dy, t.output.ToString(), without);
  if (summed.empty()) return Unbroadcast(t, dx, without, ShapeOf(t.x));
  if (t.output.ellipsis) dx = Unbroadcast(t, dx, without, ShapeWithout(t, summed, /*keep_ones=*/false));
  return BroadcastTo(Reshape(dx, ShapeWithout(t, summed, /*keep_ones=*/true)), ShapeOf(t.x));
}

}  // namespace

Result<Gradients> EinsumGradient(GradientContext& g) {
  WEIR_ASSIGN(const std::string text, g.Attr<std::string>("equation"));
  WEIR_ASSIGN(EinsumEquation equation, EinsumEquation::Parse(text, g.num_inputs()));
  // If the output has no ellipsis, the ellipses of the inputs stand for no dimensions.
  if (!equation.output.ellipsis) {
    for (Subscripts& s : equation.inputs) {
      s.before += s.after;
      s.after.clear();
      s.ellipsis = false;
    }
  }
  Gradients gradients;
  for (int i = 0; i < g.num_inputs(); ++i) {
    GradientTerms terms{.x = g.input(i),
                        .x_subscripts = equation.inputs[static_cast<size_t>(i)],
                        .dy = g.d_output(0),
                        .output = equation.output};
    if (g.num_inputs() == 2) {
      terms.y = ConjOf(g.input(1 - i));
      terms.y_subscripts = equation.inputs[static_cast<size_t>(1 - i)];
    }
    gradients.push_back(GradientOf(terms));
  }
  return gradients;
}

}  // namespace weir::ops
