// DecodeJSONExample: converts Examples from protobuf's JSON form to serialized Examples. Field names are those of the
// message or camel case; integers may be strings; bytes are base64. Unknown fields are errors.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/string/map_strings.h"
#include "proto/example.pb.h"

namespace weir::ops {
namespace {

using Json = nlohmann::json;

Status Wrong(const std::string& where, const char* what) {
  return InvalidArgument("Error while parsing JSON: {} must be {}", where, what);
}

// Visits the fields of an object. A null value means that the field is absent.
template <class Visit>
Status EachField(const Json& object, const std::string& where, Visit visit) {
  if (!object.is_object()) return Wrong(where, "an object");
  for (const auto& [name, value] : object.items()) {
    if (!value.is_null()) WEIR_TRY(visit(name, value));
  }
  return OkStatus();
}

Result<float> FloatFrom(const Json& value, const std::string& where) {
  if (value.is_number()) return value.get<float>();
  double number = 0;
  if (value.is_string() && absl::SimpleAtod(value.get_ref<const std::string&>(), &number))
    return static_cast<float>(number);
  return Wrong(where, "a number");
}

Result<int64_t> IntFrom(const Json& value, const std::string& where) {
  int64_t number = 0;
  if (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{std::numeric_limits<int64_t>::max()})
    return Wrong(where, "a 64-bit integer");
  if (value.is_number_integer()) return value.get<int64_t>();
  if (value.is_number_float()) {
    const double real = value.get<double>();
    if (std::floor(real) == real && std::abs(real) < 9e18) return static_cast<int64_t>(real);
  }
  if (value.is_string() && absl::SimpleAtoi(value.get_ref<const std::string&>(), &number)) return number;
  return Wrong(where, "a 64-bit integer");
}

Result<std::string> BytesFrom(const Json& value, const std::string& where) {
  std::string bytes;
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    if (absl::Base64Unescape(text, &bytes) || absl::WebSafeBase64Unescape(text, &bytes)) return bytes;
  }
  return Wrong(where, "bytes in base64");
}

// Reads {"value": [...]} and calls `add` for each element.
template <class Add>
Status ReadList(const Json& list, const std::string& where, Add add) {
  return EachField(list, where, [&](const std::string& name, const Json& values) -> Status {
    if (name != "value") return InvalidArgument("Error while parsing JSON: {} has no field '{}'", where, name);
    if (!values.is_array()) return Wrong(where + ".value", "a list");
    for (const Json& value : values) WEIR_TRY(add(value));
    return OkStatus();
  });
}

Status ReadFeature(const Json& json, const std::string& where, tensorflow::Feature* feature) {
  return EachField(json, where, [&](const std::string& name, const Json& list) -> Status {
    if (name == "bytesList" || name == "bytes_list") {
      auto* values = feature->mutable_bytes_list();
      return ReadList(list, where, [&](const Json& value) -> Status {
        WEIR_ASSIGN(std::string bytes, BytesFrom(value, where));
        values->add_value(std::move(bytes));
        return OkStatus();
      });
    }
    if (name == "floatList" || name == "float_list") {
      auto* values = feature->mutable_float_list();
      return ReadList(list, where, [&](const Json& value) -> Status {
        WEIR_ASSIGN(const float number, FloatFrom(value, where));
        values->add_value(number);
        return OkStatus();
      });
    }
    if (name == "int64List" || name == "int64_list") {
      auto* values = feature->mutable_int64_list();
      return ReadList(list, where, [&](const Json& value) -> Status {
        WEIR_ASSIGN(const int64_t number, IntFrom(value, where));
        values->add_value(number);
        return OkStatus();
      });
    }
    return InvalidArgument("Error while parsing JSON: {} has no field '{}'", where, name);
  });
}

Result<std::string> ExampleFromJson(const std::string& text) {
  // Stop parsing text that is nested deeper than any Example.
  bool too_deep = false;
  const Json::parser_callback_t guard = [&](int level, Json::parse_event_t, Json&) {
    too_deep = too_deep || level > 100;
    return !too_deep;
  };
  const Json json = Json::parse(text, guard, /*allow_exceptions=*/false);
  if (json.is_discarded() || too_deep)
    return InvalidArgument("Error while parsing JSON: the text is not valid JSON or is nested too deeply");
  tensorflow::Example example;
  WEIR_TRY(EachField(json, "the Example", [&](const std::string& name, const Json& features) -> Status {
    if (name != "features") return InvalidArgument("Error while parsing JSON: an Example has no field '{}'", name);
    return EachField(features, "features", [&](const std::string& field, const Json& map) -> Status {
      if (field != "feature") return InvalidArgument("Error while parsing JSON: features has no field '{}'", field);
      return EachField(map, "feature", [&](const std::string& key, const Json& feature) {
        return ReadFeature(feature, fmt::format("feature '{}'", key),
                           &(*example.mutable_features()->mutable_feature())[key]);
      });
    });
  }));
  return example.SerializeAsString();
}

Result<Kernel> MakeDecodeJson(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) { return TryMapStrings<std::string>(ctx, ExampleFromJson); });
}

}  // namespace

void RegisterDecodeJsonExample(OpRegistry& registry) {
  registry.Add({
      .name = "DecodeJSONExample",
      .signature = "json_examples: string -> binary_examples: string",
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeDecodeJson),
  });
}

}  // namespace weir::ops
