// Counts which ops the cases ran on a GPU. Not thread-safe.
#ifndef WEIR_TESTS_OPS_GPU_USE_H_
#define WEIR_TESTS_OPS_GPU_USE_H_

#include <map>
#include <set>
#include <string>

#include "proto/config.pb.h"
#include "tests/ops/parse.h"

namespace weir::optest {

class GpuUse final {
 public:
  explicit GpuUse(const OpRegistry& registry) : registry_(registry) {}
  // Begins a case. Returns whether some op of the case computes with a GPU kernel.
  bool Begins(const File& file, const Case& one);
  // The plan of a step of the case.
  void Add(const tensorflow::RunMetadata& step);
  void End(bool passed);

  // A row per op with a GPU kernel: cases that passed and failed with the op on a GPU, and nodes that were on the CPU.
  std::string Table() const;

 private:
  struct Row {
    int passed = 0;
    int failed = 0;
    int nodes_on_cpu = 0;
  };
  bool HasGpuKernel(const std::string& op);
  int num_on_gpu() const;  // ops that ran on a GPU in some case

  const OpRegistry& registry_;
  std::map<std::string, bool> has_kernel_;
  std::map<std::string, Row> rows_;
  std::set<std::string> on_gpu_;  // in the current case
};

}  // namespace weir::optest

#endif  // WEIR_TESTS_OPS_GPU_USE_H_
