// The functions of a graph. Definitions are immutable: adding a different one under the same name is an error.
#include "graph/function_library.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "graph/attr_proto.h"

namespace weir {
namespace {

// Equal for equal messages, regardless of map order.
std::string CanonicalBytes(const tensorflow::FunctionDef& def) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.SetSerializationDeterministic(true);
  def.SerializeToCodedStream(&out);
  out.Trim();
  return bytes;
}

}  // namespace

void FunctionLibrary::SetBase(const FunctionLibrary* base) {
  std::lock_guard<std::mutex> lock(mu_);
  base_ = base;
}

Status FunctionLibrary::Add(const tensorflow::FunctionDef& def) {
  const std::string& name = def.signature().name();
  if (name.empty()) return InvalidArgument("a function without a name cannot be added to the library");
  if (registry_.Find(name) != nullptr) {
    return InvalidArgument("cannot add function '{}' because an op with the same name already exists", name);
  }
  Result<OpDef> op = FromProto(def.signature());
  if (!op.ok()) return WithContext(op.status(), fmt::format("function '{}'", name));
  op->is_function = true;
  return AddEntry(
      name, {std::make_shared<const tensorflow::FunctionDef>(def), std::make_shared<const OpDef>(*std::move(op))});
}

Status FunctionLibrary::AddEntry(const std::string& name, Entry entry) {
  std::lock_guard<std::mutex> lock(mu_);
  auto it = functions_.find(name);
  if (it == functions_.end()) {
    functions_.emplace(name, std::move(entry));
    return OkStatus();
  }
  const auto& known = it->second.def;
  if (known == entry.def || CanonicalBytes(*known) == CanonicalBytes(*entry.def)) return OkStatus();
  return InvalidArgument("cannot add function '{}' because a different function with the same name already exists",
                         name);
}

std::optional<FunctionLibrary::Entry> FunctionLibrary::FindEntry(std::string_view name) const {
  std::lock_guard<std::mutex> lock(mu_);
  if (auto it = functions_.find(name); it != functions_.end()) return it->second;
  return base_ == nullptr ? std::nullopt : base_->FindEntry(name);
}

Status FunctionLibrary::AddLibrary(const tensorflow::FunctionDefLibrary& library) {
  for (const tensorflow::FunctionDef& def : library.function()) WEIR_TRY(Add(def));
  for (const tensorflow::GradientDef& gradient : library.gradient()) {
    WEIR_TRY(AddGradient(gradient.function_name(), gradient.gradient_func()));
  }
  return OkStatus();
}

Status FunctionLibrary::AddGradient(const std::string& function, const std::string& gradient) {
  std::lock_guard<std::mutex> lock(mu_);
  auto [it, added] = gradients_.emplace(function, gradient);
  if (added || it->second == gradient) return OkStatus();
  return InvalidArgument("cannot assign gradient function '{}' to '{}' because it already has gradient function '{}'",
                         gradient, function, it->second);
}

Status FunctionLibrary::AddAll(const FunctionLibrary& other) {
  if (&other == this) return OkStatus();
  std::map<std::string, Entry, std::less<>> functions;
  std::map<std::string, std::string, std::less<>> gradients;
  {
    std::lock_guard<std::mutex> lock(other.mu_);
    functions = other.functions_;
    gradients = other.gradients_;
  }
  for (auto& [name, entry] : functions) WEIR_TRY(AddEntry(name, std::move(entry)));
  for (const auto& [function, gradient] : gradients) WEIR_TRY(AddGradient(function, gradient));
  return OkStatus();
}

const OpDef* FunctionLibrary::FindOp(std::string_view name) const {
  const std::optional<Entry> entry = FindEntry(name);
  return entry.has_value() ? entry->op.get() : nullptr;
}

std::shared_ptr<const tensorflow::FunctionDef> FunctionLibrary::Find(std::string_view name) const {
  std::optional<Entry> entry = FindEntry(name);
  return entry.has_value() ? std::move(entry->def) : nullptr;
}

std::string FunctionLibrary::GradientOf(std::string_view function) const {
  std::lock_guard<std::mutex> lock(mu_);
  if (auto it = gradients_.find(function); it != gradients_.end()) return it->second;
  return base_ == nullptr ? std::string() : base_->GradientOf(function);
}

bool FunctionLibrary::empty() const {
  std::lock_guard<std::mutex> lock(mu_);
  return functions_.empty() && gradients_.empty();
}

std::vector<std::string> FunctionLibrary::Names() const {
  std::lock_guard<std::mutex> lock(mu_);
  std::vector<std::string> names;
  names.reserve(functions_.size());
  for (const auto& [name, entry] : functions_) names.push_back(name);
  return names;
}

void FunctionLibrary::ToProto(tensorflow::FunctionDefLibrary* proto) const {
  std::lock_guard<std::mutex> lock(mu_);
  for (const auto& [name, entry] : functions_) *proto->add_function() = *entry.def;
  for (const auto& [function, gradient] : gradients_) {
    tensorflow::GradientDef* def = proto->add_gradient();
    def->set_function_name(function);
    def->set_gradient_func(gradient);
  }
}

}  // namespace weir
