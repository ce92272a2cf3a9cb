// Sequence models from C++: a decoder of the user, and the best tags of a CRF without a graph.
#include "graph/compose/seq2seq.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/crf.h"
#include "graph/flow_session_test.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Seq2seqTest : public FlowTest {};

// Counts from 1; row b ends when it has counted to its limit.
class CountingDecoder final : public Decoder {
 public:
  Result<Input> BatchSize(Graph&) override { return Input(2); }
  Result<std::vector<PartialShape>> OutputSizes() override { return std::vector<PartialShape>{PartialShape::Scalar()}; }
  Result<std::vector<DType>> OutputTypes() override { return std::vector<DType>{kFloat}; }
  Result<DecoderStart> Initialize(Graph& graph) override {
    return DecoderStart{
        Constant(graph, Must(Tensor::Zeros(kBool, {2}))), {}, {Constant(graph, Must(Tensor::Zeros(kFloat, {2})))}};
  }
  Result<DecoderStep> Step(Graph& graph, Output time, const OutputList& inputs, const OutputList& state) override {
    const Output next = state[0] + 1.0f;
    return DecoderStep{
        outputs_ == 1 ? OutputList{next} : OutputList{}, {next}, {}, GreaterEqual(graph, next, {3.0f, 1.0f})};
  }
  size_t outputs_ = 1;

 private:
  static Tensor Must(Result<Tensor> tensor) { return std::move(tensor).value(); }
};

TEST_F(Seq2seqTest, DecodesUntilAllRowsHaveEnded) {
  CountingDecoder decoder;
  const DecodeResult result = Must(DynamicDecode(graph(), decoder, {.impute_finished = true}));
  EXPECT_THAT(Floats(result.outputs[0]), ElementsAre(1, 2, 3, 1, 0, 0));
  EXPECT_THAT(Floats(result.state[0]), ElementsAre(3, 1));
}

TEST_F(Seq2seqTest, StopsAfterTheMaximum) {
  CountingDecoder decoder;
  const DecodeResult result =
      Must(DynamicDecode(graph(), decoder, {.output_time_major = true, .maximum_iterations = Input(2)}));
  EXPECT_THAT(Floats(result.outputs[0]), ElementsAre(1, 1, 2, 2));
}

TEST_F(Seq2seqTest, RejectsAWrongNumberOfOutputs) {
  CountingDecoder decoder;
  decoder.outputs_ = 0;
  const Result<DecodeResult> result = DynamicDecode(graph(), decoder);
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("0 output tensors"));
}

TEST(Viterbi, FindsTheBestPath) {
  const auto matrix = [](std::vector<double> values) {
    Tensor t = Tensor::Zeros(kDouble, {2, 2}).value();
    std::copy(values.begin(), values.end(), t.data<double>());
    return t;
  };
  const Result<ViterbiPath> path = ViterbiDecode(matrix({1, 0, 0, 2}), matrix({0, -4, 0, 0}));
  ASSERT_TRUE(path.ok()) << path.status();
  EXPECT_THAT(path->tags, ElementsAre(1, 1));  // 0 + 2, because the transition from 0 to 1 costs 4
  EXPECT_EQ(path->score, 2);
}

}  // namespace
}  // namespace weir
