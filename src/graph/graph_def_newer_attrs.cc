#include "graph/graph_def_newer_attrs.h"

#include <variant>

namespace weir {
namespace {

struct AnyValue {};  // a hint: every value may be dropped

struct NewerAttr {
  std::string_view name;
  std::variant<bool, int64_t, float, DType, std::string_view, EmptyList, AnyValue> may_be;
};

// Additions of TensorFlow 2.21 to the ops of 1.15. An attribute has the same default on every op that has it.
constexpr NewerAttr kNewerAttrs[] = {
    {"allow_missing_files", false},                // MergeV2Checkpoints
    {"allowed_devices", EmptyList{}},              // VarHandleOp
    {"bad_indices_policy", std::string_view("")},  // GatherNd, ScatterNd*, TensorScatter*
    {"blank_index", int64_t{-1}},                  // CTCGreedyDecoder
    {"buffer_size_min", int64_t{0}},               // PrefetchDataset
    {"debug_name", AnyValue{}},                    // VarHandleOp
    {"explicit_paddings", EmptyList{}},            // MaxPool, DepthwiseConv2dNative and their gradients
    {"exponential_avg_factor", 1.0f},              // FusedBatchNorm*
    {"force_synchronous", false},                  // MapDataset
    {"grad_a", AnyValue{}},                        // MatMul: set if it computes a gradient
    {"grad_b", AnyValue{}},
    {"grad_x", AnyValue{}},  // BatchMatMul*
    {"grad_y", AnyValue{}},
    {"index_type", kInt32},               // Fill, TopKV2
    {"is_async", false},                  // EagerPyFunc
    {"is_files", false},                  // TensorSliceDataset
    {"metadata", std::string_view("")},   // datasets
    {"offset", int64_t{0}},               // InitializeTableFromTextFile*
    {"ram_budget", int64_t{0}},           // ModelDataset
    {"replicate_on_split", false},        // RangeDataset, TensorSliceDataset
    {"reshuffle_each_iteration", true},   // ShuffleAndRepeatDataset
    {"sparse_gradient", false},           // SparseSegment*
    {"use_unbounded_threadpool", false},  // ParallelMapDataset*
};

template <class T>
bool Holds(const AttrValue& value, const T& wanted) {
  const T* held = value.As<T>();
  return held != nullptr && *held == wanted;
}
bool Holds(const AttrValue& value, std::string_view wanted) {
  const std::string* held = value.As<std::string>();
  return held != nullptr && *held == wanted;
}
bool Holds(const AttrValue&, AnyValue) { return true; }
bool Holds(const AttrValue& value, EmptyList) { return std::holds_alternative<EmptyList>(value.value()); }

}  // namespace

bool MayDropNewerAttr(std::string_view name, const AttrValue& value) {
  for (const NewerAttr& attr : kNewerAttrs) {
    if (attr.name != name) continue;
    return std::visit([&value](const auto& wanted) { return Holds(value, wanted); }, attr.may_be);
  }
  return false;
}

}  // namespace weir
