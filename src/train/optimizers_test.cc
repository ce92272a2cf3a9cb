// Three steps of every optimizer, dense and sparse, on both kinds of variables, and argument errors. The expected
// numbers are TensorFlow's.
#include "train/optimizers.h"

#include "graph/build/state_ops.h"
#include "graph/flow_session_test.h"
#include "graph/graph_keys.h"

namespace weir {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

struct Trajectory {
  const char* name;
  std::function<std::unique_ptr<Optimizer>(VariablePtr step)> make;
  // Values after the first and the third step. Dense: from (1, -2) with the loss |w - (0.5, 0.25)|^2.
  std::vector<float> dense_1, dense_3;
  // Sparse: from ((1, -2), (3, 4), (-0.5, 0.25)) with the loss |w[0, 2, 0] - 0.5|^2; row 1 does not change.
  std::vector<float> rows_1, rows_3;
};

template <class T, class... Args>
auto Make(Args... args) {
  return [args...](const VariablePtr&) -> std::unique_ptr<Optimizer> { return std::make_unique<T>(args...); };
}

std::vector<Trajectory> Trajectories() {
  const FtrlOptions ftrl = {.learning_rate_power = -0.5f,
                            .initial_accumulator_value = 0.2,
                            .l1_regularization_strength = 0.01f,
                            .l2_regularization_strength = 0.02f};
  FtrlOptions shrinking = ftrl;
  shrinking.learning_rate_power = -0.6f;
  shrinking.l2_shrinkage_regularization_strength = 0.05f;
  return {
      {"GradientDescent",
       Make<GradientDescentOptimizer>(0.1),
       {0.9f, -1.55f},
       {0.756f, -0.902f},
       {0.8f, -1, 3, 4, -0.3f, 0.3f},
       {0.608f, -0.04f, 3, 4, -0.012f, 0.372f}},
      {"Momentum",
       Make<MomentumOptimizer>(0.1, 0.9),
       {0.9f, -1.55f},
       {0.531f, 0.1105f},
       {0.8f, -1, 3, 4, -0.3f, 0.3f},
       {0.23f, 1.85f, 3, 4, 0.438f, 0.4845f}},
      {"Nesterov",
       Make<MomentumOptimizer>(0.1, 0.9, true),
       {0.81f, -1.145f},
       {0.445824f, 0.493792f},
       {0.62f, -0.1f, 3, 4, -0.12f, 0.345f},
       {0.283352f, 1.58324f, 3, 4, 0.608352f, 0.527088f}},
      {"Adagrad",
       Make<AdagradOptimizer>(0.3, 0.2),
       {0.72613871f, -1.7014706f},
       {0.55610317f, -1.3534464f},
       {0.70722997f, -1.7002995f, 3, 4, -0.20722994f, 0.47360682f},
       {0.54405338f, -1.3476963f, 3, 4, 0.081956923f, 0.49969018f}},
      {"AdagradDA",
       [](const VariablePtr& step) -> std::unique_ptr<Optimizer> {
         return std::make_unique<AdagradDAOptimizer>(0.3, step, 0.2, 0.01f, 0.02f);
       },
       {-0.26964575f, 0.29747131f},
       {0.19367421f, 0.28368792f},
       {-0.29045585f, 0.29922143f, 3, 4, 0.29045585f, 0.21719207f},
       {0.20133989f, 0.34166414f, 3, 4, 0.38034251f, 0.42293313f}},
      {"Adadelta",
       Make<AdadeltaOptimizer>(1.0, 0.9, 1e-2),
       {0.69848871f, -1.6845502f},
       {0.50422579f, -1.1140695f},
       {0.68765247f, -1.6839303f, 3, 4, -0.1876525f, 0.51726127f},
       {0.50151509f, -1.1032348f, 3, 4, 0.25102404f, 0.50367713f}},
      {"Adam",
       Make<AdamOptimizer>(0.1, 0.8f, 0.9f, 1e-4),
       {0.90003163f, -1.900007f},
       {0.70530701f, -1.7006081f},
       {0.90001583f, -1.9000032f, 3, 4, -0.40001583f, 0.34993678f},
       {0.7052685f, -1.7005286f, 3, 4, -0.20175728f, 0.52842015f}},
      {"RMSProp",
       Make<RMSPropOptimizer>(0.1, 0.8, 0.5, 1e-3),
       {0.90004992f, -1.7956866f},
       {0.64087331f, -1.2902124f},
       {0.84193552f, -1.7807407f, 3, 4, -0.34193552f, 0.30420074f},
       {0.51103294f, -1.2511489f, 3, 4, 0.057530656f, 0.44655147f}},
      {"CenteredRMSProp",
       Make<RMSPropOptimizer>(0.1, 0.8, 0.5, 1e-3, true),
       {0.89799106f, -1.7761443f},
       {0.62658691f, -1.1675509f},
       {0.83339119f, -1.7560322f, 3, 4, -0.33339116f, 0.30452204f},
       {0.48026395f, -1.1070145f, 3, 4, 0.11442676f, 0.44881287f}},
      {"Ftrl",
       Make<FtrlOptimizer>(0.3, ftrl),
       {0.31173694f, -1.499042f},
       {0.45471549f, -1.1720104f},
       {0.48471007f, -1.608718f, 3, 4, -0.096094489f, 0.2971524f},
       {0.49732658f, -1.2641493f, 3, 4, 0.15713926f, 0.48740813f}},
      {"FtrlWithShrinkage",
       Make<FtrlOptimizer>(0.3, shrinking),
       {0.35639381f, -1.6412008f},
       {0.45017779f, -1.3919981f},
       {0.56859374f, -1.7576528f, 3, 4, -0.15749075f, 0.31544408f},
       {0.50708866f, -1.5419463f, 3, 4, 0.074249662f, 0.47257748f}},
      {"ProximalGradientDescent",
       Make<ProximalGradientDescentOptimizer>(0.1, 0.05f, 0.1f),
       {0.88613862f, -1.5297029f},
       {0.72451603f, -0.86213106f},
       {0.78712875f, -0.98514855f, 3, 4, -0.29207924f, 0.29207924f},
       {0.58554691f, -0.02411869f, 3, 4, 0, 0.35180935f}},
      {"ProximalAdagrad",
       Make<ProximalAdagradOptimizer>(0.3, 0.2, 0.05f, 0.1f),
       {0.69345456f, -1.6869624f},
       {0.50632012f, -1.3230263f},
       {0.68981284f, -1.6937249f, 3, 4, -0.19702651f, 0.43192965f},
       {0.51842755f, -1.3338835f, 3, 4, 0.087914333f, 0.4520734f}},
  };
}

class OptimizersTest : public FlowTest {
 protected:
  VariablePtr VariableOf(const Tensor& value, bool use_resource = false, bool trainable = true) {
    return Must(Variable::Make(graph(), value, {.trainable = trainable, .use_resource = use_resource}));
  }
  VariablePtr Weights() { return VariableOf(Tensor::Vector<float>({1, -2})); }
  Output LossOf(const VariablePtr& var) { return Sum(Square(var->AsInput() - Vector({0.5f, 0.25f})), {0}); }
  void Initialize() {
    Result<std::vector<Tensor>> done = Run({}, {}, {InitializeVariables(graph(), GlobalVariables(graph()))});
    ASSERT_TRUE(done.ok()) << done.status();
  }
  void Step(Node* train) {
    Result<std::vector<Tensor>> done = Run({}, {}, {train});
    ASSERT_TRUE(done.ok()) << done.status();
  }
  std::string MinimizeError(Optimizer& optimizer) { return Message(optimizer.Minimize(LossOf(Weights()))); }
};

class TrajectoryTest : public OptimizersTest, public testing::WithParamInterface<std::tuple<Trajectory, bool>> {
 protected:
  const Trajectory& trajectory() const { return std::get<0>(GetParam()); }
  bool use_resource() const { return std::get<1>(GetParam()); }

  void Follow(const VariablePtr& var, Output loss, const std::vector<float>& first, const std::vector<float>& third) {
    const VariablePtr step = VariableOf(Tensor::Scalar(int64_t{0}), use_resource(), /*trainable=*/false);
    std::unique_ptr<Optimizer> optimizer = trajectory().make(step);
    Result<Node*> train = optimizer->Minimize(loss, {.global_step = step});
    ASSERT_TRUE(train.ok()) << train.status();
    ASSERT_NO_FATAL_FAILURE(Initialize());
    ASSERT_NO_FATAL_FAILURE(Step(*train));
    EXPECT_THAT(Floats(var->ReadValue()), Pointwise(FloatNear(2e-6f), first));
    ASSERT_NO_FATAL_FAILURE(Step(*train));
    ASSERT_NO_FATAL_FAILURE(Step(*train));
    EXPECT_THAT(Floats(var->ReadValue()), Pointwise(FloatNear(5e-6f), third));
    EXPECT_EQ(Must(Run({step->ReadValue()}))[0].scalar<int64_t>(), 3);
  }
};

TEST_P(TrajectoryTest, Dense) {
  const VariablePtr var = VariableOf(Tensor::Vector<float>({1, -2}), use_resource());
  Follow(var, LossOf(var), trajectory().dense_1, trajectory().dense_3);
}

TEST_P(TrajectoryTest, Rows) {
  Tensor table = Tensor::Zeros(kFloat, {3, 2}).value();
  const float values[] = {1, -2, 3, 4, -0.5f, 0.25f};
  std::copy(std::begin(values), std::end(values), table.data<float>());
  const VariablePtr var = VariableOf(table, use_resource());
  const Output indices = Constant(graph(), Tensor::Vector<int32_t>({0, 2, 0}));
  const Output rows = use_resource() ? ResourceGather(var->handle(), indices, kFloat) : Gather(var->AsInput(), indices);
  Follow(var, Sum(Square(rows - 0.5f), {0, 1}), trajectory().rows_1, trajectory().rows_3);
}

INSTANTIATE_TEST_SUITE_P(Optimizers, TrajectoryTest,
                         testing::Combine(testing::ValuesIn(Trajectories()), testing::Bool()), [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) +
                                  (std::get<1>(info.param) ? "_Resource" : "_Reference");
                         });

TEST_F(OptimizersTest, SlotsAreNamedAfterTheVariableAndTheOptimizer) {
  const VariablePtr var = Must(Variable::Make(graph(), Tensor::Vector<float>({1, -2}), {.name = "w"}));
  AdamOptimizer adam(0.1);
  ASSERT_TRUE(adam.Minimize(LossOf(var)).ok());
  EXPECT_THAT(adam.SlotNames(), ElementsAre("m", "v"));
  EXPECT_EQ(adam.GetSlot(var, "m")->name(), "w/Adam:0");
  EXPECT_EQ(adam.GetSlot(var, "v")->name(), "w/Adam_1:0");
  EXPECT_EQ(adam.GetSlot(var, "momentum"), nullptr);
  std::vector<std::string> names;
  for (const VariablePtr& v : adam.Variables()) {
    names.push_back(v->name());
    EXPECT_FALSE(v->trainable());
  }
  EXPECT_THAT(names, ElementsAre("beta1_power:0", "beta2_power:0", "w/Adam:0", "w/Adam_1:0"));
  EXPECT_EQ(TrainableVariables(graph()).size(), 1u);
  EXPECT_EQ(graph().collections().Of<Node*>(graph_keys::kTrainOp).size(), 1u);
}

TEST_F(OptimizersTest, AHyperparameterMayBeATensorOrAFunction) {
  const VariablePtr var = Weights();
  const Output rate = PlaceholderOf(PartialShape::Scalar());
  int asked = 0;
  const HyperParam momentum([&]() -> Result<Input> {
    ++asked;
    return Input(0.5f);
  });
  MomentumOptimizer optimizer(rate, momentum);
  Node* train = Must(optimizer.Minimize(LossOf(var)));
  EXPECT_EQ(asked, 1);
  ASSERT_NO_FATAL_FAILURE(Initialize());
  for (float value : {0.1f, 0.2f}) ASSERT_TRUE(Run({}, {{rate, Tensor::Scalar(value)}}, {train}).ok());
  // accum = 1, then 0.5 + 0.8; w = 1 - 0.1, then - 0.2 * 1.3
  EXPECT_NEAR(Floats(var->ReadValue())[0], 0.64f, 1e-6f);
}

TEST_F(OptimizersTest, OneOptimizerServesSeveralVariablesAndSkipsThoseWithoutGradients) {
  const VariablePtr used = Weights();
  const VariablePtr unused = Weights();
  GradientDescentOptimizer optimizer(0.1);
  std::vector<GradAndVar> grads = Must(optimizer.ComputeGradients(LossOf(used)));
  ASSERT_EQ(grads.size(), 2u);
  EXPECT_TRUE(HasGrad(grads[0].grad));
  EXPECT_FALSE(HasGrad(grads[1].grad));
  Node* train = Must(optimizer.ApplyGradients(grads));
  ASSERT_NO_FATAL_FAILURE(Initialize());
  ASSERT_NO_FATAL_FAILURE(Step(train));
  EXPECT_THAT(Floats(used->ReadValue()), Pointwise(FloatNear(1e-6f), {0.9f, -1.55f}));
  EXPECT_THAT(Floats(unused->ReadValue()), ElementsAre(1, -2));
}

TEST_F(OptimizersTest, GatedGradientsGiveTheSameStep) {
  for (GateGradients gate : {GateGradients::kNone, GateGradients::kOp, GateGradients::kGraph}) {
    const VariablePtr var = Weights();
    GradientDescentOptimizer optimizer(0.1);
    Node* train = Must(optimizer.Minimize(LossOf(var), {.var_list = {var}, .gate_gradients = gate}));
    ASSERT_NO_FATAL_FAILURE(Initialize());
    ASSERT_NO_FATAL_FAILURE(Step(train));
    EXPECT_THAT(Floats(var->ReadValue()), Pointwise(FloatNear(1e-6f), {0.9f, -1.55f}));
  }
}

TEST_F(OptimizersTest, SettingsOutOfRangeAreRefused) {
  AdagradOptimizer adagrad(0.1, 0.0);
  EXPECT_THAT(MinimizeError(adagrad), HasSubstr("initial_accumulator_value must be positive: 0"));
  ProximalAdagradOptimizer proximal(0.1, -1.0);
  EXPECT_THAT(MinimizeError(proximal), HasSubstr("initial_accumulator_value must be positive: -1"));
  const VariablePtr step = VariableOf(Tensor::Scalar(int64_t{0}), false, /*trainable=*/false);
  AdagradDAOptimizer dual(0.1, step, 0.0);
  EXPECT_THAT(MinimizeError(dual), HasSubstr("initial_gradient_squared_accumulator_value must be positive: 0"));
  AdagradDAOptimizer no_step(0.1, nullptr);
  EXPECT_THAT(MinimizeError(no_step), HasSubstr("global_step"));
  const std::pair<FtrlOptions, const char*> wrong[] = {
      {{.learning_rate_power = 0.5f}, "learning_rate_power 0.5"},
      {{.initial_accumulator_value = -0.1}, "initial_accumulator_value -0.1"},
      {{.l1_regularization_strength = -1}, "l1_regularization_strength -1"},
      {{.l2_regularization_strength = -2}, "l2_regularization_strength -2"},
      {{.l2_shrinkage_regularization_strength = -3}, "l2_shrinkage_regularization_strength -3"},
  };
  for (const auto& [options, message] : wrong) {
    FtrlOptimizer ftrl(0.1, options);
    EXPECT_THAT(MinimizeError(ftrl), HasSubstr(message));
    EXPECT_EQ(ftrl.Check().code(), StatusCode::kInvalidArgument);
  }
  EXPECT_TRUE(FtrlOptimizer(0.1).Check().ok());
}

TEST_F(OptimizersTest, RejectsInvalidLosses) {
  GradientDescentOptimizer optimizer(0.1);
  EXPECT_THAT(Message(optimizer.ComputeGradients(Output())), HasSubstr("not a tensor"));
  EXPECT_THAT(Message(optimizer.Minimize(Scalar(1))), HasSubstr("no variables to optimize"));
  const VariablePtr var = Weights();
  EXPECT_THAT(Message(optimizer.Minimize(Constant(graph(), Tensor::Scalar(1)))), HasSubstr("int32"));
  EXPECT_THAT(Message(optimizer.Minimize(Scalar(1))), HasSubstr(var->name()));
  EXPECT_THAT(Message(optimizer.ApplyGradients({})), HasSubstr("no variables provided"));
  EXPECT_THAT(Message(optimizer.ApplyGradients({{Grad(), var}})), HasSubstr("no gradients provided"));
  EXPECT_THAT(Message(optimizer.ApplyGradients({{Grad(Scalar(1)), nullptr}})), HasSubstr("no variable"));
  EXPECT_THAT(Message(optimizer.Minimize(LossOf(var), {.var_list = {nullptr}})), HasSubstr("no variable"));
  EXPECT_THAT(Message(optimizer.ApplyGradients({{Grad(Vector({1, 2, 3})), var}})), HasSubstr(var->name()));
}

}  // namespace
}  // namespace weir
