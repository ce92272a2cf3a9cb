// Making and rearranging arrays as TensorFlow's users write it. Errors stay with the graph's build state, and the
// result is then invalid. An empty name is TensorFlow's default.
#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"
#include "graph/input.h"

namespace weir {

// A constant where the shape is known and small, else a Fill. Of strings, zero is "".
Output Zeros(Graph& graph, const Input& shape, DType dtype = kFloat, std::string name = "zeros");
Output Ones(Graph& graph, const Input& shape, DType dtype = kFloat, std::string name = "ones");
Output ZerosOf(Graph& graph, const Input& tensor, DType dtype = kInvalidType, std::string name = "");
Output OnesOf(Graph& graph, const Input& tensor, DType dtype = kInvalidType, std::string name = "");
// [batch..., rows, columns] identity matrices; columns absent: as many as rows.
Output Eye(Graph& graph, const Input& rows, const Input& columns = {}, const Input& batch_shape = {},
           DType dtype = kFloat, std::string name = "");

// Constants where the shape says it before any run.
Output ShapeValue(Graph& graph, const Input& x, DType out_type = kInt32, std::string name = "");
Output SizeValue(Graph& graph, const Input& x, DType out_type = kInt32, std::string name = "");
Output RankValue(Graph& graph, const Input& x, std::string name = "");

Output ConcatAll(Graph& graph, const InputList& values, const Input& axis, std::string name = "concat");
Output StackAll(Graph& graph, const InputList& values, int64_t axis = 0, std::string name = "stack");
OutputList UnstackAll(Graph& graph, const Input& value, std::optional<int64_t> num, int64_t axis = 0,
                      std::string name = "unstack");
OutputList SplitEvenly(Graph& graph, const Input& value, int64_t count, const Input& axis, std::string name = "split");
OutputList SplitSizes(Graph& graph, const Input& value, const Input& sizes, std::optional<int64_t> count,
                      const Input& axis, std::string name = "split");

// perm absent: the axes in reverse order.
Output TransposeAxes(Graph& graph, const Input& a, const Input& perm = {}, bool conjugate = false,
                     std::string name = "transpose");
Output MatrixTransposeOf(Graph& graph, const Input& a, bool conjugate = false, std::string name = "matrix_transpose");

// `params` may be the handle of a variable where only whole rows are gathered: from axis 0, and not in batches.
bool IsRowGather(const Input& axis, int64_t batch_dims);
Output GatherRowsOf(Graph& graph, const Input& params, const Input& indices, const Input& axis = {},
                    int64_t batch_dims = 0, std::string name = "");
Output GatherNdOf(Graph& graph, const Input& params, const Input& indices, int64_t batch_dims = 0,
                  std::string name = "");
Output BooleanMask(Graph& graph, const Input& tensor, const Input& mask, int64_t axis = 0,
                   std::string name = "boolean_mask");
// x and y absent: where the condition holds.
Output WhereOf(Graph& graph, const Input& condition, const Input& x = {}, const Input& y = {}, std::string name = "");
Output OneHotOf(Graph& graph, const Input& indices, const Input& depth, const Input& on_value = {},
                const Input& off_value = {}, int64_t axis = -1, DType dtype = kInvalidType, std::string name = "");
Output PadWith(Graph& graph, const Input& tensor, const Input& paddings, const std::string& mode = "CONSTANT",
               const Input& constant = {}, std::string name = "");
Output SequenceMask(Graph& graph, const Input& lengths, const Input& maxlen = {}, DType dtype = kBool,
                    std::string name = "");
// Coordinates of a grid: one output per input; `matrix` indexing ("ij") or Cartesian ("xy").
OutputList MeshGrid(Graph& graph, const InputList& inputs, bool matrix = false, std::string name = "meshgrid");
Output StridedSliceOf(Graph& graph, const Input& input, const Input& begin, const Input& end, const Input& strides,
                      int64_t begin_mask, int64_t end_mask, int64_t ellipsis_mask, int64_t new_axis_mask,
                      int64_t shrink_axis_mask, std::string name = "");
// Positions that put the values in order along an axis, and the values in that order.
Output ArgSort(Graph& graph, const Input& values, int64_t axis = -1, bool descending = false,
               std::string name = "argsort");
Output Sorted(Graph& graph, const Input& values, int64_t axis = -1, bool descending = false, std::string name = "sort");
// Where values belong in rows that are sorted along the last axis: before equal elements, or with after_equal behind
// them.
Output SearchSorted(Graph& graph, const Input& sorted, const Input& values, bool after_equal = false,
                    DType out_type = kInt32, std::string name = "");
// Each element or row `repeats` times, as numpy.repeat; axis absent: of the flat tensor.
Output RepeatOf(Graph& graph, const Input& input, const Input& repeats, std::optional<int64_t> axis = {},
                std::string name = "");

// What to pad by so that block_shape divides each dimension, and what to cut off again afterwards: both [dims, 2].
struct BatchPaddings {
  Output paddings;
  Output crops;
};
BatchPaddings SpaceToBatchPaddings(Graph& graph, const Input& input_shape, const Input& block_shape,
                                   const Input& base_paddings = {}, std::string name = "");

}  // namespace weir
