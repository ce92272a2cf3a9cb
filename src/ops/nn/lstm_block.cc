// LSTMBlockCell and BlockLSTM: one step, or all steps, of an LSTM in one node, and their gradients. The gates are in
// the order input, candidate (ci), forget, output. BlockLSTM computes the first seq_len_max steps and outputs zeros for
// the others. Gradients ignore the clipping of the cell, as in TensorFlow.
#include <cmath>

#include "device/cpu/gemm.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "op/gradient_context.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/nn/float_values.h"

namespace weir::ops {
namespace {

struct LstmBlock {
  float forget_bias = 1;
  float cell_clip = 0;  // not positive: no clipping
  bool peephole = false;
};

constexpr int64_t kMaxLstmWidth = int64_t{1} << 40;  // so that 4 * units cannot overflow

struct LstmBlockSizes {
  int64_t steps = 1, batch = 0, inputs = 0, units = 0;
  int64_t cells() const { return batch * units; }
};

// The inputs that both forms have, as floats, and what one step computes.
enum LstmBlockInput { kX, kCsPrev, kHPrev, kW, kWci, kWcf, kWco, kB, kLstmBlockInputs };
enum LstmBlockOutput { kI, kCs, kF, kO, kCi, kCo, kH, kLstmBlockOutputs };
constexpr const char* kLstmBlockNames[] = {"x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b"};
constexpr const char* kLstmBlockResults[] = {"i", "cs", "f", "o", "ci", "co", "h"};

float LogisticOf(float x) { return 1 / (1 + std::exp(-x)); }

Status CheckLstmShape(const Tensor& t, const char* name, std::initializer_list<int64_t> dims) {
  WEIR_ASSIGN(const Shape wanted, Shape::Make(dims));
  if (!(t.shape() == wanted)) return InvalidArgument("{} must have the shape {}, not {}", name, wanted, t.shape());
  return OkStatus();
}

// Reads the inputs from `first` on and checks that their shapes fit together. `rank` is that of x. Without peepholes,
// their vectors may have any length, as in TensorFlow; only the kernel of BlockLSTM refuses that.
Result<LstmBlockSizes> ReadLstmBlock(KernelContext& ctx, const LstmBlock& how, int first, int rank,
                                     std::vector<Tensor>* values) {
  const Tensor &x = ctx.input(first + kX), &cs = ctx.input(first + kCsPrev);
  if (x.rank() != rank) return InvalidArgument("x must have {} dimensions, but its shape is {}", rank, x.shape());
  if (cs.rank() != 2) return InvalidArgument("cs_prev must have 2 dimensions, but its shape is {}", cs.shape());
  const LstmBlockSizes s{rank == 3 ? x.dim(0) : 1, x.dim(rank - 2), x.dim(rank - 1), cs.dim(1)};
  if (std::max(s.inputs, s.units) > kMaxLstmWidth)
    return InvalidArgument("an LSTM cannot have {} inputs and {} units", s.inputs, s.units);
  const auto check = [&](LstmBlockInput i, std::initializer_list<int64_t> dims) {
    return CheckLstmShape(ctx.input(first + i), kLstmBlockNames[i], dims);
  };
  WEIR_TRY(check(kCsPrev, {s.batch, s.units}));
  WEIR_TRY(check(kHPrev, {s.batch, s.units}));
  WEIR_TRY(check(kW, {s.inputs + s.units, 4 * s.units}));
  for (const LstmBlockInput i : {kWci, kWcf, kWco}) {
    const Tensor& weights = ctx.input(first + i);
    if (weights.rank() != 1)
      return InvalidArgument("{} must have the shape [{}], not {}", kLstmBlockNames[i], s.units, weights.shape());
    if (how.peephole) WEIR_TRY(check(i, {s.units}));
  }
  WEIR_TRY(check(kB, {4 * s.units}));
  for (int i = 0; i < kLstmBlockInputs; ++i) {
    WEIR_ASSIGN(Tensor floats, AsFloats(ctx.input(first + i)));
    values->push_back(std::move(floats));
  }
  return s;
}

// The number of steps to compute, from input 0 of BlockLSTM.
Result<int64_t> BlockSteps(const Tensor& seq_len_max, int64_t steps) {
  if (seq_len_max.rank() != 0)
    return InvalidArgument("`seq_len_max_tensor` must be rank 0 but is rank {}", seq_len_max.rank());
  const int64_t n = seq_len_max.data<int64_t>()[0];
  if (n < 0 || n > steps) return InvalidArgument("seq_len_max must be in [0, {}], but is {}", steps, n);
  return n;
}

// Where one step reads and writes.
struct LstmBlockStep {
  const float *x, *cs_prev, *h_prev;
  float* out[kLstmBlockOutputs];
};

// out = x W[:inputs] + h W[inputs:]
Status LstmProduct(ThreadPool* pool, const LstmBlockSizes& s, const float* x, const float* h, const float* w,
                   float* out) {
  GemmLayout layout{.m = s.batch, .n = 4 * s.units, .k = s.inputs};
  WEIR_TRY(Gemm(pool, layout, x, w, out));
  layout.k = s.units;
  layout.accumulate = true;
  return Gemm(pool, layout, h, w + s.inputs * 4 * s.units, out);
}

Status ComputeLstmBlock(KernelContext& ctx, const LstmBlock& how, const LstmBlockSizes& s,
                        const std::vector<Tensor>& in, const LstmBlockStep& step, float* gates) {
  WEIR_TRY(LstmProduct(ctx.step().pool, s, step.x, step.h_prev, in[kW].data<float>(), gates));
  const float *b = in[kB].data<float>(), *wci = in[kWci].data<float>(), *wcf = in[kWcf].data<float>(),
              *wco = in[kWco].data<float>();
  const int64_t n = s.units;
  return ctx.ParallelFor(s.batch, 60 * n, [&, n](int64_t row) {
    const float* g = gates + row * 4 * n;
    for (int64_t u = 0; u < n; ++u) {
      const int64_t at = row * n + u;
      const float before = step.cs_prev[at];
      float input = g[u] + b[u], forget = g[2 * n + u] + b[2 * n + u] + how.forget_bias,
            output = g[3 * n + u] + b[3 * n + u];
      if (how.peephole) {
        input += wci[u] * before;
        forget += wcf[u] * before;
      }
      const float i = LogisticOf(input), f = LogisticOf(forget), ci = std::tanh(g[n + u] + b[n + u]);
      float cs = ci * i + before * f;
      if (how.cell_clip > 0) cs = std::min(std::max(cs, -how.cell_clip), how.cell_clip);
      if (how.peephole) output += wco[u] * cs;
      const float o = LogisticOf(output), co = std::tanh(cs);
      const float results[] = {i, cs, f, o, ci, co, co * o};
      for (int k = 0; k < kLstmBlockOutputs; ++k) step.out[k][at] = results[k];
    }
  });
}

Result<LstmBlock> LstmBlockFrom(KernelSetup& setup) {
  LstmBlock how;
  if (setup.HasAttr("forget_bias")) {
    WEIR_ASSIGN(how.forget_bias, setup.Attr<float>("forget_bias"));
    WEIR_ASSIGN(how.cell_clip, setup.Attr<float>("cell_clip"));
  }
  WEIR_ASSIGN(how.peephole, setup.Attr<bool>("use_peephole"));
  return how;
}

// kRank is the rank of x: 2 for LSTMBlockCell, 3 for BlockLSTM, whose first input is seq_len_max.
template <int kRank>
Result<Kernel> MakeLstmBlock(KernelSetup& setup) {
  WEIR_ASSIGN(const LstmBlock how, LstmBlockFrom(setup));
  return Kernel::Sync([how](KernelContext& ctx) -> Status {
    std::vector<Tensor> in;
    WEIR_ASSIGN(const LstmBlockSizes s, ReadLstmBlock(ctx, how, kRank - 2, kRank, &in));
    int64_t steps = 1;
    if (kRank == 3) {
      for (const LstmBlockInput i : {kWci, kWcf, kWco})
        WEIR_TRY(CheckLstmShape(ctx.input(1 + i), kLstmBlockNames[i], {s.units}));
      WEIR_ASSIGN(steps, BlockSteps(ctx.input(0), s.steps));
    }
    std::vector<Tensor> results;
    for (int k = 0; k < kLstmBlockOutputs; ++k) {
      WEIR_ASSIGN(Tensor zeros, kRank == 3 ? ZeroFloats({s.steps, s.batch, s.units}) : ZeroFloats({s.batch, s.units}));
      results.push_back(std::move(zeros));
    }
    WEIR_ASSIGN(const Tensor gates, ZeroFloats({s.batch, 4 * s.units}));
    for (int64_t t = 0; t < steps && s.cells() > 0; ++t) {
      if (ctx.cancel().cancelled()) return ctx.cancel().reason();
      LstmBlockStep step{
          in[kX].data<float>() + t * s.batch * s.inputs, in[kCsPrev].data<float>(), in[kHPrev].data<float>(), {}};
      for (int k = 0; k < kLstmBlockOutputs; ++k) step.out[k] = results[k].data<float>() + t * s.cells();
      if (t > 0) {
        step.cs_prev = step.out[kCs] - s.cells();
        step.h_prev = step.out[kH] - s.cells();
      }
      WEIR_TRY(ComputeLstmBlock(ctx, how, s, in, step, gates.data<float>()));
    }
    for (int k = 0; k < kLstmBlockOutputs; ++k) WEIR_TRY(SetFromFloats(ctx, k, results[k]));
    return OkStatus();
  });
}

// --- gradients ---

// One step back. The gradients of cs and h come in, that of the previous cs and of the gates go out.
struct LstmBlockBack {
  const float* cs_prev;
  const float* out[kLstmBlockOutputs];
  const float *cs_grad, *h_grad;
  float *cs_prev_grad, *gates_grad;
  float *wci_grad, *wcf_grad, *wco_grad;  // sums
};

void LstmBlockBackward(bool peephole, const LstmBlockSizes& s, const std::vector<Tensor>& in,
                       const LstmBlockBack& step) {
  const float *wci = in[kWci].data<float>(), *wcf = in[kWcf].data<float>(), *wco = in[kWco].data<float>();
  const int64_t n = s.units;
  for (int64_t row = 0; row < s.batch; ++row) {
    float* g = step.gates_grad + row * 4 * n;
    for (int64_t u = 0; u < n; ++u) {
      const int64_t at = row * n + u;
      const float i = step.out[kI][at], f = step.out[kF][at], o = step.out[kO][at], ci = step.out[kCi][at],
                  co = step.out[kCo][at], before = step.cs_prev[at];
      const float d_o = o * (1 - o) * step.h_grad[at] * co;
      float d_cs = (1 - co * co) * step.h_grad[at] * o + step.cs_grad[at];
      if (peephole) d_cs += d_o * wco[u];
      const float d_i = i * (1 - i) * d_cs * ci, d_f = f * (1 - f) * d_cs * before;
      g[u] = d_i;
      g[n + u] = (1 - ci * ci) * d_cs * i;
      g[2 * n + u] = d_f;
      g[3 * n + u] = d_o;
      step.cs_prev_grad[at] = d_cs * f + (peephole ? d_i * wci[u] + d_f * wcf[u] : 0);
      if (!peephole) continue;
      step.wci_grad[u] += d_i * before;
      step.wcf_grad[u] += d_f * before;
      step.wco_grad[u] += d_o * step.out[kCs][at];
    }
  }
}

// Reads outputs of the forward op, and gradients of its outputs, which have the same shape.
Status ReadLike(KernelContext& ctx, int first, int count, const Shape& shape, std::vector<Tensor>* values) {
  for (int i = first; i < first + count; ++i) {
    if (!(ctx.input(i).shape() == shape))
      return InvalidArgument("{} must have the shape {}, not {}",
                             i < first + 6 ? kLstmBlockResults[i - first] : "a gradient", shape, ctx.input(i).shape());
    WEIR_ASSIGN(Tensor floats, AsFloats(ctx.input(i)));
    values->push_back(std::move(floats));
  }
  return OkStatus();
}

Result<Kernel> MakeLstmBlockCellGrad(KernelSetup& setup) {
  WEIR_ASSIGN(const LstmBlock how, LstmBlockFrom(setup));
  return Kernel::Sync([how](KernelContext& ctx) -> Status {
    std::vector<Tensor> in, known;
    WEIR_ASSIGN(const LstmBlockSizes s, ReadLstmBlock(ctx, how, 0, 2, &in));
    WEIR_TRY(
        ReadLike(ctx, kLstmBlockInputs, 8, Shape{s.batch, s.units}, &known));  // i, cs, f, o, ci, co, cs_grad, h_grad
    std::vector<Tensor> grads;
    for (const auto& dims : {std::pair{s.batch, s.units}, {s.batch, 4 * s.units}}) {
      WEIR_ASSIGN(Tensor zeros, ZeroFloats({dims.first, dims.second}));
      grads.push_back(std::move(zeros));
    }
    for (const LstmBlockInput i : {kWci, kWcf, kWco}) {
      WEIR_ASSIGN(Tensor zeros, ZeroFloats({in[i].num_elements()}));
      grads.push_back(std::move(zeros));
    }
    LstmBlockBack step{.cs_prev = in[kCsPrev].data<float>(), .out = {}};
    for (int k = 0; k < kH; ++k) step.out[k] = known[k].data<float>();
    step.cs_grad = known[6].data<float>();
    step.h_grad = known[7].data<float>();
    step.cs_prev_grad = grads[0].data<float>();
    step.gates_grad = grads[1].data<float>();
    step.wci_grad = grads[2].data<float>();
    step.wcf_grad = grads[3].data<float>();
    step.wco_grad = grads[4].data<float>();
    LstmBlockBackward(how.peephole, s, in, step);
    for (int i = 0; i < 5; ++i) WEIR_TRY(SetFromFloats(ctx, i, grads[i]));
    return OkStatus();
  });
}

// The gradients that BlockLSTM's steps add to, in the order of the outputs.
enum BlockGrad { kXGrad, kCsPrevGrad, kHPrevGrad, kWGrad, kWciGrad, kWcfGrad, kWcoGrad, kBGrad, kBlockGrads };

// Adds what one step contributes to the gradients of the weights, and passes the rest on to x and the previous h.
Status BackThroughProduct(KernelContext& ctx, const LstmBlockSizes& s, const std::vector<Tensor>& in, const float* x,
                          const float* h_prev, const float* gates, float* x_grad, const std::vector<Tensor>& grads) {
  ThreadPool* const pool = ctx.step().pool;
  const int64_t n = 4 * s.units;
  const float* w = in[kW].data<float>();
  float *w_grad = grads[kWGrad].data<float>(), *b_grad = grads[kBGrad].data<float>();
  GemmLayout back{.m = s.batch, .n = s.inputs, .k = n, .transpose_b = true};
  WEIR_TRY(Gemm(pool, back, gates, w, x_grad));
  back.n = s.units;
  WEIR_TRY(Gemm(pool, back, gates, w + s.inputs * n, grads[kHPrevGrad].data<float>()));
  GemmLayout weights{.m = s.inputs, .n = n, .k = s.batch, .transpose_a = true, .accumulate = true};
  WEIR_TRY(Gemm(pool, weights, x, gates, w_grad));
  weights.m = s.units;
  WEIR_TRY(Gemm(pool, weights, h_prev, gates, w_grad + s.inputs * n));
  for (int64_t row = 0; row < s.batch; ++row)
    for (int64_t g = 0; g < n; ++g) b_grad[g] += gates[row * n + g];
  return OkStatus();
}

Result<std::vector<Tensor>> ZeroBlockGrads(const LstmBlockSizes& s, const std::vector<Tensor>& in) {
  std::vector<Tensor> grads;
  const auto add = [&](std::initializer_list<int64_t> dims) -> Status {
    WEIR_ASSIGN(Tensor zeros, ZeroFloats(dims));
    grads.push_back(std::move(zeros));
    return OkStatus();
  };
  WEIR_TRY(add({s.steps, s.batch, s.inputs}));
  WEIR_TRY(add({s.batch, s.units}));
  WEIR_TRY(add({s.batch, s.units}));
  WEIR_TRY(add({s.inputs + s.units, 4 * s.units}));
  for (const LstmBlockInput i : {kWci, kWcf, kWco}) WEIR_TRY(add({in[i].num_elements()}));
  WEIR_TRY(add({4 * s.units}));
  return grads;
}

Result<Kernel> MakeBlockLstmGrad(KernelSetup& setup) {
  WEIR_ASSIGN(const LstmBlock how, LstmBlockFrom(setup));
  return Kernel::Sync([how](KernelContext& ctx) -> Status {
    std::vector<Tensor> in, known;
    WEIR_ASSIGN(const LstmBlockSizes s, ReadLstmBlock(ctx, how, 1, 3, &in));
    WEIR_ASSIGN(const int64_t steps, BlockSteps(ctx.input(0), s.steps));
    const int first = 1 + kLstmBlockInputs;
    WEIR_TRY(ReadLike(ctx, first, 9, Shape{s.steps, s.batch, s.units}, &known));  // the outputs, cs_grad, h_grad
    WEIR_ASSIGN(const std::vector<Tensor> grads, ZeroBlockGrads(s, in));
    WEIR_ASSIGN(const Tensor cs_grad, ZeroFloats({s.batch, s.units}));
    WEIR_ASSIGN(const Tensor h_grad, ZeroFloats({s.batch, s.units}));
    WEIR_ASSIGN(const Tensor gates, ZeroFloats({s.batch, 4 * s.units}));
    for (int64_t t = steps - 1; t >= 0 && s.cells() > 0; --t) {
      if (ctx.cancel().cancelled()) return ctx.cancel().reason();
      const int64_t at = t * s.cells();
      for (int64_t i = 0; i < s.cells(); ++i) {
        cs_grad.data<float>()[i] = known[7].data<float>()[at + i] + grads[kCsPrevGrad].data<float>()[i];
        h_grad.data<float>()[i] = known[8].data<float>()[at + i] + grads[kHPrevGrad].data<float>()[i];
      }
      const auto before = [&](LstmBlockInput given, LstmBlockOutput computed) {
        return t == 0 ? in[given].data<float>() : known[computed].data<float>() + at - s.cells();
      };
      LstmBlockBack step{.cs_prev = before(kCsPrev, kCs), .out = {}};
      for (int k = 0; k < kLstmBlockOutputs; ++k) step.out[k] = known[k].data<float>() + at;
      step.cs_grad = cs_grad.data<float>();
      step.h_grad = h_grad.data<float>();
      step.cs_prev_grad = grads[kCsPrevGrad].data<float>();
      step.gates_grad = gates.data<float>();
      step.wci_grad = grads[kWciGrad].data<float>();
      step.wcf_grad = grads[kWcfGrad].data<float>();
      step.wco_grad = grads[kWcoGrad].data<float>();
      LstmBlockBackward(how.peephole, s, in, step);
      const int64_t x_at = t * s.batch * s.inputs;
      WEIR_TRY(BackThroughProduct(ctx, s, in, in[kX].data<float>() + x_at, before(kHPrev, kH), gates.data<float>(),
                                  grads[kXGrad].data<float>() + x_at, grads));
    }
    for (int i = 0; i < kBlockGrads; ++i) WEIR_TRY(SetFromFloats(ctx, i, grads[i]));
    return OkStatus();
  });
}

// --- shapes ---

Status LstmBlockCellShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape x, ctx.WithRank(kX, 2));
  WEIR_ASSIGN(const PartialShape cs, ctx.WithRank(kCsPrev, 2));
  for (int k = 0; k < kLstmBlockOutputs; ++k) ctx.set_output(k, PartialShape{x[0], cs[1]});
  return OkStatus();
}

Status LstmBlockCellGradShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape x, ctx.WithRank(kX, 2));
  WEIR_ASSIGN(const PartialShape cs, ctx.WithRank(kCsPrev, 2));
  const int64_t units = cs[1];
  ctx.set_output(0, PartialShape{x[0], units});
  ctx.set_output(1, PartialShape{x[0], units < 0 || units > kMaxLstmWidth ? kUnknownDim : 4 * units});
  WEIR_ASSIGN(const bool peephole, ctx.Attr<bool>("use_peephole"));
  for (int k = 0; k < 3; ++k) {
    const PartialShape& weights = ctx.input(kWci + k);
    const int64_t length = weights.rank() == 1 ? weights[0] : kUnknownDim;
    ctx.set_output(2 + k, PartialShape{peephole ? units : length});
  }
  return OkStatus();
}

Status BlockLstmShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape x, ctx.WithRank(1 + kX, 3));
  WEIR_ASSIGN(const PartialShape b, ctx.WithRank(1 + kB, 1));
  if (b[0] > 0 && b[0] % 4 != 0) return InvalidArgument("Dimension size must be evenly divisible by 4 but is {}", b[0]);
  const int64_t units = b[0] < 0 ? kUnknownDim : b[0] / 4;
  for (int k = 0; k < kLstmBlockOutputs; ++k) ctx.set_output(k, PartialShape{x[0], x[1], units});
  return OkStatus();
}

Status BlockLstmGradShape(ShapeContext& ctx) {
  WEIR_TRY(ctx.WithRank(1 + kX, 3).status());
  for (const LstmBlockInput i : {kCsPrev, kHPrev, kW}) WEIR_TRY(ctx.WithRank(1 + i, 2).status());
  for (const LstmBlockInput i : {kWci, kWcf, kWco, kB}) WEIR_TRY(ctx.WithRank(1 + i, 1).status());
  for (int k = 0; k < kBlockGrads; ++k) ctx.set_output(k, ctx.input(1 + k));
  return OkStatus();
}

// --- gradients of the graph ---

Result<Gradients> LstmBlockCellGradient(GradientContext& g) {
  WEIR_ASSIGN(const bool peephole, g.Attr<bool>("use_peephole"));
  const Output x = g.input(kX), h = g.input(kHPrev), w = g.input(kW);
  const auto back = LSTMBlockCellGrad(x, g.input(kCsPrev), h, w, g.input(kWci), g.input(kWcf), g.input(kWco),
                                      g.input(kB), g.output(kI), g.output(kCs), g.output(kF), g.output(kO),
                                      g.output(kCi), g.output(kCo), g.d_output(kCs), g.d_output(kH), peephole);
  const Output both = MatMul(back.dicfo, w, {.transpose_b = true});
  const Output sizes = Pack(InputList{Gather(ShapeOf(x), 1), Gather(ShapeOf(h), 1)});
  const OutputList parts = SplitV(both, sizes, /*split_dim=*/1, /*num_split=*/2);
  if (parts.size() != 2) return Gradients(kLstmBlockInputs, std::monostate{});
  const Output d_w = MatMul(ConcatV2(InputList{x, h}, 1), back.dicfo, {.transpose_a = true});
  return Gradients{parts[0],      back.cs_prev_grad, parts[1],      d_w,
                   back.wci_grad, back.wcf_grad,     back.wco_grad, BiasAddGrad(back.dicfo)};
}

Result<Gradients> BlockLstmGradient(GradientContext& g) {
  WEIR_ASSIGN(const bool peephole, g.Attr<bool>("use_peephole"));
  const auto in = [&](int i) { return g.input(1 + i); };
  const auto d = BlockLSTMGrad(g.input(0), in(kX), in(kCsPrev), in(kHPrev), in(kW), in(kWci), in(kWcf), in(kWco),
                               in(kB), g.output(kI), g.output(kCs), g.output(kF), g.output(kO), g.output(kCi),
                               g.output(kCo), g.output(kH), g.d_output(kCs), g.d_output(kH), peephole);
  return Gradients{std::monostate{}, d.x_grad,   d.cs_prev_grad, d.h_prev_grad, d.w_grad,
                   d.wci_grad,       d.wcf_grad, d.wco_grad,     d.b_grad};
}

const char* const kLstmBlockType = "T: {half, float}";
const char* const kLstmBlockSignature = "x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T";
const char* const kLstmBlockOutputSignature = "i: T, cs: T, f: T, o: T, ci: T, co: T, h: T";

}  // namespace

void RegisterLstmBlock(OpRegistry& registry) {
  const std::vector<std::string> attrs = {"forget_bias: float = 1", "cell_clip: float = 3",
                                          "use_peephole: bool = false", kLstmBlockType};
  const std::vector<DType> types = {kHalf, kFloat};
  registry.Add({
      .name = "LSTMBlockCell",
      .signature = fmt::format("{} -> {}", kLstmBlockSignature, kLstmBlockOutputSignature),
      .attrs = attrs,
      .shape = LstmBlockCellShape,
      .gradient = LstmBlockCellGradient,
      .kernels = CpuKernelForTypes("T", types, MakeLstmBlock<2>),
  });
  registry.Add({
      .name = "LSTMBlockCellGrad",
      .signature = fmt::format("{}, i: T, cs: T, f: T, o: T, ci: T, co: T, cs_grad: T, h_grad: T -> cs_prev_grad: T, "
                               "dicfo: T, wci_grad: T, wcf_grad: T, wco_grad: T",
                               kLstmBlockSignature),
      .attrs = {"use_peephole: bool", kLstmBlockType},
      .shape = LstmBlockCellGradShape,
      .kernels = CpuKernelForTypes("T", types, MakeLstmBlockCellGrad),
  });
  registry.Add({
      .name = "BlockLSTM",
      .signature = fmt::format("seq_len_max: int64, {} -> {}", kLstmBlockSignature, kLstmBlockOutputSignature),
      .attrs = attrs,
      .shape = BlockLstmShape,
      .gradient = BlockLstmGradient,
      .kernels = CpuKernelForTypes("T", types, MakeLstmBlock<3>),
  });
  registry.Add({
      .name = "BlockLSTMGrad",
      .signature = fmt::format("seq_len_max: int64, {}, {}, cs_grad: T, h_grad: T -> x_grad: T, cs_prev_grad: T, "
                               "h_prev_grad: T, w_grad: T, wci_grad: T, wcf_grad: T, wco_grad: T, b_grad: T",
                               kLstmBlockSignature, kLstmBlockOutputSignature),
      .attrs = {"use_peephole: bool", kLstmBlockType},
      .shape = BlockLstmGradShape,
      .kernels = CpuKernelForTypes("T", types, MakeBlockLstmGrad),
  });
}

}  // namespace weir::ops
