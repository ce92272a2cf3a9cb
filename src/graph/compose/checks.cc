#include "graph/compose/checks.h"

#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/dims.h"
#include "graph/compose/flow.h"
#include "graph/compose/names.h"
#include "graph/node_builder.h"

namespace weir {
namespace {

struct RelationRow {
  const char* op;
  const char* symbol;
  const char* name;
};
constexpr RelationRow kRelations[] = {
    {"Equal", "==", "assert_equal"},    {"NotEqual", "!=", "assert_none_equal"},
    {"Less", "<", "assert_less"},       {"LessEqual", "<=", "assert_less_equal"},
    {"Greater", ">", "assert_greater"}, {"GreaterEqual", ">=", "assert_greater_equal"},
};

constexpr absl::string_view kFailedAssertionUrl = "weir/failed_assertion";

// A node that fails unless the scalar `condition` holds.
Result<Node*> AssertNode(Graph& graph, Output condition, const std::string& what, InputList data,
                         const CheckOptions& options, const std::string& name) {
  WEIR_TRY(graph.TakeError());
  const Tensor known = graph.ConstantValue(condition);
  const std::string text = options.message.empty() ? what : options.message + "\n" + what;
  if (known.dtype() == kBool && known.num_elements() == 1) {
    if (!known.data<bool>()[0]) {
      Status failed = InvalidArgument("{}", text);
      failed.SetPayload(kFailedAssertionUrl, absl::Cord());
      return failed;
    }
    return NodeBuilder(graph, "NoOp", name).Build();
  }
  if (!options.data.empty())
    data = options.data;
  else
    data.insert(data.begin(), Tensor::Scalar(text));
  Node* node = Assert(graph, condition, data, {.summarize = options.summarize, .name = name});
  WEIR_TRY(graph.TakeError());
  return node;
}

Output AllOf(Output x) { return x.valid() ? All(x, AxesInput(x, Axes())) : x; }

}  // namespace

bool IsFailedAssertion(const Status& status) { return status.GetPayload(kFailedAssertionUrl).has_value(); }

Status NotAnAssertion(Status status) {
  status.ErasePayload(kFailedAssertionUrl);
  return status;
}

Result<Node*> AssertRelation(Graph& graph, Relation relation, const Input& x_in, const Input& y_in,
                             const CheckOptions& options) {
  const RelationRow& row = kRelations[static_cast<int>(relation)];
  NameScope scope(graph, NameOrDefault(options.name, row.name));
  auto [x, y] = ValuesOfOneType(graph, x_in, y_in);
  WEIR_TRY(graph.TakeError());
  Output holds = AllOf(NodeBuilder(graph, row.op).In(x).In(y).BuildOutput());
  return AssertNode(graph, holds, fmt::format("Condition x {} y did not hold element-wise:", row.symbol),
                    {Tensor::Scalar("x (" + x.name() + ") = "), x, Tensor::Scalar("y (" + y.name() + ") = "), y},
                    options, "Assert");
}

Result<Node*> AssertNear(Graph& graph, const Input& x_in, const Input& y_in, const Input& rtol_in, const Input& atol_in,
                         const CheckOptions& options) {
  NameScope scope(graph, NameOrDefault(options.name, "assert_near"));
  auto [x, y] = ValuesOfOneType(graph, x_in, y_in);
  WEIR_TRY(graph.TakeError());
  // Ten times the machine epsilon.
  const DType dtype = x.base_dtype();
  const double epsilon = dtype == kDouble ? 2.220446049250313e-15 : dtype == kFloat ? 1.1920929e-6 : 9.765625e-3;
  const auto tolerance = [&](const Input& given, const char* name) {
    return given.absent() ? Cast(graph, Tensor::Scalar(epsilon), dtype) : ValueOf(graph, given, dtype, name);
  };
  Output rtol = tolerance(rtol_in, "rtol");
  Output atol = tolerance(atol_in, "atol");
  WEIR_TRY(graph.TakeError());
  Output holds = AllOf(LessEqual(Abs(x - y), atol + rtol * Abs(y)));
  return AssertNode(graph, holds, "x and y not equal to tolerance:",
                    {Tensor::Scalar("x (" + x.name() + ") = "), x, Tensor::Scalar("y (" + y.name() + ") = "), y},
                    options, "Assert");
}

Result<Node*> AssertSign(Graph& graph, Relation relation, const Input& x_in, const CheckOptions& options) {
  static constexpr const char* kNames[] = {
      "", "", "assert_negative", "assert_non_positive", "assert_positive", "assert_non_negative"};
  const RelationRow& row = kRelations[static_cast<int>(relation)];
  NameScope scope(graph, NameOrDefault(options.name, kNames[static_cast<int>(relation)]));
  Output x = ValueOf(graph, x_in, kInvalidType, "x");
  WEIR_TRY(graph.TakeError());
  Output holds = AllOf(NodeBuilder(graph, row.op).In(x).In(ZerosLike(x)).BuildOutput());
  return AssertNode(graph, holds, fmt::format("Condition x {} 0 did not hold element-wise:", row.symbol),
                    {Tensor::Scalar("x (" + x.name() + ") = "), x}, options, "Assert");
}

Result<Node*> AssertRank(Graph& graph, Relation relation, const Input& x_in, const InputList& ranks,
                         const CheckOptions& options) {
  NameScope scope(graph,
                  NameOrDefault(options.name, relation == Relation::kEqual ? "assert_rank" : "assert_rank_at_least"));
  Output x = ValueOf(graph, x_in, kInvalidType, "x");
  WEIR_TRY(graph.TakeError());
  Output rank = x.shape().known_rank() ? Constant(graph, Tensor::Scalar(int32_t{x.shape().rank()})) : Output(Rank(x));
  Output holds;
  InputList data = {Tensor::Scalar(fmt::format("Tensor {} has rank ", x.name())), rank, Tensor::Scalar(", wanted ")};
  for (const Input& wanted_in : ranks) {
    Output wanted = ValueOf(graph, wanted_in, kInt32, "rank");
    WEIR_TRY(graph.TakeError());
    Output fits = relation == Relation::kEqual ? Output(Equal(rank, wanted)) : Output(GreaterEqual(rank, wanted));
    holds = holds.valid() ? Output(LogicalOr(holds, fits)) : fits;
    data.push_back(wanted);
  }
  WEIR_TRY(graph.TakeError());
  if (!holds.valid()) return InvalidArgument("no rank was given");
  Result<Node*> node = AssertNode(
      graph, AllOf(holds), fmt::format("Tensor {} does not have the rank wanted. Its shape: {}", x.name(), x.shape()),
      data, options, "Assert");
  return node.ok() ? node : NotAnAssertion(node.status());
}

Result<Output> BroadcastableWeights(Graph& graph, Output weights, Output values) {
  const PartialShape shape = weights.shape(), wanted = values.shape();
  WEIR_TRY(CheckWeightShape(shape, wanted));
  bool known = shape.known_rank() && (shape.rank() == 0 || wanted.known_rank());
  for (int d = 0; known && d < shape.rank(); ++d) known = shape[d] == 1 || (shape[d] >= 0 && wanted[d] >= 0);
  if (known) return weights;
  NameScope scope(graph, "assert_broadcastable");
  const Output given = ShapeValue(graph, weights), target = ShapeValue(graph, values);
  const Output rank = RankValue(graph, weights), target_rank = RankValue(graph, values);
  // As many sizes as the values have dimensions, so that they can be compared whatever the rank is.
  const Output sizes =
      Slice(graph, ConcatV2(graph, {given, target}, 0), Tensor::Vector<int32_t>({0}), Reshape(target_rank, {1}));
  const Output fit = ReduceAll(LogicalOr(Equal(sizes, 1), Equal(sizes, target)));
  const Output is_scalar = Equal(rank, 0);
  const Output holds = LogicalOr(is_scalar, LogicalAnd(Equal(rank, target_rank), fit));
  Node* const check = Assert(graph, holds,
                             {"weights can not be broadcast to values.", "weights.shape=", weights.name(), given,
                              "values.shape=", values.name(), target, "is_scalar=", is_scalar});
  WEIR_TRY(graph.TakeError());
  return WithDependencies({check}, weights);
}

Output IsIncreasing(Graph& graph, const Input& x_in, bool strictly, std::string name) {
  NameScope scope(graph, NameOrDefault(name, strictly ? "is_strictly_increasing" : "is_non_decreasing"));
  Output x = ValueOf(graph, x_in, kInvalidType, "x");
  if (!x.valid()) return x;
  Output flat = Reshape(x, {-1});
  Output before = StridedSlice(flat, {0}, {-1}, {1}, {.begin_mask = 1});
  Output after = StridedSlice(flat, {1}, {0}, {1}, {.end_mask = 1});
  return All(strictly ? Output(Less(before, after)) : Output(LessEqual(before, after)), {0});
}

Output VerifyFinite(Graph& graph, const Input& t, const std::string& message, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "VerifyFinite"));
  Output x = ValueOf(graph, t, kInvalidType, "t");
  Output checked = CheckNumerics(graph, x, message);
  if (!checked.valid()) return checked;
  ControlDependencies after(graph, {checked.node});
  return Identity(x);
}

Result<Node*> CheckAllNumerics(Graph& graph) {
  std::vector<Node*> checks;
  for (Node* node : graph.Nodes()) {
    if (node->flow_context() != nullptr)
      return InvalidArgument(
          "add_check_numerics_ops is not compatible with tf.cond and tf.while_loop: '{}' is inside of one",
          node->name());
    ControlDependencies after(graph, checks.empty() ? std::vector<Node*>() : std::vector<Node*>{checks.back()});
    for (int i = 0; i < node->num_outputs(); ++i) {
      const DType type = node->output_type(i);
      if (IsRef(type) || (type != kHalf && type != kBFloat16 && type != kFloat && type != kDouble)) continue;
      const Output checked = CheckNumerics(graph, Output(node, i), fmt::format("{}:{}", node->name(), i));
      WEIR_TRY(graph.TakeError());
      checks.push_back(checked.node);
    }
  }
  NodeBuilder group(graph, "NoOp", "group_deps");
  for (Node* check : checks) group.ControlInput(check);
  return group.Build();
}

}  // namespace weir
