#include "graph/graph.h"

#include <algorithm>

#include "base/process_memory.h"
#include "graph/flow_context.h"
#include "graph/function_library.h"

namespace weir {
namespace {

int64_t NextGraphUid() {
  static std::atomic<int64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

// Searches from the end: the item added last is usually removed first.
template <class T>
void EraseOne(std::vector<T>& items, const T& item) {
  auto it = std::find(items.rbegin(), items.rend(), item);
  if (it != items.rend()) items.erase(std::next(it).base());
}

// Destroying a graph of at least this many nodes returns its memory to the system.
constexpr size_t kManyNodes = 10'000;

}  // namespace

Output Output::Failed(Graph& graph) { return Output(graph.failed_node(), -1); }
Graph& Output::graph() const { return node->graph(); }
DType Output::dtype() const { return valid() ? node->output_type(index) : kInvalidType; }
PartialShape Output::shape() const { return valid() ? node->output_shape(index) : PartialShape(); }
std::string Output::name() const {
  return valid() ? fmt::format("{}:{}", node->name(), index) : std::string("<invalid>");
}

const AttrValue* Node::FindAttr(std::string_view name) const {
  auto it = attrs().find(name);
  return it == attrs().end() ? nullptr : &it->second;
}

Node::Node(Graph& graph) : graph_(&graph), device_(graph.DeviceNamed("")), assigned_device_(device_) {}

void Node::set_assigned_device(std::string_view device) { assigned_device_ = graph_->DeviceNamed(device); }

PartialShape Node::output_shape(int i) const {
  const Graph::NodesLock lock = graph_->LockNodes();
  return output_shapes_[i];
}

Graph::Graph(const OpRegistry& registry)
    : registry_(registry), uid_(NextGraphUid()), functions_(std::make_unique<FunctionLibrary>(registry)) {
  failed_.reset(new Node(*this));
  failed_->props_ = std::make_shared<NodeProps>();
}
Graph::~Graph() {
  if (nodes_.size() >= kManyNodes) ProcessMemory::Get().ReleaseSoon();
}

const OpDef* Graph::FindOp(std::string_view name) const {
  if (const OpDef* op = registry_.Find(name)) return op;
  return functions_->FindOp(name);
}

Node* Graph::FindNode(std::string_view name) const {
  std::lock_guard<std::recursive_mutex> lock(mu_);
  auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : *it;
}

Result<Output> Graph::FindOutput(std::string_view name) const {
  int index = 0;
  std::string_view node_name = name;
  if (size_t colon = name.rfind(':'); colon != std::string_view::npos) {
    node_name = name.substr(0, colon);
    std::string_view digits = name.substr(colon + 1);
    if (digits.empty() || digits.size() > 9 ||
        !std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }))
      return InvalidArgument("'{}' is not the name of a tensor: expected '<op name>:<output index>'", name);
    index = std::stoi(std::string(digits));
  }
  Node* node = FindNode(node_name);
  if (node == nullptr)
    return NotFound("the name '{}' refers to a tensor of an operation '{}' that is not in the graph", name, node_name);
  if (index >= node->num_outputs())
    return NotFound("the name '{}' refers to output {} of operation '{}', which has only {} outputs", name, index,
                    node_name, node->num_outputs());
  return Output(node, index);
}

int Graph::num_nodes() const {
  std::lock_guard<std::recursive_mutex> lock(mu_);
  return static_cast<int>(nodes_.size());
}

std::vector<Node*> Graph::Nodes() const {
  std::lock_guard<std::recursive_mutex> lock(mu_);
  std::vector<Node*> result;
  result.reserve(nodes_.size());
  for (const auto& node : nodes_)
    if (node != nullptr) result.push_back(node.get());
  return result;
}

Node* Graph::node(int id) const {
  std::lock_guard<std::recursive_mutex> lock(mu_);
  return id >= 0 && id < static_cast<int>(nodes_.size()) ? nodes_[id].get() : nullptr;
}

void Graph::ForEachNode(FunctionRef<void(Node*)> visit) const {
  std::lock_guard<std::recursive_mutex> lock(mu_);
  for (size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i] != nullptr) visit(nodes_[i].get());
}

void Graph::CountNames() {
  for (; num_named_ < nodes_.size(); ++num_named_) {
    if (nodes_[num_named_] != nullptr) names_.MarkUsed(nodes_[num_named_]->name());
  }
}

std::string Graph::UniqueName(std::string_view base, bool mark_used) {
  const std::string& scope = build().name_scope;
  std::lock_guard<std::recursive_mutex> lock(mu_);
  CountNames();
  return names_.Unique(scope.empty() ? std::string(base) : fmt::format("{}/{}", scope, base), mark_used);
}

Status Graph::TakeError() {
  BuildState& state = build();
  return std::exchange(state.error, OkStatus());
}

void Graph::RecordError(const Status& status) {
  BuildState& state = build();
  if (state.error.ok()) state.error = status;
}

void Graph::AddControlInput(Node* node, Node* control) {
  std::lock_guard<std::recursive_mutex> lock(mu_);
  // The edge is in both lists. Searching the shorter one keeps control edges of large groups linear.
  const std::vector<Node*>& inputs = node->control_inputs_;
  const std::vector<Node*>& outputs = control->control_outputs_;
  const bool exists = inputs.size() <= outputs.size()
                          ? std::find(inputs.begin(), inputs.end(), control) != inputs.end()
                          : std::find(outputs.begin(), outputs.end(), node) != outputs.end();
  if (exists) return;
  node->control_inputs_.push_back(control);
  control->control_outputs_.push_back(node);
}

Status Graph::UpdateInput(Node* node, int index, Output value) {
  std::lock_guard<std::recursive_mutex> lock(mu_);
  if (index < 0 || index >= node->num_inputs())
    return OutOfRange("node '{}' has only {} inputs, input {} does not exist", node->name(), node->num_inputs(), index);
  const DType wanted = node->props_->input_types[index];
  if (BaseType(value.dtype()) != BaseType(wanted) || (IsRef(wanted) && !IsRef(value.dtype())))
    return MarkTypeError(
        InvalidArgument("input {} of node '{}' is {}, not {}", index, node->name(), wanted, value.dtype()));
  EraseOne(node->inputs_[index].node->consumers_, node);
  node->inputs_[index] = value;
  value.node->consumers_.push_back(node);
  return OkStatus();
}

Status Graph::SetAttr(Node* node, std::string name, AttrValue value) {
  std::lock_guard<std::recursive_mutex> lock(mu_);
  auto attrs = std::make_shared<AttrMap>(node->attrs());
  attrs->insert_or_assign(std::move(name), std::move(value));
  auto props = std::make_shared<NodeProps>(*node->props_);
  props->attrs = std::move(attrs);
  node->props_ = std::move(props);
  return OkStatus();
}

void Graph::SetDevice(Node* node, std::string device) {
  std::lock_guard<std::recursive_mutex> lock(mu_);
  node->device_ = DeviceNamed(device);
}

const std::string* Graph::DeviceNamed(std::string_view device) {
  std::lock_guard<std::recursive_mutex> lock(mu_);
  const auto it = devices_.find(device);
  return &*(it == devices_.end() ? devices_.emplace(device).first : it);
}

void Graph::SetFlowContext(Node* node, FlowContext* context) {
  std::lock_guard<std::recursive_mutex> lock(mu_);
  node->flow_context_ = context;
}

Status Graph::SetShape(Output output, const PartialShape& shape) {
  std::lock_guard<std::recursive_mutex> lock(mu_);
  PartialShape& known = output.node->output_shapes_[output.index];
  auto merged = known.Merge(shape);
  if (!merged.ok())
    return InvalidArgument("cannot set the shape of '{}' to {}: it is known to be {}", output.name(), shape, known);
  known = *std::move(merged);
  return OkStatus();
}

void Graph::AddFlowContext(std::unique_ptr<FlowContext> context) {
  std::lock_guard<std::recursive_mutex> lock(mu_);
  flow_contexts_.push_back(std::move(context));
}

Result<Node*> Graph::Insert(std::shared_ptr<const NodeProps> props, std::vector<Output> inputs,
                            std::vector<Node*> control_inputs, std::string device, std::vector<PartialShape> shapes) {
  std::lock_guard<std::recursive_mutex> lock(mu_);
  if (by_name_.contains(std::string_view(props->name)))
    return AlreadyExists("there is a node named '{}' already", props->name);
  std::unique_ptr<Node> node(new Node(*this));
  node->output_shapes_ = std::move(shapes);
  node->output_shapes_.resize(props->output_types.size());
  node->props_ = std::move(props);
  node->inputs_ = std::move(inputs);
  node->control_inputs_ = std::move(control_inputs);
  node->device_ = DeviceNamed(device);
  return Adopt(std::move(node));
}

Node* Graph::Adopt(std::unique_ptr<Node> owned) {
  std::lock_guard<std::recursive_mutex> lock(mu_);
  Node* node = owned.get();
  WEIR_CHECK(by_name_.insert(node).second, node->name());
  node->id_ = static_cast<int>(nodes_.size());
  nodes_.push_back(std::move(owned));
  for (const Output& input : node->inputs_)
    if (input.valid()) input.node->consumers_.push_back(node);
  for (Node* control : node->control_inputs_) control->control_outputs_.push_back(node);
  return node;
}

void Graph::Abandon(std::unique_ptr<Node> node) {
  std::lock_guard<std::recursive_mutex> lock(mu_);
  abandoned_.push_back(std::move(node));
}

void Graph::Remove(Node* node) {
  std::lock_guard<std::recursive_mutex> lock(mu_);
  for (const Output& input : node->inputs_) EraseOne(input.node->consumers_, node);
  for (Node* control : node->control_inputs_) EraseOne(control->control_outputs_, node);
  for (Node* waiting : node->control_outputs_) EraseOne(waiting->control_inputs_, node);
  CountNames();  // the name stays in use
  by_name_.erase(node);
  refiner_.Forget(node);
  nodes_[node->id_].reset();
}

Result<std::vector<PartialShape>> Graph::InferShapes(const NodeProps& props, const std::vector<Output>& inputs) {
  std::lock_guard<std::recursive_mutex> lock(mu_);
  return refiner_.InferShapes(props, inputs);
}

Tensor Graph::ConstantValue(Output output) {
  std::lock_guard<std::recursive_mutex> lock(mu_);
  return refiner_.ConstantValue(output);
}

PartialShape Graph::ConstantShape(Output output) {
  std::lock_guard<std::recursive_mutex> lock(mu_);
  return refiner_.ConstantShape(output);
}

}  // namespace weir
