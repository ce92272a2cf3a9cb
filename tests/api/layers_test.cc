// Tests layers with the public headers only: names of variables and nodes, sharing, values, errors.
#include <gmock/gmock.h>

#include <cmath>

#include "weir/weir.h"

namespace weir {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::FloatEq;
using testing::FloatNear;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pointwise;

std::vector<float> NumbersIn(const Tensor& value) {
  const absl::Span<float> all = value.flat<float>();
  return {all.begin(), all.end()};
}

std::vector<std::string> OpNames(const std::vector<VariablePtr>& variables) {
  std::vector<std::string> names;
  for (const VariablePtr& variable : variables) names.push_back(variable->op_name());
  return names;
}

Output ImagesOf(Graph& g, std::initializer_list<int64_t> shape) { return Placeholder(g, kFloat, {.shape = shape}); }

TEST(Layers, DenseMakesAKernelAndABias) {
  Engine engine;
  Graph& g = engine.graph();
  const Output x = Constant(g, Tensor::Of<float>(Shape{2, 2}, {1, 2, -3, 4}));
  const layers::DenseOptions ones = {.activation = Relu,
                                     .kernel = {.initializer = OnesInitializer()},
                                     .bias = {.initializer = ConstantInitializer(0.5)}};
  const Output y = layers::Dense(x, 3, ones);
  EXPECT_EQ(y.name(), "dense/Relu:0");
  EXPECT_EQ(y.shape(), (PartialShape{2, 3}));
  EXPECT_EQ(layers::Dense(y, 1).name(), "dense_1/BiasAdd:0");
  EXPECT_THAT(OpNames(TrainableVariables(g)),
              ElementsAre("dense/kernel", "dense/bias", "dense_1/kernel", "dense_1/bias"));
  const Output fixed = layers::Dense(x, 2, {.use_bias = false, .trainable = false, .name = "fixed"});
  EXPECT_EQ(fixed.name(), "fixed/MatMul:0");
  EXPECT_EQ(TrainableVariables(g).size(), 4);
  EXPECT_EQ(layers::Dense(ImagesOf(g, {2, 5, 4}), 3).shape(), (PartialShape{2, 5, 3}));
  EXPECT_TRUE(g.TakeError().ok());
  ClientSession session(engine);
  session.Run(engine.InitializeVariables());
  EXPECT_THAT(NumbersIn(session.Run(y)), ElementsAre(3.5, 3.5, 3.5, 1.5, 1.5, 1.5));
}

TEST(Layers, VariablesAreSharedByName) {
  Engine engine;
  Graph& g = engine.graph();
  const Output x = Constant(g, Tensor::Of<float>(Shape{1, 2}, {1, 2}));
  const Output first = layers::Dense(x, 3, {.name = "shared"});
  const Output again = layers::Dense(x, 3, {.name = "shared", .reuse = Reuse::kYes});
  EXPECT_THAT(OpNames(GlobalVariables(g)), ElementsAre("shared/kernel", "shared/bias"));
  EXPECT_EQ(again.name(), "shared_1/BiasAdd:0");
  layers::Dense(x, 2);
  layers::Dense(x, 2, {.reuse = Reuse::kYes});  // no name: reuses the first layer
  EXPECT_THAT(OpNames(GlobalVariables(g)), ElementsAre("shared/kernel", "shared/bias", "dense/kernel", "dense/bias"));
  {
    const VariableScopeGuard outer(g, "outer");
    layers::Dense(x, 3);
  }
  EXPECT_EQ(GlobalVariables(g).back()->op_name(), "outer/dense/bias");
  ClientSession session(engine);
  session.Run(engine.InitializeVariables());
  EXPECT_EQ(NumbersIn(session.Run(first)), NumbersIn(session.Run(again)));
  EXPECT_FALSE(layers::Dense(x, 3, {.name = "shared"}).valid());
  EXPECT_THAT(std::string(g.TakeError().message()), HasSubstr("shared/kernel already exists"));
}

TEST(Layers, DefaultNamesOfNodesAndVariablesAreMadeUniqueSeparately) {
  Engine engine;
  Graph& g = engine.graph();
  const Output x = Constant(g, Tensor::Of<float>(Shape{1, 2}, {1, 2}));
  layers::Dense(x, 3);
  {
    const NameScope part(g, "part");
    EXPECT_EQ(layers::Dense(x, 3).name(), "part/dense/BiasAdd:0");
  }
  EXPECT_EQ(GlobalVariables(g).back()->op_name(), "dense_1/bias");
  EXPECT_EQ(layers::Dense(x, 3).name(), "dense_1/BiasAdd:0");
  EXPECT_EQ(GlobalVariables(g).back()->op_name(), "dense_2/bias");
}

TEST(Layers, Convolutions) {
  Engine engine;
  Graph& g = engine.graph();
  const Output x = ImagesOf(g, {2, 6, 6, 3});
  const Output y = layers::Conv2D(x, 4, 3, {.strides = 2, .padding = "same", .activation = Tanh});
  EXPECT_EQ(y.name(), "conv2d/Tanh:0");
  EXPECT_EQ(y.shape(), (PartialShape{2, 3, 3, 4}));
  EXPECT_EQ(GlobalVariables(g)[0]->shape(), (PartialShape{3, 3, 3, 4}));
  EXPECT_EQ(layers::Conv2D(x, 4, {3, 2}, {.dilation_rate = 2}).shape(), (PartialShape{2, 2, 4, 4}));
  EXPECT_EQ(layers::Conv2D(ImagesOf(g, {2, 3, 6, 6}), 4, 3, {.data_format = "channels_first"}).shape(),
            (PartialShape{2, 4, 4, 4}));
  EXPECT_EQ(layers::Conv1D(ImagesOf(g, {2, 7, 3}), 4, 3).shape(), (PartialShape{2, 5, 4}));
  EXPECT_EQ(layers::Conv3D(ImagesOf(g, {1, 4, 4, 4, 2}), 3, 2).shape(), (PartialShape{1, 3, 3, 3, 3}));
  EXPECT_EQ(layers::SeparableConv2D(x, 8, 3, {.depth_multiplier = 2, .name = "separable"}).shape(),
            (PartialShape{2, 4, 4, 8}));
  EXPECT_EQ(VariableStore::Of(g)->Find("separable/depthwise_kernel")->shape(), (PartialShape{3, 3, 3, 2}));
  EXPECT_EQ(VariableStore::Of(g)->Find("separable/pointwise_kernel")->shape(), (PartialShape{1, 1, 6, 8}));
  const Output open = ImagesOf(g, {kUnknownDim, 4, 5, 3});
  EXPECT_EQ(layers::Conv2DTranspose(open, 6, 3, {.strides = 2}).shape(), (PartialShape{kUnknownDim, 9, 11, 6}));
  EXPECT_EQ(layers::Conv3DTranspose(ImagesOf(g, {1, 2, 2, 2, 3}), 6, 3, {.strides = 2, .padding = "same"}).shape(),
            (PartialShape{1, 4, 4, 4, 6}));
  EXPECT_TRUE(g.TakeError().ok());
}

TEST(Layers, PoolingAndFlatten) {
  Engine engine;
  Graph& g = engine.graph();
  const Output x = Constant(g, Tensor::Of<float>(Shape{1, 2, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8}));
  const Output most = layers::MaxPooling2D(x, 2, 2);
  EXPECT_EQ(most.name(), "max_pooling2d/MaxPool:0");
  const Output flat = layers::Flatten(layers::AveragePooling2D(x, {2, 2}, {2, 2}, {.padding = "same"}));
  EXPECT_EQ(flat.name(), "flatten/Reshape:0");
  EXPECT_EQ(layers::MaxPooling1D(ImagesOf(g, {2, 6, 3}), 2, 2).shape(), (PartialShape{2, 3, 3}));
  EXPECT_EQ(layers::AveragePooling3D(ImagesOf(g, {1, 4, 4, 4, 2}), 2, 2).shape(), (PartialShape{1, 2, 2, 2, 2}));
  ClientSession session(engine);
  EXPECT_THAT(NumbersIn(session.Run(most)), ElementsAre(6, 8));
  EXPECT_THAT(NumbersIn(session.Run(flat)), ElementsAre(3.5, 5.5));
  for (const auto& shape : std::vector<Shape>{{3, 0, 2}, {0, 2, 2}, {2, 3, 2}}) {
    const Output open = ImagesOf(g, {kUnknownDim, kUnknownDim, kUnknownDim});
    const Tensor rows = session.Run({{open, Tensor::Zeros(kFloat, shape).value()}}, {layers::Flatten(open)})[0];
    EXPECT_EQ(rows.shape(), (Shape{shape[0], shape[1] * shape[2]}));
  }
  const Output empty = layers::Flatten(ImagesOf(g, {kUnknownDim, 0, 2}));
  EXPECT_EQ(session.Run({{empty.node->input(0), Tensor::Zeros(kFloat, {3, 0, 2}).value()}}, {empty})[0].shape(),
            (Shape{3, 0}));
}

TEST(Layers, DropoutIsForTraining) {
  Engine engine;
  Graph& g = engine.graph();
  const Output x = Constant(g, Tensor::Of<float>(Shape{4}, {1, 1, 1, 1}));
  const Output training = Placeholder(g, kBool, {.shape = PartialShape::Scalar()});
  const Output either = layers::Dropout(x, {.rate = 0.5f, .seed = 3, .training = training});
  ClientSession session(engine);
  EXPECT_THAT(NumbersIn(session.Run(layers::Dropout(x))), Each(1));
  EXPECT_THAT(NumbersIn(session.Run({{training, Tensor::Scalar(false)}}, {either})[0]), Each(1));
  EXPECT_THAT(NumbersIn(session.Run({{training, Tensor::Scalar(true)}}, {either})[0]),
              Each(testing::AnyOf(FloatEq(0), FloatEq(2))));
  EXPECT_FALSE(layers::Dropout(x, {.rate = 1.5f, .training = true}).valid());
  EXPECT_THAT(std::string(g.TakeError().message()), HasSubstr("[0, 1)"));
}

TEST(Layers, BatchNormalizationMovesItsAverages) {
  for (const bool fused : {false, true}) {
    Engine engine;
    Graph& g = engine.graph();
    const Output x = Constant(g, Tensor::Of<float>(Shape{2, 1, 1, 2}, {1, 10, 3, 30}));
    const Output training = Placeholder(g, kBool, {.shape = PartialShape::Scalar()});
    const Output y = layers::BatchNormalization(x, {.momentum = 0.5, .fused = fused, .training = training});
    EXPECT_THAT(OpNames(TrainableVariables(g)), ElementsAre("batch_normalization/gamma", "batch_normalization/beta"));
    const std::vector<Node*> updates = layers::UpdateOps(g);
    ASSERT_EQ(updates.size(), 2);
    EXPECT_EQ(updates[0]->name(), "batch_normalization/AssignMovingAvg");
    const VariablePtr mean = GlobalVariables(g)[2], variance = GlobalVariables(g)[3];
    EXPECT_EQ(mean->op_name(), "batch_normalization/moving_mean");
    ClientSession session(engine);
    session.Run(engine.InitializeVariables());
    const Tensor yes = Tensor::Scalar(true), no = Tensor::Scalar(false);
    EXPECT_THAT(NumbersIn(session.Run({{training, yes}}, {y}, {updates.begin(), updates.end()})[0]),
                Pointwise(FloatNear(1e-3), {-1, -1, 1, 1}));
    EXPECT_THAT(NumbersIn(session.Run(mean->value())), ElementsAre(1, 10));
    EXPECT_THAT(NumbersIn(session.Run(variance->value())),
                Pointwise(FloatNear(1e-3), fused ? std::vector<float>{1.5, 100.5} : std::vector<float>{1, 50.5}));
    session.Run({{training, no}}, {}, {updates.begin(), updates.end()});
    EXPECT_THAT(NumbersIn(session.Run(mean->value())), ElementsAre(1, 10));
    EXPECT_NEAR(NumbersIn(session.Run({{training, no}}, {y})[0])[2], 2 / std::sqrt(fused ? 1.501f : 1.001f), 1e-3);
  }
}

TEST(Layers, BatchNormalizationOfATrainedModelUpdatesNothing) {
  Engine engine;
  Graph& g = engine.graph();
  EXPECT_TRUE(layers::BatchNormalization(ImagesOf(g, {2, 3, 3, 4})).valid());
  EXPECT_THAT(layers::UpdateOps(g), IsEmpty());
  const Output wide = Placeholder(g, kDouble, {.shape = {2, 3}});
  const Output training = Placeholder(g, kBool, {.shape = PartialShape::Scalar()});
  EXPECT_TRUE(layers::BatchNormalization(wide, {.training = training}).valid());
  EXPECT_TRUE(g.TakeError().ok());
}

TEST(Layers, PartitionedVariables) {
  Engine engine;
  Graph& g = engine.graph();
  VariableScopeSettings settings;
  settings.partitioner =
      std::make_shared<const Partitioner>([](const PartialShape& shape, DType) -> Result<std::vector<int>> {
        std::vector<int> counts(static_cast<size_t>(shape.rank()), 1);
        counts[0] = 2;
        return counts;
      });
  const VariableScopeGuard scope(g, "split", {}, settings);
  const Output x = Constant(g, Tensor::Of<float>(Shape{2, 2}, {1, 2, 3, 4}));
  const Output y = layers::BatchNormalization(layers::Dense(x, 4), {.training = true});
  EXPECT_TRUE(y.valid());
  EXPECT_THAT(OpNames(TrainableVariables(g)),
              ElementsAre("split/dense/kernel/part_0", "split/dense/kernel/part_1", "split/dense/bias/part_0",
                          "split/dense/bias/part_1", "split/batch_normalization/gamma/part_0",
                          "split/batch_normalization/gamma/part_1", "split/batch_normalization/beta/part_0",
                          "split/batch_normalization/beta/part_1"));
  EXPECT_EQ(GlobalVariables(g).back()->op_name(), "split/batch_normalization/moving_variance");
  ClientSession session(engine);
  session.Run(engine.InitializeVariables());
  EXPECT_EQ(session.Run(y).shape(), (Shape{2, 4}));
}

TEST(Layers, RegularizersAddLosses) {
  Engine engine;
  Graph& g = engine.graph();
  const Output x = ImagesOf(g, {1, 2});
  const auto weight = [](Regularizer regularizer) {
    return layers::Weight{.initializer = ConstantInitializer(-2), .regularizer = std::move(regularizer)};
  };
  layers::Dense(x, 3, {.kernel = weight(L2Regularizer(0.5)), .bias = {.regularizer = L2Regularizer(0)}});
  layers::Dense(x, 1, {.kernel = weight(L1Regularizer(0.25))});
  ASSERT_EQ(RegularizationLosses(g).size(), 2);
  EXPECT_EQ(RegularizationLosses(g)[0].name(), "dense/kernel/Regularizer/l2_regularizer:0");
  const Output total = RegularizationLoss(g);
  ClientSession session(engine);
  session.Run(engine.InitializeVariables());
  EXPECT_FLOAT_EQ(session.Run(total).scalar<float>(), 0.5f * 6 * 4 / 2 + 0.25f * 2 * 2);
  EXPECT_FALSE(layers::Dense(x, 1, {.kernel = weight(L1Regularizer(-1))}).valid());
  EXPECT_THAT(std::string(g.TakeError().message()), HasSubstr("must not be negative"));
}

TEST(Layers, ErrorsNameTheInvalidArgument) {
  Engine engine;
  Graph& g = engine.graph();
  const Output x = ImagesOf(g, {2, 6, 6, 3});
  const auto error_of = [&](Output y) {
    EXPECT_FALSE(y.valid());
    return std::string(g.TakeError().message());
  };
  EXPECT_THAT(error_of(layers::Conv2D(x, 4, 3, {.padding = "full"})), HasSubstr("`padding`"));
  EXPECT_THAT(error_of(layers::Conv2D(x, 4, {3, 3, 3})), HasSubstr("`kernel_size`"));
  EXPECT_THAT(error_of(layers::Conv2D(x, 4, 3, {.strides = 0})), HasSubstr("`strides`"));
  EXPECT_THAT(error_of(layers::Conv2D(x, 4, 3, {.data_format = "NHWC"})), HasSubstr("`data_format`"));
  EXPECT_THAT(error_of(layers::Conv2D(x, -1, 3)), HasSubstr("`filters`"));
  EXPECT_THAT(error_of(layers::Dense(ImagesOf(g, {2, kUnknownDim}), 3)), HasSubstr("channel dimension"));
  EXPECT_THAT(error_of(layers::BatchNormalization(x, {.axis = 7})), HasSubstr("axis 7"));
  EXPECT_THAT(error_of(layers::BatchNormalization(x, {.axis = 2, .fused = true})), HasSubstr("second or last"));
  EXPECT_THAT(error_of(layers::Dense(Output::Failed(g), 3)), "");  // an earlier error is reported only once
}

TEST(InputPipelines, FeaturesAndBatchesByTheirKind) {
  Engine engine;
  Graph& g = engine.graph();
  const Output record = Placeholder(g, kString, {.shape = PartialShape::Scalar()});
  const Features features =
      ParseSingleExample(g, record, {{"x", FixedLenFeature{{2}, kFloat}}, {"y", VarLenFeature{kInt64}}});
  EXPECT_EQ(features["x"].shape(), (PartialShape{2}));
  EXPECT_TRUE(features.sparse("y").values.valid());
  EXPECT_THROW(features["y"], Error);
  EXPECT_THROW(features.sparse("x"), Error);
  EXPECT_THROW(features["z"], Error);
  const Batched batch = Batch(g, {features["x"], features.sparse("y")}, 5);
  EXPECT_EQ(batch[0].shape(), (PartialShape{5, 2}));
  EXPECT_TRUE(batch.sparse(1).values.valid());
  EXPECT_THROW(batch[1], Error);
  EXPECT_THROW(batch[2], Error);
  EXPECT_THROW(Batched(Batch(g, {}, 5)), Error);
}

TEST(GlobalStep, IsCreatedOnce) {
  Engine engine;
  Graph& g = engine.graph();
  const VariablePtr step = ValueOrThrow(GetOrCreateGlobalStep(g));
  EXPECT_EQ(step->op_name(), "global_step");
  EXPECT_EQ(step->dtype(), kInt64);
  EXPECT_EQ(ValueOrThrow(GetOrCreateGlobalStep(g)), step);
  EXPECT_THAT(TrainableVariables(g), IsEmpty());
}

TEST(Freezing, VariablesBecomeConstants) {
  Engine engine;
  Graph& g = engine.graph();
  const Output x = Placeholder(g, kFloat, {.shape = {kUnknownDim, 2}, .name = "x"});
  const Output y = layers::Dense(x, 3);
  ClientSession session(engine);
  session.Run(engine.InitializeVariables());
  const std::string frozen = SerializeFrozenGraph(g, session.session(), g, {"dense/BiasAdd"});
  const std::shared_ptr<Graph> other = engine.NewGraph();
  ImportSerializedGraph(*other, frozen);
  const Tensor rows = Tensor::Of<float>(Shape{1, 2}, {1, 2});
  const auto in = [&](const char* name) { return ValueOrThrow(other->FindOutput(name)); };
  const Tensor again = ClientSession(engine, other).Run({{in("x:0"), rows}}, {in("dense/BiasAdd:0")})[0];
  EXPECT_EQ(NumbersIn(again), NumbersIn(session.Run({{x, rows}}, {y})[0]));
  EXPECT_THROW(SerializeFrozenGraph(g, session.session(), g, {"none"}), Error);
}

}  // namespace
}  // namespace weir
