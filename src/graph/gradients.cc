#include "graph/gradients.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/build/math_ops.h"
#include "graph/flow_context.h"
#include "graph/flow_gradients.h"
#include "graph/function_library.h"
#include "graph/node_builder.h"
#include "op/gradient_context.h"

namespace weir {
namespace {

// Whether `from` brings a loop variable to its Merge.
bool EntersLoop(const Node& from, const Node& to) {
  return to.op().traits.kind == NodeKind::kMerge && from.op().traits.kind == NodeKind::kEnter &&
         !IsRef(from.output_type(0));
}

class Differentiator {
 public:
  Differentiator(Graph& graph, const std::vector<Output>& ys, const std::vector<Output>& xs,
                 const GradientOptions& options)
      : graph_(graph), ys_(ys), xs_(xs), options_(options) {}

  Result<std::vector<Grad>> Run() {
    for (const Output& x : xs_) from_.insert(x.node);
    for (const Output& s : options_.stop_gradients) stops_.insert(s.node);
    FindBetween();
    WEIR_ASSIGN(flow_, FlowGradients::Make(graph_, &between_, &between_set_));
    for (Node* node : between_)
      for (const Output& input : node->inputs())
        if (between_set_.contains(input.node)) ++pending_[input.node];
    WEIR_TRY(SeedOutputs());
    if (flow_ != nullptr) {
      for (Node* exit : flow_->UnusedExits(pending_, to_)) {
        WEIR_ASSIGN(Output zeros, flow_->ZerosForExit(exit));
        AddGrad(Output(exit, 0), zeros);
        queue_.push_back(exit);
      }
    }
    while (!queue_.empty()) {
      Node* node = queue_.front();
      queue_.pop_front();
      if (!done_.insert(node).second && !IsLoopSwitch(*node)) continue;
      WEIR_TRY(Process(node));
    }
    if (flow_ != nullptr) WEIR_TRY(flow_->Finish());
    std::vector<Grad> result;
    for (const Output& x : xs_) {
      WEIR_ASSIGN(Grad g, Aggregate(x.node, x.index));
      result.push_back(std::move(g));
    }
    WEIR_TRY(graph_.TakeError());
    return result;
  }

 private:
  // Finds the nodes on a path from an x to a y.
  void FindBetween() {
    std::unordered_set<Node*> reached;
    std::vector<Node*> work(from_.begin(), from_.end());
    while (!work.empty()) {
      Node* node = work.back();
      work.pop_back();
      if (!reached.insert(node).second) continue;
      bool any = false;
      for (int i = 0; i < node->num_outputs(); ++i) any |= IsTrainable(node->output_type(i));
      if (!any) continue;
      const Graph::NodesLock lock = graph_.LockNodes();
      for (Node* consumer : node->consumers())
        for (const Output& input : consumer->inputs())
          if (input.node == node && IsTrainable(input.dtype())) work.push_back(consumer);
    }
    std::deque<Node*> back;
    for (const Output& y : ys_) {
      to_.insert(y.node);
      back.push_back(y.node);
    }
    while (!back.empty()) {
      Node* node = back.front();
      back.pop_front();
      if (!reached.contains(node) || !between_set_.insert(node).second) continue;
      between_.push_back(node);
      for (const Output& input : node->inputs()) back.push_back(input.node);
    }
    std::reverse(between_.begin(), between_.end());
  }

  Status SeedOutputs() {
    for (size_t i = 0; i < ys_.size(); ++i) {
      const Output y = ys_[i];
      Grad g;
      if (i < options_.grad_ys.size() && HasGrad(options_.grad_ys[i])) {
        g = options_.grad_ys[i];
        const Output* dense = std::get_if<Output>(&g);
        const DType type = dense != nullptr ? dense->base_dtype() : std::get<IndexedSlices>(g).values.base_dtype();
        if (type != y.base_dtype())
          return MarkTypeError(
              InvalidArgument("grad_ys[{}] has type {}, but '{}' has type {}", i, type, y.name(), y.base_dtype()));
        if (dense != nullptr && !dense->shape().CompatibleWith(y.shape()))
          return InvalidArgument("grad_ys[{}] has shape {}, but '{}' has shape {}", i, dense->shape(), y.name(),
                                 y.shape());
      } else {
        if (IsComplex(y.base_dtype()))
          return MarkTypeError(InvalidArgument("gradients of complex tensors ('{}') must set grad_ys", y.name()));
        if (IsInteger(y.base_dtype()) || y.base_dtype() == kBool) continue;  // step functions: the gradient is zero
        if (!IsFloating(y.base_dtype()) && y.base_dtype() != kResource)
          return MarkTypeError(InvalidArgument("'{}' of type {} cannot be differentiated: only real types can",
                                               y.name(), y.base_dtype()));
        Tensor one;
        switch (y.base_dtype()) {
          case kDouble:
            one = Tensor::Scalar(1.0);
            break;
          case kHalf:
            one = Tensor::Scalar(half(1.0f));
            break;
          case kBFloat16:
            one = Tensor::Scalar(bfloat16(1.0f));
            break;
          default:
            one = Tensor::Scalar(1.0f);
        }
        g = Fill(ShapeOf(y), one, {.name = fmt::format("grad_ys_{}", i)});
      }
      AddGrad(y, std::move(g));
      if (between_set_.contains(y.node) && pending_[y.node] == 0 && queued_.insert(y.node).second)
        queue_.push_back(y.node);
    }
    return OkStatus();
  }

  void AddGrad(Output of, Grad g) {
    auto& slots = grads_[of.node];
    slots.resize(of.node->num_outputs());
    slots[of.index].push_back(std::move(g));
  }

  bool HasAnyGrad(Node* node) const {
    auto it = grads_.find(node);
    if (it == grads_.end()) return false;
    for (const auto& list : it->second)
      for (const Grad& g : list)
        if (HasGrad(g)) return true;
    return false;
  }

  Result<Grad> Aggregate(Node* node, int index) {
    auto it = grads_.find(node);
    if (it == grads_.end()) return Grad();
    std::vector<Grad>& list = it->second[index];
    std::erase_if(list, [](const Grad& g) { return !HasGrad(g); });
    if (list.empty()) return Grad();
    if (list.size() > 1) list = {Sum(list)};
    return list[0];
  }

  Grad Sum(const std::vector<Grad>& list) {
    const bool all_dense =
        std::all_of(list.begin(), list.end(), [](const Grad& g) { return std::holds_alternative<Output>(g); });
    if (all_dense) {
      InputList terms;
      for (const Grad& g : list) terms.push_back(std::get<Output>(g));
      if (options_.aggregation == AggregationMethod::kTree) {
        while (terms.size() > 1) {
          InputList next;
          for (size_t i = 0; i + 1 < terms.size(); i += 2) next.push_back(AddN(graph_, {terms[i], terms[i + 1]}));
          if (terms.size() % 2 == 1) next.push_back(terms.back());
          terms = std::move(next);
        }
        return terms[0].output();
      }
      return AddN(graph_, terms);
    }
    InputList values;
    InputList indices;
    Output dense_shape;
    bool wide = false;
    std::vector<IndexedSlices> slices;
    for (const Grad& g : list) {
      slices.push_back(GradAsRows(g));
      wide |= slices.back().indices.base_dtype() == kInt64;
      if (!dense_shape.valid()) dense_shape = slices.back().dense_shape;
    }
    for (const IndexedSlices& s : slices) {
      values.push_back(s.values);
      indices.push_back(wide && s.indices.base_dtype() != kInt64 ? Cast(s.indices, kInt64) : s.indices);
    }
    return IndexedSlices{ConcatV2(graph_, values, 0), ConcatV2(graph_, indices, 0), dense_shape};
  }

  Output Dense(const Grad& g, Output like) {
    if (const Output* dense = std::get_if<Output>(&g)) return *dense;
    if (const IndexedSlices* slices = std::get_if<IndexedSlices>(&g)) return RowsAsDense(*slices, like);
    if (!graph_.build().error.ok()) return Output();  // the error is recorded; build no zeros for the remaining outputs
    Result<Output> zeros = ZerosForOutput(like.node, like.index);
    if (zeros.ok()) return *zeros;
    graph_.RecordError(zeros.status());
    return Output();
  }

  Status Process(Node* node) {
    const int count = node->num_outputs();
    std::vector<Grad> d_outputs(count);
    bool any = false;
    {
      std::optional<FlowScope> scope;
      if (flow_ != nullptr) scope.emplace(graph_, flow_->ContextFor(node, /*before=*/true));
      for (int i = 0; i < count; ++i) {
        WEIR_ASSIGN(d_outputs[i], Aggregate(node, i));
        any |= HasGrad(d_outputs[i]);
      }
    }
    std::vector<Grad> d_inputs(node->num_inputs());
    const bool stop = stops_.contains(node) || (from_.contains(node) && !FeedsFromBetween(node));
    if (any && !stop) {
      std::optional<FlowScope> scope;
      if (flow_ != nullptr) scope.emplace(graph_, flow_->ContextFor(node, /*before=*/false));
      NameScope name(graph_, node->name() + "_grad");
      std::optional<ColocationScope> colocation;
      if (options_.colocate_with_ops) colocation.emplace(graph_, node);
      WEIR_ASSIGN(d_inputs, CallGradient(node, d_outputs));
      WEIR_TRY(graph_.TakeError());
      if (options_.gate_gradients) Gate(&d_inputs);
      for (int i = 0; i < node->num_inputs(); ++i) {
        if (const Output* dense = std::get_if<Output>(&d_inputs[i]); dense != nullptr && dense->valid()) {
          const Output input = node->input(i);
          if (input.base_dtype() != kResource && input.base_dtype() != kVariant &&
              !graph_.SetShape(*dense, input.shape()).ok())
            return InvalidArgument("the gradient of '{}' (op {}) for input {} has shape {}, but the input has shape {}",
                                   node->name(), node->type(), i, dense->shape(), input.shape());
        }
      }
    }
    for (int i = 0; i < node->num_inputs(); ++i)
      if (HasGrad(d_inputs[i])) AddGrad(node->input(i), d_inputs[i]);
    return Release(node);
  }

  bool FeedsFromBetween(Node* node) const {
    return std::any_of(node->inputs().begin(), node->inputs().end(),
                       [&](const Output& in) { return pending_.contains(in.node) && pending_.at(in.node) > 0; });
  }

  // Decrements the pending count of each input of `node`, and queues the nodes that become ready.
  Status Release(Node* node) {
    for (const Output& input : node->inputs()) {
      Node* from = input.node;
      if (!between_set_.contains(from)) {
        // Every variable of a loop leaves the backward loop, even if its gradient is not requested: a later
        // differentiation that visits the backward loop enters it at its Exits.
        if (flow_ != nullptr && EntersLoop(*from, *node)) queue_.push_back(from);
        continue;
      }
      int& left = --pending_[from];
      bool ready = left == 0;
      // A loop's Switch is visited twice: after its Exit, and after the loop body.
      if (flow_ != nullptr && !ready) ready = left > 0 && IsLoopSwitch(*from);
      if (!ready) continue;
      if (flow_ != nullptr && IsLoopExit(*from)) {
        const std::vector<Node*> exits = flow_->ExitReached(from);
        const bool any = std::any_of(exits.begin(), exits.end(), [this](Node* exit) { return HasAnyGrad(exit); });
        for (Node* exit : exits) {
          if (any && !HasAnyGrad(exit) && IsTrainable(exit->output_type(0))) {
            WEIR_ASSIGN(Output zeros, flow_->ZerosForExit(exit));
            AddGrad(Output(exit, 0), zeros);
          }
          queue_.push_back(exit);
        }
      } else {
        queue_.push_back(from);
      }
    }
    return OkStatus();
  }

  void Gate(std::vector<Grad>* grads) {
    // Makes all gradients of a node available before any of them is used. The node names are visible to users.
    std::vector<Node*> nodes;
    for (const Grad& g : *grads) {
      if (const Output* dense = std::get_if<Output>(&g)) nodes.push_back(dense->node);
      if (const IndexedSlices* slices = std::get_if<IndexedSlices>(&g)) nodes.push_back(slices->values.node);
    }
    if (nodes.size() < 2) return;
    NameScope scope(graph_, "tuple");
    Node* all = nullptr;
    {
      ControlDependencies after(graph_, nodes);
      all = NodeBuilder(graph_, "NoOp", "group_deps").BuildNode();
    }
    if (all == nullptr) return;
    ControlDependencies after(graph_, {all});
    const IdentityAttrs named{.name = "control_dependency"};
    for (Grad& g : *grads) {
      if (Output* dense = std::get_if<Output>(&g)) *dense = Identity(*dense, named);
      if (IndexedSlices* slices = std::get_if<IndexedSlices>(&g)) slices->values = Identity(slices->values, named);
    }
  }

  Result<std::vector<Grad>> CallGradient(Node* node, const std::vector<Grad>& d_outputs) {
    std::string type = node->type();
    if (const AttrValue* renamed = node->FindAttr("_gradient_op_type"))
      if (const std::string* name = renamed->As<std::string>()) type = *name;
    const GradientFn* gradient = options_.custom_gradient ? options_.custom_gradient(type) : nullptr;
    if (gradient == nullptr) {
      const NodeKind kind = type == node->type() ? node->op().traits.kind : NodeKind::kKernel;
      if (FlowGradientFn flow = FindFlowGradient(kind)) return flow(node, d_outputs);
      if (node->op().is_function)
        return FunctionGradient(node, FuncAttr{node->type(), node->props()->attrs}, d_outputs);
      const OpDef* op = graph_.registry().Find(type);
      if (op != nullptr && op->traits.calls_f) {
        WEIR_ASSIGN(FuncAttr called, node->Attr<FuncAttr>("f"));
        return FunctionGradient(node, called, d_outputs);
      }
      if (op == nullptr) return NotFound("no gradient is registered under '{}' (node '{}')", type, node->name());
      if (op->no_gradient == kNoGradient) return std::vector<Grad>(node->num_inputs());
      if (!op->gradient)
        return NotFound("no gradient is defined for operation '{}' (op type: {}), which lies on the path from '{}'",
                        node->name(), type, ys_.empty() ? std::string() : ys_[0].name());
      gradient = &op->gradient;
    }
    GradientContext context(node, node->inputs(), d_outputs, node->attrs(),
                            [this](const Grad& g, Output like) { return Dense(g, like); });
    Result<Gradients> gradients = (*gradient)(context);
    if (!context.access_error().ok())
      return WithContext(context.access_error(), fmt::format("gradient of '{}' (op {})", node->name(), type));
    WEIR_ASSIGN(Gradients result, std::move(gradients));
    if (static_cast<int>(result.size()) != node->num_inputs())
      return InvalidArgument("the gradient of '{}' (op {}) gives {} values for {} inputs", node->name(), type,
                             result.size(), node->num_inputs());
    for (Grad& g : result)
      if (const Output* dense = std::get_if<Output>(&g); dense != nullptr && !dense->valid()) g = Grad();
    return result;
  }

  Result<std::vector<Grad>> FunctionGradient(Node* node, const FuncAttr& function, const std::vector<Grad>& d_outputs) {
    InputList inputs(node->inputs().begin(), node->inputs().end());
    for (int i = 0; i < node->num_outputs(); ++i) inputs.push_back(Dense(d_outputs[i], Output(node, i)));
    std::vector<DType> types;
    // The gradient of a resource handle has the type of the variable's value.
    for (const Output& input : node->inputs())
      types.push_back(input.base_dtype() == kResource ? kFloat : input.base_dtype());
    const std::string own = graph_.functions().GradientOf(function.name);
    OutputList result;
    if (!own.empty()) {
      NodeBuilder call(graph_, own);
      for (Input& input : inputs) call.In(std::move(input));
      result = call.BuildOutputs();
    } else {
      result = SymbolicGradient(graph_, inputs, types, function);
    }
    std::vector<Grad> grads(result.begin(), result.end());
    grads.resize(node->num_inputs());
    for (int i = 0; i < node->num_inputs(); ++i)
      if (!IsTrainable(node->input(i).dtype())) grads[i] = Grad();
    return grads;
  }

  Graph& graph_;
  const std::vector<Output>& ys_;
  const std::vector<Output>& xs_;
  const GradientOptions& options_;
  std::unordered_set<Node*> from_;
  std::unordered_set<Node*> to_;
  std::unordered_set<Node*> stops_;
  std::vector<Node*> between_;
  std::unordered_set<Node*> between_set_;
  std::unordered_map<Node*, int> pending_;
  std::unordered_map<Node*, std::vector<std::vector<Grad>>> grads_;
  std::deque<Node*> queue_;
  std::unordered_set<Node*> queued_;
  std::unordered_set<Node*> done_;
  std::unique_ptr<FlowGradients> flow_;
};

}  // namespace

Result<std::vector<Grad>> AddGradients(Graph& graph, const std::vector<Output>& ys, const std::vector<Output>& xs,
                                       const GradientOptions& options) {
  if (!options.grad_ys.empty() && options.grad_ys.size() != ys.size())
    return InvalidArgument("{} grad_ys were given for {} ys", options.grad_ys.size(), ys.size());
  for (const std::vector<Output>* list : {&ys, &xs})
    for (const Output& o : *list)
      if (!o.valid() || &o.graph() != &graph) return InvalidArgument("ys and xs must be tensors of one graph");
  NameScope scope(graph, options.name.empty() ? "gradients" : options.name);
  std::string outer = std::exchange(graph.build().gradient_source, scope.name());
  Result<std::vector<Grad>> result = Differentiator(graph, ys, xs, options).Run();
  graph.build().gradient_source = std::move(outer);
  return result;
}

Result<std::vector<Output>> AddHessians(Graph& graph, Output y, const std::vector<Output>& xs) {
  WEIR_ASSIGN(std::vector<Grad> first, AddGradients(graph, {y}, xs));
  NameScope scope(graph, "hessians");
  std::vector<Output> result;
  for (size_t i = 0; i < xs.size(); ++i) {
    const Output x = xs[i];
    if (!std::holds_alternative<Output>(first[i]))
      return InvalidArgument("the gradient of '{}' for '{}' is not dense: it has no Hessian", y.name(), x.name());
    if (!x.shape().fully_defined())
      return InvalidArgument("the Hessian for '{}' needs its static shape, which is {}", x.name(), x.shape());
    const int64_t n = x.shape().num_elements();
    Output flat = Reshape(std::get<Output>(first[i]), {-1});
    InputList rows;
    for (int64_t k = 0; k < n; ++k) {
      const int at = static_cast<int>(k);
      Output entry = StridedSlice(flat, {at}, {at + 1}, {1}, {.shrink_axis_mask = 1});
      WEIR_ASSIGN(std::vector<Grad> second, AddGradients(graph, {entry}, {x}));
      rows.push_back(std::holds_alternative<Output>(second[0]) ? std::get<Output>(second[0]) : ZerosLike(x));
    }
    const PartialShape shape = x.shape();
    std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
    dims.insert(dims.end(), shape.dims().begin(), shape.dims().end());
    result.push_back(Reshape(Pack(graph, rows), dims));
  }
  WEIR_TRY(graph.TakeError());
  return result;
}

}  // namespace weir
