#include "tensor/dtype.h"

namespace weir {
namespace {

struct TypeInfo {
  DType type;
  const char* python;  // "float32"
  const char* op_def;  // "float"
  const char* proto;   // "DT_FLOAT"
  size_t size;
};

// Ordered by number: entry i describes type i + 1.
constexpr TypeInfo kTypes[] = {
    {kFloat, "float32", "float", "DT_FLOAT", 4},
    {kDouble, "float64", "double", "DT_DOUBLE", 8},
    {kInt32, "int32", "int32", "DT_INT32", 4},
    {kUint8, "uint8", "uint8", "DT_UINT8", 1},
    {kInt16, "int16", "int16", "DT_INT16", 2},
    {kInt8, "int8", "int8", "DT_INT8", 1},
    {kString, "string", "string", "DT_STRING", sizeof(std::string)},
    {kComplex64, "complex64", "complex64", "DT_COMPLEX64", 8},
    {kInt64, "int64", "int64", "DT_INT64", 8},
    {kBool, "bool", "bool", "DT_BOOL", 1},
    {kQint8, "qint8", "qint8", "DT_QINT8", 1},
    {kQuint8, "quint8", "quint8", "DT_QUINT8", 1},
    {kQint32, "qint32", "qint32", "DT_QINT32", 4},
    {kBFloat16, "bfloat16", "bfloat16", "DT_BFLOAT16", 2},
    {kQint16, "qint16", "qint16", "DT_QINT16", 2},
    {kQuint16, "quint16", "quint16", "DT_QUINT16", 2},
    {kUint16, "uint16", "uint16", "DT_UINT16", 2},
    {kComplex128, "complex128", "complex128", "DT_COMPLEX128", 16},
    {kHalf, "float16", "half", "DT_HALF", 2},
    {kResource, "resource", "resource", "DT_RESOURCE", sizeof(ResourceHandle)},
    {kVariant, "variant", "variant", "DT_VARIANT", 0},
    {kUint32, "uint32", "uint32", "DT_UINT32", 4},
    {kUint64, "uint64", "uint64", "DT_UINT64", 8},
};
constexpr int kTypeCount = sizeof(kTypes) / sizeof(kTypes[0]);

// Further spellings that Python programs use.
constexpr struct {
  const char* name;
  DType type;
} kAliases[] = {
    {"bool_", kBool},
    {"str", kString},
    {"bytes", kString},
    {"object", kString},
};

// The entry of a base type, or null.
const TypeInfo* Find(DType t) { return t >= 1 && t <= kTypeCount ? &kTypes[t - 1] : nullptr; }

std::string Spell(DType t, const char* TypeInfo::*name, const char* ref_suffix) {
  const TypeInfo* info = Find(BaseType(t));
  if (info == nullptr) return fmt::format("unknown type {}", static_cast<int>(t));
  return IsRef(t) ? std::string(info->*name) + ref_suffix : std::string(info->*name);
}

bool DropSuffix(std::string_view* text, std::string_view suffix) {
  if (!text->ends_with(suffix)) return false;
  text->remove_suffix(suffix.size());
  return true;
}

}  // namespace

size_t ElementSize(DType t) {
  const TypeInfo* info = Find(BaseType(t));
  return info == nullptr ? 0 : info->size;
}

bool IsFloating(DType t) {
  t = BaseType(t);
  return t == kFloat || t == kDouble || t == kHalf || t == kBFloat16;
}

bool IsInteger(DType t) {
  t = BaseType(t);
  return t == kInt8 || t == kInt16 || t == kInt32 || t == kInt64 || IsUnsigned(t);
}

bool IsUnsigned(DType t) {
  t = BaseType(t);
  return t == kUint8 || t == kUint16 || t == kUint32 || t == kUint64;
}

bool IsComplex(DType t) {
  t = BaseType(t);
  return t == kComplex64 || t == kComplex128;
}

bool IsQuantized(DType t) {
  t = BaseType(t);
  return t == kQint8 || t == kQuint8 || t == kQint16 || t == kQuint16 || t == kQint32;
}

bool IsPlain(DType t) {
  t = BaseType(t);
  return ElementSize(t) != 0 && t != kString && t != kResource;
}

std::string DTypeName(DType t) { return t == kInvalidType ? "invalid" : Spell(t, &TypeInfo::python, "_ref"); }
std::string OpDefTypeName(DType t) { return t == kInvalidType ? "INVALID" : Spell(t, &TypeInfo::op_def, "_ref"); }
std::string ProtoTypeName(DType t) { return t == kInvalidType ? "DT_INVALID" : Spell(t, &TypeInfo::proto, "_REF"); }

Result<DType> ParseDType(std::string_view name) {
  std::string_view base = name;
  const bool ref = DropSuffix(&base, "_ref") || DropSuffix(&base, "_REF");
  for (const TypeInfo& info : kTypes) {
    if (base == info.python || base == info.op_def || base == info.proto) return ref ? RefType(info.type) : info.type;
  }
  for (const auto& alias : kAliases) {
    if (base == alias.name && !ref) return alias.type;
  }
  return InvalidArgument("'{}' is not the name of a data type", name);
}

Result<DType> DTypeFromNumber(int number) {
  const DType type = static_cast<DType>(number);
  if (number <= 0 || Find(BaseType(type)) == nullptr) {
    return InvalidArgument("{} is not the number of a supported data type", number);
  }
  return type;
}

}  // namespace weir
