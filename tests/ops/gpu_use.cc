#include "tests/ops/gpu_use.h"

#include <fmt/format.h>

#include <algorithm>

#include "op/gpu_kernel.h"

namespace weir::optest {

bool GpuUse::HasGpuKernel(const std::string& op) {
  auto [it, is_new] = has_kernel_.try_emplace(op, false);
  if (!is_new) return it->second;
  const OpDef* const def = op.starts_with("_") ? nullptr : registry_.Find(op);
  if (def == nullptr) return false;
  for (const KernelDef& kernel : def->kernels) {
    const auto* const gpu = kernel.make.target<GpuKernel>();
    if (gpu == nullptr || (gpu->types_of != nullptr && gpu->types_of(op).empty())) continue;
    if (gpu->runs == GpuKernel::Runs::kOnDevice || gpu->runs == GpuKernel::Runs::kCopies) it->second = true;
  }
  return it->second;
}

bool GpuUse::Begins(const File& file, const Case& one) {
  on_gpu_.clear();
  const auto computes = [this](const Statement& statement) { return HasGpuKernel(statement.call.op); };
  return std::any_of(one.statements.begin(), one.statements.end(), computes);
}

void GpuUse::Add(const tensorflow::RunMetadata& step) {
  for (const auto& part : step.partition_graphs()) {
    for (const auto& node : part.node()) {
      if (!HasGpuKernel(node.op())) continue;
      if (node.device().find("/device:GPU:") != std::string::npos) {
        on_gpu_.insert(node.op());
      } else {
        ++rows_[node.op()].nodes_on_cpu;
      }
    }
  }
}

void GpuUse::End(bool passed) {
  for (const std::string& op : on_gpu_) ++(passed ? rows_[op].passed : rows_[op].failed);
}

int GpuUse::num_on_gpu() const {
  return static_cast<int>(std::count_if(rows_.begin(), rows_.end(),
                                        [](const auto& row) { return row.second.passed + row.second.failed > 0; }));
}

std::string GpuUse::Table() const {
  std::string text = fmt::format("{:<40} {:>6} {:>6} {:>12}\n", "op on a GPU", "passed", "failed", "nodes on CPU");
  Row sum;
  for (const auto& [op, row] : rows_) {
    text += fmt::format("{:<40} {:>6} {:>6} {:>12}\n", op, row.passed, row.failed, row.nodes_on_cpu);
    sum.passed += row.passed;
    sum.failed += row.failed;
    sum.nodes_on_cpu += row.nodes_on_cpu;
  }
  return text + fmt::format("{:<40} {:>6} {:>6} {:>12}\n", fmt::format("{} ops", num_on_gpu()), sum.passed, sum.failed,
                            sum.nodes_on_cpu);
}

}  // namespace weir::optest
