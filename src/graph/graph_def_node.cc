#include "graph/graph_def_node.h"

#include "graph/attr_proto.h"
#include "graph/graph_def_newer_attrs.h"

namespace weir {
namespace {

// In defs older than this version, shape [] of a Placeholder means an unknown shape.
constexpr int kScalarPlaceholders = 24;

std::vector<std::string> ReadColocation(const AttrValue& value) {
  if (const auto* list = value.As<std::vector<std::string>>()) return *list;
  if (const auto* one = value.As<std::string>()) return {*one};
  return {};
}

Status CheckType(const std::string& attr, DType type) {
  if (type == kInvalidType) return InvalidArgument("attribute '{}' has no valid type", attr);
  if (!IsRef(type)) return OkStatus();
  return InvalidArgument("attribute '{}' must not be the reference type {}", attr, TypeText(type));
}

// Checks beyond the schema: no reference types, no missing types, no placeholders outside of functions, and constants
// that have their declared type.
Status CheckTypes(const OpDef& op, const AttrMap& attrs) {
  for (const AttrDef& def : op.attrs) {
    const AttrValue& value = attrs.find(def.name)->second;
    if (std::holds_alternative<AttrPlaceholder>(value.value())) {
      return InvalidArgument("attribute '{}' is a placeholder, which only the body of a function may have", def.name);
    }
    if (const DType* type = value.As<DType>()) WEIR_TRY(CheckType(def.name, *type));
    if (const auto* types = value.As<std::vector<DType>>()) {
      for (DType type : *types) WEIR_TRY(CheckType(def.name, type));
    }
  }
  if (op.traits.kind != NodeKind::kConst) return OkStatus();
  WEIR_ASSIGN(DType dtype, GetAttr<DType>(attrs, "dtype"));
  WEIR_ASSIGN(const TensorInfo value, GetTensorInfo(attrs, "value"));
  if (value.dtype == dtype) return OkStatus();
  return InvalidArgument("the value is {}, but the attribute dtype says {}", TypeText(value.dtype), TypeText(dtype));
}

}  // namespace

Result<NodeContent> ReadNodeContent(const OpDef& op, const tensorflow::NodeDef& def, int producer) {
  NodeContent content;
  AttrMap& attrs = content.attrs;
  for (const auto& [name, proto] : def.attr()) {
    Result<AttrValue> value = FromProto(proto);
    if (!value.ok()) return WithContext(value.status(), fmt::format("attribute '{}'", name));
    if (name == "_output_shapes") {
      if (const auto* shapes = value->As<std::vector<PartialShape>>()) content.shape_hints = *shapes;
    } else if (name == "_class") {
      attrs.emplace(name, AttrValue(ReadColocation(*value)));
    } else if (op.FindAttr(name) != nullptr || !MayDropNewerAttr(name, *value)) {
      attrs.emplace(name, *std::move(value));
    }
  }
  if (producer < kScalarPlaceholders && op.name == "Placeholder") {
    static const PartialShape unknown;
    auto shape = attrs.find("shape");
    const PartialShape* given = shape == attrs.end() ? nullptr : shape->second.As<PartialShape>();
    if (given != nullptr && given->rank() == 0) shape->second = unknown;
  }
  WEIR_TRY(CheckAndCompleteAttrs(op, &attrs));
  WEIR_TRY(CheckTypes(op, attrs));
  return content;
}

std::string TypeText(DType type) { return OpDefTypeName(BaseType(type)) + (IsRef(type) ? "_ref" : ""); }

std::string TypeText(const std::vector<DType>& types) {
  constexpr size_t kShown = 16;
  std::string text;
  for (size_t i = 0; i < types.size() && i < kShown; ++i) text += (i == 0 ? "" : ", ") + TypeText(types[i]);
  return types.size() > kShown ? text + ", ..." : text;
}

}  // namespace weir
