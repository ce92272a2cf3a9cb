// Tests the folding of biases and activations with the real ops: which nodes are folded, which must not be, and that
// values and errors are the same as without folding.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/gradients.h"
#include "graph/node_builder.h"
#include "op/hidden_attrs.h"
#include "ops/register.h"
#include "runtime/constant_evaluator.h"
#include "runtime/local_session.h"

namespace weir::fold_activations_test {
namespace {

using Ops = std::vector<std::string>;

class FoldActivationsTest : public ::testing::Test {
 protected:
  FoldActivationsTest() {
    ops::RegisterAllOps(registry_);
    NewGraph();
    plain_.mutable_graph_options()->mutable_optimizer_options()->set_opt_level(tensorflow::OptimizerOptions::L0);
  }

  void NewGraph() {
    graph_ = std::make_shared<Graph>(registry_);
    graph_->set_constant_evaluator(MakeLocalConstantEvaluator(RealEnv()));
  }
  Output Placeholder(const std::string& name, const PartialShape& shape = {}, DType type = kFloat) {
    return NodeBuilder(*graph_, "Placeholder", name).Attr("dtype", type).Attr("shape", shape).BuildOutput();
  }
  // Positive and negative numbers with different digits.
  static Tensor Numbers(const Shape& shape, int salt = 0) {
    Tensor t = Tensor::Allocate(kFloat, shape).value();
    for (int64_t i = 0; i < t.num_elements(); ++i)
      t.data<float>()[i] = std::sin(static_cast<float>(i * 37 % 1009) + 0.7f * static_cast<float>(salt)) / 3;
    return t;
  }
  Output Const(const Shape& shape, int salt = 0) { return Constant(*graph_, Numbers(shape, salt)); }
  Output Op(const std::string& op, const OutputList& inputs, const std::string& name = "",
            const std::vector<Node*>& after = {}) {
    NodeBuilder builder(*graph_, op, name);
    for (const Output& input : inputs) builder.In(input);
    for (Node* node : after) builder.ControlInput(node);
    return builder.BuildOutput();
  }
  Output Conv(Output x, Output filter, const std::string& format = "NHWC") {
    return Conv2D(x, filter, {1, 1, 1, 1}, "SAME", {.data_format = format});
  }

  Result<std::vector<Tensor>> Run(const tensorflow::ConfigProto& config, const OutputList& fetches,
                                  const std::vector<Feed>& feeds = {}, const std::vector<Node*>& targets = {}) {
    if (Status error = graph_->TakeError(); !error.ok()) return error;
    LocalSession session(graph_, LocalSession::Dependencies{pool_, blocking_pool_, RealEnv(), nullptr, config});
    if (!init_.empty()) {
      RunRequest init;
      init.targets = init_;
      EXPECT_TRUE(session.Run(init).ok());
    }
    tensorflow::RunOptions options;
    options.set_output_partition_graphs(true);
    metadata_.Clear();
    RunRequest request;
    request.feeds = feeds;
    request.fetches = fetches;
    request.targets = targets;
    request.options = &options;
    request.metadata = &metadata_;
    return session.Run(request);
  }
  // The ops of the plan, without constants and feeds. Also checks that results equal those without folding, bit for
  // bit.
  Ops Planned(const OutputList& fetches, const std::vector<Feed>& feeds = {}, const std::vector<Node*>& targets = {}) {
    Result<std::vector<Tensor>> expected = Run(plain_, fetches, feeds, targets);
    Result<std::vector<Tensor>> folded = Run(config_, fetches, feeds, targets);
    EXPECT_TRUE(expected.ok()) << expected.status();
    EXPECT_TRUE(folded.ok()) << folded.status();
    for (size_t i = 0; expected.ok() && folded.ok() && i < fetches.size(); ++i) {
      EXPECT_EQ((*folded)[i].shape(), (*expected)[i].shape());
      EXPECT_EQ(std::memcmp((*folded)[i].raw(), (*expected)[i].raw(), (*expected)[i].num_bytes()), 0)
          << fetches[i].name();
    }
    Ops ops;
    for (const auto& graph : metadata_.partition_graphs()) {
      for (const tensorflow::NodeDef& node : graph.node()) {
        if (node.op() != "Const" && node.op() != "_Arg" && node.op() != "_Retval") ops.push_back(node.op());
      }
    }
    std::sort(ops.begin(), ops.end());
    return ops;
  }
  bool Folds(const OutputList& fetches, const std::vector<Feed>& feeds = {}, const std::vector<Node*>& targets = {}) {
    for (const std::string& op : Planned(fetches, feeds, targets)) {
      if (op.starts_with("_Fused")) return true;
    }
    return false;
  }

  OpRegistry registry_;
  ThreadPool pool_{"test", 3};
  ElasticPool blocking_pool_{"test_blocking"};
  std::shared_ptr<Graph> graph_;
  tensorflow::ConfigProto config_, plain_;
  tensorflow::RunMetadata metadata_;
  std::vector<Node*> init_;  // run first
};

TEST_F(FoldActivationsTest, BiasAndActivationBecomePartOfTheProduct) {
  Output x = Placeholder("x");
  const std::vector<Feed> feeds = {{x, Numbers({5, 7})}};
  Output sum = Op("BiasAdd", {MatMul(x, Const({7, 3}, 1)), Const({3}, 2)}, "sum");
  EXPECT_EQ(Planned({sum}, feeds), Ops{"_FusedMatMul"});
  for (const char* op : {"Relu", "Relu6", "Elu", "Tanh", "Sigmoid"})
    EXPECT_EQ(Planned({Op(op, {sum})}, feeds), Ops{"_FusedMatMul"}) << op;
  EXPECT_EQ(Planned({Op("Softsign", {sum})}, feeds), (Ops{"Softsign", "_FusedMatMul"}));
}

TEST_F(FoldActivationsTest, ItKeepsTheNameOfTheLast) {
  Output x = Placeholder("x");
  Output y = Op("Relu", {Op("BiasAdd", {MatMul(x, Const({7, 3}, 1)), Const({3}, 2)}, "sum")}, "hidden");
  EXPECT_TRUE(Folds({y}, {{x, Numbers({5, 7})}}));
  bool found = false;
  for (const tensorflow::NodeDef& node : metadata_.partition_graphs(0).node())
    found = found || (node.name() == "hidden" && node.op() == "_FusedMatMul");
  EXPECT_TRUE(found) << metadata_.partition_graphs(0).node_size();
}

TEST_F(FoldActivationsTest, BiasMustBeAVectorOfTheRightLength) {
  Output x = Placeholder("x");
  const std::vector<Feed> feeds = {{x, Numbers({3, 4})}};
  for (const char* op : {"Add", "AddV2"}) {
    EXPECT_EQ(Planned({Op("Relu", {Op(op, {MatMul(x, Const({4, 3}, 1)), Const({3}, 2)})})}, feeds),
              Ops{"_FusedMatMul"});
    EXPECT_TRUE(Folds({Op(op, {MatMul(x, Const({3, 4}, 1), {.transpose_b = true}), Const({3}, 2)})}, feeds));
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{1, 3}, Shape{3, 1}, Shape{3, 3}, Shape{2, 3, 3}})
      EXPECT_FALSE(Folds({Op(op, {MatMul(x, Const({4, 3}, 1)), Const(shape, 2)})}, feeds)) << shape.ToString();
    // The product has one column and is broadcast: the result is larger.
    EXPECT_FALSE(Folds({Op(op, {MatMul(x, Const({4, 1}, 1)), Const({3}, 2)})}, feeds));
    // The shapes are unknown.
    Output b = Placeholder("b"), w = Placeholder("w");
    const std::vector<Feed> all = {{x, Numbers({3, 4})}, {b, Numbers({3}, 2)}, {w, Numbers({4, 3}, 1)}};
    EXPECT_FALSE(Folds({Op(op, {MatMul(x, Const({4, 3}, 1)), b})}, all));
    EXPECT_FALSE(Folds({Op(op, {MatMul(x, w), Const({3}, 2)})}, all));
    EXPECT_FALSE(Folds({Op(op, {Const({3}, 2), MatMul(x, Const({4, 3}, 1))})}, feeds));
  }
  Output p = MatMul(x, Const({4, 3}, 1));
  EXPECT_FALSE(Folds({Op("AddV2", {p, p})}, feeds));
}

TEST_F(FoldActivationsTest, VariablesAreKnownByTheirShape) {
  auto read = [&](const std::string& name, const PartialShape& declared, const Shape& shape, int salt) {
    Output v = NodeBuilder(*graph_, "VariableV2", name).Attr("dtype", kFloat).Attr("shape", declared).BuildOutput();
    NodeBuilder assign(*graph_, "Assign");
    init_.push_back(assign.In(v).In(Const(shape, salt)).Attr("validate_shape", false).BuildOutput().node);
    return Op("Identity", {v});
  };
  Output x = Placeholder("x");
  const std::vector<Feed> feeds = {{x, Numbers({3, 4})}};
  Output w = read("w", PartialShape{4, 3}, {4, 3}, 1), b = read("b", PartialShape{3}, {3}, 2);
  EXPECT_TRUE(Folds({Op("Relu", {Op("AddV2", {MatMul(x, w), b})})}, feeds));
  EXPECT_FALSE(Folds({Op("AddV2", {MatMul(x, w), read("any", PartialShape(), {3}, 2)})}, feeds));
  // A variable may hold a value of another shape than declared: the actual value is added.
  EXPECT_TRUE(Folds({Op("Relu", {Op("AddV2", {MatMul(x, w), read("one", PartialShape{3}, {1}, 2)})})}, feeds));
  EXPECT_TRUE(Folds({Op("Relu", {Op("AddV2", {MatMul(x, w), read("square", PartialShape{3}, {3, 3}, 2)})})}, feeds));
}

TEST_F(FoldActivationsTest, ReceivedValuesUseTheShapeKnownToTheMaster) {
  auto receive = [&](const std::string& name, const PartialShape& known) {
    return NodeBuilder(*graph_, "_Recv", name)
        .Attr("tensor_type", kFloat)
        .Attr("tensor_name", name)
        .Attr("send_device", "/cpu:0")
        .Attr("send_device_incarnation", int64_t{1})
        .Attr("recv_device", "/cpu:0")
        .Attr(kReceivedShapeAttr, known)
        .BuildOutput();
  };
  Output x = Placeholder("x"), w = receive("w", PartialShape{4, 3});
  Output known = receive("known", PartialShape{3}), unknown = receive("unknown", PartialShape());
  const std::vector<Feed> feeds = {
      {x, Numbers({2, 4})}, {w, Numbers({4, 3}, 1)}, {known, Numbers({3}, 2)}, {unknown, Numbers({3}, 2)}};
  EXPECT_TRUE(Folds({Op("AddV2", {MatMul(x, w), known})}, feeds));
  EXPECT_FALSE(Folds({Op("AddV2", {MatMul(x, w), unknown})}, feeds));
}

TEST_F(FoldActivationsTest, ValuesWithOtherConsumersAreNotFolded) {
  Output x = Placeholder("x");
  const std::vector<Feed> feeds = {{x, Numbers({5, 7})}};
  Output product = MatMul(x, Const({7, 3}, 1));
  Output sum = Op("BiasAdd", {product, Const({3}, 2)});
  Output y = Op("Relu", {sum});
  EXPECT_EQ(Planned({y}, feeds), Ops{"_FusedMatMul"});
  // Intermediate values that are fetched, are targets, or have other consumers.
  EXPECT_EQ(Planned({y, product}, feeds), (Ops{"BiasAdd", "MatMul", "Relu"}));
  EXPECT_EQ(Planned({y, sum}, feeds), (Ops{"Relu", "_FusedMatMul"}));
  EXPECT_EQ(Planned({y}, feeds, {product.node}), (Ops{"BiasAdd", "MatMul", "Relu"}));
  EXPECT_EQ(Planned({y}, feeds, {sum.node}), (Ops{"Relu", "_FusedMatMul"}));
  EXPECT_EQ(Planned({y, Op("Neg", {product})}, feeds), (Ops{"BiasAdd", "MatMul", "Neg", "Relu"}));
  EXPECT_EQ(Planned({y, Op("Neg", {sum})}, feeds), (Ops{"Neg", "Relu", "_FusedMatMul"}));
  EXPECT_EQ(Planned({y, Op("Neg", {y})}, feeds), (Ops{"Neg", "_FusedMatMul"}));
  // Intermediate values that are fed.
  EXPECT_EQ(Planned({y}, {{product, Numbers({5, 3})}}), (Ops{"BiasAdd", "Relu"}));
  EXPECT_EQ(Planned({y}, {{sum, Numbers({5, 3})}}), Ops{"Relu"});
}

TEST_F(FoldActivationsTest, ShapesInBetweenAreThoseOfTheResult) {
  Output x = Placeholder("x");
  Output product = MatMul(x, Const({7, 3}, 1));
  Output sum = Op("BiasAdd", {product, Const({3}, 2)});
  Output y = Op("Relu", {sum});
  EXPECT_EQ(Planned({y, Op("Shape", {product}), Op("Shape", {sum})}, {{x, Numbers({5, 7})}}),
            (Ops{"Shape", "Shape", "_FusedMatMul"}));
}

TEST_F(FoldActivationsTest, NodesWithControlInputsOrOtherDevicesAreNotFolded) {
  config_.mutable_device_count()->insert({"CPU", 2});
  plain_.mutable_device_count()->insert({"CPU", 2});
  Output x = Placeholder("x");
  const std::vector<Feed> feeds = {{x, Numbers({5, 7})}};
  Output v = NodeBuilder(*graph_, "VariableV2", "v").Attr("dtype", kFloat).Attr("shape", PartialShape{3}).BuildOutput();
  Node* update = Op("Assign", {v, Const({3})}).node;
  Output b = Const({3}, 2);
  EXPECT_FALSE(Folds({Op("BiasAdd", {MatMul(x, Const({7, 3}, 1)), b}, "", {update})}, feeds));
  Output waits = Op("MatMul", {x, Const({7, 3}, 1)}, "", {update});
  EXPECT_TRUE(Folds({Op("BiasAdd", {waits, b}, "", {update})}, feeds));
  EXPECT_TRUE(Folds({Op("BiasAdd", {waits, b})}, feeds));
  // Nodes that wait for the result also wait for the control inputs of the product.
  Output sum = Op("BiasAdd", {waits, b});
  Output read = Op("Identity", {v}, "read", {sum.node});
  init_ = {Op("Assign", {v, Const({3}, 9)}).node};
  EXPECT_TRUE(Folds({read, sum}, feeds));
  init_.clear();
  // The product has a control output.
  Output product = MatMul(x, Const({7, 3}, 1));
  Output late = Op("Assign", {v, Const({3}, 4)}, "late", {product.node});
  EXPECT_FALSE(Folds({Op("BiasAdd", {product, b})}, feeds, {late.node}));
  // A reference is read when its consumer runs.
  EXPECT_FALSE(Folds({Op("BiasAdd", {waits, v}, "", {update})}, feeds));
  NodeBuilder other(*graph_, "BiasAdd");
  EXPECT_FALSE(Folds({other.In(MatMul(x, Const({7, 3}, 1))).In(b).Device("/cpu:1").BuildOutput()}, feeds));
}

TEST_F(FoldActivationsTest, NothingMovesPastAnUpdate) {
  Output x = Placeholder("x");
  const std::vector<Feed> feeds = {{x, Numbers({5, 7})}};
  Output v = NodeBuilder(*graph_, "VariableV2", "v").Attr("dtype", kFloat).Attr("shape", PartialShape{3}).BuildOutput();
  init_ = {Op("Assign", {v, Const({3})}).node};
  Output update = Op("AssignAdd", {v, Const({3}, 5)}, "update");
  auto sum = [&](Output bias) { return Op("BiasAdd", {MatMul(x, Const({7, 3}, 1)), bias}); };
  // The bias depends on the update, so the folded product would run after it.
  EXPECT_FALSE(Folds({sum(Op("Identity", {v}, "", {update.node}))}, feeds));
  EXPECT_FALSE(Folds({sum(Op("Neg", {Op("Identity", {update})}))}, feeds));
  EXPECT_TRUE(Folds({sum(Op("Identity", {v}))}, feeds));
  EXPECT_TRUE(Folds({sum(Op("Identity", {v}, "", {Op("Neg", {x}).node}))}, feeds));  // nothing is updated
  NodeBuilder constant(*graph_, "Const");
  constant.Attr("value", Numbers({3}, 2)).Attr("dtype", kFloat).ControlInput(update.node);
  EXPECT_FALSE(Folds({sum(constant.BuildOutput())}, feeds));
  // The same with resource variables.
  Output r = NodeBuilder(*graph_, "VarHandleOp").Attr("dtype", kFloat).Attr("shape", PartialShape{3}).BuildOutput();
  init_ = {NodeBuilder(*graph_, "AssignVariableOp").In(r).In(Const({3})).BuildNode()};
  Node* assign = NodeBuilder(*graph_, "AssignAddVariableOp").In(r).In(Const({3}, 5)).BuildNode();
  auto read = [&](const std::vector<Node*>& after) {
    NodeBuilder builder(*graph_, "ReadVariableOp");
    for (Node* node : after) builder.ControlInput(node);
    return builder.In(r).Attr("dtype", kFloat).BuildOutput();
  };
  EXPECT_FALSE(Folds({sum(read({assign}))}, feeds));
  EXPECT_TRUE(Folds({sum(read({}))}, feeds));
}

TEST_F(FoldActivationsTest, OtherTypesStay) {
  Output x = Placeholder("x", {}, kDouble);
  Output w = Constant(*graph_, Tensor::Of<double>({2, 1}, {1, 2})), b = Constant(*graph_, Tensor::Of<double>({1}, {3}));
  EXPECT_EQ(Planned({Op("BiasAdd", {MatMul(x, w), b})}, {{x, Tensor::Of<double>({1, 2}, {1, 2})}}),
            (Ops{"BiasAdd", "MatMul"}));
}

TEST_F(FoldActivationsTest, Convolutions) {
  Output x = Placeholder("x");
  const std::vector<Feed> feeds = {{x, Numbers({2, 6, 5, 4})}};
  Output y = Op("Relu", {Op("BiasAdd", {Conv(x, Const({3, 3, 4, 8}, 1)), Const({8}, 2)})});
  EXPECT_EQ(Planned({y}, feeds), Ops{"_FusedConv2D"});
  Output z = Op("Relu", {Op("AddV2", {Conv(x, Const({3, 3, 4, 8}, 1)), Const({8}, 2)})});
  EXPECT_EQ(Planned({z}, feeds), Ops{"_FusedConv2D"});
  // Channels first: the vector is added along another axis.
  Output c = Conv(x, Const({3, 3, 6, 4}, 1), "NCHW");
  EXPECT_FALSE(Folds({Op("AddV2", {c, Const({4}, 2)})}, feeds));
  EXPECT_FALSE(Folds({BiasAdd(c, Const({4}, 2), {.data_format = "NCHW"})}, feeds));
  EXPECT_FALSE(Folds({BiasAdd(Conv(x, Const({3, 3, 4, 8}, 1)), Const({6}, 2), {.data_format = "NCHW"})}, feeds));
}

TEST_F(FoldActivationsTest, ValuesOfManyProducts) {
  for (const auto& [m, k, n] : std::vector<std::tuple<int64_t, int64_t, int64_t>>{{1, 1, 1},
                                                                                  {0, 3, 2},
                                                                                  {3, 0, 2},
                                                                                  {3, 4, 0},
                                                                                  {1, 300, 33},
                                                                                  {70, 65, 1},
                                                                                  {33, 129, 257},
                                                                                  {300, 70, 90},
                                                                                  {17, 64, 600},
                                                                                  {17, 1000, 700}}) {
    for (int flags = 0; flags < 4; ++flags) {
      NewGraph();
      const bool ta = (flags & 1) != 0, tb = (flags & 2) != 0;
      Output x = Placeholder("x"), w = Placeholder("w"), b = Placeholder("b");
      const Tensor xs = Numbers(ta ? Shape{k, m} : Shape{m, k}), ws = Numbers(tb ? Shape{n, k} : Shape{k, n}, 1);
      Tensor bs = Numbers({n}, 2);
      if (n > 2) bs.data<float>()[1] = std::nanf("");
      Output sum = Op("BiasAdd", {MatMul(x, w, {.transpose_a = ta, .transpose_b = tb}), b});
      for (const char* op : {"Identity", "Relu", "Relu6", "Elu", "Tanh", "Sigmoid"})
        EXPECT_TRUE(Folds({Op(op, {sum})}, {{x, xs}, {w, ws}, {b, bs}})) << op << " " << m << " " << k << " " << n;
    }
  }
}

TEST_F(FoldActivationsTest, ValuesOfManyConvolutions) {
  struct Case {
    Shape images, filter;
  };
  // Direct convolutions, Winograd convolutions with partial tiles at the edges, and empty ones.
  for (const Case& c :
       {Case{{1, 5, 5, 1}, {3, 3, 1, 7}}, Case{{9, 28, 28, 1}, {5, 5, 1, 32}}, Case{{5, 15, 13, 32}, {5, 5, 32, 48}},
        Case{{4, 30, 31, 16}, {3, 3, 16, 32}}, Case{{0, 5, 5, 2}, {3, 3, 2, 3}}, Case{{2, 5, 5, 2}, {1, 1, 2, 0}}}) {
    NewGraph();
    Output x = Placeholder("x"), w = Placeholder("w"), b = Placeholder("b");
    const std::vector<Feed> feeds = {{x, Numbers(c.images)}, {w, Numbers(c.filter, 1)}, {b, Numbers({c.filter[3]}, 2)}};
    for (const char* op : {"Identity", "Relu", "Tanh"})
      EXPECT_TRUE(Folds({Op(op, {Op("BiasAdd", {Conv(x, w), b})})}, feeds)) << op << c.images.ToString();
  }
}

TEST_F(FoldActivationsTest, ErrorsAreThoseOfTheNodesThatWereFolded) {
  Output x = Placeholder("x"), w = Placeholder("w"), b = Placeholder("b");
  Output sum = Op("BiasAdd", {Op("MatMul", {x, w}, "product"), b}, "sum");
  Output images = Op("BiasAdd", {Conv(x, w), b}, "bias");
  auto same_error = [&](Output y, const std::vector<Feed>& feeds, const std::string& node) {
    const Status expected = Run(plain_, {y}, feeds).status();
    const Status folded = Run(config_, {y}, feeds).status();
    EXPECT_FALSE(folded.ok());
    EXPECT_EQ(folded, expected);
    EXPECT_EQ(NodeOf(folded).value_or(""), node);
  };
  Output y = Op("Relu", {sum}, "y");
  ASSERT_TRUE(Folds({y}, {{x, Numbers({2, 3})}, {w, Numbers({3, 4})}, {b, Numbers({4})}}));
  same_error(y, {{x, Numbers({2, 3})}, {w, Numbers({2, 3})}, {b, Numbers({3})}}, "product");
  same_error(y, {{x, Numbers({2})}, {w, Numbers({2, 3})}, {b, Numbers({3})}}, "product");
  same_error(y, {{x, Numbers({2, 3})}, {w, Numbers({3, 4})}, {b, Numbers({3})}}, "sum");
  same_error(y, {{x, Numbers({2, 3})}, {w, Numbers({3, 4})}, {b, Numbers({4, 1})}}, "sum");
  Output z = Op("Relu", {images}, "z");
  same_error(z, {{x, Numbers({1, 3, 3, 2})}, {w, Numbers({2, 2, 3, 4})}, {b, Numbers({4})}}, "Conv2D");
  same_error(z, {{x, Numbers({1, 3, 3, 2})}, {w, Numbers({2, 2, 2, 4})}, {b, Numbers({3})}}, "bias");
}

TEST_F(FoldActivationsTest, TrainingFoldsTooAndGradientsStay) {
  Output x = Placeholder("x", PartialShape{-1, 7});
  Output w = Const({7, 16}, 1), b = Const({16}, 2), v = Const({16, 5}, 3), c = Const({5}, 4);
  Output hidden = Op("Relu", {Op("AddV2", {MatMul(x, w), b})});
  Output loss = Op("L2Loss", {Op("BiasAdd", {MatMul(hidden, v), c})});
  Result<std::vector<Grad>> grads = AddGradients(*graph_, {loss}, {w, b, v, c});
  ASSERT_TRUE(grads.ok()) << grads.status();
  OutputList fetches = {loss};
  for (const Grad& grad : *grads) fetches.push_back(std::get<Output>(grad));
  const Ops ops = Planned(fetches, {{x, Numbers({6, 7})}});
  EXPECT_EQ(std::count(ops.begin(), ops.end(), "_FusedMatMul"), 2);
  EXPECT_EQ(std::count(ops.begin(), ops.end(), "Relu"), 0);
}

TEST_F(FoldActivationsTest, InsideOfBranches) {
  Output x = Placeholder("x"), on = Placeholder("on", PartialShape::Scalar(), kBool);
  NodeBuilder fork_builder(*graph_, "Switch");
  Output fork = fork_builder.In(x).In(on).BuildOutput();
  Output y = Op("Relu", {Op("BiasAdd", {MatMul(Output(fork.node, 1), Const({7, 3}, 1)), Const({3}, 2)})});
  Output other = MatMul(fork, Const({7, 3}, 3));
  Output merged = NodeBuilder(*graph_, "Merge").In(OutputList{other, y}).BuildOutput();
  for (const bool value : {true, false})
    EXPECT_TRUE(Folds({merged}, {{x, Numbers({2, 7})}, {on, Tensor::Scalar(value)}}));
}

TEST_F(FoldActivationsTest, ItCanBeOff) {
  Output x = Placeholder("x");
  Output y = Op("Relu", {Op("BiasAdd", {MatMul(x, Const({7, 3}, 1)), Const({3}, 2)})});
  config_.mutable_graph_options()->mutable_rewrite_options()->set_remapping(tensorflow::RewriterConfig::OFF);
  EXPECT_EQ(Planned({y}, {{x, Numbers({5, 7})}}), (Ops{"BiasAdd", "MatMul", "Relu"}));
  config_ = plain_;
  EXPECT_EQ(Planned({y}, {{x, Numbers({5, 7})}}), (Ops{"BiasAdd", "MatMul", "Relu"}));
}

}  // namespace
}  // namespace weir::fold_activations_test
