// The functions of a graph. A definition never changes once it is in: two that differ under one
// name are an error.
#include "graph/function_library.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <set>

#include "base/function_ref.h"
#include "graph/attr_proto.h"

namespace weir {
namespace {

// Equal for equal messages, whatever the order of their maps.
std::string CanonicalBytes(const tensorflow::FunctionDef& def) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.SetSerializationDeterministic(true);
  def.SerializeToCodedStream(&out);
  out.Trim();
  return bytes;
}

// Calls `visit` with the name of everything that may be a function: ops, and attributes of kind
// func at any depth.
void ForEachCalled(const tensorflow::AttrValue& value, FunctionRef<void(const std::string&)> visit) {
  auto function = [&](const tensorflow::NameAttrList& called) {
    visit(called.name());
    for (const auto& [name, attr] : called.attr()) ForEachCalled(attr, visit);
  };
  if (value.has_func()) function(value.func());
  for (const tensorflow::NameAttrList& called : value.list().func()) function(called);
}
void ForEachCalled(const tensorflow::NodeDef& node, FunctionRef<void(const std::string&)> visit) {
  visit(node.op());
  for (const auto& [name, attr] : node.attr()) ForEachCalled(attr, visit);
}

}  // namespace

Status FunctionLibrary::Add(const tensorflow::FunctionDef& def) {
  return AddShared(std::make_shared<const tensorflow::FunctionDef>(def));
}

Status FunctionLibrary::AddShared(std::shared_ptr<const tensorflow::FunctionDef> def) {
  const std::string& name = def->signature().name();
  if (name.empty()) return InvalidArgument("a function without a name cannot be added to the library");
  if (registry_.Find(name) != nullptr) {
    return InvalidArgument("cannot add function '{}' because an op with the same name already exists", name);
  }
  Result<OpDef> op = FromProto(def->signature());
  if (!op.ok()) return WithContext(op.status(), fmt::format("function '{}'", name));
  op->is_function = true;
  std::lock_guard<std::mutex> lock(mu_);
  auto it = functions_.find(name);
  if (it == functions_.end()) {
    functions_.emplace(name, Entry{std::move(def), std::make_unique<OpDef>(*std::move(op))});
    return OkStatus();
  }
  if (it->second.def == def || CanonicalBytes(*it->second.def) == CanonicalBytes(*def)) return OkStatus();
  return InvalidArgument("cannot add function '{}' because a different function with the same name already exists",
                         name);
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
  for (const std::string& name : other.Names()) WEIR_TRY(AddShared(other.Find(name)));
  std::map<std::string, std::string, std::less<>> gradients;
  {
    std::lock_guard<std::mutex> lock(other.mu_);
    gradients = other.gradients_;
  }
  for (const auto& [function, gradient] : gradients) WEIR_TRY(AddGradient(function, gradient));
  return OkStatus();
}

Status FunctionLibrary::AddCalledBy(const tensorflow::FunctionDef& def, const FunctionLibrary& other) {
  std::vector<std::shared_ptr<const tensorflow::FunctionDef>> pending;
  std::set<std::string> seen;
  auto visit = [&](const std::string& name) {
    for (std::string next = name; !next.empty() && seen.insert(next).second; next = other.GradientOf(next)) {
      if (auto called = other.Find(next)) pending.push_back(std::move(called));
    }
  };
  for (const tensorflow::NodeDef& node : def.node_def()) ForEachCalled(node, visit);
  while (!pending.empty()) {
    std::shared_ptr<const tensorflow::FunctionDef> called = std::move(pending.back());
    pending.pop_back();
    const std::string& name = called->signature().name();
    if (std::string gradient = other.GradientOf(name); !gradient.empty()) WEIR_TRY(AddGradient(name, gradient));
    for (const tensorflow::NodeDef& node : called->node_def()) ForEachCalled(node, visit);
    WEIR_TRY(AddShared(std::move(called)));
  }
  return OkStatus();
}

const OpDef* FunctionLibrary::FindOp(std::string_view name) const {
  std::lock_guard<std::mutex> lock(mu_);
  auto it = functions_.find(name);
  return it == functions_.end() ? nullptr : it->second.op.get();
}

std::shared_ptr<const tensorflow::FunctionDef> FunctionLibrary::Find(std::string_view name) const {
  std::lock_guard<std::mutex> lock(mu_);
  auto it = functions_.find(name);
  return it == functions_.end() ? nullptr : it->second.def;
}

std::string FunctionLibrary::GradientOf(std::string_view function) const {
  std::lock_guard<std::mutex> lock(mu_);
  auto it = gradients_.find(function);
  return it == gradients_.end() ? std::string() : it->second;
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
