// Recursive descent parser for the schema language of ops:
//   signature = [args] ["->" [args]]      args = arg {"," arg}      arg = name ":" argtype
//   argtype   = "Ref(" argtype ")" | number-attr "*" argtype | type | attr
//   lengths   = attr-name ["?"] {"=" attr-name ["?"]}
//   attr      = name ":" kind [">=" int] ["=" default]     kind = element | "list(" element ")"
//   element   = string|int|float|bool|type|shape|tensor|func | group | "{" (types and groups | quoted strings) "}"
#include <algorithm>

#include "op/cursor.h"
#include "op/element_loop.h"
#include "op/op_def.h"
#include "op/shape_text.h"

namespace weir {

std::vector<DType> TypeGroup(std::string_view name) {
  if (name == "numbertype" || name == "numerictype") {
    return {kFloat,  kDouble,   kInt32,  kUint8,   kInt16,  kInt8,       kComplex64, kInt64,  kQint8, kQuint8,
            kQint32, kBFloat16, kQint16, kQuint16, kUint16, kComplex128, kHalf,      kUint32, kUint64};
  }
  if (name == "realnumbertype" || name == "realnumerictype") {
    return {kFloat, kDouble, kInt32, kUint8, kInt16, kInt8, kInt64, kBFloat16, kUint16, kHalf, kUint32, kUint64};
  }
  if (name == "quantizedtype") return {kQint8, kQuint8, kQint32, kQint16, kQuint16};
  return {};
}

namespace {

Result<DType> ParseTypeWord(Cursor& in) {
  WEIR_ASSIGN(const std::string word, in.Identifier());
  Result<DType> type = ParseDType(word);
  if (!type.ok() || IsRef(*type)) return in.Error(fmt::format("'{}' is not an element type", word));
  return type;
}

// Parses "{...}" after the opening brace: types and groups, or quoted strings.
Status ParseAllowed(Cursor& in, AttrDef* attr) {
  const bool strings = in.Peek() == '\'' || in.Peek() == '"';
  attr->type = strings ? "string" : "type";
  do {
    if (strings) {
      WEIR_ASSIGN(std::string text, in.Quoted());
      attr->allowed_strings.push_back(std::move(text));
      continue;
    }
    Cursor ahead = in;
    const std::vector<DType> group = TypeGroup(ahead.Word());
    if (group.empty()) {
      WEIR_ASSIGN(const DType type, ParseTypeWord(in));
      attr->allowed_types.push_back(type);
    } else {
      in = ahead;
      attr->allowed_types.insert(attr->allowed_types.end(), group.begin(), group.end());
    }
  } while (in.Take(","));
  return in.Expect("}");
}

Status ParseElementKind(Cursor& in, AttrDef* attr) {
  if (in.Take("{")) return ParseAllowed(in, attr);
  WEIR_ASSIGN(attr->type, in.Identifier());
  for (const std::string_view kind : {"string", "int", "float", "bool", "type", "shape", "tensor", "func"}) {
    if (attr->type == kind) return OkStatus();
  }
  attr->allowed_types = TypeGroup(attr->type);
  if (attr->allowed_types.empty()) return in.Error(fmt::format("'{}' is not an attribute kind", attr->type));
  attr->type = "type";
  return OkStatus();
}

// "{ unknown_rank: true }", "{ dim { size: 2 } dim { size: -1 } }", "{}" (a scalar), "[2,-1]", "[2,?]" or "?".
Result<PartialShape> ParseShapeDefault(Cursor& in) {
  if (in.Peek() != '{') return ParseShape(in);
  WEIR_TRY(in.Expect("{"));
  std::vector<int64_t> dims;
  bool unknown = false;
  while (!in.Take("}")) {
    if (in.TakeWord("unknown_rank")) {
      WEIR_TRY(in.Expect(":"));
      unknown = in.TakeWord("true");
      if (!unknown && !in.TakeWord("false")) return in.Error("true or false expected");
    } else if (in.TakeWord("dim")) {
      in.Take(":");
      WEIR_TRY(in.Expect("{"));
      WEIR_TRY(in.Expect("size"));
      WEIR_TRY(in.Expect(":"));
      WEIR_ASSIGN(const int64_t size, in.Number<int64_t>());
      dims.push_back(size);
      WEIR_TRY(in.Expect("}"));
    } else {
      return in.Error("a shape expected");
    }
  }
  if (unknown && !dims.empty()) return in.Error("a shape of unknown rank has no dimensions");
  if (unknown) return PartialShape();
  return PartialShape::Make(dims);
}

template <class T>
Result<T> ParseValue(Cursor& in) {
  if constexpr (std::is_same_v<T, std::string>) {
    return in.Quoted();
  } else if constexpr (std::is_same_v<T, int64_t>) {
    return in.Number<int64_t>();
  } else if constexpr (std::is_same_v<T, float>) {
    return in.Number<float>();
  } else if constexpr (std::is_same_v<T, bool>) {
    if (in.TakeWord("true")) return true;
    if (in.TakeWord("false")) return false;
    return in.Error("true or false expected");
  } else if constexpr (std::is_same_v<T, DType>) {
    return ParseTypeWord(in);
  } else if constexpr (std::is_same_v<T, PartialShape>) {
    return ParseShapeDefault(in);
  } else {
    static_assert(std::is_same_v<T, FuncAttr>);
    FuncAttr function;
    WEIR_TRY(in.Expect("{"));
    if (in.TakeWord("name")) {
      WEIR_TRY(in.Expect(":"));
      WEIR_ASSIGN(function.name, in.Quoted());
    }
    WEIR_TRY(in.Expect("}"));
    return function;
  }
}

template <class T>
Result<AttrValue> ParseDefaultOf(Cursor& in, bool list) {
  if (!list) {
    WEIR_ASSIGN(T value, ParseValue<T>(in));
    return AttrValue(std::move(value));
  }
  std::vector<T> values;
  WEIR_TRY(in.Expect("["));
  while (!in.Take("]")) {
    if (!values.empty()) WEIR_TRY(in.Expect(","));
    WEIR_ASSIGN(T value, ParseValue<T>(in));
    values.push_back(std::move(value));
  }
  return AttrValue(std::move(values));
}

// "uint8[255, 0, 0, 255]": a vector.
Result<AttrValue> ParseTensorDefault(Cursor& in) {
  if (!in.TakeWord("uint8")) return in.Error("a tensor as default is a vector of uint8");
  std::vector<uint8_t> values;
  WEIR_TRY(in.Expect("["));
  while (!in.Take("]")) {
    if (!values.empty()) WEIR_TRY(in.Expect(","));
    WEIR_ASSIGN(const int64_t value, in.Number<int64_t>());
    if (value < 0 || value > 255) return in.Error("0 to 255 expected");
    values.push_back(static_cast<uint8_t>(value));
  }
  return AttrValue(Tensor::Vector<uint8_t>(values));
}

Result<AttrValue> ParseDefault(Cursor& in, std::string_view element, bool list) {
  if (element == "string") return ParseDefaultOf<std::string>(in, list);
  if (element == "int") return ParseDefaultOf<int64_t>(in, list);
  if (element == "float") return ParseDefaultOf<float>(in, list);
  if (element == "bool") return ParseDefaultOf<bool>(in, list);
  if (element == "type") return ParseDefaultOf<DType>(in, list);
  if (element == "shape") return ParseDefaultOf<PartialShape>(in, list);
  if (element == "func") return ParseDefaultOf<FuncAttr>(in, list);
  if (list && in.Take("[") && in.Take("]")) return AttrValue(std::vector<Tensor>());
  if (list) return in.Error("the only default of a list of tensors is []");
  return ParseTensorDefault(in);
}

const AttrDef* Declared(const std::vector<AttrDef>& attrs, std::string_view name) {
  auto it = std::find_if(attrs.begin(), attrs.end(), [&](const AttrDef& attr) { return attr.name == name; });
  return it == attrs.end() ? nullptr : &*it;
}

Status ParseArgType(Cursor& in, const std::vector<AttrDef>& attrs, ArgDef* arg) {
  WEIR_ASSIGN(const std::string word, in.Identifier());
  if (word == "Ref" && in.Take("(")) {
    if (arg->is_ref) return in.Error("Ref inside Ref");
    arg->is_ref = true;
    WEIR_TRY(ParseArgType(in, attrs, arg));
    return in.Expect(")");
  }
  const AttrDef* attr = Declared(attrs, word);
  if (in.Take("*")) {
    if (!arg->number_attr.empty()) return in.Error("only one number of tensors is possible");
    if (attr == nullptr || attr->type != "int")
      return in.Error(fmt::format("'{}' is not an attribute of kind int", word));
    arg->number_attr = word;
    return ParseArgType(in, attrs, arg);
  }
  if (attr != nullptr) {
    if (attr->type == "type") {
      arg->type_attr = word;
    } else if (attr->type == "list(type)" && arg->number_attr.empty()) {
      arg->type_list_attr = word;
    } else {
      return in.Error(fmt::format("attribute '{}' of kind {} is not allowed here", word, attr->type));
    }
    return OkStatus();
  }
  Result<DType> type = ParseDType(word);
  if (!type.ok() || IsRef(*type)) {
    return in.Error(fmt::format("'{}' is neither an element type nor a declared attribute", word));
  }
  arg->type = *type;
  return OkStatus();
}

Status ParseArgs(Cursor& in, const std::vector<AttrDef>& attrs, std::vector<ArgDef>* args) {
  do {
    ArgDef arg;
    WEIR_ASSIGN(arg.name, in.Identifier());
    for (const ArgDef& other : *args) {
      if (other.name == arg.name) return in.Error(fmt::format("argument '{}' is declared twice", arg.name));
    }
    WEIR_TRY(in.Expect(":"));
    WEIR_TRY(ParseArgType(in, attrs, &arg));
    args->push_back(std::move(arg));
  } while (in.Take(","));
  return OkStatus();
}

Result<std::vector<LengthDef>> ParseEqualLengths(std::string_view text, const std::vector<AttrDef>& attrs) {
  Cursor in(text);
  std::vector<LengthDef> lengths;
  do {
    LengthDef length;
    WEIR_ASSIGN(length.attr, in.Identifier());
    const AttrDef* attr = Declared(attrs, length.attr);
    if (attr == nullptr || (attr->type != "int" && !attr->type.starts_with("list("))) {
      return in.Error(fmt::format("'{}' is not an attribute of kind int or list", length.attr));
    }
    length.may_be_empty = in.Take("?");
    lengths.push_back(std::move(length));
  } while (in.Take("="));
  if (!in.AtEnd()) return in.Error("'=' expected");
  return lengths;
}

}  // namespace

Result<AttrDef> ParseAttr(std::string_view text) {
  Cursor in(text);
  AttrDef attr;
  WEIR_ASSIGN(attr.name, in.Identifier());
  WEIR_TRY(in.Expect(":"));
  Cursor ahead = in;
  const bool list = ahead.TakeWord("list") && ahead.Take("(");
  if (list) in = ahead;
  WEIR_TRY(ParseElementKind(in, &attr));
  const std::string element = attr.type;
  if (list) {
    WEIR_TRY(in.Expect(")"));
    attr.type = fmt::format("list({})", element);
  }
  if (in.Take(">=")) {
    if (!list && element != "int") return in.Error("only an int or a list has a minimum");
    WEIR_ASSIGN(attr.minimum, in.Number<int64_t>());
  }
  if (in.Take("=")) {
    WEIR_ASSIGN(attr.default_value, ParseDefault(in, element, list));
  }
  if (!in.AtEnd()) return in.Error("text left over");
  if (attr.default_value) {
    if (Status status = CheckAndConvertAttr(attr, &*attr.default_value); !status.ok()) {
      return WithContext(status, fmt::format("default in '{}'", text));
    }
  }
  return attr;
}

static void CompleteTraits(OpDef* op) {
  OpTraits& traits = op->traits;
  const bool takes_functions = op->TakesFunctions();
  if (!traits.may_block.has_value()) traits.may_block = op->stateful || takes_functions;
  if (!traits.keeps_inputs.has_value()) traits.keeps_inputs = op->stateful || takes_functions;
  if (!traits.memory.has_value()) {
    const bool has_loop = !op->kernels.empty() && LoopOf(op->kernels.front()) != nullptr;
    traits.memory = has_loop ? OutputMemory::kOwn : OutputMemory::kMayShare;
  }
}

Result<OpDef> ParseOp(OpEntry entry) {
  if (entry.name.empty()) return InvalidArgument("an op without a name: '{}'", entry.signature);
  auto with_op = [&](const Status& status) {
    return WithContext(status, fmt::format("schema of op '{}'", entry.name));
  };
  OpDef op;
  for (const std::string& text : entry.attrs) {
    Result<AttrDef> attr = ParseAttr(text);
    if (!attr.ok()) return with_op(attr.status());
    if (Declared(op.attrs, attr->name) != nullptr) {
      return with_op(InvalidArgument("the attribute '{}' is declared twice", attr->name));
    }
    op.attrs.push_back(*std::move(attr));
  }
  for (const std::string& text : entry.equal_lengths) {
    Result<std::vector<LengthDef>> lengths = ParseEqualLengths(text, op.attrs);
    if (!lengths.ok()) return with_op(lengths.status());
    op.equal_lengths.push_back(*std::move(lengths));
  }
  Cursor in(entry.signature);
  if (!in.AtEnd() && !in.Take("->")) {
    if (Status status = ParseArgs(in, op.attrs, &op.inputs); !status.ok()) return with_op(status);
    if (!in.AtEnd() && !in.Take("->")) return with_op(in.Error("',' or '->' expected"));
  }
  if (!in.AtEnd()) {
    if (Status status = ParseArgs(in, op.attrs, &op.outputs); !status.ok()) return with_op(status);
    if (!in.AtEnd()) return with_op(in.Error("text left over"));
  }
  op.name = std::move(entry.name);
  op.shape = std::move(entry.shape);
  op.gradient = std::move(entry.gradient);
  op.no_gradient = entry.no_gradient;
  op.kernels = std::move(entry.kernels);
  op.traits = entry.traits;
  op.stateful = entry.stateful;
  op.commutative = entry.commutative;
  op.aggregate = entry.aggregate;
  op.allows_uninitialized_input = entry.allows_uninitialized_input;
  if (op.stateful && !op.traits.may_block.has_value() && !op.TakesFunctions()) {
    return InvalidArgument("op '{}' is stateful: its traits must say whether it may block", op.name);
  }
  CompleteTraits(&op);
  return op;
}

}  // namespace weir
