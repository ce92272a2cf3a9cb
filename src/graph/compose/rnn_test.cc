// Recurrent networks from C++: cells against manual arithmetic, loops against unrolled steps, and gradients.
#include <map>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/rnn_cells.h"
#include "graph/compose/rnn_wrappers.h"
#include "graph/compose/variable.h"
#include "graph/compose/weights.h"
#include "graph/flow_session_test.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::Pointwise;

class RnnTest : public FlowTest {
 protected:
  std::vector<std::string> VariableNames() {
    std::vector<std::string> names;
    for (const VariablePtr& variable : GlobalVariables(graph())) names.push_back(variable->op_name());
    return names;
  }
  void Initialize() {
    Node* init = InitializeVariables(graph(), GlobalVariables(graph()));
    const Result<std::vector<Tensor>> ran = Run({}, {}, {init});
    EXPECT_TRUE(ran.ok()) << ran.status();
  }
  static RnnOptions OfFloats() {
    RnnOptions options;
    options.dtype = kFloat;
    return options;
  }
  // [2, 3, 1]: two sequences of three numbers.
  Output Sequences() {
    Tensor x = Tensor::Zeros(kFloat, {2, 3, 1}).value();
    const float values[] = {0.1f, 0.2f, 0.3f, -0.4f, 0.5f, -0.6f};
    std::copy(std::begin(values), std::end(values), x.data<float>());
    return Constant(graph(), x);
  }
};

// A cell without variables. Its state is the sum of its inputs.
class SumCell final : public RnnCell {
 public:
  std::string name() const override { return "SumCell"; }
  Result<std::vector<PartialShape>> StateSizes() const override { return std::vector<PartialShape>{{1}}; }
  Result<std::vector<PartialShape>> OutputSizes() const override { return std::vector<PartialShape>{{1}}; }
  Result<RnnStep> Step(Graph&, const OutputList& inputs, const OutputList& state) override {
    const Output sum = state[0] + inputs[0];
    return RnnStep{{sum * 2.0f}, {sum}};
  }
};

TEST_F(RnnTest, SumsWithLengths) {
  SumCell cell;
  RnnOptions options = OfFloats();
  options.sequence_length = Input({3, 1});
  RnnStep looped = Must(DynamicRnn(graph(), cell, {Sequences()}, options));
  EXPECT_THAT(Floats(looped.outputs[0]), Pointwise(FloatNear(1e-6f), {0.2f, 0.6f, 1.2f, -0.8f, 0.0f, 0.0f}));
  EXPECT_THAT(Floats(looped.state[0]), Pointwise(FloatNear(1e-6f), {0.6f, -0.4f}));
  EXPECT_EQ(looped.outputs[0].shape(), (PartialShape{2, 3, 1}));
}

TEST_F(RnnTest, RawRnnLoop) {
  SumCell cell;
  const Output rows = Transpose(Sequences(), std::vector<int64_t>{1, 0, 2});  // [3, 2, 1]
  const auto next = [&](const RawRnnLoopInput& now) -> Result<RawRnnLoopOutput> {
    RawRnnLoopOutput turn;
    turn.finished = GreaterEqual(now.time, {3, 1});
    turn.inputs = {GatherV2(rows, Minimum(now.time, 2), 0)};
    turn.state = {now.state == nullptr ? Constant(graph(), Tensor::Zeros(kFloat, {2, 1}).value()) : (*now.state)[0]};
    turn.loop_state = {now.loop_state == nullptr ? Constant(graph(), Tensor::Scalar(int32_t{0}))
                                                 : (*now.loop_state)[0] + 1};
    if (now.outputs != nullptr) turn.emit = *now.outputs;
    return turn;
  };
  const RawRnnResult result = Must(RawRnn(graph(), cell, next));
  ASSERT_EQ(result.outputs.size(), 1u);
  EXPECT_THAT(Floats(result.outputs[0].Stack()), Pointwise(FloatNear(1e-6f), {0.2f, -0.8f, 0.6f, 0.0f, 1.2f, 0.0f}));
  EXPECT_THAT(Floats(result.state[0]), Pointwise(FloatNear(1e-6f), {0.6f, -0.4f}));
  EXPECT_EQ(Float(Cast(result.loop_state[0], kFloat)), 3.0f);
  const auto silent = [&](const RawRnnLoopInput& now) -> Result<RawRnnLoopOutput> {
    Result<RawRnnLoopOutput> turn = next(now);
    if (turn.ok()) turn->emit.reset();
    return turn;
  };
  EXPECT_THAT(Message(RawRnn(graph(), cell, silent)), HasSubstr("must emit 1 tensors"));
}

TEST_F(RnnTest, GradientsStopWhereSequencesEnd) {
  SumCell cell;
  const Output x = Sequences();
  RnnOptions options = OfFloats();
  options.sequence_length = Input({3, 1});
  RnnStep looped = Must(DynamicRnn(graph(), cell, {x}, options));
  EXPECT_THAT(Floats(GradientOf(looped.outputs[0], x)), ElementsAre(6, 4, 2, 2, 0, 0));
}

TEST_F(RnnTest, CellsShareTheirVariablesOverTime) {
  const Output x = Sequences();
  MultiRnnCell cell({std::make_shared<BasicLstmCell>(2), std::make_shared<GruCell>(2),
                     std::make_shared<BasicRnnCell>(2),
                     std::make_shared<LstmCell>(2, LstmCellOptions{.use_peepholes = true, .projected_units = 1})});
  RnnStep looped = Must(DynamicRnn(graph(), cell, {x}, OfFloats()));
  EXPECT_THAT(
      VariableNames(),
      ElementsAre(
          "rnn/multi_rnn_cell/cell_0/basic_lstm_cell/kernel", "rnn/multi_rnn_cell/cell_0/basic_lstm_cell/bias",
          "rnn/multi_rnn_cell/cell_1/gru_cell/gates/kernel", "rnn/multi_rnn_cell/cell_1/gru_cell/gates/bias",
          "rnn/multi_rnn_cell/cell_1/gru_cell/candidate/kernel", "rnn/multi_rnn_cell/cell_1/gru_cell/candidate/bias",
          "rnn/multi_rnn_cell/cell_2/basic_rnn_cell/kernel", "rnn/multi_rnn_cell/cell_2/basic_rnn_cell/bias",
          "rnn/multi_rnn_cell/cell_3/lstm_cell/kernel", "rnn/multi_rnn_cell/cell_3/lstm_cell/bias",
          "rnn/multi_rnn_cell/cell_3/lstm_cell/w_f_diag", "rnn/multi_rnn_cell/cell_3/lstm_cell/w_i_diag",
          "rnn/multi_rnn_cell/cell_3/lstm_cell/w_o_diag", "rnn/multi_rnn_cell/cell_3/lstm_cell/projection/kernel"));
  const size_t before = GlobalVariables(graph()).size();
  std::vector<InputList> steps;
  for (const Output& step : Unpack(x, 3, {.axis = 1})) steps.push_back({step});
  RnnOptions again = OfFloats();
  again.scope = "again";
  StaticRnnResult unrolled = Must(StaticRnn(graph(), cell, steps, again));
  EXPECT_EQ(GlobalVariables(graph()).size(), before);
  Initialize();
  InputList rows;
  for (const OutputList& step : unrolled.outputs) rows.push_back(step[0]);
  EXPECT_THAT(Floats(Pack(rows, {.axis = 1})), Pointwise(FloatNear(1e-6f), Floats(looped.outputs[0])));
  for (size_t i = 0; i < looped.state.size(); ++i)
    EXPECT_THAT(Floats(unrolled.state[i]), Pointwise(FloatNear(1e-6f), Floats(looped.state[i])));
}

TEST_F(RnnTest, InitialBiasesOfCells) {
  GruCell gru(2);
  Must(DynamicRnn(graph(), gru, {Sequences()}, OfFloats()));
  BasicLstmCell lstm(1);
  RnnOptions other = OfFloats();
  other.scope = "other";
  Must(DynamicRnn(graph(), lstm, {Sequences()}, other));
  Initialize();
  std::map<std::string, std::vector<float>> biases;
  for (const VariablePtr& variable : GlobalVariables(graph())) {
    if (variable->op_name().ends_with("bias")) biases[variable->op_name()] = Floats(variable->AsInput());
  }
  EXPECT_THAT(biases, ElementsAre(Pair("other/basic_lstm_cell/bias", ElementsAre(0, 0, 0, 0)),
                                  Pair("rnn/gru_cell/candidate/bias", ElementsAre(0, 0)),
                                  Pair("rnn/gru_cell/gates/bias", ElementsAre(1, 1, 1, 1))));
}

TEST_F(RnnTest, CellsListTheirVariables) {
  const LstmCell cell(4, {.use_peepholes = true, .projected_units = 3});
  std::vector<std::string> lines;
  const std::vector<WeightSpec> specs = Must(cell.Weights({kUnknownDim, 2}, kDouble));
  for (const WeightSpec& spec : specs) lines.push_back(fmt::format("{} {}", spec.name, spec.shape));
  EXPECT_THAT(lines, ElementsAre("kernel [5,16]", "bias [16]", "w_f_diag [4]", "w_i_diag [4]", "w_o_diag [4]",
                                 "projection/kernel [4,3]"));
  EXPECT_EQ(specs[0].dtype, kDouble);
  EXPECT_THAT(Message(cell.Weights({2, kUnknownDim}, kFloat)), HasSubstr("saw shape: (2, ?)"));
}

TEST_F(RnnTest, StateInOneTensor) {
  LstmCell apart(2, {.projected_units = 1});
  LstmCell joined(2, {.projected_units = 1, .scope = "joined", .joined_state = true});
  for (LstmCell* cell : {&apart, &joined})
    cell->SetWeights({{"kernel", {.initializer = ConstantInitializer(0.1)}},
                      {"projection/kernel", {.initializer = ConstantInitializer(0.5)}}});
  const RnnStep two = Must(DynamicRnn(graph(), apart, {Sequences()}, OfFloats()));
  RnnOptions options = OfFloats();
  options.scope = "other";
  const RnnStep one = Must(DynamicRnn(graph(), joined, {Sequences()}, options));
  EXPECT_EQ(GlobalVariables(graph()).back()->op_name(), "other/joined/projection/kernel");
  Initialize();
  EXPECT_EQ(Floats(one.outputs[0]), Floats(two.outputs[0]));
  ASSERT_EQ(one.state.size(), 1);
  const std::vector<float> c = Floats(two.state[0]), h = Floats(two.state[1]);
  EXPECT_THAT(Floats(one.state[0]), ElementsAre(c[0], c[1], h[0], c[2], c[3], h[1]));
}

TEST_F(RnnTest, ArithmeticOfAnLstm) {
  // One unit, one input: all gates compute x + h.
  const Output x = Constant(graph(), Tensor::Zeros(kFloat, {1, 1}).value()) + 0.5f;
  const Output kernel = Constant(graph(), Tensor::Zeros(kFloat, {2, 4}).value()) + 1.0f;
  const Output bias = Constant(graph(), Tensor::Zeros(kFloat, {4}).value());
  const LstmState start{x * 0.6f, x * 0.4f};  // c = 0.3, h = 0.2
  const LstmState next = Must(BasicLstmStep(x, start, kernel, bias, 1.0));
  const auto sigmoid = [](float v) { return 1 / (1 + std::exp(-v)); };
  const float c = sigmoid(1.7f) * 0.3f + sigmoid(0.7f) * std::tanh(0.7f);
  EXPECT_NEAR(Float(next.c), c, 1e-6);
  EXPECT_NEAR(Float(next.h), sigmoid(0.7f) * std::tanh(c), 1e-6);
  const LstmState other = Must(LstmStep(x, start, {.kernel = kernel, .bias = bias}, {.forget_bias = -2.0}));
  EXPECT_NEAR(Float(other.c), sigmoid(-1.3f) * 0.3f + sigmoid(0.7f) * std::tanh(0.7f), 1e-6);
  const LstmState clipped = Must(LstmStep(x, start, {.kernel = kernel, .bias = bias}, {.cell_clip = 0.25}));
  EXPECT_NEAR(Float(clipped.c), 0.25, 1e-6);
}

TEST_F(RnnTest, Bidirectional) {
  SumCell forward, backward;
  RnnOptions options = OfFloats();
  options.sequence_length = Input({3, 2});
  BidirectionalRnnResult both = Must(BidirectionalDynamicRnn(graph(), forward, backward, {Sequences()}, options));
  EXPECT_THAT(Floats(both.backward.outputs[0]), Pointwise(FloatNear(1e-6f), {1.2f, 1.0f, 0.6f, 0.2f, 1.0f, 0.0f}));
  EXPECT_THAT(Floats(both.forward.state[0]), Pointwise(FloatNear(1e-6f), {0.6f, 0.1f}));
}

TEST_F(RnnTest, DropoutWrapperSeedsEachTensor) {
  const auto lstm = std::make_shared<BasicLstmCell>(2);
  const auto cell = Must(DropoutRnnCell::Create(
      graph(), lstm, {.input_keep_prob = 0.5, .state_keep_prob = 0.5, .output_keep_prob = 0.5, .seed = 4}));
  const Output x = Constant(graph(), Tensor::Zeros(kFloat, {2, 1}).value());
  const RnnStep step = Must(cell->Step(graph(), {x}, Must(cell->ZeroState(graph(), 2, kFloat))));
  std::vector<int64_t> seeds;
  for (const Node* node : graph().Nodes())
    if (node->type() == "RandomUniform" && node->name().starts_with("dropout"))
      seeds.push_back(Must(node->Attr<int64_t>("seed2")));
  // The first 31 bits of the MD5 of "4input_0", "4state_1" (h; c is never dropped) and "4output_0".
  EXPECT_THAT(seeds, ElementsAre(626491010, 1847899394, 1951057409));
  EXPECT_EQ(step.state[0].name(), "basic_lstm_cell/Add_1:0");
  EXPECT_EQ(step.state[1].name(), "dropout_1/mul_1:0");
}

TEST_F(RnnTest, VariationalDropoutDropsTheSameElementsInEachStep) {
  const auto cell = Must(
      DropoutRnnCell::Create(graph(), std::make_shared<SumCell>(),
                             {.output_keep_prob = 0.5, .seed = 1, .variational_recurrent = true, .dtype = kFloat}));
  const std::vector<float> out = Floats(Must(DynamicRnn(graph(), *cell, {Sequences()}, OfFloats())).outputs[0]);
  const std::vector<float> all = {0.4f, 1.2f, 2.4f, -1.6f, 0.4f, -2.0f};  // twice the sums, scaled by 1 / 0.5
  EXPECT_TRUE(std::all_of(out.begin(), out.end(), [](float v) { return v == 0; }) ||
              testing::Value(out, Pointwise(FloatNear(1e-6f), all)));
  EXPECT_THAT(Message(DropoutRnnCell::Create(graph(), cell, {.output_keep_prob = 0.5, .variational_recurrent = true})),
              HasSubstr("dtype must be provided"));
}

TEST_F(RnnTest, ResidualAndDeviceWrappers) {
  const auto device = std::make_shared<DeviceRnnCell>(std::make_shared<SumCell>(), "/device:CPU:0");
  ResidualRnnCell cell(device);
  const RnnStep looped = Must(DynamicRnn(graph(), cell, {Sequences()}, OfFloats()));
  EXPECT_THAT(Floats(looped.outputs[0]), Pointwise(FloatNear(1e-6f), {0.3f, 0.8f, 1.5f, -1.2f, 0.7f, -1.6f}));
  const Output x = Constant(graph(), Tensor::Zeros(kFloat, {2, 1}).value());
  const RnnStep step = Must(device->Step(graph(), {x}, {x}));
  EXPECT_EQ(step.outputs[0].node->device(), "/device:CPU:0");
  EXPECT_THAT(Message(ResidualOutputs({x}, {Sequences()})), HasSubstr("Shapes (2, 1) and (2, 3, 1) are incompatible"));
  EXPECT_THAT(Message(ResidualOutputs({x}, {})), HasSubstr("as many outputs"));
}

TEST_F(RnnTest, ReportsInvalidArguments) {
  GruCell cell(2);
  EXPECT_THAT(Message(DynamicRnn(graph(), cell, {Sequences()})), HasSubstr("you must give a dtype"));
  EXPECT_THAT(Message(DynamicRnn(graph(), cell, {}, OfFloats())), HasSubstr("must not be empty"));
  EXPECT_THAT(Message(DynamicRnn(graph(), cell, {Scalar(1)}, OfFloats())), HasSubstr("rank at least"));
  EXPECT_THAT(Message(StaticRnn(graph(), cell, {}, OfFloats())), HasSubstr("must not be empty"));
  RnnOptions options = OfFloats();
  options.initial_state = InputList{Scalar(1), Scalar(2)};
  EXPECT_THAT(Message(DynamicRnn(graph(), cell, {Sequences()}, options)), HasSubstr("1 state tensors"));
}

}  // namespace
}  // namespace weir
