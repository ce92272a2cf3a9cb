#include "tests/hostile/case.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "base/check.h"
#include "graph/attr_proto.h"
#include "graph/function_library.h"
#include "graph/node_builder.h"
#include "tensor/tensor_proto.h"

namespace weir::hostile {
namespace {

constexpr int kMaxDepth = 3;  // maximum depth of the nodes that produce inputs

// Ops that kill the process on purpose.
bool IsDeadly(const std::string& op) { return op == "Abort"; }

// "QueueDequeueV2" -> Queue, Dequeue. Ops that share a word are related.
std::vector<std::string> Words(const std::string& name) {
  std::vector<std::string> words;
  for (const char c : name) {
    if (std::isupper(static_cast<unsigned char>(c)) || words.empty()) words.emplace_back();
    words.back() += c;
  }
  std::erase_if(words, [](const std::string& word) { return word.size() < 4; });
  return words;
}

std::vector<const OpDef*> Related(const std::vector<const OpDef*>& makers, const std::string& op) {
  std::vector<const OpDef*> related;
  for (const OpDef* maker : makers) {
    for (const std::string& word : Words(op)) {
      if (maker->name.find(word) == std::string::npos) continue;
      related.push_back(maker);
      break;
    }
  }
  return related;
}

tensorflow::FunctionDef MakeFunction(const OpRegistry& registry, const std::string& name,
                                     const std::vector<DType>& args, const std::string& result_op) {
  Graph graph(registry);
  std::vector<Output> inputs;
  for (const DType type : args) {
    inputs.push_back(NodeBuilder(graph, "Placeholder", "x").Attr("dtype", AttrValue(type)).BuildOutput());
  }
  NodeBuilder result(graph, result_op);
  for (const Output& input : inputs) result.In(input);
  if (result_op == "RangeDataset") {
    result.Attr("output_types", AttrValue(std::vector<DType>{kInt64}));
    result.Attr("output_shapes", AttrValue(std::vector<PartialShape>{PartialShape::Scalar()}));
  }
  const Output output = result.BuildOutput();
  const Status error = graph.TakeError();
  WEIR_CHECK(error.ok(), name, error.ToString());
  Result<tensorflow::FunctionDef> def = GraphToFunction(graph, name, inputs, {output}, {}, {}, "");
  WEIR_CHECK(def.ok(), def.status().ToString());
  return *std::move(def);
}

}  // namespace

// Builds the graph of one case.
class CaseBuilder final {
 public:
  CaseBuilder(const CaseMaker& maker, const OpDef& op, Dice dice)
      : maker_(maker), dice_(dice), is_image_op_(IsImageOp(op)), shapes_(dice_, LikelyRank(op)) {}

  HostileCase Build(const OpDef& op) {
    *case_.graph.mutable_library() = maker_.functions_;
    case_.graph.mutable_versions()->set_producer(24);
    case_.node = AddNode(op, 0);
    case_.differentiate = dice_.Percent(40);
    return std::move(case_);
  }

 private:
  static bool IsImageOp(const OpDef& op) {
    return op.FindAttr("strides") != nullptr || op.FindAttr("data_format") != nullptr;
  }
  // 4 or 5 for image ops; -1: any rank.
  int64_t LikelyRank(const OpDef& op) {
    if (!dice_.Percent(60)) return -1;
    if (IsImageOp(op)) return op.name.find("3D") != std::string::npos ? 5 : 4;
    return op.name.find("Image") != std::string::npos || op.name.find("Resize") != std::string::npos ? 4 : -1;
  }

  // --- attributes
  template <class Make>
  auto RandomList(int64_t length, Make make) {
    std::vector<decltype(make())> list;
    for (int64_t i = 0; i < length; ++i) list.push_back(make());
    return AttrValue(std::move(list));
  }
  DType TypeFor(const AttrDef& def) {
    if (def.allowed_types.empty()) return dice_.Percent(2) ? kInvalidType : RandomType(dice_);
    if (dice_.Percent(2)) return RandomType(dice_);
    const std::vector<DType>& allowed = def.allowed_types;
    if (dice_.Percent(50) && std::count(allowed.begin(), allowed.end(), kFloat) != 0) return kFloat;
    return dice_.Pick(allowed);
  }
  std::string StringFor(const AttrDef& def) {
    return def.allowed_strings.empty() || dice_.Percent(2) ? RandomString(dice_) : dice_.Pick(def.allowed_strings);
  }
  int64_t IntFor(const AttrDef& def) {
    const int64_t value = dice_.Percent(75) ? dice_.Below(5) : RandomInt(dice_);
    return def.minimum && dice_.Percent(95) ? std::max(value, *def.minimum) : value;
  }
  FuncAttr FunctionFor() {
    return FuncAttr{dice_.Percent(3) ? "nowhere" : dice_.Pick(maker_.function_names_), nullptr};
  }
  // Strides and window sizes: 1 for the batch and channel dimensions.
  AttrValue WindowFor(int64_t length) {
    std::vector<int64_t> window(static_cast<size_t>(length), 1);
    for (size_t i = 1; i + 1 < window.size(); ++i)
      window[i] = dice_.Percent(90) ? 1 + dice_.Below(3) : RandomInt(dice_);
    return AttrValue(std::move(window));
  }
  AttrValue ListFor(const AttrDef& def, int64_t length) {
    if (def.type == "list(string)") return RandomList(length, [&] { return StringFor(def); });
    if (def.type == "list(int)" && is_image_op_ && dice_.Percent(75)) return WindowFor(length);
    if (def.type == "list(int)") return RandomList(length, [&] { return IntFor(AttrDef()); });
    if (def.type == "list(float)") return RandomList(length, [&] { return static_cast<float>(RandomFloat(dice_)); });
    if (def.type == "list(type)") return RandomList(length, [&] { return TypeFor(def); });
    if (def.type == "list(shape)") return RandomList(length, [&] { return shapes_.Partial(); });
    if (def.type == "list(tensor)")
      return RandomList(length, [&] { return RandomTensor(dice_, kFloat, shapes_.Known()); });
    if (def.type == "list(func)") return RandomList(length, [&] { return FunctionFor(); });
    std::vector<bool> bools(static_cast<size_t>(length));
    for (int64_t i = 0; i < length; ++i) bools[static_cast<size_t>(i)] = dice_.Percent(50);
    return AttrValue(std::move(bools));
  }
  // `length` is the number of list elements that related attributes have agreed on.
  AttrValue ValueFor(const AttrDef& def, std::optional<int64_t> length) {
    if (def.type == "type") return AttrValue(TypeFor(def));
    if (def.type == "int") return AttrValue(length ? *length : IntFor(def));
    if (def.type == "bool") return AttrValue(dice_.Percent(50));
    if (def.type == "float") return AttrValue(static_cast<float>(RandomFloat(dice_)));
    if (def.type == "string") return AttrValue(StringFor(def));
    if (def.type == "shape") return AttrValue(shapes_.Partial());
    if (def.type == "func") return AttrValue(FunctionFor());
    if (def.type == "tensor") return AttrValue(RandomTensor(dice_, RandomType(dice_), shapes_.Known()));
    int64_t some = def.minimum.value_or(0);
    if (some == 0 && def.type == "list(int)") some = is_image_op_ && dice_.Percent(80) ? 4 : dice_.Below(6);
    if (some < 4 || dice_.Percent(10)) some += dice_.Below(3);
    return ListFor(def, length ? *length : some);
  }
  AttrMap RandomAttrs(const OpDef& op) {
    std::map<std::string, int64_t> lengths;
    for (const std::vector<LengthDef>& group : op.equal_lengths) {
      const int64_t length = dice_.Below(3) + 1;
      for (const LengthDef& one : group) {
        if (dice_.Percent(95)) lengths.try_emplace(one.attr, length);
      }
    }
    const int64_t components = dice_.Below(3) + 1;  // of a dataset's elements, whose attributes are compared at run
    for (const char* name : {"output_types", "Toutput_types", "output_shapes"}) {
      if (dice_.Percent(95)) lengths.try_emplace(name, components);
    }
    if (op.name.starts_with("PaddedBatchDataset")) lengths.try_emplace("N", components);
    AttrMap attrs;
    for (const AttrDef& def : op.attrs) {
      if (def.default_value && dice_.Percent(40) && !lengths.contains(def.name)) continue;
      if (dice_.Percent(1)) continue;
      const auto length = lengths.find(def.name);
      AttrValue value = ValueFor(def, length == lengths.end() ? std::nullopt : std::optional<int64_t>(length->second));
      if (const Tensor* tensor = value.As<Tensor>(); tensor != nullptr && !tensor->valid()) continue;
      attrs.emplace(def.name, std::move(value));
    }
    return attrs;
  }

  // --- nodes
  tensorflow::NodeDef* NewNode(const std::string& op, const AttrMap& attrs) {
    tensorflow::NodeDef* node = case_.graph.add_node();
    node->set_name("n" + std::to_string(next_name_++));
    node->set_op(op);
    for (const auto& [name, value] : attrs) ToProto(value, &(*node->mutable_attr())[name]);
    return node;
  }
  // The input types of the op; empty if the attributes are invalid.
  static std::vector<DType> InputTypes(const OpDef& op, AttrMap attrs) {
    if (!CheckAndCompleteAttrs(op, &attrs).ok()) return {};
    Result<std::vector<DType>> types = ArgTypes(op.inputs, attrs);
    return types.ok() && types->size() < 100 ? *std::move(types) : std::vector<DType>();
  }
  std::string AddNode(const OpDef& op, int depth) {
    const AttrMap attrs = RandomAttrs(op);
    std::vector<std::string> inputs;
    for (const DType type : InputTypes(op, attrs)) inputs.push_back(AddInput(op, type, depth));
    if (!inputs.empty() && dice_.Percent(1)) inputs.pop_back();
    tensorflow::NodeDef* node = NewNode(op.name, attrs);
    for (const std::string& input : inputs) node->add_input(input);
    const std::string name = node->name();
    if (depth > 0) Initialize(op.name, name, attrs, depth);
    return name;
  }
  // Returns the name of the input, such as "n3:1".
  std::string AddInput(const OpDef& consumer, DType type, int depth) {
    if (IsRef(type)) {
      if (type == RefType(kString) && dice_.Percent(80)) return AddMaker(maker_.handle_makers_, consumer, type, depth);
      return AddVariable(BaseType(type));
    }
    if (type == kResource && dice_.Percent(95)) return AddMaker(maker_.resource_makers_, consumer, type, depth);
    if (type == kVariant) return AddMaker(maker_.variant_makers_, consumer, type, depth);
    return AddValue(type);
  }
  std::string AddMaker(const std::vector<const OpDef*>& all, const OpDef& consumer, DType type, int depth) {
    const OpDef* made_by = maker_.registry_.Find("RangeDataset");
    if (depth < kMaxDepth) {
      const std::vector<const OpDef*> related = Related(all, consumer.name);
      made_by = !related.empty() && dice_.Percent(75) ? dice_.Pick(related) : dice_.Pick(all);
    } else if (type == kResource) {
      made_by = maker_.registry_.Find("VarHandleOp");
    }
    return AddNode(*made_by, depth + 1);
  }
  std::string AddValue(DType type) {
    const Tensor value = RandomTensor(dice_, type, shapes_.Known());
    if (!value.valid()) return AddNode(*maker_.registry_.Find("RangeDataset"), kMaxDepth);
    if (type != kResource && dice_.Percent(50)) {
      return NewNode("Const", {{"dtype", AttrValue(type)}, {"value", AttrValue(value)}})->name();
    }
    const PartialShape known = dice_.Percent(50) ? PartialShape(value.shape()) : PartialShape();
    const std::string name = NewNode("Placeholder", {{"dtype", AttrValue(type)}, {"shape", AttrValue(known)}})->name();
    case_.feeds.emplace_back(name, value);
    return name;
  }
  void AddInitializer(const std::string& op, const AttrMap& attrs, const std::vector<std::string>& inputs) {
    tensorflow::NodeDef* node = NewNode(op, attrs);
    for (const std::string& input : inputs) node->add_input(input);
    case_.initializers.push_back(node->name());
  }
  std::string AddVariable(DType type) {
    const Tensor value = RandomTensor(dice_, type, shapes_.Known());
    const std::string variable =
        NewNode("VariableV2", {{"dtype", AttrValue(type)}, {"shape", AttrValue(PartialShape())}})->name();
    if (value.valid() && dice_.Percent(95)) {
      const std::string constant = NewNode("Const", {{"dtype", AttrValue(type)}, {"value", AttrValue(value)}})->name();
      AddInitializer("Assign", {{"T", AttrValue(type)}, {"validate_shape", AttrValue(false)}}, {variable, constant});
    }
    return variable;
  }
  // Initializes a resource: a variable with a value, a queue with elements, an iterator with a dataset.
  void Initialize(const std::string& op, const std::string& name, const AttrMap& attrs, int depth) {
    const auto types_of = [&](const char* attr) {
      auto it = attrs.find(attr);
      const auto* types = it == attrs.end() ? nullptr : it->second.As<std::vector<DType>>();
      return types == nullptr ? std::vector<DType>() : *types;
    };
    if (op == "VarHandleOp" && dice_.Percent(90)) {
      const DType type = GetAttr<DType>(attrs, "dtype").value_or(kFloat);
      const std::string value = AddValue(type);
      AddInitializer("AssignVariableOp", {{"dtype", AttrValue(type)}}, {name, value});
    } else if (op.find("Queue") != std::string::npos && dice_.Percent(60)) {
      const std::vector<DType> types = types_of("component_types");
      std::vector<std::string> inputs = {name};
      for (const DType type : types) inputs.push_back(AddValue(BaseType(type)));
      AddInitializer(op.ends_with("V2") ? "QueueEnqueueV2" : "QueueEnqueue", {{"Tcomponents", AttrValue(types)}},
                     inputs);
    } else if (op.starts_with("Iterator") && depth < kMaxDepth && dice_.Percent(80)) {
      AddInitializer("MakeIterator", {},
                     {AddMaker(maker_.variant_makers_, *maker_.registry_.Find(op), kVariant, depth), name});
    }
  }

  const CaseMaker& maker_;
  Dice dice_;
  const bool is_image_op_;
  ShapeDice shapes_;
  HostileCase case_;
  int next_name_ = 0;
};

CaseMaker::CaseMaker(const OpRegistry& registry) : registry_(registry) {
  for (const std::string& name : registry.Names()) {
    if (IsDeadly(name)) continue;
    ops_.push_back(name);
    const OpDef* op = registry.Find(name);
    if (op->outputs.empty()) continue;
    const ArgDef& first = op->outputs[0];
    if (first.type == kResource) resource_makers_.push_back(op);
    if (first.type == kVariant) variant_makers_.push_back(op);
    if (first.type == kString && first.is_ref) handle_makers_.push_back(op);
  }
  struct Known {
    const char* name;
    std::vector<DType> args;
    const char* op;
  };
  const Known functions[] = {{"OfFloat", {kFloat}, "Neg"},
                             {"OfFloats", {kFloat, kFloat}, "Less"},
                             {"OfInt", {kInt64}, "Square"},
                             {"OfInts", {kInt64, kInt64}, "Add"},
                             {"OfText", {kString}, "Identity"},
                             {"OfVariable", {kResource}, "Identity"},
                             {"ToRange", {kInt64, kInt64, kInt64}, "RangeDataset"}};
  for (const Known& known : functions) {
    *functions_.add_function() = MakeFunction(registry, known.name, known.args, known.op);
    function_names_.push_back(known.name);
  }
}

HostileCase CaseMaker::Make(uint64_t seed, int64_t number, int attempt) const {
  const OpDef& op = *registry_.Find(OpOf(number));
  const Dice dice(seed + static_cast<uint64_t>(attempt), static_cast<uint64_t>(number));
  return CaseBuilder(*this, op, dice).Build(op);
}

std::string HostileCase::ToString() const {
  std::string text;
  for (const tensorflow::NodeDef& node : graph.node()) {
    text += fmt::format("{} {} = {}(", node.name() == this->node ? ">" : " ", node.name(), node.op());
    for (int i = 0; i < node.input_size(); ++i) text += (i == 0 ? "" : ", ") + node.input(i);
    for (const auto& [name, value] : node.attr()) {
      Result<AttrValue> attr = FromProto(value);
      text += fmt::format("; {}={}", name, attr.ok() ? attr->ToString() : "?");
    }
    text += ")\n";
  }
  for (const auto& [name, value] : feeds) text += fmt::format("  feed {} = {}\n", name, value.ToString(100));
  for (const std::string& name : initializers) text += fmt::format("  run {}\n", name);
  return text;
}

}  // namespace weir::hostile
