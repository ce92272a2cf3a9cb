// GraphDef to Graph. Checks everything that needs no nodes first (names, ops, attributes, types, cycles), then creates
// nodes in topological order. Back edges of loops (NextIteration into Merge) are added last. Linear in the size of the
// def, except for the log factor of the ready queue.
#include <algorithm>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/out_of_memory.h"
#include "base/process_memory.h"
#include "graph/colocation.h"
#include "graph/flow_context.h"
#include "graph/function_library.h"
#include "graph/graph_def.h"
#include "graph/graph_def_node.h"
#include "graph/graph_def_order.h"

namespace weir {
namespace {

// The GraphDef format version that this importer understands. A def with a larger min_consumer is rejected.
constexpr int kConsumerVersion = 134;
// Limit on the outputs of all nodes together. A small def can ask for any number of them; more than this means a
// corrupt def.
constexpr int64_t kMaxOutputs = int64_t{1} << 24;

absl::string_view Absl(std::string_view text) { return absl::string_view(text.data(), text.size()); }

// The source of an input: a node of the def, or a value of the graph.
struct Source {
  int def_node = -1;
  int index = 0;   // output index of the def node; -1 for control edges
  Output outside;  // used if def_node is -1
};

struct DefNode {
  const tensorflow::NodeDef* def = nullptr;
  const OpDef* op = nullptr;
  std::shared_ptr<NodeProps> props;
  std::string device;
  std::vector<Source> inputs;
  std::vector<Source> controls;
  std::vector<PartialShape> shape_hints;
  std::vector<std::string> colocated_with;  // names in the graph
  bool in_loop = false;                     // a Merge with a back edge
  Node* node = nullptr;
};

Status AtNode(const std::string& name, const Status& status) {
  return MarkNode(WithContext(status, fmt::format("Node '{}'", name)), name);
}

bool Feeds(DType from, DType to) { return from == to || (IsRef(from) && BaseType(from) == to); }

class Importer final {
 public:
  Importer(Graph& graph, const tensorflow::GraphDef& def, const ImportOptions& options)
      : graph_(graph), def_(def), options_(options), nodes_(def.node_size()) {}

  Result<ImportResult> Run() {
    ImportResult result;
    {
      const Graph::NodesLock lock = graph_.LockNodes();
      WEIR_TRY(Prepare());
      WEIR_ASSIGN(std::vector<int> order, Order());
      WEIR_TRY(CheckReturned());
      Status status = CatchOutOfMemory("the import of a graph", [&] { return MakeNodes(order); });
      if (!status.ok()) {
        for (auto it = order.rbegin(); it != order.rend(); ++it) {
          if (nodes_[*it].node != nullptr) graph_.Remove(nodes_[*it].node);
        }
        return status;
      }
      MergeVersions();
    }
    // No lock is held here, since device functions may be Python.
    WEIR_TRY(ApplyScopes());
    for (const std::string& element : options_.return_elements) result.returned.push_back(Returned(element));
    result.nodes.reserve(nodes_.size());
    for (const DefNode& node : nodes_) result.nodes.push_back(node.node);
    result.unused_input_map_keys = MissingKeys();
    return result;
  }

 private:
  Status Prepare() {
    if (graph_.finalized())
      return FailedPrecondition("the graph is finalized and cannot be modified: nothing was imported");
    WEIR_TRY(CheckVersions());
    WEIR_TRY(ReadInputMap());
    WEIR_TRY(IndexNames());
    WEIR_TRY(ChoosePrefix());
    WEIR_TRY(graph_.functions().AddLibrary(def_.library()));
    int64_t outputs = 0;
    for (DefNode& node : nodes_) {
      WEIR_TRY(CheckNotCancelled());
      // Counted twice: the importer's copy and the graph's.
      WEIR_TRY(ProcessMemory::Get().ReserveKept(2 * kGraphNodeBytes));
      if (Status status = ReadNode(node); !status.ok()) return AtNode(node.def->name(), status);
      outputs += static_cast<int64_t>(node.props->output_types.size());
      if (outputs > kMaxOutputs) {
        return AtNode(node.def->name(), ResourceExhausted("the graph has more than {} outputs", kMaxOutputs));
      }
    }
    for (DefNode& node : nodes_) {
      WEIR_TRY(CheckNotCancelled());
      if (Status status = ResolveInputs(node); !status.ok()) return AtNode(node.def->name(), status);
    }
    for (DefNode& node : nodes_) WEIR_TRY(CheckInputTypes(node));
    return OkStatus();
  }

  Status CheckNotCancelled() const {
    return options_.cancel != nullptr && options_.cancel->cancelled() ? options_.cancel->reason() : OkStatus();
  }

  Status CheckVersions() {
    const tensorflow::VersionDef& versions = def_.versions();
    if (versions.producer() < 0) {
      return InvalidArgument("GraphDef producer version {} below min producer 0: regenerate the graph",
                             versions.producer());
    }
    if (versions.min_consumer() > kConsumerVersion) {
      return InvalidArgument(
          "GraphDef min consumer version {} above current version {}: this graph needs a newer "
          "Weir",
          versions.min_consumer(), kConsumerVersion);
    }
    for (int bad : versions.bad_consumers()) {
      if (bad == kConsumerVersion) return InvalidArgument("GraphDef disallows consumer version {}", bad);
    }
    return OkStatus();
  }

  void MergeVersions() {
    GraphVersions& versions = graph_.versions();
    versions.producer = std::min(versions.producer, def_.versions().producer());
    versions.min_consumer = std::max(versions.min_consumer, def_.versions().min_consumer());
  }

  Status ReadInputMap() {
    FlowContext* flow = graph_.build().flow;
    for (const auto& [key, value] : options_.input_map) {
      InputName name = ParseInputName(key);
      Output to = value;
      if (!to.valid() || &to.graph() != &graph_ ||
          (!name.is_control() && (to.index < 0 || to.index >= to.node->num_outputs()))) {
        return InvalidArgument("input_map: the value of '{}' is not an output of this graph", key);
      }
      if (flow != nullptr && !name.is_control()) {
        WEIR_ASSIGN(to, flow->Capture(to));
      }
      input_map_[name.node].push_back({name.output, to});
    }
    for (Node* control : options_.control_inputs) controls_.push_back(control);
    const BuildState& state = graph_.build();
    size_t first = 0;
    for (size_t i = 0; i < state.control.size(); ++i) {
      if (state.control[i].clears) first = i;
    }
    for (size_t i = first; i < state.control.size(); ++i) {
      for (Node* control : state.control[i].inputs) {
        if (std::find(controls_.begin(), controls_.end(), control) == controls_.end()) controls_.push_back(control);
      }
    }
    return OkStatus();
  }

  // The graph value that input_map gives for an output of the def (output -1 for a control input), or null.
  const Output* Mapped(const InputName& name) const {
    if (input_map_.empty()) return nullptr;
    auto it = input_map_.find(name.node);
    if (it == input_map_.end()) return nullptr;
    for (const auto& [output, value] : it->second) {
      if (output == name.output) return &value;
    }
    return nullptr;
  }

  Status IndexNames() {
    index_.reserve(nodes_.size());
    for (int i = 0; i < def_.node_size(); ++i) {
      const tensorflow::NodeDef& node = def_.node(i);
      nodes_[i].def = &node;
      if (!IsValidNodeName(node.name()))
        return AtNode(node.name(), InvalidArgument("Node name contains invalid characters"));
      if (!index_.emplace(node.name(), i).second) return AtNode(node.name(), InvalidArgument("the name is not unique"));
    }
    return OkStatus();
  }

  Status ChoosePrefix() {
    prefix_ = options_.prefix;
    while (!prefix_.empty() && prefix_.back() == '/') prefix_.pop_back();
    if (prefix_.empty()) return OkStatus();
    if (!IsValidNodeName(prefix_)) return InvalidArgument("'{}' is not a valid scope name", options_.prefix);
    if (options_.uniquify_prefix) {
      prefix_ = graph_.UniqueName(prefix_);
    } else if (graph_.FindNode(prefix_) != nullptr) {
      return InvalidArgument("the prefix '{}' is already the name of a node in the graph", prefix_);
    }
    return OkStatus();
  }

  std::string Prefixed(std::string_view name) const {
    return prefix_.empty() ? std::string(name) : fmt::format("{}/{}", prefix_, name);
  }

  // The node's name in the graph. Differs from existing names and from the names of other nodes of the def.
  Result<std::string> NameInGraph(std::string_view def_name) {
    std::string name = Prefixed(def_name);
    if (graph_.FindNode(name) == nullptr) return name;
    if (!options_.uniquify_names) return AlreadyExists("the graph has a node '{}' already", name);
    int& suffix = next_suffix_[name];
    while (true) {
      std::string candidate = fmt::format("{}_{}", def_name, ++suffix);
      std::string full = Prefixed(candidate);
      if (graph_.FindNode(full) == nullptr && !index_.contains(candidate) && taken_.insert(full).second) return full;
    }
  }

  Status ReadNode(DefNode& node) {
    const tensorflow::NodeDef& def = *node.def;
    node.props = std::make_shared<NodeProps>();
    WEIR_ASSIGN(node.props->name, NameInGraph(def.name()));
    node.op = graph_.FindOp(def.op());
    if (node.op == nullptr) {
      return NotFound("Op type not registered '{}': neither this build nor the graph's function library has it",
                      def.op());
    }
    node.props->op = node.op;
    WEIR_ASSIGN(node.device, CanonicalDevice(def.device()));
    WEIR_ASSIGN(NodeContent content, ReadNodeContent(*node.op, def, def_.versions().producer()));
    has_colocation_ |= content.attrs.contains("_class");
    node.shape_hints = std::move(content.shape_hints);
    WEIR_ASSIGN(node.props->input_types, ArgTypes(node.op->inputs, content.attrs));
    WEIR_ASSIGN(node.props->output_types, ArgTypes(node.op->outputs, content.attrs));
    node.props->attrs = Shared(*node.op, std::move(content.attrs));
    return OkStatus();
  }

  // Most nodes of an op have the attributes of an earlier one, and share them. Constants all differ.
  std::shared_ptr<const AttrMap> Shared(const OpDef& op, AttrMap attrs) {
    constexpr size_t kCompared = 8;
    if (op.traits.kind == NodeKind::kConst) return std::make_shared<const AttrMap>(std::move(attrs));
    RecentAttrs& recent = recent_attrs_[&op];
    for (const std::shared_ptr<const AttrMap>& known : recent.attrs) {
      if (*known == attrs) return known;
    }
    auto made = std::make_shared<const AttrMap>(std::move(attrs));
    if (recent.attrs.size() < kCompared) {
      recent.attrs.push_back(made);
    } else {
      recent.attrs[recent.oldest++ % kCompared] = made;
    }
    return made;
  }

  Result<std::string> CanonicalDevice(const std::string& device) {
    if (device.empty()) return device;
    auto it = devices_.find(device);
    if (it == devices_.end()) {
      WEIR_ASSIGN(DeviceName name, DeviceName::Parse(device));
      it = devices_.emplace(device, name.ToString()).first;
    }
    return it->second;
  }

  Status ResolveInputs(DefNode& node) {
    bool saw_control = false;
    for (const std::string& text : node.def->input()) {
      InputName name = ParseInputName(text);
      if (saw_control && !name.is_control()) {
        return InvalidArgument("Control dependencies must come after regular dependencies");
      }
      saw_control |= name.is_control();
      WEIR_ASSIGN(Source source, Resolve(name));
      (name.is_control() ? node.controls : node.inputs).push_back(source);
    }
    const size_t wanted = node.props->input_types.size();
    if (node.inputs.size() != wanted) {
      return InvalidArgument("expected inputs '{}' do not match {} inputs specified; op {}",
                             TypeText(node.props->input_types), node.inputs.size(), node.op->name);
    }
    if (node.op->traits.kind == NodeKind::kMerge) {
      for (const Source& input : node.inputs) node.in_loop |= IsBackEdge(node, input);
    }
    return has_colocation_ ? ResolveColocation(node) : OkStatus();
  }

  Result<Source> Resolve(const InputName& name) {
    if (const Output* mapped = Mapped(name)) return Source{.outside = *mapped};
    auto it = index_.find(Absl(name.node));
    if (it != index_.end()) {
      const int outputs = static_cast<int>(nodes_[it->second].props->output_types.size());
      if (name.output < outputs) return Source{.def_node = it->second, .index = name.output};
      return InvalidArgument("Connecting to invalid output {} of source node {} which has {} outputs", name.output,
                             name.node, outputs);
    }
    Node* existing = options_.extend ? graph_.FindNode(Prefixed(name.node)) : nullptr;
    if (existing == nullptr) return InvalidArgument("Unknown input node '{}'", name.node);
    if (name.output >= existing->num_outputs()) {
      return InvalidArgument("Connecting to invalid output {} of source node {} which has {} outputs", name.output,
                             name.node, existing->num_outputs());
    }
    return Source{.outside = Output(existing, name.output)};
  }

  Status ResolveColocation(DefNode& node) {
    const AttrMap& attrs = *node.props->attrs;
    auto it = attrs.find("_class");
    if (it == attrs.end()) return OkStatus();
    std::vector<std::string> groups = *it->second.As<std::vector<std::string>>();
    for (std::string& group : groups) {
      if (!group.starts_with(kColocationPrefix)) continue;
      std::string_view with = std::string_view(group).substr(kColocationPrefix.size());
      auto found = index_.find(Absl(with));
      std::string name = found != index_.end() ? nodes_[found->second].props->name : Prefixed(with);
      if (found == index_.end() && options_.validate_colocation && graph_.FindNode(name) == nullptr) {
        return InvalidArgument("expects to be colocated with unknown node '{}'", with);
      }
      node.colocated_with.push_back(name);
      group = std::string(kColocationPrefix) + name;
    }
    auto changed = std::make_shared<AttrMap>(attrs);
    changed->insert_or_assign("_class", AttrValue(std::move(groups)));
    node.props->attrs = std::move(changed);
    return OkStatus();
  }

  Status CheckInputTypes(const DefNode& node) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Source& source = node.inputs[i];
      const bool inside = source.def_node >= 0;
      const DType from = inside ? nodes_[source.def_node].props->output_types[source.index] : source.outside.dtype();
      const DType to = node.props->input_types[i];
      if (Feeds(from, to)) continue;
      std::string name =
          inside ? fmt::format("{}:{}", nodes_[source.def_node].props->name, source.index) : source.outside.name();
      return MarkNode(InvalidArgument("Input {} of node {} was passed {} from {} incompatible with expected {}.", i,
                                      node.props->name, TypeText(from), name, TypeText(to)),
                      node.props->name);
    }
    return OkStatus();
  }

  bool IsBackEdge(const DefNode& to, const Source& from) const {
    return from.def_node >= 0 && from.index >= 0 && to.op->traits.kind == NodeKind::kMerge &&
           nodes_[from.def_node].op->traits.kind == NodeKind::kNextIteration;
  }

  // A topological order that otherwise keeps the order of the def.
  Result<std::vector<int>> Order() const {
    NodeOrder found = OrderNodes(static_cast<int>(nodes_.size()), [this](int i, FunctionRef<void(int)> visit) {
      for (const Source& input : nodes_[i].inputs) {
        if (input.def_node >= 0 && !IsBackEdge(nodes_[i], input)) visit(input.def_node);
      }
      for (const Source& control : nodes_[i].controls) {
        if (control.def_node >= 0) visit(control.def_node);
      }
    });
    if (found.cycle.empty()) return std::move(found.order);
    constexpr size_t kShown = 8;
    std::vector<std::string> names;
    for (size_t i = 0; i < found.cycle.size() && i < kShown; ++i) {
      names.push_back(fmt::format("'{}'", nodes_[found.cycle[i]].def->name()));
    }
    return MarkNode(InvalidArgument("{} nodes are in a cycle outside of a while loop, or depend on one; cycle: {}",
                                    nodes_.size() - found.order.size(), fmt::join(names, ", ")),
                    nodes_[found.cycle[0]].def->name());
  }

  Status CheckReturned() const {
    for (const std::string& text : options_.return_elements) {
      const bool is_node = text.find(':') == std::string::npos;
      InputName name = ParseInputName(text);
      if (!is_node && Mapped(name) != nullptr) continue;
      auto it = index_.find(Absl(name.node));
      if (it == index_.end()) {
        return InvalidArgument("Requested return {} '{}' not found in graph def", is_node ? "node" : "tensor", text);
      }
      const int outputs = static_cast<int>(nodes_[it->second].props->output_types.size());
      if (!is_node && name.output >= outputs) {
        return InvalidArgument("Invalid return output {} of node '{}', which has {} output(s)", name.output, name.node,
                               outputs);
      }
    }
    return OkStatus();
  }

  ImportResult::Element Returned(const std::string& text) const {
    const bool is_node = text.find(':') == std::string::npos;
    InputName name = ParseInputName(text);
    if (const Output* mapped = is_node ? nullptr : Mapped(name)) return {mapped->node, mapped->index};
    return {nodes_[index_.find(Absl(name.node))->second].node, is_node ? -1 : name.output};
  }

  Status MakeNodes(const std::vector<int>& order) {
    for (int i : order) {
      WEIR_TRY(CheckNotCancelled());
      WEIR_TRY(MakeNode(nodes_[i]));
    }
    for (int i : order) {
      if (nodes_[i].in_loop) WEIR_TRY(CloseLoop(nodes_[i]));
    }
    return OkStatus();
  }

  Output ValueOf(const Source& source) const {
    return source.def_node < 0 ? source.outside : Output(nodes_[source.def_node].node, source.index);
  }

  Status MakeNode(DefNode& node) {
    std::vector<Output> inputs;
    inputs.reserve(node.inputs.size());
    Output stand_in;  // placeholder for back edges until the loop is closed
    bool has_imported_input = false;
    for (const Source& input : node.inputs) {
      if (node.in_loop && IsBackEdge(node, input)) {
        inputs.emplace_back();
        continue;
      }
      inputs.push_back(ValueOf(input));
      stand_in = inputs.back();
      has_imported_input |= input.def_node >= 0;
    }
    std::vector<PartialShape> shapes;
    if (node.in_loop) {
      if (!stand_in.valid()) {
        return AtNode(node.def->name(),
                      InvalidArgument("all inputs of this Merge are back edges of a loop; one must come from outside"));
      }
      for (Output& input : inputs) {
        if (!input.valid()) input = stand_in;
      }
      // The next iteration may have other shapes: only value_index is known to be a scalar.
      shapes.resize(node.props->output_types.size());
      if (shapes.size() > 1) shapes[1] = Shape();
    } else {
      Result<std::vector<PartialShape>> inferred = graph_.InferShapes(*node.props, inputs);
      if (!inferred.ok()) return AtNode(node.props->name, inferred.status());
      shapes = *std::move(inferred);
    }
    shapes.resize(node.props->output_types.size());
    for (size_t i = 0; i < shapes.size() && i < node.shape_hints.size(); ++i) {
      Result<PartialShape> merged = shapes[i].Merge(node.shape_hints[i]);
      if (merged.ok()) shapes[i] = *std::move(merged);
    }
    std::vector<Node*> controls;
    absl::flat_hash_set<Node*> seen;  // deduplicates control inputs
    for (const Source& control : node.controls) {
      has_imported_input |= control.def_node >= 0;
      if (Node* from = ValueOf(control).node; seen.insert(from).second) controls.push_back(from);
    }
    for (Node* control : controls_) {
      if (!has_imported_input && seen.insert(control).second) controls.push_back(control);
    }
    WEIR_ASSIGN(node.node,
                graph_.Insert(node.props, std::move(inputs), std::move(controls), node.device, std::move(shapes)));
    return OkStatus();
  }

  Status CloseLoop(DefNode& node) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (IsBackEdge(node, node.inputs[i])) {
        WEIR_TRY(graph_.UpdateInput(node.node, static_cast<int>(i), ValueOf(node.inputs[i])));
      }
    }
    return OkStatus();
  }

  // Applies the calling thread's scopes to the new nodes: devices, the control dependency scopes that later nodes see,
  // and the flow context.
  Status ApplyScopes() {
    const BuildState& state = graph_.build();
    const std::vector<DeviceRequest> requests = state.devices;
    for (DefNode& node : nodes_) {
      if (!requests.empty() && node.colocated_with.empty()) WEIR_TRY(ApplyDevices(*node.node, requests));
    }
    if (has_colocation_) {
      for (DefNode& node : nodes_) FollowColocation(node);
    }
    for (BuildState::ControlFrame& frame : graph_.build().control) {
      for (DefNode& node : nodes_) frame.made_inside.insert(node.node);
    }
    if (FlowContext* flow = state.flow) {
      for (DefNode& node : nodes_) {
        graph_.SetFlowContext(node.node, flow);
        WEIR_TRY(flow->NodeAdded(node.node));
      }
    }
    return OkStatus();
  }

  // Innermost scope first. A device name fills in what the node does not specify; a device function replaces the node's
  // device.
  Status ApplyDevices(Node& node, const std::vector<DeviceRequest>& requests) {
    for (auto request = requests.rbegin(); request != requests.rend() && !request->ignore_outer; ++request) {
      if (request->choose) {
        WEIR_ASSIGN(std::string device, request->choose(node));
        graph_.SetDevice(&node, std::move(device));
      } else {
        WEIR_ASSIGN(DeviceName outer, DeviceName::Parse(request->name));
        WEIR_ASSIGN(DeviceName inner, DeviceName::Parse(node.device()));
        graph_.SetDevice(&node, outer.MergedWith(inner).ToString());
      }
    }
    return OkStatus();
  }

  void FollowColocation(DefNode& node) {
    for (const std::string& name : node.colocated_with) {
      Node* with = graph_.FindNode(name);
      if (with == nullptr || with == node.node || with->device().empty()) continue;
      if (with->device() != node.node->device()) graph_.SetDevice(node.node, with->device());
      return;
    }
  }

  std::vector<std::string> MissingKeys() const {
    absl::flat_hash_set<absl::string_view> used;  // nodes that the def lacks but uses as inputs
    if (!options_.input_map.empty()) {
      for (const DefNode& node : nodes_) {
        for (const std::string& input : node.def->input()) used.insert(Absl(ParseInputName(input).node));
      }
    }
    std::vector<std::string> missing;
    for (const auto& [key, value] : options_.input_map) {
      InputName name = ParseInputName(key);
      auto it = index_.find(Absl(name.node));
      const int outputs = it == index_.end() ? -1 : static_cast<int>(nodes_[it->second].props->output_types.size());
      const bool known = outputs < 0 ? used.contains(Absl(name.node)) : name.output < outputs;
      if (!known) missing.push_back(key);
    }
    return missing;
  }

  Graph& graph_;
  const tensorflow::GraphDef& def_;
  const ImportOptions& options_;
  std::vector<DefNode> nodes_;
  absl::flat_hash_map<absl::string_view, int> index_;
  std::map<std::string_view, std::vector<std::pair<int, Output>>> input_map_;
  std::vector<Node*> controls_;
  std::string prefix_;
  std::map<std::string, int> next_suffix_;
  absl::flat_hash_set<std::string> taken_;
  std::map<std::string, std::string> devices_;
  struct RecentAttrs {
    std::vector<std::shared_ptr<const AttrMap>> attrs;
    size_t oldest = 0;
  };
  absl::flat_hash_map<const OpDef*, RecentAttrs> recent_attrs_;
  bool has_colocation_ = false;
};

}  // namespace

InputName ParseInputName(std::string_view text) {
  if (!text.empty() && text[0] == '^') return {text.substr(1), -1};
  size_t digits = 0;
  while (digits < text.size() && text[text.size() - 1 - digits] >= '0' && text[text.size() - 1 - digits] <= '9')
    ++digits;
  constexpr size_t kMaxDigits = 9;
  if (digits == 0 || digits > kMaxDigits || digits == text.size() || text[text.size() - 1 - digits] != ':')
    return {text, 0};
  int output = 0;
  for (char c : text.substr(text.size() - digits)) output = output * 10 + (c - '0');
  return {text.substr(0, text.size() - 1 - digits), output};
}

Result<ImportResult> ImportGraphDef(Graph& graph, const tensorflow::GraphDef& def, const ImportOptions& options) {
  Result<ImportResult> result =
      CatchOutOfMemory("the import of a graph", [&] { return Importer(graph, def, options).Run(); });
  // The importer has freed its data, and the caller will free the message: together about as much memory as the graph
  // uses.
  constexpr int kManyNodes = 10'000;
  if (def.node_size() >= kManyNodes) ProcessMemory::Get().ReleaseSoon();
  return result;
}

}  // namespace weir
