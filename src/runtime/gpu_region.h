// GpuRegion: nodes of a plan that run as one node, because all that they do is add work to the stream of one GPU. The
// first step with given input shapes runs the members one by one. The next one records their work as a graph, which
// later steps replay: one copy for all inputs, one launch, one wait. Results are the same bits.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "device/gpu_device.h"
#include "runtime/kernel_cache.h"
#include "runtime/plan_graph.h"

namespace weir {

struct GpuRegion {
  // Where a member's input comes from.
  struct Source {
    enum Kind : uint8_t { kValue, kInput, kConstant };
    Kind kind = kValue;
    bool last = false;  // the last use of the value: it is moved
    int32_t number = 0;
  };
  struct Member {
    enum Role : uint8_t {
      kRuns,
      kCopyToGpu,   // copies an input of the region to the GPU
      kCopyToHost,  // copies a value to the host, for an output of the region
    };
    std::shared_ptr<const BoundKernel> kernel;
    std::vector<Source> inputs;
    int32_t first_value = 0;
    int32_t num_outputs = 0;
    Role role = kRuns;
    bool allows_uninitialized = false;
  };
  struct Output {
    int32_t value = 0;
    bool on_gpu = false;
    bool copied = false;  // a kCopyToHost copies it; false for a value on the host that depends only on input shapes
  };

  GpuDevice* gpu = nullptr;
  std::vector<Member> members;  // producers first
  std::vector<Output> outputs;
  std::vector<Tensor> constants;
  std::vector<bool> updated_inputs;      // by input: a variable that a member updates
  std::vector<std::string> input_names;  // by input: the node that it comes from
  int32_t num_values = 0;
};

// The op of a node that stands for a region.
inline constexpr std::string_view kGpuRegionOp = "_GpuRegion";

struct GpuRegionNode {
  std::string name;
  std::vector<DType> input_types;
  std::vector<DType> output_types;
};
std::shared_ptr<const NodeProps> MakeGpuRegion(GpuRegionNode node, GpuRegion region);
// Whether the op is that of a region.
bool IsGpuRegion(const OpDef& op);

}  // namespace weir
