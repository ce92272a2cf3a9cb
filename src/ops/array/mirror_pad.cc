// MirrorPad: pads with the mirrored tensor, with (SYMMETRIC) or without (REFLECT) the edge itself. MirrorPadGrad folds
// the padding back and sums it up.
#include "graph/build/array_ops.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/padding.h"
#include "ops/array/strided_copy.h"
#include "ops/array/summable.h"

namespace weir::ops {
namespace {

// Per dimension: maps every padded position to a position inside.
using MirrorMap = std::vector<std::vector<int64_t>>;

Status CheckMirrored(const Shape& inside, const std::vector<Padding>& paddings, bool reflect) {
  for (int i = 0; i < inside.rank(); ++i) {
    const int64_t size = inside[i];
    const Padding& p = paddings[static_cast<size_t>(i)];
    const int64_t most = size - (reflect ? 1 : 0);
    if ((p.before > most || p.after > most) && (p.before > 0 || p.after > 0))
      return InvalidArgument("paddings must be {} the dimension size: {}, {} {} {}",
                             reflect ? "less than" : "no greater than", p.before, p.after,
                             reflect ? "not less than" : "greater than", size);
  }
  return OkStatus();
}

// REQUIRES: a tensor of shape `inside` is in memory, so its dimensions are small enough for a vector each.
MirrorMap MakeFold(const Shape& inside, const std::vector<Padding>& paddings, bool reflect) {
  MirrorMap fold;
  for (int i = 0; i < inside.rank(); ++i) {
    const int64_t size = inside[i];
    const Padding& p = paddings[static_cast<size_t>(i)];
    std::vector<int64_t> map;
    const int64_t skip = reflect ? 1 : 0;
    for (int64_t k = 0; k < p.before; ++k) map.push_back(p.before - k - 1 + skip);
    for (int64_t k = 0; k < size; ++k) map.push_back(k);
    for (int64_t k = 0; k < p.after; ++k) map.push_back(size - 1 - k - skip);
    fold.push_back(std::move(map));
  }
  return fold;
}

// Calls visit(line, base) for the lines [begin, end) along the last dimension. `base` is the offset of the first
// element of the corresponding line inside.
template <class Visit>
void ForEachLine(const MirrorMap& fold, const DimVector& inside_strides, int64_t begin, int64_t end, Visit&& visit) {
  for (int64_t line = begin; line < end; ++line) {
    int64_t rest = line, base = 0;
    for (size_t i = fold.size() - 1; i-- > 0;) {
      const auto size = static_cast<int64_t>(fold[i].size());
      base += fold[i][static_cast<size_t>(rest % size)] * inside_strides[i];
      rest /= size;
    }
    visit(line, base);
  }
}

Status RunMirrorPad(KernelContext& ctx, bool reflect) {
  const Tensor& t = ctx.input(0);
  WEIR_ASSIGN(std::vector<Padding> paddings, ReadPaddings(ctx.input(1), t.rank()));
  if (t.rank() == 0) {
    ctx.set_output(0, t);
    return OkStatus();
  }
  WEIR_TRY(CheckMirrored(t.shape(), paddings, reflect));
  DimVector dims;
  for (int i = 0; i < t.rank(); ++i) {
    WEIR_ASSIGN(int64_t size, PaddedSize(t.dim(i), paddings[static_cast<size_t>(i)]));
    dims.push_back(size);
  }
  WEIR_ASSIGN(Shape shape, Shape::Make(dims));
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
  if (out.num_elements() == 0) return OkStatus();
  const MirrorMap fold = MakeFold(t.shape(), paddings, reflect);
  const Elements elements(t.dtype());
  const DimVector strides = RowMajorStrides(t.shape());
  const std::vector<int64_t>& last = fold.back();
  const auto width = static_cast<int64_t>(last.size());
  const Padding& p = paddings.back();
  const int64_t inside = t.dim(t.rank() - 1);
  return ctx.ParallelFor(out.num_elements() / width, elements.Cost(width), [&](int64_t begin, int64_t end) {
    ForEachLine(fold, strides, begin, end, [&](int64_t line, int64_t base) {
      const int64_t to = line * width;
      auto copy_one = [&](int64_t k) {
        elements.Copy(elements.At(out, to + k), elements.At(t, base + last[static_cast<size_t>(k)]), 1);
      };
      for (int64_t k = 0; k < p.before; ++k) copy_one(k);
      elements.Copy(elements.At(out, to + p.before), elements.At(t, base), inside);
      for (int64_t k = p.before + inside; k < width; ++k) copy_one(k);
    });
  });
}

Status RunMirrorPadGrad(KernelContext& ctx, bool reflect) {
  const Tensor& dy = ctx.input(0);
  WEIR_ASSIGN(std::vector<Padding> paddings, ReadPaddings(ctx.input(1), dy.rank()));
  if (dy.rank() == 0) {
    ctx.set_output(0, dy);
    return OkStatus();
  }
  DimVector dims;
  for (int i = 0; i < dy.rank(); ++i) {
    const Padding& p = paddings[static_cast<size_t>(i)];
    if (p.before > dy.dim(i) || p.after > dy.dim(i) - p.before)
      return InvalidArgument("paddings ({}, {}) exceed the size {} of dimension {}", p.before, p.after, dy.dim(i), i);
    dims.push_back(dy.dim(i) - p.before - p.after);
  }
  WEIR_ASSIGN(Shape shape, Shape::Make(dims));
  WEIR_TRY(CheckMirrored(shape, paddings, reflect));
  WEIR_ASSIGN(Tensor dx, ctx.Allocate(0, shape));
  dx.ZeroFill();
  if (dx.num_elements() == 0) return OkStatus();
  const MirrorMap fold = MakeFold(shape, paddings, reflect);
  const DimVector strides = RowMajorStrides(shape);
  const std::vector<int64_t>& last = fold.back();
  const bool known = ForSummableType(dy.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = static_cast<const T*>(dy.raw());
    T* to = static_cast<T*>(dx.raw());
    ForEachLine(fold, strides, 0, dy.num_elements() / static_cast<int64_t>(last.size()), [&](int64_t, int64_t base) {
      for (int64_t at : last) {
        to[base + at] = static_cast<T>(to[base + at] + *from);
        ++from;
      }
    });
  });
  if (!known) return InvalidArgument("addition is not supported for elements of type {}", dy.dtype());
  return OkStatus();
}

template <Status (*Run)(KernelContext&, bool)>
Result<Kernel> MakeWithMode(KernelSetup& setup) {
  WEIR_ASSIGN(std::string mode, setup.Attr<std::string>("mode"));
  const bool reflect = mode == "REFLECT";
  return Kernel::Sync([reflect](KernelContext& ctx) { return Run(ctx, reflect); });
}

}  // namespace

void RegisterMirrorPad(OpRegistry& registry) {
  const std::vector<std::string> attrs = {"T: type", "Tpaddings: {int32, int64} = DT_INT32",
                                          "mode: {'REFLECT', 'SYMMETRIC'}"};
  registry.Add({
      .name = "MirrorPad",
      .signature = "input: T, paddings: Tpaddings -> output: T",
      .attrs = attrs,
      .shape = PaddedShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        WEIR_ASSIGN(std::string mode, g.Attr<std::string>("mode"));
        return Gradients{MirrorPadGrad(g.d_output(0), g.input(1), mode), std::monostate{}};
      },
      .kernels = CpuKernel(MakeWithMode<RunMirrorPad>),
  });
  registry.Add({
      .name = "MirrorPadGrad",
      .signature = "input: T, paddings: Tpaddings -> output: T",
      .attrs = attrs,
      .shape = UnpaddedShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        WEIR_ASSIGN(std::string mode, g.Attr<std::string>("mode"));
        return Gradients{MirrorPad(g.d_output(0), g.input(1), mode), std::monostate{}};
      },
      .kernels = CpuKernel(MakeWithMode<RunMirrorPadGrad>),
  });
}

}  // namespace weir::ops
