// TensorFlow's array functions: creating and rearranging. Errors are recorded in the graph's build state; the result is
// then invalid. An empty name means TensorFlow's default.
#pragma once

#include <optional>
#include <vector>

#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

// A Const if the shape is known and small, else a Fill. The zero of strings is "".
Output Zeros(Graph& graph, const Input& shape, DType dtype = kFloat, std::string name = "zeros");
Output Ones(Graph& graph, const Input& shape, DType dtype = kFloat, std::string name = "ones");
Output ZerosOf(Graph& graph, const Input& tensor, DType dtype = kInvalidType, std::string name = "");
Output OnesOf(Graph& graph, const Input& tensor, DType dtype = kInvalidType, std::string name = "");
// [batch..., rows, columns] identity matrices. Without `columns` they are square.
Output Eye(Graph& graph, const Input& rows, const Input& columns = {}, const Input& batch_shape = {},
           DType dtype = kFloat, std::string name = "");

// Constants if the static shape determines them.
Output ShapeValue(Graph& graph, const Input& x, DType out_type = kInt32, std::string name = "");
Output SizeValue(Graph& graph, const Input& x, DType out_type = kInt32, std::string name = "");
Output RankValue(Graph& graph, const Input& x, std::string name = "");

Output Concat(Graph& graph, const InputList& values, const Input& axis, std::string name = "concat");
Output Stack(Graph& graph, const InputList& values, int64_t axis = 0, std::string name = "stack");
OutputList Unstack(Graph& graph, const Input& value, std::optional<int64_t> num, int64_t axis = 0,
                   std::string name = "unstack");
OutputList SplitEvenly(Graph& graph, const Input& value, int64_t count, const Input& axis, std::string name = "split");
OutputList SplitSizes(Graph& graph, const Input& value, const Input& sizes, std::optional<int64_t> count,
                      const Input& axis, std::string name = "split");

// Without `perm` reverses the axes.
Output TransposeAxes(Graph& graph, const Input& a, const Input& perm = {}, bool conjugate = false,
                     std::string name = "transpose");
Output MatrixTransposeOf(Graph& graph, const Input& a, bool conjugate = false, std::string name = "matrix_transpose");

// `params` may be a resource handle if IsRowGather: whole rows, from axis 0, without batch dimensions.
bool IsRowGather(const Input& axis, int64_t batch_dims);
Output ComposeGatherRows(Graph& graph, const Input& params, const Input& indices, const Input& axis = {},
                         int64_t batch_dims = 0, std::string name = "");
Output ComposeGatherNd(Graph& graph, const Input& params, const Input& indices, int64_t batch_dims = 0,
                       std::string name = "");
Output BooleanMask(Graph& graph, const Input& tensor, const Input& mask, int64_t axis = 0,
                   std::string name = "boolean_mask");
// If x and y are absent, returns the coordinates at which the condition holds.
Output Where(Graph& graph, const Input& condition, const Input& x, const Input& y, std::string name = "");
Output ComposeOneHot(Graph& graph, const Input& indices, const Input& depth, const Input& on_value = {},
                     const Input& off_value = {}, int64_t axis = -1, DType dtype = kInvalidType, std::string name = "");
Output PadWith(Graph& graph, const Input& tensor, const Input& paddings, const std::string& mode = "CONSTANT",
               const Input& constant = {}, std::string name = "");
Output SequenceMask(Graph& graph, const Input& lengths, const Input& maxlen = {}, DType dtype = kBool,
                    std::string name = "");
// Grid coordinates, one output per input. `matrix` selects "ij" indexing, else Cartesian "xy".
OutputList MeshGrid(Graph& graph, const InputList& inputs, bool matrix = false, std::string name = "meshgrid");
Output StridedSlice(Graph& graph, const Input& input, const Input& begin, const Input& end, const Input& strides,
                    int64_t begin_mask, int64_t end_mask, int64_t ellipsis_mask, int64_t new_axis_mask,
                    int64_t shrink_axis_mask, std::string name = "");
// ArgSort returns the positions that sort the values along an axis, Sorted the sorted values.
Output ArgSort(Graph& graph, const Input& values, int64_t axis = -1, bool descending = false,
               std::string name = "argsort");
Output Sorted(Graph& graph, const Input& values, int64_t axis = -1, bool descending = false, std::string name = "sort");
// Insertion positions of `values` in rows that are sorted along the last axis: before equal elements, or after them if
// after_equal.
Output SearchSorted(Graph& graph, const Input& sorted, const Input& values, bool after_equal = false,
                    DType out_type = kInt32, std::string name = "");
// Repeats each element or row `repeats` times, like numpy.repeat. Without `axis`, flattens first.
Output RepeatOf(Graph& graph, const Input& input, const Input& repeats, std::optional<int64_t> axis = {},
                std::string name = "");

// Paddings that make each dimension divisible by block_shape, and the crops that undo them. Both are [dims, 2].
struct BatchPaddings {
  Output paddings;
  Output crops;
};
BatchPaddings SpaceToBatchPaddings(Graph& graph, const Input& input_shape, const Input& block_shape,
                                   const Input& base_paddings = {}, std::string name = "");

}  // namespace weir
