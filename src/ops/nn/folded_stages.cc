#include "ops/nn/folded_stages.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "op/hidden_attrs.h"
#include "op/node_error.h"
#include "ops/math/vector_math.h"
#include "ops/nn/float_loops.h"

namespace weir::ops {
namespace {

constexpr const char* kBiases[] = {"BiasAdd", "Add", "AddV2"};
constexpr const char* kStageActivations[] = {"Relu", "Relu6", "Elu", "Tanh", "Sigmoid", "LeakyRelu"};

bool IsOneOf(absl::Span<const char* const> names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The loops of the activation kernels. Their results do not depend on the position of an element.
UnaryLoop FloatLoopOf(const std::string& activation) {
  if (activation == "Relu6") return &Relu6Loop;
  if (activation == "Elu") return &EluLoop;
  if (activation == "Tanh") return &SpanLoop<float, TanhInto>;
  if (activation == "Sigmoid") return &SpanLoop<float, SigmoidInto>;
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<const FoldedStages::Stage>> FoldedStages::MakeStage(const KernelSetup& setup,
                                                                           const OpRegistry& registry,
                                                                           const std::string& op, std::string name) {
  auto stage = std::make_unique<Stage>();
  stage->info.name = std::move(name);
  stage->info.device = setup.node().device;
  stage->info.op = registry.Find(op);
  if (stage->info.op == nullptr) return Unimplemented("fused op '{}' is not registered", op);
  AttrMap attrs;
  for (const auto& [attr, value] : *setup.node().attrs) {
    if (stage->info.op->FindAttr(attr) != nullptr) attrs.emplace(attr, value);
  }
  if (op == "LeakyRelu") {
    WEIR_ASSIGN(const float alpha, setup.Attr<float>("leakyrelu_alpha"));
    attrs.insert_or_assign("alpha", AttrValue(alpha));
  }
  WEIR_TRY(CheckAndCompleteAttrs(*stage->info.op, &attrs));
  WEIR_ASSIGN(stage->info.input_types, ArgTypes(stage->info.op->inputs, attrs));
  WEIR_ASSIGN(stage->info.output_types, ArgTypes(stage->info.op->outputs, attrs));
  stage->info.attrs = std::make_shared<AttrMap>(std::move(attrs));
  WEIR_ASSIGN(const KernelDef* def, FindKernel(stage->info, "CPU"));
  KernelSetup own(stage->info, setup.env(), setup.resources(), setup.functions());
  WEIR_ASSIGN(stage->kernel, MakeKernel(*def, own));
  return std::unique_ptr<const Stage>(std::move(stage));
}

Result<std::shared_ptr<const FoldedStages>> FoldedStages::Make(const KernelSetup& setup, const OpRegistry& registry,
                                                               const char* first) {
  WEIR_ASSIGN(const std::vector<std::string> fused, setup.Attr<std::vector<std::string>>("fused_ops"));
  const bool known = !fused.empty() && fused.size() <= 2 && IsOneOf(kBiases, fused[0]) &&
                     (fused.size() == 1 || IsOneOf(kStageActivations, fused[1]));
  if (!known)
    return Unimplemented("{} cannot be fused with [{}], only with a bias ({}) and an activation after it ({})", first,
                         absl::StrJoin(fused, ", "), absl::StrJoin(kBiases, ", "),
                         absl::StrJoin(kStageActivations, ", "));
  if (setup.num_inputs() != 3)
    return InvalidArgument("a bias is one argument, but there are {} inputs beyond the first two",
                           setup.num_inputs() - 2);
  auto made = std::make_shared<FoldedStages>();
  std::vector<std::string> names(fused.size() + 1, setup.node().name);
  if (setup.HasAttr(kFoldedNodesAttr)) {
    WEIR_ASSIGN(std::vector<std::string> folded, setup.Attr<std::vector<std::string>>(kFoldedNodesAttr));
    made->named_ = folded.size() == names.size();
    if (made->named_) names = std::move(folded);
  }
  for (size_t i = 0; i < names.size(); ++i) {
    WEIR_ASSIGN(std::unique_ptr<const Stage> stage,
                MakeStage(setup, registry, i == 0 ? first : fused[i - 1], std::move(names[i])));
    made->stages_.push_back(std::move(stage));
  }
  if (fused.size() == 2) {
    made->relu_ = fused[1] == "Relu";
    made->activation_ = FloatLoopOf(fused[1]);
  }
  made->in_one_loop_ = fused.size() == 1 || made->relu_ || made->activation_ != nullptr;
  return std::shared_ptr<const FoldedStages>(std::move(made));
}

void FoldedStages::Finish(const float* bias, float* rows, int64_t count, int64_t stride, int64_t column,
                          int64_t columns) const {
  if (activation_ == nullptr) return AddBiasToRows(rows, count, stride, bias + column, columns, relu_);
  for (int64_t r = 0; r < count; ++r, rows += stride) {
    AddBiasToRows(rows, 1, stride, bias + column, columns, false);
    activation_(rows, rows, columns);
  }
}

Status FoldedStages::OfStage(size_t stage, const Status& status) const {
  if (status.ok() || !named_) return status;
  const NodeInfo& info = stages_[stage]->info;
  return WithNode(status, info.name, info.op->name);
}

Status FoldedStages::RunEach(KernelContext& ctx) const {
  EdgeValue values[2] = {ctx.raw_input(0), ctx.raw_input(1)};
  for (size_t i = 0; i < stages_.size(); ++i) {
    const Stage& stage = *stages_[i];
    if (i == 1) values[1] = ctx.raw_input(2);
    EdgeValue result;
    KernelContext inner(stage.info, ctx.step(), absl::MakeSpan(values, i < 2 ? 2 : 1), absl::MakeSpan(&result, 1));
    WEIR_TRY(OfStage(i, stage.kernel.Run(inner)));
    values[0] = std::move(result);
  }
  ctx.set_output(0, std::move(values[0].tensor));
  return OkStatus();
}

}  // namespace weir::ops
