// Values, errors and shapes of the array ops, one line per case. A tensor is written as type, shape and values: "f[2,2]
// 1 2 3 4", "i 7", "s[2] a b" (f float, d double, i int32, l int64, b bool, s string, u uint8, h half).
#include <gtest/gtest.h>

#include <sstream>

#include "op/testing.h"
#include "ops/register.h"

namespace weir::ops::array_ops_test {
namespace {

template <class T>
Tensor Fill(const Shape& shape, std::istringstream& in) {
  std::vector<T> values;
  for (std::string word; in >> word;) {
    if constexpr (std::is_same_v<T, std::string>) {
      values.push_back(word);
    } else if constexpr (std::is_same_v<T, half>) {
      values.push_back(half(std::stof(word)));
    } else if constexpr (std::is_floating_point_v<T>) {
      values.push_back(static_cast<T>(std::stod(word)));
    } else {
      values.push_back(static_cast<T>(std::stoll(word)));
    }
  }
  WEIR_CHECK(shape.num_elements() == static_cast<int64_t>(values.size()), shape, values.size());
  Tensor t = Tensor::Allocate(DTypeOf<T>(), shape).value();
  for (size_t i = 0; i < values.size(); ++i) t.data<T>()[i] = values[i];
  return t;
}

Tensor T(const std::string& text) {
  std::istringstream in(text);
  std::string head;
  in >> head;
  DimVector dims;
  std::istringstream list(head.size() > 1 ? head.substr(2, head.size() - 3) : "");
  for (std::string d; std::getline(list, d, ',');) dims.push_back(std::stoll(d));
  const Shape shape = Shape::Make(dims).value();
  switch (head[0]) {
    case 'f':
      return Fill<float>(shape, in);
    case 'd':
      return Fill<double>(shape, in);
    case 'h':
      return Fill<half>(shape, in);
    case 'i':
      return Fill<int32_t>(shape, in);
    case 'l':
      return Fill<int64_t>(shape, in);
    case 'b':
      return Fill<bool>(shape, in);
    case 'u':
      return Fill<uint8_t>(shape, in);
    default:
      return Fill<std::string>(shape, in);
  }
}

const OpRegistry& Registry() {
  static const OpRegistry& registry = *[] {
    auto* r = new OpRegistry;
    RegisterArrayOps(*r);
    return r;
  }();
  return registry;
}

struct Case {
  std::string op;
  std::vector<std::string> inputs;
  AttrMap attrs;
  std::vector<std::string> outputs;  // or one "error: part of the message"
};

std::string Describe(const Case& c) {
  std::string text = c.op;
  for (const std::string& in : c.inputs) text += " | " + in;
  return text;
}

void Check(const Case& c) {
  SCOPED_TRACE(Describe(c));
  std::vector<Tensor> inputs;
  for (const std::string& in : c.inputs) inputs.push_back(T(in));
  Result<std::vector<Tensor>> got = RunKernel(Registry(), c.op, inputs, c.attrs);
  if (c.outputs[0].rfind("error: ", 0) == 0) {
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(got.status().code(), StatusCode::kInvalidArgument) << got.status();
    EXPECT_NE(got.status().message().find(c.outputs[0].substr(7)), std::string::npos) << got.status();
    return;
  }
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_EQ(got->size(), c.outputs.size());
  for (size_t i = 0; i < c.outputs.size(); ++i) EXPECT_EQ((*got)[i].ToString(1000), T(c.outputs[i]).ToString(1000));
}

class Values : public ::testing::TestWithParam<Case> {};
TEST_P(Values, AreRight) { Check(GetParam()); }

AttrMap Masks(int64_t begin, int64_t end, int64_t ellipsis, int64_t new_axis, int64_t shrink) {
  return {{"begin_mask", begin},
          {"end_mask", end},
          {"ellipsis_mask", ellipsis},
          {"new_axis_mask", new_axis},
          {"shrink_axis_mask", shrink}};
}

INSTANTIATE_TEST_SUITE_P(
    ShapesAndViews, Values,
    ::testing::ValuesIn(std::vector<Case>{
        {"Identity", {"s[2] a b"}, {}, {"s[2] a b"}},
        {"Shape", {"f[2,0,3]"}, {}, {"i[3] 2 0 3"}},
        {"Shape", {"f[2]  1 2"}, {{"out_type", kInt64}}, {"l[1] 2"}},
        {"ShapeN", {"f[1] 1", "f[1,2] 1 2"}, {}, {"i[1] 1", "i[2] 1 2"}},
        {"Rank", {"f[1,2] 1 2"}, {}, {"i 2"}},
        {"Size", {"f[1,2] 1 2"}, {}, {"i 2"}},
        {"Reshape", {"f[2,3] 1 2 3 4 5 6", "i[2] 3 -1"}, {}, {"f[3,2] 1 2 3 4 5 6"}},
        {"Reshape", {"f[0,6]", "l[2] 0 -1"}, {}, {"f[0,6]"}},
        {"Reshape", {"f[2] 1 2", "i[1] 3"}, {}, {"error: 2 elements"}},
        {"Reshape", {"f[2] 1 2", "i[2] -1 -1"}, {}, {"error: Only one input size may be -1"}},
        {"ExpandDims", {"f[2] 1 2", "i -1"}, {}, {"f[2,1] 1 2"}},
        {"ExpandDims", {"f[2] 1 2", "i 2"}, {}, {"error: not in the interval [-2, 1]"}},
        {"Squeeze", {"f[1,2,1] 1 2"}, {}, {"f[2] 1 2"}},
        {"Squeeze", {"f[1,2,1] 1 2"}, {{"squeeze_dims", std::vector<int64_t>{-1}}}, {"f[1,2] 1 2"}},
        {"Squeeze",
         {"f[1,2,1] 1 2"},
         {{"squeeze_dims", std::vector<int64_t>{1}}},
         {"error: expected a dimension of 1, got 2"}},
        {"Fill", {"i[2] 2 2", "s x"}, {}, {"s[2,2] x x x x"}},
        {"Fill", {"i[1] -2", "f 1"}, {}, {"error: >= "}},
        {"ZerosLike", {"i[2] 3 4"}, {}, {"i[2] 0 0"}},
        {"OnesLike", {"h[2] 3 4"}, {}, {"h[2] 1 1"}},
        {"Bitcast", {"i[1] 258"}, {{"type", kUint8}}, {"u[1,4] 2 1 0 0"}},
        {"Bitcast", {"u[1,4] 2 1 0 0"}, {{"type", kInt32}}, {"i[1] 258"}},
        {"BroadcastTo", {"f[2,1] 1 2", "i[3] 2 2 2"}, {}, {"f[2,2,2] 1 1 2 2 1 1 2 2"}},
        {"BroadcastTo", {"f[2] 1 2", "i[1] 3"}, {}, {"error: broadcast"}},
        {"BroadcastArgs", {"i[3] 4 1 3", "i[2] 2 1"}, {}, {"i[3] 4 2 3"}},
        {"BroadcastGradientArgs", {"i[3] 4 1 3", "i[2] 2 1"}, {}, {"i[1] 1", "i[2] 0 2"}},
        {"BroadcastGradientArgs", {"i[2] 1 1", "i[1] 1"}, {}, {"i[2] 0 1", "i[2] 0 1"}},
        {"BroadcastGradientArgs", {"i[2] 2 1", "i[2] 2 1"}, {}, {"i[0]", "i[0]"}},
        {"CheckNumerics", {"f[1] 1"}, {{"message", "m"}}, {"f[1] 1"}},
        {"CheckNumerics", {"f[1] nan"}, {{"message", "m"}}, {"error: m : Tensor had NaN values"}},
        {"CheckNumerics", {"h[2] inf nan"}, {{"message", "m"}}, {"error: m : Tensor had Inf and NaN values"}},
    }));

INSTANTIATE_TEST_SUITE_P(
    JoiningAndCutting, Values,
    ::testing::ValuesIn(std::vector<Case>{
        {"ConcatV2", {"f[2,1] 1 2", "f[2,2] 3 4 5 6", "i -1"}, {}, {"f[2,3] 1 3 4 2 5 6"}},
        {"ConcatV2", {"s[1] a", "s[0]", "i 0"}, {}, {"s[1] a"}},
        {"ConcatV2", {"f[2] 1 2", "f[1,1] 1", "i 0"}, {}, {"error: rank"}},
        {"Concat", {"i 0", "f[1] 1", "f[1] 2"}, {}, {"f[2] 1 2"}},
        {"ConcatOffset", {"i 1", "i[2] 2 3", "i[2] 2 5"}, {}, {"i[2] 0 0", "i[2] 0 3"}},
        {"Pack", {"f[2] 1 2", "f[2] 3 4"}, {{"axis", 1}}, {"f[2,2] 1 3 2 4"}},
        {"Pack", {"f[2] 1 2", "f[1] 3"}, {}, {"error: must be equal"}},
        {"Unpack", {"f[2,2] 1 2 3 4"}, {{"num", 2}, {"axis", -1}}, {"f[2] 1 3", "f[2] 2 4"}},
        {"Split", {"i 1", "f[2,2] 1 2 3 4"}, {{"num_split", 2}}, {"f[2,1] 1 3", "f[2,1] 2 4"}},
        {"Split", {"i 0", "f[3] 1 2 3"}, {{"num_split", 2}}, {"error: evenly divisible by 2"}},
        {"SplitV", {"f[3] 1 2 3", "l[2] -1 1", "i 0"}, {{"num_split", 2}}, {"f[2] 1 2", "f[1] 3"}},
        {"SplitV",
         {"f[3] 1 2 3", "l[2] 1 1", "i 0"},
         {{"num_split", 2}},
         {"error: Determined shape must either match"}},
        {"Slice", {"f[2,3] 1 2 3 4 5 6", "i[2] 0 1", "i[2] -1 2"}, {}, {"f[2,2] 2 3 5 6"}},
        {"Slice", {"f[2] 1 2", "i[1] 1", "i[1] 2"}, {}, {"error: Expected size[0] in [0, 1], but got 2"}},
        {"StridedSlice", {"f[4] 1 2 3 4", "i[1] 3", "i[1] 0", "i[1] -2"}, {}, {"f[2] 4 2"}},
        {"StridedSlice", {"f[2,3] 1 2 3 4 5 6", "i[1] 1", "i[1] 2", "i[1] 1"}, Masks(0, 0, 0, 0, 1), {"f[3] 4 5 6"}},
        {"StridedSlice",
         {"f[2,3] 1 2 3 4 5 6", "i[2] 0 1", "i[2] 0 2", "i[2] 1 1"},
         Masks(0, 0, 1, 0, 2),
         {"f[2] 2 5"}},
        {"StridedSlice", {"f[2] 1 2", "i[1] 0", "i[1] 0", "i[1] 1"}, Masks(0, 0, 0, 1, 0), {"f[1,2] 1 2"}},
        {"StridedSlice", {"f[3] 1 2 3", "i[1] 9", "i[1] 9", "i[1] -1"}, Masks(1, 1, 0, 0, 0), {"f[3] 3 2 1"}},
        {"StridedSlice",
         {"f[3] 1 2 3", "i[1] 3", "i[1] 4", "i[1] 1"},
         Masks(0, 0, 0, 0, 1),
         {"error: slice index 3 of dimension 0"}},
        {"StridedSlice", {"f[3] 1 2 3", "i[1] 0", "i[1] 1", "i[1] 0"}, {}, {"error: strides[0] must be non-zero"}},
        {"StridedSliceGrad", {"i[1] 4", "i[1] 1", "i[1] 4", "i[1] 2", "f[2] 5 6"}, {}, {"f[4] 0 5 0 6"}},
        {"StridedSliceAssign", {"f[4] 1 2 3 4", "i[1] 3", "i[1] 0", "i[1] -2", "f[2] 8 9"}, {}, {"f[4] 1 9 3 8"}},
        {"TensorStridedSliceUpdate",
         {"f[2,2] 1 2 3 4", "i[1] 0", "i[1] 2", "i[1] 1", "f[2] 8 9"},
         {},
         {"f[2,2] 8 9 8 9"}},
        {"Tile", {"f[2] 1 2", "i[1] 2"}, {}, {"f[4] 1 2 1 2"}},
        {"Tile", {"f[1,2] 1 2", "i[2] 2 0"}, {}, {"f[2,0]"}},
        {"TileGrad", {"f[4] 1 2 3 4", "i[1] 2"}, {}, {"f[2] 4 6"}},
        {"Pad", {"f[2] 1 2", "i[1,2] 1 2"}, {}, {"f[5] 0 1 2 0 0"}},
        {"PadV2", {"s[1] a", "i[1,2] 1 0", "s x"}, {}, {"s[2] x a"}},
        {"Pad", {"f[2] 1 2", "i[1,2] -1 2"}, {}, {"error: non-negative"}},
        {"MirrorPad", {"f[3] 1 2 3", "i[1,2] 2 1"}, {{"mode", "REFLECT"}}, {"f[6] 3 2 1 2 3 2"}},
        {"MirrorPad", {"f[3] 1 2 3", "i[1,2] 2 1"}, {{"mode", "SYMMETRIC"}}, {"f[6] 2 1 1 2 3 3"}},
        {"MirrorPad", {"f[2] 1 2", "i[1,2] 2 0"}, {{"mode", "REFLECT"}}, {"error: less than the dimension size"}},
        {"MirrorPadGrad", {"f[4] 1 2 3 4", "i[1,2] 1 1"}, {{"mode", "SYMMETRIC"}}, {"f[2] 3 7"}},
        {"Roll", {"f[3] 1 2 3", "i 1", "i 0"}, {}, {"f[3] 3 1 2"}},
        {"Roll", {"f[2,2] 1 2 3 4", "i[2] 1 -1", "i[2] 0 1"}, {}, {"f[2,2] 4 3 2 1"}},
    }));

INSTANTIATE_TEST_SUITE_P(
    Rearranging, Values,
    ::testing::ValuesIn(std::vector<Case>{
        {"Transpose", {"f[2,3] 1 2 3 4 5 6", "i[2] 1 0"}, {}, {"f[3,2] 1 4 2 5 3 6"}},
        {"Transpose", {"s[1,2] a b", "i[2] 1 0"}, {}, {"s[2,1] a b"}},
        {"Transpose", {"f[2,1] 1 2", "i[2] 0 0"}, {}, {"error: not a permutation"}},
        {"InvertPermutation", {"i[3] 2 0 1"}, {}, {"i[3] 1 2 0"}},
        {"InvertPermutation", {"i[2] 1 1"}, {}, {"error: 1 is duplicated"}},
        {"Reverse", {"f[2] 1 2", "b[1] 1"}, {}, {"f[2] 2 1"}},
        {"ReverseV2", {"f[2,2] 1 2 3 4", "i[1] -1"}, {}, {"f[2,2] 2 1 4 3"}},
        {"ReverseV2", {"f[2] 1 2", "i[2] 0 0"}, {}, {"error: specified more than once"}},
        {"ReverseSequence", {"f[2,3] 1 2 3 4 5 6", "l[2] 2 3"}, {{"seq_dim", 1}}, {"f[2,3] 2 1 3 6 5 4"}},
        {"Diag", {"f[2] 1 2"}, {}, {"f[2,2] 1 0 0 2"}},
        {"DiagPart", {"f[2,2] 1 2 3 4"}, {}, {"f[2] 1 4"}},
        {"MatrixDiag", {"f[1,2] 1 2"}, {}, {"f[1,2,2] 1 0 0 2"}},
        {"MatrixDiagPart", {"f[2,3] 1 2 3 4 5 6"}, {}, {"f[2] 1 5"}},
        {"MatrixSetDiag", {"f[2,2] 1 2 3 4", "f[2] 8 9"}, {}, {"f[2,2] 8 2 3 9"}},
        {"MatrixBandPart", {"f[3,3] 1 2 3 4 5 6 7 8 9", "l 0", "l 1"}, {}, {"f[3,3] 1 2 0 0 5 6 0 0 9"}},
        {"SpaceToBatchND", {"f[1,3] 1 2 3", "i[1] 2", "i[1,2] 1 0"}, {}, {"f[2,2] 0 2 1 3"}},
        {"BatchToSpaceND", {"f[2,2] 0 2 1 3", "i[1] 2", "i[1,2] 1 0"}, {}, {"f[1,3] 1 2 3"}},
        {"SpaceToBatch", {"f[1,2,2,1] 1 2 3 4", "i[2,2] 0 0 0 0"}, {{"block_size", 2}}, {"f[4,1,1,1] 1 2 3 4"}},
        {"BatchToSpace", {"f[4,1,1,1] 1 2 3 4", "i[2,2] 0 0 0 1"}, {{"block_size", 2}}, {"f[1,2,1,1] 1 3"}},
        {"SpaceToDepth", {"f[1,2,2,1] 1 2 3 4"}, {{"block_size", 2}}, {"f[1,1,1,4] 1 2 3 4"}},
        {"DepthToSpace", {"f[1,1,1,4] 1 2 3 4"}, {{"block_size", 2}}, {"f[1,2,2,1] 1 2 3 4"}},
        {"DepthToSpace", {"f[1,1,1,3] 1 2 3"}, {{"block_size", 2}}, {"error: evenly divisible by 4"}},
        {"ExtractImagePatches",
         {"f[1,3,3,1] 1 2 3 4 5 6 7 8 9"},
         {{"ksizes", std::vector<int64_t>{1, 2, 2, 1}},
          {"strides", std::vector<int64_t>{1, 2, 2, 1}},
          {"rates", std::vector<int64_t>{1, 1, 1, 1}},
          {"padding", "SAME"}},
         {"f[1,2,2,4] 1 2 4 5 3 0 6 0 7 8 0 0 9 0 0 0"}},
    }));

INSTANTIATE_TEST_SUITE_P(
    Picking, Values,
    ::testing::ValuesIn(std::vector<Case>{
        {"GatherV2", {"f[3,2] 1 2 3 4 5 6", "i[2] 2 0", "i 0"}, {}, {"f[2,2] 5 6 1 2"}},
        {"GatherV2", {"s[2,2] a b c d", "l 1", "i 1"}, {}, {"s[2] b d"}},
        {"GatherV2", {"f[2,3] 1 2 3 4 5 6", "i[2,1] 2 0", "i 1"}, {{"batch_dims", 1}}, {"f[2,1] 3 4"}},
        {"GatherV2", {"f[5] 1 2 3 4 5", "i[2] 1 7", "i 0"}, {}, {"error: indices[1] = 7 is not in [0, 5)"}},
        {"GatherV2", {"f[5,0]", "i[1] -1", "i 0"}, {}, {"error: indices[0] = -1 is not in [0, 5)"}},
        {"Gather", {"f[2] 1 2", "i[1] 1"}, {}, {"f[1] 2"}},
        {"GatherNd", {"f[2,2] 1 2 3 4", "i[2,2] 1 0 0 1"}, {}, {"f[2] 3 2"}},
        {"GatherNd",
         {"f[2,2] 1 2 3 4", "i[1,1] 2"},
         {},
         {"error: indices[0] = [2] does not index into params shape [2,2]"}},
        {"ScatterNd", {"i[3,1] 0 2 0", "f[3] 1 2 3", "i[1] 3"}, {}, {"f[3] 4 0 2"}},
        {"ScatterNd", {"i[1,1] 3", "f[1] 1", "i[1] 3"}, {}, {"error: does not index into"}},
        {"TensorScatterUpdate", {"f[3] 1 2 3", "i[1,1] 1", "f[1] 9"}, {}, {"f[3] 1 9 3"}},
        {"TensorScatterAdd", {"f[3] 1 2 3", "i[2,1] 1 1", "f[2] 1 1"}, {}, {"f[3] 1 4 3"}},
        {"TensorScatterSub", {"i[3] 1 2 3", "i[1,1] 1", "i[1] 5"}, {}, {"i[3] 1 -3 3"}},
        {"ScatterNdNonAliasingAdd", {"f[2] 1 2", "i[1,1] 1", "f[1] 1"}, {}, {"f[2] 1 3"}},
        {"OneHot", {"i[2] 1 5", "i 3", "f 1", "f 0"}, {}, {"f[2,3] 0 1 0 0 0 0"}},
        {"OneHot", {"i[2] 0 1", "i 2", "i 7", "i -1"}, {{"axis", 0}}, {"i[2,2] 7 -1 -1 7"}},
        {"Where", {"b[2,2] 1 0 0 1"}, {}, {"l[2,2] 0 0 1 1"}},
        {"Where", {"f[3] 0 -0 nan"}, {}, {"l[1,1] 2"}},
        {"Unique", {"i[4] 5 3 5 4"}, {}, {"i[3] 5 3 4", "i[4] 0 1 0 2"}},
        {"UniqueWithCounts", {"s[3] a b a"}, {}, {"s[2] a b", "i[3] 0 1 0", "i[2] 2 1"}},
        {"UniqueV2", {"i[2,3] 1 2 1 3 4 3", "l[1] 1"}, {}, {"i[2,2] 1 2 3 4", "i[3] 0 1 0"}},
        {"UniqueWithCountsV2", {"i[2] 1 1", "l[0]"}, {}, {"i[1] 1", "i[2] 0 0", "i[1] 2"}},
        {"ListDiff", {"i[4] 1 2 3 2", "i[1] 2"}, {}, {"i[2] 1 3", "i[2] 0 2"}},
        {"TopKV2", {"f[2,3] 1 3 3 2 nan 5", "i 2"}, {}, {"f[2,2] 3 3 5 2", "i[2,2] 1 2 2 0"}},
        {"TopK", {"u[3] 7 200 9"}, {{"k", 1}}, {"u[1] 200", "i[1] 1"}},
        {"TopKV2", {"f[2] 1 2", "i 3"}, {}, {"error: k"}},
        {"InTopK", {"f[2,3] 1 2 2 nan 1 0", "i[2] 2 1"}, {{"k", 1}}, {"b[2] 1 0"}},
        {"InTopKV2", {"f[1,2] 1 2", "i[1] 0", "i 2"}, {}, {"b[1] 1"}},
        {"NthElement", {"f[2,3] 3 1 2 9 7 8", "i 1"}, {}, {"f[2] 2 8"}},
        {"NthElement", {"f[3] 3 1 2", "i 0"}, {{"reverse", true}}, {"f 3"}},
        {"DynamicPartition", {"f[3] 1 2 3", "i[3] 1 0 1"}, {{"num_partitions", 2}}, {"f[1] 2", "f[2] 1 3"}},
        {"DynamicPartition",
         {"f[1] 1", "i[1] 2"},
         {{"num_partitions", 2}},
         {"error: partitions[0] = 2 is not in [0, 2)"}},
        {"DynamicStitch", {"i[1] 1", "i[2] 3 0", "f[1] 5", "f[2] 6 7"}, {}, {"f[4] 7 5 0 6"}},
        {"DynamicStitch", {"i[1] -1", "f[1] 5"}, {}, {"error: -1"}},
        {"UnravelIndex", {"i[2] 5 2", "i[2] 2 3"}, {}, {"i[2,2] 1 0 2 2"}},
        {"UnravelIndex", {"i 6", "i[2] 2 3"}, {}, {"error: out of bound"}},
        {"LowerBound", {"f[1,4] 1 2 2 3", "f[1,2] 2 9"}, {}, {"i[1,2] 1 4"}},
        {"UpperBound", {"i[1,4] 1 2 2 3", "i[1,2] 2 0"}, {}, {"i[1,2] 3 0"}},
        {"EditDistance",
         {"l[3,2] 0 0 0 1 1 0", "s[3] a b c", "l[2] 3 2", "l[2,2] 0 0 2 0", "s[2] b x", "l[2] 3 2"},
         {},
         {"f[3] 1 inf 1"}},
    }));

INSTANTIATE_TEST_SUITE_P(
    Sparse, Values,
    ::testing::ValuesIn(std::vector<Case>{
        {"SparseToDense", {"i[2,2] 0 1 1 0", "i[2] 2 2", "f[2] 5 6", "f 9"}, {}, {"f[2,2] 9 5 6 9"}},
        {"SparseToDense", {"i[2] 1 0", "i[1] 2", "f 5", "f 9"}, {}, {"error: out of order"}},
        {"SparseToDense", {"i[2] 1 1", "i[1] 2", "f 5", "f 9"}, {}, {"error: indices[1] is repeated"}},
        {"SparseTensorDenseMatMul", {"l[2,2] 0 1 1 0", "f[2] 2 3", "l[2] 2 2", "f[2,1] 5 7"}, {}, {"f[2,1] 14 15"}},
        {"SparseTensorDenseMatMul",
         {"l[1,2] 0 5", "f[1] 2", "l[2] 2 2", "f[2,1] 5 7"},
         {},
         {"error: a_indices[0,1] = 5 is not in [0, 2)"}},
        {"SparseTensorDenseAdd", {"i[1,1] 1", "f[1] 2", "i[1] 2", "f[2] 1 1"}, {}, {"f[2] 1 3"}},
        {"SparseReduceSum", {"l[3,2] 0 0 0 1 1 1", "f[3] 1 2 3", "l[2] 2 2", "i[1] 1"}, {}, {"f[2] 3 3"}},
        {"SparseReorder", {"l[2,2] 1 0 0 1", "f[2] 1 2", "l[2] 2 2"}, {}, {"l[2,2] 0 1 1 0", "f[2] 2 1"}},
        {"SparseReshape", {"l[2,2] 0 1 1 2", "l[2] 2 3", "l[2] 3 -1"}, {}, {"l[2,2] 0 1 2 1", "l[2] 3 2"}},
        {"SparseFillEmptyRows",
         {"l[2,2] 0 1 2 0", "f[2] 1 2", "l[2] 3 2", "f 9"},
         {},
         {"l[3,2] 0 1 1 0 2 0", "f[3] 1 9 2", "b[3] 0 1 0", "l[2] 0 2"}},
        {"SparseFillEmptyRowsGrad", {"l[2] 0 2", "f[3] 1 9 2"}, {}, {"f[2] 1 2", "f 9"}},
        {"SparseSlice",
         {"l[2,2] 0 1 1 2", "f[2] 1 2", "l[2] 2 3", "l[2] 1 1", "l[2] 5 2"},
         {},
         {"l[1,2] 0 1", "f[1] 2", "l[2] 1 2"}},
        {"SparseConcat",
         {"l[1,2] 0 0", "l[1,2] 0 0", "f[1] 1", "f[1] 2", "l[2] 1 2", "l[2] 1 1"},
         {{"concat_dim", 1}},
         {"l[2,2] 0 0 0 2", "f[2] 1 2", "l[2] 1 3"}},
        {"SparseAdd",
         {"l[2,1] 0 1", "f[2] 1 2", "l[1] 3", "l[2,1] 1 2", "f[2] -2 4", "l[1] 3", "f 0.5"},
         {},
         {"l[2,1] 0 2", "f[2] 1 4", "l[1] 3"}},
    }));

TEST(ArrayOps, SchemasAreWellFormed) { EXPECT_TRUE(Registry().Validate().ok()) << Registry().Validate(); }

TEST(ArrayOps, UnfedPlaceholderIsAnError) {
  KernelTester tester(Registry());
  tester.set_node_name("x");
  const auto got = tester.Run("Placeholder", {}, {{"dtype", kFloat}, {"shape", PartialShape({-1, 3})}});
  EXPECT_EQ(got.status(),
            InvalidArgument("You must feed a value for placeholder tensor 'x' with dtype float and shape [?,3]"));
}

TEST(ArrayOps, ViewsShareMemory) {
  const Tensor t = T("f[2,2] 1 2 3 4");
  for (const auto& [op, more] : std::vector<std::pair<std::string, std::vector<Tensor>>>{{"Identity", {}},
                                                                                         {"StopGradient", {}},
                                                                                         {"Squeeze", {}},
                                                                                         {"Reshape", {T("i[1] 4")}},
                                                                                         {"ExpandDims", {T("i 0")}}}) {
    std::vector<Tensor> inputs = {t};
    inputs.insert(inputs.end(), more.begin(), more.end());
    const auto got = RunKernel(Registry(), op, inputs);
    ASSERT_TRUE(got.ok()) << op << got.status();
    EXPECT_TRUE((*got)[0].SharesMemoryWith(t)) << op;
  }
}

// Compares the fast path (blocks, remainders and merged dimensions) with the definition.
TEST(ArrayOps, TransposesOfEverySizeAgreeWithTheDefinition) {
  KernelTester tester(Registry(), 2);
  for (const auto& [rows, cols] :
       std::vector<std::pair<int64_t, int64_t>>{{67, 130}, {4, 4}, {5, 3}, {64, 200}, {1000, 7}}) {
    for (DType dtype : {kFloat, kInt8, kInt64, kComplex128}) {
      Tensor t = Tensor::Zeros(dtype, Shape{2, rows, cols}).value();
      const auto size = static_cast<int64_t>(ElementSize(dtype));
      auto* bytes = static_cast<unsigned char*>(t.raw());
      for (int64_t i = 0; i < t.num_elements() * size; ++i) bytes[i] = static_cast<unsigned char>(i * 31 % 251);
      const auto got = tester.Run("Transpose", {t, T("i[3] 0 2 1")});
      ASSERT_TRUE(got.ok()) << got.status();
      const auto* out = static_cast<const unsigned char*>((*got)[0].raw());
      bool equal = true;
      for (int64_t b = 0; b < 2; ++b) {
        for (int64_t r = 0; r < rows; ++r) {
          for (int64_t c = 0; c < cols; ++c)
            equal = equal && std::memcmp(out + ((b * cols + c) * rows + r) * size,
                                         bytes + ((b * rows + r) * cols + c) * size, static_cast<size_t>(size)) == 0;
        }
      }
      EXPECT_TRUE(equal) << rows << "x" << cols << " " << DTypeName(dtype);
    }
  }
}

TEST(ArrayOps, SizesThatDoNotFitAreErrors) {
  const std::string huge = "l[2] 4611686018427387904 4611686018427387904";
  EXPECT_FALSE(RunKernel(Registry(), "Fill", {T(huge), T("f 1")}, {{"index_type", kInt64}}).ok());
  EXPECT_FALSE(RunKernel(Registry(), "Tile", {T("f[2,2] 1 2 3 4"), T(huge)}).ok());
  EXPECT_FALSE(RunKernel(Registry(), "Pad", {T("f[1] 1"), T("l[1,2] 9223372036854775807 1")}).ok());
  EXPECT_FALSE(RunKernel(Registry(), "BroadcastTo", {T("f 1"), T(huge)}).ok());
}

struct ShapeCase {
  std::string op, inputs, outputs;
  AttrMap attrs;
  std::map<int, std::string> constants;
};
class Shapes : public ::testing::TestWithParam<ShapeCase> {};
TEST_P(Shapes, AreInferred) {
  std::map<int, Tensor> constants;
  for (const auto& [i, text] : GetParam().constants) constants[i] = T(text);
  const std::string got = ShapeTest(Registry(), GetParam().op, GetParam().inputs, GetParam().attrs, constants);
  if (GetParam().outputs == "error") {
    EXPECT_EQ(got.rfind("error: ", 0), 0u) << got;
  } else {
    EXPECT_EQ(got, GetParam().outputs) << GetParam().op << " " << GetParam().inputs;
  }
}
INSTANTIATE_TEST_SUITE_P(Partial, Shapes,
                         ::testing::ValuesIn(std::vector<ShapeCase>{
                             {"Reshape", "[2,3];[2]", "[?,?]", {}, {}},
                             {"Reshape", "[2,3];[2]", "[3,2]", {}, {{1, "i[2] 3 -1"}}},
                             {"Reshape", "[?,3];[2]", "[?,3]", {}, {{1, "i[2] -1 3"}}},
                             {"Reshape", "[2,3];[1]", "error", {}, {{1, "i[1] 5"}}},
                             {"ExpandDims", "[?,3];[]", "[?,1,3]", {}, {{1, "i 1"}}},
                             {"Squeeze", "[1,?,3]", "?", {}, {}},
                             {"Squeeze", "[1,?,3]", "[?,3]", {{"squeeze_dims", std::vector<int64_t>{0}}}, {}},
                             {"Shape", "[?,3]", "[2]", {}, {}},
                             {"Shape", "?", "[?]", {}, {}},
                             {"Fill", "[2];[]", "[?,?]", {}, {}},
                             {"ConcatV2", "[?,2];[3,4];[]", "[3,6]", {{"N", 2}}, {{2, "i 1"}}},
                             {"ConcatV2", "[?,2];?;[]", "[?,?]", {{"N", 2}}, {{2, "i 1"}}},
                             {"Pack", "[?,2];[3,?]", "[3,2,2]", {{"axis", 1}}, {}},
                             {"Unpack", "[?,2]", "[?];[?]", {{"num", 2}, {"axis", 1}}, {}},
                             {"Split", "[];[4,?]", "[2,?];[2,?]", {{"num_split", 2}}, {{0, "i 0"}}},
                             {"SplitV", "[5];[2];[]", "[2];[3]", {{"num_split", 2}}, {{1, "l[2] 2 -1"}, {2, "i 0"}}},
                             {"Slice", "[?,4];[2];[2]", "[?,2]", {}, {{1, "i[2] 0 1"}, {2, "i[2] -1 2"}}},
                             {"StridedSlice",
                              "[?,4];[2];[2];[2]",
                              "[3]",
                              Masks(1, 1, 0, 0, 1),
                              {{1, "i[2] 0 1"}, {2, "i[2] 0 4"}, {3, "i[2] 1 1"}}},
                             {"StridedSlice", "[?,4];[2];[2];[2]", "[?,?]", {}, {{3, "i[2] 1 1"}}},
                             {"Transpose", "[?,3];[2]", "[3,?]", {}, {{1, "i[2] 1 0"}}},
                             {"Transpose", "[2,3];[2]", "[?,?]", {}, {}},
                             {"Tile", "[?,3];[2]", "[?,6]", {}, {{1, "i[2] 2 2"}}},
                             {"Pad", "[?,3];[2,2]", "[?,6]", {}, {{1, "i[2,2] 1 1 1 2"}}},
                             {"MirrorPadGrad", "[?,6];[2,2]", "[?,3]", {{"mode", "REFLECT"}}, {{1, "i[2,2] 1 1 1 2"}}},
                             {"GatherV2", "[?,3];[4,5];[]", "[4,5,3]", {}, {{2, "i 0"}}},
                             {"GatherNd", "[?,3];[4,1]", "[4,3]", {}, {}},
                             {"ScatterNd", "[4,1];[4,3];[2]", "[5,3]", {}, {{2, "i[2] 5 3"}}},
                             {"TensorScatterAdd", "[?,3];[4,1];[4,2]", "error", {}, {}},
                             {"OneHot", "[?];[];[];[]", "[?,4]", {}, {{1, "i 4"}}},
                             {"Where", "[?,3]", "[?,2]", {}, {}},
                             {"Unique", "[5]", "[?];[5]", {}, {}},
                             {"TopKV2", "[?,5];[]", "[?,2];[?,2]", {}, {{1, "i 2"}}},
                             {"TopKV2", "[?,5];[]", "error", {}, {{1, "i 6"}}},
                             {"MatrixDiagPart", "[?,3,4]", "[?,3]", {}, {}},
                             {"DiagPart", "[2,?,2,3]", "[2,3]", {}, {}},
                             {"SpaceToBatchND", "[?,4,?];[1];[1,2]", "[?,3,?]", {}, {{1, "i[1] 2"}, {2, "i[1,2] 1 1"}}},
                             {"DepthToSpace", "[?,2,3,8]", "[?,4,6,2]", {{"block_size", 2}}, {}},
                             {"BroadcastTo", "[?,1];[2]", "[2,3]", {}, {{1, "i[2] 2 3"}}},
                             {"DynamicPartition", "[?,3];[?]", "[?,3];[?,3]", {{"num_partitions", 2}}, {}},
                             {"DynamicStitch", "[2];[2,3]", "[5,3]", {{"N", 1}}, {{0, "i[2] 4 0"}}},
                             {"BroadcastGradientArgs", "[2];[1]", "[?];[?]", {}, {}},
                             {"UnravelIndex", "[5];[3]", "[3,5]", {}, {}},
                             {"Bitcast", "[?,4]", "[?]", {{"T", kUint8}, {"type", kFloat}}, {}},
                         }));

// More keys than the initial capacity of the table: some far apart, some differing in few bits, each occurring twice.
template <class Int>
void CheckManyDistinct(const std::vector<Int>& once) {
  std::vector<Int> keys = once;
  keys.insert(keys.end(), once.rbegin(), once.rend());
  Result<std::vector<Tensor>> got = RunKernel(Registry(), "UniqueWithCounts", {Tensor::Vector<Int>(keys)});
  ASSERT_TRUE(got.ok()) << got.status();
  const auto count = static_cast<int64_t>(once.size());
  ASSERT_EQ((*got)[0].num_elements(), count);
  for (int64_t i = 0; i < count; ++i) {
    ASSERT_EQ((*got)[0].data<Int>()[i], once[static_cast<size_t>(i)]);
    ASSERT_EQ((*got)[1].data<int32_t>()[i], i);
    ASSERT_EQ((*got)[1].data<int32_t>()[2 * count - 1 - i], i);
    ASSERT_EQ((*got)[2].data<int32_t>()[i], 2);
  }
}

TEST(Unique, DistinguishesManyValues) {
  std::vector<int64_t> wide;
  std::vector<int32_t> narrow;
  for (int64_t i = 0; i < 30'000; ++i) {
    wide.push_back(i % 3 == 0 ? i << 40 : i % 3 == 1 ? -i : i);
    narrow.push_back(static_cast<int32_t>(i % 2 == 0 ? i << 14 : -i));
  }
  CheckManyDistinct(wide);
  CheckManyDistinct(narrow);
}

}  // namespace
}  // namespace weir::ops::array_ops_test
