// A malformed schema is an internal bug: Find aborts, Validate returns an error.
#include "op/op_registry.h"

#include <algorithm>

namespace weir {
namespace {

// Checks that kernels support only types that the schema allows, and name only arguments that exist.
Status CheckKernels(const OpDef& op) {
  for (const KernelDef& kernel : op.kernels) {
    for (const auto& [name, type] : kernel.types) {
      const AttrDef* attr = op.FindAttr(name);
      if (attr == nullptr || (attr->type != "type" && attr->type != "list(type)")) {
        return InvalidArgument("op '{}': a {} kernel is for {}={}, but there is no such type attribute", op.name,
                               kernel.device, name, type);
      }
      const auto& allowed = attr->allowed_types;
      if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), type) == allowed.end()) {
        return InvalidArgument("op '{}': a {} kernel is for {}={}, which the schema does not allow", op.name,
                               kernel.device, name, type);
      }
    }
    for (const std::string& name : kernel.host_memory) {
      auto is_named = [&](const ArgDef& arg) { return arg.name == name; };
      if (std::none_of(op.inputs.begin(), op.inputs.end(), is_named) &&
          std::none_of(op.outputs.begin(), op.outputs.end(), is_named)) {
        return InvalidArgument("op '{}': host_memory names '{}', which is not an argument", op.name, name);
      }
    }
  }
  return OkStatus();
}

}  // namespace

void OpRegistry::Add(OpEntry entry) {
  std::lock_guard lock(mu_);
  std::string name = entry.name;
  auto [it, inserted] = slots_.try_emplace(std::move(name));
  WEIR_CHECK(inserted, "op added twice:", it->first);
  it->second.entry = std::move(entry);
}

void OpRegistry::AddKernels(std::string_view op, KernelList kernels) {
  std::lock_guard lock(mu_);
  auto it = slots_.find(op);
  WEIR_CHECK(it != slots_.end(), "kernels for an op that was not added:", op);
  WEIR_CHECK(it->second.def == nullptr, "kernels for an op that is already in use:", op);
  KernelList& list = it->second.entry.kernels;
  list.insert(list.end(), std::make_move_iterator(kernels.begin()), std::make_move_iterator(kernels.end()));
}

const OpDef* OpRegistry::Find(std::string_view name) const {
  std::lock_guard lock(mu_);
  auto it = slots_.find(name);
  if (it == slots_.end()) return nullptr;
  Slot& slot = it->second;
  if (slot.def == nullptr) {
    Result<OpDef> def = ParseOp(std::move(slot.entry));
    WEIR_CHECK(def.ok(), std::string(def.status().message()));
    slot.def = std::make_unique<OpDef>(*std::move(def));
    slot.entry = OpEntry();
  }
  return slot.def.get();
}

std::vector<std::string> OpRegistry::Names() const {
  std::lock_guard lock(mu_);
  std::vector<std::string> names;
  names.reserve(slots_.size());
  for (const auto& [name, slot] : slots_) names.push_back(name);
  return names;
}

Status OpRegistry::Validate() const {
  std::lock_guard lock(mu_);
  for (const auto& [name, slot] : slots_) {
    if (slot.def != nullptr) {
      WEIR_TRY(CheckKernels(*slot.def));
    } else {
      WEIR_ASSIGN(const OpDef def, ParseOp(slot.entry));
      WEIR_TRY(CheckKernels(def));
    }
  }
  return OkStatus();
}

}  // namespace weir
