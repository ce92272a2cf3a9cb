// Crosses of sparse features: builds SparseCross nodes.
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/compose/names.h"
#include "graph/compose/sparse.h"
#include "graph/node_builder.h"

namespace weir {
namespace {

constexpr int64_t kDefaultHashKey = 0xDECAFCAFFE;

// Strings as they are, all else as int64.
Output CrossValues(Output x) {
  const DType dtype = x.base_dtype();
  return dtype == kString || dtype == kInt64 ? x : Cast(x, kInt64);
}

// Sparse inputs come first in each combination, as in TensorFlow.
Sparse BuildCross(Graph& graph, const std::vector<CrossInput>& inputs, bool hashed, int64_t num_buckets,
                  int64_t hash_key, std::string name) {
  InputList indices, values, shapes, dense;
  bool all_strings = true;
  const auto add = [&](InputList& list, Output x) {
    all_strings = all_strings && x.base_dtype() == kString;
    list.push_back(CrossValues(x));
  };
  for (const CrossInput& input : inputs) {
    if (const Sparse* sparse = std::get_if<Sparse>(&input)) {
      indices.push_back(sparse->indices);
      add(values, sparse->values);
      shapes.push_back(sparse->dense_shape);
    } else {
      add(dense, std::get<Output>(input));
    }
  }
  const SparseCrossResult cross =
      SparseCross(graph, indices, values, shapes, dense, hashed, num_buckets, hash_key, hashed ? kInt64 : kString,
                  !hashed && all_strings ? kString : kInt64, {.name = std::move(name)});
  return {cross.output_indices, cross.output_values, cross.output_shape};
}

}  // namespace

Sparse SparseCrossText(Graph& graph, const std::vector<CrossInput>& inputs, std::string name) {
  return BuildCross(graph, inputs, false, 0, kDefaultHashKey, std::move(name));
}

Sparse SparseCrossHashed(Graph& graph, const std::vector<CrossInput>& inputs, int64_t num_buckets,
                         std::optional<int64_t> hash_key, std::string name) {
  return BuildCross(graph, inputs, true, num_buckets, hash_key.value_or(kDefaultHashKey), std::move(name));
}

}  // namespace weir
