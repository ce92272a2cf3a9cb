// Tests elementwise fusion with the real ops: which nodes are fused, which must not be, and that values and errors do
// not change.
#include "runtime/fused_elementwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <thread>

#include "base/rng.h"
#include "graph/node_builder.h"
#include "ops/register.h"
#include "runtime/constant_evaluator.h"
#include "runtime/local_devices.h"
#include "runtime/local_session.h"
#include "runtime/plan.h"

namespace weir {
namespace {

Tensor Floats(const Shape& shape, const std::function<float(int64_t)>& value) {
  Tensor tensor = *Tensor::Allocate(kFloat, shape);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) tensor.data<float>()[i] = value(i);
  return tensor;
}
Tensor Counting(int64_t n) {
  return Floats(Shape{n}, [](int64_t i) { return static_cast<float>(i % 37) / 8 - 2; });
}

bool SameBits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && std::memcmp(a.raw(), b.raw(), a.num_bytes()) == 0;
}

class FusedTest : public ::testing::Test {
 protected:
  FusedTest() {
    ops::RegisterAllOps(registry_);
    graph_ = std::make_shared<Graph>(registry_);
    graph_->set_constant_evaluator(MakeLocalConstantEvaluator(RealEnv()));
  }

  Output Op(const std::string& op, const OutputList& inputs, const std::string& name = "",
            const std::vector<Node*>& after = {}, const std::string& device = "") {
    NodeBuilder builder(*graph_, op, name);
    if (op == "AddN") {
      builder.In(inputs);
    } else {
      for (Output input : inputs) builder.In(input);
    }
    for (Node* node : after) builder.ControlInput(node);
    if (!device.empty()) builder.Device(device);
    return builder.BuildOutput();
  }
  Output Const(Tensor value) { return Constant(*graph_, std::move(value)); }
  Output Const(float value) { return Const(Tensor::Scalar(value)); }
  Output Placeholder(const PartialShape& shape = {}, DType dtype = kFloat) {
    return NodeBuilder(*graph_, "Placeholder").Attr("dtype", dtype).Attr("shape", shape).BuildOutput();
  }
  Output Variable(const std::string& name, const PartialShape& shape) {
    return NodeBuilder(*graph_, "VariableV2", name).Attr("dtype", kFloat).Attr("shape", shape).BuildOutput();
  }

  LocalSession& session(bool optimized) {
    std::unique_ptr<LocalSession>& session = optimized ? optimized_ : plain_;
    if (session == nullptr) {
      tensorflow::ConfigProto config = config_;
      if (!optimized)
        config.mutable_graph_options()->mutable_optimizer_options()->set_opt_level(tensorflow::OptimizerOptions::L0);
      session = std::make_unique<LocalSession>(
          graph_, LocalSession::Dependencies{pool_, blocking_pool_, RealEnv(), nullptr, std::move(config)});
    }
    return *session;
  }
  Result<std::vector<Tensor>> Run(const OutputList& fetches, const std::vector<Feed>& feeds = {},
                                  bool optimized = true) {
    if (Status error = graph_->TakeError(); !error.ok()) return error;
    tensorflow::RunOptions options;
    options.set_output_partition_graphs(true);
    tensorflow::RunMetadata metadata;
    RunRequest request;
    request.feeds = feeds;
    request.fetches = fetches;
    request.options = &options;
    request.metadata = &metadata;
    Result<std::vector<Tensor>> result = session(optimized).Run(request);
    fused_.clear();
    for (const tensorflow::NodeDef& node : metadata.partition_graphs(0).node()) {
      if (node.op() != kFusedOp) continue;
      std::string ops = node.name() + ":";
      for (const std::string& op : node.attr().at("ops").list().s()) ops += " " + op;
      fused_.push_back(ops);
    }
    std::sort(fused_.begin(), fused_.end());
    return result;
  }
  // Returns the fused nodes of the plan. Also checks that results are bit-identical to those without the optimizer.
  std::vector<std::string> Fused(const OutputList& fetches, const std::vector<Feed>& feeds = {}) {
    Result<std::vector<Tensor>> plain = Run(fetches, feeds, /*optimized=*/false);
    EXPECT_EQ(fused_, Regions{});
    Result<std::vector<Tensor>> result = Run(fetches, feeds);
    EXPECT_TRUE(plain.ok()) << plain.status();
    EXPECT_TRUE(result.ok()) << result.status();
    if (plain.ok() && result.ok()) {
      for (size_t k = 0; k < fetches.size(); ++k) EXPECT_TRUE(SameBits((*plain)[k], (*result)[k])) << k;
      values_ = *std::move(result);
    }
    return fused_;
  }
  // The error of the fetch. Checks that it is the same, at the same node, with and without the optimizer.
  Status Error(Output fetch, const std::vector<Feed>& feeds) {
    const Status plain = Run({fetch}, feeds, /*optimized=*/false).status();
    const Status status = Run({fetch}, feeds).status();
    EXPECT_EQ(plain.message(), status.message());
    EXPECT_EQ(plain.code(), status.code());
    EXPECT_EQ(NodeOf(plain), NodeOf(status));
    return status;
  }
  using Regions = std::vector<std::string>;

  OpRegistry registry_;
  ThreadPool pool_{"test", 4};
  ElasticPool blocking_pool_{"test_blocking"};
  std::shared_ptr<Graph> graph_;
  tensorflow::ConfigProto config_;
  std::unique_ptr<LocalSession> optimized_;
  std::unique_ptr<LocalSession> plain_;
  std::vector<std::string> fused_;
  std::vector<Tensor> values_;
};

TEST_F(FusedTest, AChainIsOneNodeForAllSizes) {
  Output x = Placeholder();
  Output y = Op("Tanh", {Op("Mul", {Op("Add", {x, Const(1)}), Const(0.5f)})}, "y");
  for (int64_t n : {0, 1, 3, 16, 1023, 1024, 1025, 5000, 300'000})
    EXPECT_EQ(Fused({y}, {{x, Counting(n)}}), Regions{"y: Add Mul Tanh"}) << n;
  EXPECT_EQ(Fused({y}, {{x, Tensor::Scalar(2.f)}}), Regions{"y: Add Mul Tanh"});
  EXPECT_EQ(values_[0].scalar<float>(), std::tanh(1.5f));
}

TEST_F(FusedTest, AWideSumIsOneNode) {
  Output x = Placeholder(PartialShape::Scalar());
  OutputList terms;
  for (int i = 0; i < 100; ++i) terms.push_back(Op("Tanh", {Op("Add", {x, Const(static_cast<float>(i))})}));
  Output sum = Op("AddN", terms, "sum");
  ASSERT_EQ(Fused({sum}, {{x, Tensor::Scalar(0.25f)}}).size(), 1u);
  Output vector = Placeholder({5000});
  terms.clear();
  for (int i = 0; i < 100; ++i) terms.push_back(Op("Tanh", {Op("Add", {vector, Const(static_cast<float>(i))})}));
  ASSERT_EQ(Fused({Op("AddN", terms)}, {{vector, Counting(5000)}}).size(), 1u);
}

TEST_F(FusedTest, ValuesUsedTwiceInsideAreComputedOnce) {
  Output x = Placeholder({100});
  Output a = Op("Exp", {x});
  Output b = Op("Add", {a, a});
  EXPECT_EQ(Fused({Op("Mul", {b, Op("Sub", {a, b})}, "y")}, {{x, Counting(100)}}), Regions{"y: Exp Add Sub Mul"});
}

TEST_F(FusedTest, OtherElementTypesAndTestsJoin) {
  Output x = Placeholder({3000});
  Output positive = Op("Greater", {x, Const(0)});
  Output either = Op("LogicalOr", {positive, Op("IsNan", {x})});
  Output chosen = Op("SelectV2", {either, Op("Neg", {x}), Const(7)}, "chosen");
  EXPECT_EQ(Fused({chosen}, {{x, Counting(3000)}}).size(), 1u);
  Output wide = NodeBuilder(*graph_, "Cast").In(Op("Square", {x})).Attr("DstT", kDouble).BuildOutput();
  Output narrow = NodeBuilder(*graph_, "Cast").In(Op("Sqrt", {wide})).Attr("DstT", kInt32).BuildOutput();
  Output counted = Op("Add", {narrow, Op("Mul", {narrow, narrow})}, "counted");
  EXPECT_EQ(Fused({counted}, {{x, Counting(3000)}}).size(), 1u);
  Output tests = Op("LogicalAnd", {Op("Less", {x, Const(1)}), Op("GreaterEqual", {x, Const(-1)})}, "tests");
  EXPECT_EQ(Fused({tests}, {{x, Counting(3000)}}).size(), 1u);
}

TEST_F(FusedTest, FetchesAndControlOutputsEndARegion) {
  Output x = Placeholder({8});
  Output a = Op("Add", {x, Const(1)}, "a");
  Output b = Op("Mul", {a, Const(2)}, "b");
  Output c = Op("Neg", {b}, "c");
  EXPECT_EQ(Fused({c}, {{x, Counting(8)}}), Regions{"c: Add Mul Neg"});
  EXPECT_EQ(Fused({c, b}, {{x, Counting(8)}}), Regions{"b: Add Mul"});
  EXPECT_EQ(Fused({c, a, b}, {{x, Counting(8)}}), Regions{});
  Output after = Op("Identity", {x}, "after", {b.node});
  EXPECT_EQ(Fused({c, after}, {{x, Counting(8)}}), Regions{"b: Add Mul"});
  EXPECT_EQ(Fused({c, Op("Identity", {b})}, {{x, Counting(8)}}), Regions{"b: Add Mul"});
}

TEST_F(FusedTest, FusionDoesNotCreateCycles) {
  Output x = Placeholder({8});
  Output a = Op("Neg", {Op("Exp", {x})}, "a");
  Output sum = NodeBuilder(*graph_, "Cumsum").In(a).In(Const(Tensor::Scalar(int32_t{0}))).BuildOutput();
  Output y = Op("Tanh", {Op("Add", {a, sum})}, "y");
  EXPECT_EQ(Fused({y}, {{x, Counting(8)}}), (Regions{"a: Exp Neg", "y: Add Tanh"}));
}

TEST_F(FusedTest, ControlInputsAreWaitedFor) {
  Output v = Variable("v", {});
  ASSERT_TRUE(Run({Op("Assign", {v, Const(Tensor::Scalar(1.f))})}).ok());
  Output x = Placeholder(PartialShape::Scalar());
  Output added = Op("AssignAdd", {v, Const(1)}, "added");
  Output inner = Op("Add", {x, Const(1)}, "inner", {added.node});
  Output y = Op("Neg", {inner}, "y");
  Output read = Op("Identity", {v}, "read", {y.node});
  Result<std::vector<Tensor>> result = Run({read, y}, {{x, Tensor::Scalar(4.f)}});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(fused_, Regions{"y: Add Neg"});
  EXPECT_EQ((*result)[0].scalar<float>(), 2);
  EXPECT_EQ((*result)[1].scalar<float>(), -5);
  // Control inputs of constants, too.
  NodeBuilder constant(*graph_, "Const");
  constant.Attr("value", Tensor::Scalar(1.f)).Attr("dtype", kFloat).ControlInput(added.node);
  Output z = Op("Neg", {Op("Add", {x, constant.BuildOutput()})}, "z");
  result = Run({Op("Identity", {v}, "", {z.node}), z}, {{x, Tensor::Scalar(4.f)}});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(fused_, Regions{"z: Add Neg"});
  EXPECT_EQ((*result)[0].scalar<float>(), 3);
}

TEST_F(FusedTest, VariableReadsAreNotMovedPastAnUpdate) {
  Output v = Variable("v", {});
  ASSERT_TRUE(Run({Op("Assign", {v, Const(1)})}).ok());
  // A fused node never reads a reference. Only the last node of a region may read an alias: it does not run later than
  // it would alone.
  Output x = Placeholder(PartialShape::Scalar());
  Output direct = Op("Neg", {Op("Add", {v, x})}, "direct");
  Output alias = Op("Identity", {v}, "alias");
  Output scaled = Op("Mul", {alias, x}, "scaled");
  Output late = Op("Exp", {Op("Add", {scaled, x})}, "late");
  Output update = Op("AssignAdd", {v, Const(1)}, "update", {late.node});
  ASSERT_TRUE(Run({direct, late, update}, {{x, Tensor::Scalar(2.f)}}).ok());
  EXPECT_EQ(fused_, Regions{"late: Add Exp"});
  // Without an update in the plan, the order does not matter.
  ASSERT_TRUE(Run({late}, {{x, Tensor::Scalar(2.f)}}).ok());
  EXPECT_EQ(fused_, Regions{"late: Mul Add Exp"});
  // A Select with a scalar condition forwards one of its inputs.
  Output chosen = Op("Select", {Placeholder(PartialShape::Scalar(), kBool), alias, x});
  Output then = Op("Exp", {Op("Add", {Op("Mul", {chosen, x}), x})}, "then");
  Output next = Op("AssignAdd", {v, Const(1)}, "next", {then.node});
  ASSERT_TRUE(Run({then, next}, {{x, Tensor::Scalar(2.f)}, {chosen.node->input(0), Tensor::Scalar(true)}}).ok());
  EXPECT_EQ(fused_, Regions{"then: Add Exp"});
}

TEST_F(FusedTest, PartialVariableReadsAreNotMovedPastAnUpdate) {
  Output v = Variable("v", {2, 2});
  ASSERT_TRUE(Run({Op("Assign", {v, Const(*Tensor::Zeros(kFloat, {2, 2}))})}).ok());
  Output x = Placeholder({2, 2});
  const auto ints = [&](std::vector<int32_t> values) { return Const(Tensor::Vector<int32_t>(values)); };
  const Tensor none = *Tensor::Zeros(kInt32, {2, 2});
  for (Output part :
       {Op("Slice", {v, ints({0, 0}), ints({2, 2})}), Op("StridedSlice", {v, ints({0, 0}), ints({2, 2}), ints({1, 1})}),
        Op("Transpose", {v, ints({0, 1})}), Op("Tile", {v, ints({1, 1})}), Op("Pad", {v, Const(none)}),
        Op("Sum", {v, ints({})}), Op("BroadcastTo", {v, ints({2, 2})})}) {
    Output late = Op("Exp", {Op("Add", {Op("Mul", {part, x}), x})}, "late");
    Output update = Op("AssignAdd", {v, x}, "update", {late.node});
    ASSERT_TRUE(Run({late, update}, {{x, *Tensor::Zeros(kFloat, {2, 2})}}).ok());
    EXPECT_EQ(fused_, Regions{late.node->name() + ": Add Exp"}) << part.node->op().name;
  }
  // A computed value does not alias the variable.
  Output late = Op("Exp", {Op("Add", {Op("Mul", {Op("MatMul", {v, x}), x}), x})}, "product");
  Output update = Op("AssignAdd", {v, x}, "update", {late.node});
  ASSERT_TRUE(Run({late, update}, {{x, *Tensor::Zeros(kFloat, {2, 2})}}).ok());
  EXPECT_EQ(fused_, Regions{"product: Mul Add Exp"});
}

TEST_F(FusedTest, ResourceReadsAreNotMovedPastAnUpdate) {
  Output r = NodeBuilder(*graph_, "VarHandleOp").Attr("dtype", kFloat).Attr("shape", PartialShape()).BuildOutput();
  Output x = Placeholder(PartialShape::Scalar());
  Output init = Op("Identity", {x}, "", {NodeBuilder(*graph_, "AssignVariableOp").In(r).In(Const(1)).BuildNode()});
  ASSERT_TRUE(Run({init}, {{x, Tensor::Scalar(2.f)}}).ok());
  Output read = NodeBuilder(*graph_, "ReadVariableOp").In(r).Attr("dtype", kFloat).BuildOutput();
  Output late = Op("Exp", {Op("Add", {Op("Mul", {read, x}), x})}, "late");
  NodeBuilder update(*graph_, "AssignAddVariableOp");
  Output updated = Op("Identity", {x}, "", {update.In(r).In(Const(1)).ControlInput(late.node).BuildNode()});
  ASSERT_TRUE(Run({late, updated}, {{x, Tensor::Scalar(2.f)}}).ok());
  EXPECT_EQ(fused_, Regions{"late: Add Exp"});
  ASSERT_TRUE(Run({late}, {{x, Tensor::Scalar(2.f)}}).ok());
  EXPECT_EQ(fused_, Regions{"late: Mul Add Exp"});
}

TEST_F(FusedTest, NodesOfOtherDevicesAreNotFused) {
  config_.mutable_device_count()->insert({"CPU", 2});
  Output x = Placeholder({8});
  Output a = Op("Neg", {Op("Exp", {x}, "", {}, "/cpu:1")}, "a", {}, "/cpu:1");
  Output y = Op("Tanh", {Op("Add", {a, x}, "", {}, "/cpu:0")}, "y", {}, "/cpu:0");
  EXPECT_EQ(Fused({y}, {{x, Counting(8)}}), (Regions{"a: Exp Neg", "y: Add Tanh"}));
}

TEST_F(FusedTest, BranchesThatAreNotTakenStayDead) {
  Output x = Placeholder(PartialShape::Scalar());
  Output p = Placeholder(PartialShape::Scalar(), kBool);
  Output fork = Op("Switch", {x, p});
  Output no = Op("Neg", {Op("Exp", {Output(fork.node, 0)})});
  Output yes = Op("Tanh", {Op("Add", {Output(fork.node, 1), Const(1)})});
  Output merged = NodeBuilder(*graph_, "Merge").In(OutputList{no, yes}).BuildOutput();
  for (bool taken : {false, true})
    EXPECT_EQ(Fused({merged}, {{x, Tensor::Scalar(2.f)}, {p, Tensor::Scalar(taken)}}).size(), 2u);
}

TEST_F(FusedTest, LoopsComputeTheSame) {
  Output start = Placeholder(PartialShape::Scalar());
  auto enter = [&](Output value, bool constant) {
    return NodeBuilder(*graph_, "Enter")
        .In(value)
        .Attr("frame_name", "loop")
        .Attr("is_constant", constant)
        .BuildOutput();
  };
  Output entered = enter(start, false);
  Output limit = enter(Const(100), true);
  Output merge = NodeBuilder(*graph_, "Merge").In(OutputList{entered, entered}).BuildOutput();
  Output fork = Op("Switch", {merge, Op("LoopCond", {Op("Less", {merge, limit})})});
  Output x = Op("Identity", {Output(fork.node, 1)});
  Output next = Op("NextIteration", {Op("Add", {Op("Mul", {x, x}), Op("Sqrt", {x})}, "body")});
  ASSERT_TRUE(graph_->UpdateInput(merge.node, 1, next).ok());
  EXPECT_EQ(Fused({Op("Exit", {Output(fork.node, 0)})}, {{start, Tensor::Scalar(1.5f)}}),
            Regions{"body: Mul Sqrt Add"});
}

TEST_F(FusedTest, ShapesThatBlocksDoNotSupportGiveTheSameValues) {
  Output x = Placeholder();
  Output y = Placeholder();
  Output sum = Op("Add", {x, y}, "sum");
  Output z = Op("Relu", {Op("Mul", {sum, Const(2)})}, "z");
  auto shaped = [](const Shape& shape) { return Floats(shape, [](int64_t i) { return static_cast<float>(i) - 3; }); };
  const std::pair<Shape, Shape> shapes[] = {
      {{4, 6}, {4, 6}},    {{4, 6}, {}},     {{}, {4, 6}},     {{1, 1}, {4, 6}}, {{4, 6}, {1}},    {{4, 6}, {6}},
      {{6}, {4, 6}},       {{4, 1}, {1, 6}}, {{4, 6}, {4, 1}}, {{1}, {}},        {{0, 6}, {1, 6}}, {{1}, {0}},
      {{6}, {1, 1}},       {{1, 1}, {6}},    {{6}, {1, 1, 1}}, {{1, 1}, {1}},    {{1, 6}, {6}},    {{1}, {1, 1, 1}},
      {{2, 1, 3}, {4, 1}}, {{40, 70}, {70}}, {{3000, 2}, {2}},
  };
  for (const auto& [a, b] : shapes)
    EXPECT_EQ(Fused({z}, {{x, shaped(a)}, {y, shaped(b)}}), Regions{"z: Add Mul Relu"}) << a.ToString() << b.ToString();
  // With values that have several consumers.
  Output twice = Op("Mul", {Op("Neg", {sum}), Op("Sub", {Op("Exp", {sum}), x})}, "twice");
  for (const auto& [a, b] : shapes)
    EXPECT_EQ(Fused({twice}, {{x, shaped(a)}, {y, shaped(b)}}).size(), 1u) << a.ToString() << b.ToString();
  const Status status = Error(z, {{x, shaped({4, 6})}, {y, shaped({5})}});
  EXPECT_EQ(NodeOf(status), "sum");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
}

TEST_F(FusedTest, NonScalarConstantsAdvanceWithBlocks) {
  Output x = Placeholder();
  for (const Shape& shape : {Shape{6000}, Shape{2, 3000}, Shape{3000}, Shape{1, 30}, Shape{1}}) {
    const Tensor constant = Floats(shape, [](int64_t i) { return static_cast<float>(i % 41) - 20; });
    Output y = Op("Exp", {Op("Minimum", {Op("Mul", {Const(constant), x}), Const(3)})});
    for (const Shape& fed : {Shape{2, 3000}, Shape{3000}, Shape{100, 30}, Shape{6000}, Shape{1}, Shape{}}) {
      if (shape.num_elements() > 1 && fed.num_elements() > 1 && shape[shape.rank() - 1] != fed[fed.rank() - 1])
        continue;
      EXPECT_EQ(Fused({y}, {{x, Floats(fed, [](int64_t i) { return static_cast<float>(i % 17) / 8; })}}).size(), 1u);
    }
  }
}

TEST_F(FusedTest, RowsAreBroadcast) {
  Output x = Placeholder({-1, 70});
  Output b = Placeholder({70});
  Output y = Op("Relu", {Op("Add", {Op("Mul", {x, Const(0.5f)}), b})}, "y");
  for (int64_t rows : {1, 2, 3, 100, 3000}) {
    const Tensor fed = Floats(Shape{rows, 70}, [](int64_t i) { return static_cast<float>(i % 101) - 50; });
    EXPECT_EQ(Fused({y}, {{x, fed}, {b, Counting(70)}}), Regions{"y: Mul Add Relu"}) << rows;
  }
  // Rows longer than a block, rows of unknown shape, and a row as the first operand.
  Output u = Placeholder();
  Output v = Placeholder();
  Output z = Op("Sub", {v, Op("Exp", {Op("Maximum", {u, v})})}, "z");
  for (int64_t length : {2, 63, 1023, 1024, 1025, 7000}) {
    const Tensor fed = Floats(Shape{5, 2, length}, [](int64_t i) { return static_cast<float>(i % 11) - 5; });
    EXPECT_EQ(Fused({z}, {{u, fed}, {v, Counting(length)}}), Regions{"z: Maximum Exp Sub"}) << length;
    EXPECT_EQ(Fused({z}, {{u, fed}, {v, Counting(length).Reshaped(Shape{1, length})}}).size(), 1u) << length;
  }
  // Two rows give a row, which blocks do not support: the fallback gives the same result.
  Output w = Placeholder();
  Output row = Op("Mul", {Op("Add", {v, w}), u});
  const Tensor fed = Floats(Shape{4, 9}, [](int64_t i) { return static_cast<float>(i); });
  EXPECT_EQ(Fused({row}, {{u, fed}, {v, Counting(9)}, {w, Counting(9)}}).size(), 1u);
}

TEST_F(FusedTest, IntermediateScalarsStayScalars) {
  Output x = Placeholder();
  Output rate = Placeholder();
  Output decayed = Op("Mul", {Op("Exp", {Op("Neg", {rate})}), Const(0.5f)});
  Output count = NodeBuilder(*graph_, "Cast")
                     .In(Op("Maximum", {Placeholder({}, kInt32), Const(Tensor::Scalar(int32_t{1}))}))
                     .Attr("DstT", kFloat)
                     .BuildOutput();
  Output counted = count.node->input(0).node->input(0);
  Output y = Op("RealDiv", {Op("Mul", {Op("Tanh", {x}), decayed}), count}, "y");
  for (int64_t n : {0, 1, 5, 5000}) {
    EXPECT_EQ(
        Fused({y}, {{x, Counting(n)}, {rate, Tensor::Scalar(0.25f)}, {counted, Tensor::Scalar(int32_t{7})}}).size(), 1u)
        << n;
  }
  // A single element of a higher rank, of the same rank, and only scalars.
  const Tensor one = Floats(Shape{1, 1}, [](int64_t) { return 0.75f; });
  for (const Tensor& shape : {Counting(6).Reshaped(Shape{2, 3}), one, Tensor::Scalar(0.5f)})
    Fused({y}, {{x, shape}, {rate, one}, {counted, Tensor::Scalar(int32_t{7})}});
  Fused({y}, {{x, Counting(6)}, {rate, one}, {counted, Tensor::Scalar(int32_t{7})}});
  // A value that is known to be a scalar may join a region of non-scalars.
  Output known = Placeholder({6});
  Output scalar = Placeholder(PartialShape::Scalar());
  Output z = Op("Mul", {Op("Neg", {known}), Op("Exp", {scalar})}, "z");
  EXPECT_EQ(Fused({z}, {{known, Counting(6)}, {scalar, Tensor::Scalar(1.5f)}}).size(), 1u);
  EXPECT_EQ(fused_[0].size(), std::string("z: Neg Exp Mul").size());
  Output chosen = Op("SelectV2", {Op("Less", {known, Const(0)}), Op("Exp", {scalar}), Op("Neg", {known})}, "chosen");
  EXPECT_EQ(Fused({Op("Neg", {chosen})}, {{known, Counting(6)}, {scalar, Tensor::Scalar(1.5f)}}).size(), 1u);
  Output many = Placeholder({37});
  chosen = Op("SelectV2", {Op("Less", {many, Const(0)}), Op("Neg", {many}), Op("Exp", {scalar})});
  EXPECT_EQ(Fused({Op("Neg", {chosen})}, {{many, Counting(37)}, {scalar, Tensor::Scalar(1.5f)}}).size(), 1u);
  // AddN requires equal shapes.
  Output sum = Op("Neg", {Op("AddN", {x, Op("Exp", {rate})}, "sum")});
  EXPECT_EQ(NodeOf(Error(sum, {{x, Counting(9)}, {rate, Tensor::Scalar(1.f)}})), "sum");
  Output other = Placeholder();
  Output ones = Op("Mul", {x, Op("AddN", {Op("Exp", {rate}), other}, "ones")});
  EXPECT_EQ(NodeOf(Error(ones, {{x, Counting(6).Reshaped(Shape{2, 3})}, {rate, Counting(1)}, {other, one}})), "ones");
}

TEST_F(FusedTest, ShapesComeFromOperands) {
  Output x = Placeholder({-1});
  Output a = Op("Mul", {Op("Neg", {x}), Const(2)});
  Output y = Op("Exp", {Op("Add", {a, x})}, "y");
  EXPECT_EQ(Fused({y, Op("Shape", {a})}, {{x, Counting(20)}}), Regions{"y: Neg Mul Add Exp"});
  EXPECT_EQ(*values_[1].data<int32_t>(), 20);
  // Shape nodes are not moved to the operand of a value with control inputs, or of a node that changes the type or
  // shape.
  Output waits = Op("Neg", {x}, "", {*NodeBuilder(*graph_, "NoOp").Build()});
  Output test = Op("Less", {waits, Const(0)});
  Output rows = Op("Add", {Placeholder({2, 1}), waits}, "rows");
  EXPECT_EQ(Fused({Op("Shape", {test}), Op("Shape", {waits}), Op("Shape", {rows})},
                  {{x, Counting(20)}, {rows.node->input(0), *Tensor::Zeros(kFloat, Shape{2, 1})}}),
            Regions{});
  EXPECT_EQ(values_[2].num_elements(), 2);
  // Nor are they moved if two operands may have the shape, or another operand is not a scalar.
  Output s = Placeholder();
  Output u = Placeholder();
  Output larger = Op("Mul", {s, Const(Counting(5))});
  for (const int64_t n : {1, 5}) {
    Fused({Op("Shape", {Op("Add", {s, u})}), Op("Shape", {larger})}, {{s, Counting(n)}, {u, Counting(6 - n)}});
    for (const Tensor& shape : values_) EXPECT_EQ(*shape.data<int32_t>(), 5);
  }
}

TEST_F(FusedTest, ShapesInBranchesThatAreNotTakenAreDead) {
  Output x = Placeholder();
  Output y = Placeholder();
  Output p = Placeholder(PartialShape::Scalar(), kBool);
  Output fork = Op("Switch", {p, p});
  auto shape_in = [&](int branch, Output value) {
    return Op("Shape", {Op("Neg", {value}, "", {Op("Identity", {Output(fork.node, branch)}).node})});
  };
  Output merged = NodeBuilder(*graph_, "Merge").In(OutputList{shape_in(0, x), shape_in(1, y)}).BuildOutput();
  for (const bool taken : {false, true}) {
    Fused({merged}, {{x, Counting(4)}, {y, Counting(9)}, {p, Tensor::Scalar(taken)}});
    EXPECT_EQ(*values_.at(0).data<int32_t>(), taken ? 9 : 4);
  }
}

TEST_F(FusedTest, IncompatibleShapesAreErrors) {
  Output x = Placeholder();
  Output y = Placeholder();
  Output grad = Op("ReluGrad", {x, y}, "grad");
  Output z = Op("Neg", {grad}, "z");
  EXPECT_EQ(Fused({z}, {{x, Counting(9)}, {y, Counting(9)}}), Regions{"z: ReluGrad Neg"});
  EXPECT_EQ(NodeOf(Error(z, {{x, Counting(9)}, {y, Tensor::Scalar(1.f)}})), "grad");
  Output sum = Op("Neg", {Op("AddN", {x, Op("Exp", {y}), x}, "sum")});
  EXPECT_EQ(NodeOf(Error(sum, {{x, Counting(9)}, {y, Tensor::Scalar(1.f)}})), "sum");
}

TEST_F(FusedTest, NodesThatAreKnownToBroadcastAreNotFused) {
  Output x = Placeholder({-1, 6, 1});
  Output y = Placeholder({1, 5});
  Output scaled = Op("Mul", {y, Const(2)}, "scaled");
  Output sum = Op("Add", {x, scaled}, "sum");
  Output z = Op("Exp", {Op("Neg", {sum})}, "z");
  EXPECT_EQ(Fused({z}, {{x, Floats(Shape{2, 6, 1}, [](int64_t i) { return static_cast<float>(i) / 4; })},
                        {y, Floats(Shape{1, 5}, [](int64_t i) { return static_cast<float>(i); })}}),
            Regions{"z: Neg Exp"});
}

TEST_F(FusedTest, FaultsNameTheirNode) {
  Output x = Placeholder({3}, kInt32);
  Output y = Placeholder({3}, kInt32);
  Output quotient = Op("FloorDiv", {x, Op("Sub", {y, Const(Tensor::Scalar(int32_t{1}))})}, "quotient");
  Output z = Op("Neg", {Op("Mul", {quotient, x})});
  auto ints = [](const std::vector<int32_t>& values) { return Tensor::Vector<int32_t>(values); };
  EXPECT_EQ(Fused({z}, {{x, ints({1, 2, 9})}, {y, ints({2, 3, 4})}}).size(), 1u);
  const Status status = Error(z, {{x, ints({1, 2, 9})}, {y, ints({2, 1, 4})}});
  EXPECT_EQ(NodeOf(status), "quotient");
  EXPECT_NE(status.message().find("division by zero"), std::string::npos);
  // Also for single elements in an otherwise empty region.
  Output u = Placeholder({}, kInt32);
  auto single = [&](int32_t value) { return Const(Tensor::Scalar(value)); };
  Output none = Op("Mul", {u, Op("FloorDiv", {single(1), single(0)}, "single")});
  EXPECT_EQ(NodeOf(Error(none, {{u, ints({})}})), "single");
  EXPECT_EQ(fused_.size(), 1u);
}

TEST_F(FusedTest, OutputReusesOnlyUnsharedInputMemory) {
  Output x = Placeholder({50'000});
  const Tensor fed = Counting(50'000);
  const Tensor before = *fed.Clone();
  Output own = Op("Cumsum", {x, Const(Tensor::Scalar(int32_t{0}))});
  Output y = Op("Tanh", {Op("Add", {own, Op("Mul", {x, own})})}, "y");
  EXPECT_EQ(Fused({y}, {{x, fed}}), Regions{"y: Mul Add Tanh"});
  EXPECT_TRUE(SameBits(fed, before));
  EXPECT_EQ(Fused({y, own}, {{x, fed}}), Regions{"y: Mul Add Tanh"});
}

TEST_F(FusedTest, AFusedNodeIsDestroyedWithItsPlan) {
  Output x = Placeholder({8});
  Output y = Op("Tanh", {Op("Neg", {x})});
  PlanSignature signature{{x}, {y}, {}};
  const auto devices = MakeLocalDevices({}, "/job:localhost/replica:0/task:0", RealRng());
  KernelCache kernels(RealEnv(), nullptr, nullptr);
  Result<std::shared_ptr<const Plan>> plan =
      CompilePlan(*graph_, signature, PlanEnvironment{devices, kernels, PlacerOptions{}, {.fuse = true}});
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ((*plan)->nodes.size(), 1u);
  std::weak_ptr<const BoundKernel> kernel = (*plan)->kernels[0];
  plan->reset();
  EXPECT_TRUE(kernel.expired());
}

TEST_F(FusedTest, ATraceShowsTheNodes) {
  Output x = Placeholder({8});
  Output a = Op("Add", {x, Const(1)}, "a");
  Output y = Op("Tanh", {a}, "y");
  tensorflow::RunOptions options;
  options.set_trace_level(tensorflow::RunOptions::FULL_TRACE);
  tensorflow::RunMetadata metadata;
  RunRequest request;
  request.feeds = {{x, Counting(8)}};
  request.fetches = {y};
  request.options = &options;
  request.metadata = &metadata;
  ASSERT_TRUE(session(true).Run(request).ok());
  ASSERT_EQ(metadata.step_stats().dev_stats_size(), 1);
  const auto& nodes = metadata.step_stats().dev_stats(0).node_stats();
  ASSERT_EQ(nodes.size(), 2);
  EXPECT_EQ(nodes[0].node_name(), "a");
  EXPECT_EQ(nodes[0].timeline_label(), "a = Add(_arg_Placeholder_0_0, Const)");
  EXPECT_EQ(nodes[1].timeline_label(), "y = Tanh(a)");
  EXPECT_EQ(nodes[1].output_size(), 1);
  EXPECT_GE(nodes[1].all_start_nanos(), nodes[0].all_start_nanos() + nodes[0].op_end_rel_nanos());
}

TEST_F(FusedTest, TheReportNamesTheRegions) {
  Output x = Placeholder({8});
  Output y = Op("Tanh", {Op("Tanh", {Op("Add", {x, Const(1)})})}, "y");
  setenv("WEIR_EXPLAIN", "1", 1);
  testing::internal::CaptureStderr();
  Result<std::vector<Tensor>> result = Run({y}, {{x, Counting(8)}});
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "plan for y:0: 4 nodes, 1 after the passes\n"
            "  3 fused into one elementwise loop: 'y' (Add, Tanh x 2)\n");
  unsetenv("WEIR_EXPLAIN");
}

TEST_F(FusedTest, ConcurrentStepsAreIndependent) {
  Output x = Placeholder({20'000});
  Output y = Op("Sub", {Op("Exp", {Op("Mul", {x, Const(0.5f)})}), Op("Square", {x})}, "y");
  ASSERT_TRUE(Run({y}, {{x, Counting(20'000)}}).ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const Tensor fed = Floats(Shape{20'000}, [t](int64_t) { return static_cast<float>(t); });
      for (int i = 0; i < 20; ++i) {
        RunRequest request;
        request.feeds = {{x, fed}};
        request.fetches = {y};
        Result<std::vector<Tensor>> result = session(true).Run(request);
        ASSERT_TRUE(result.ok()) << result.status();
        const float* values = (*result)[0].data<float>();
        for (int64_t k = 0; k < 20'000; k += 97) ASSERT_EQ(values[k], values[0]);
        ASSERT_NEAR(values[0], std::exp(t * 0.5f) - static_cast<float>(t * t), 1e-4);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(FusedTest, ADeepChainNeedsNoStack) {
  Output x = Placeholder(PartialShape::Scalar());
  Output y = x;
  for (int i = 0; i < 20'000; ++i) y = Op(i % 2 == 0 ? "Sin" : "Neg", {y});
  EXPECT_EQ(Fused({y}, {{x, Tensor::Scalar(0.5f)}}).size(), 1u);
}

TEST_F(FusedTest, TooManyLiveValuesAreNotFused) {
  Output x = Placeholder({4});
  OutputList left;
  for (int i = 0; i < 600; ++i) left.push_back(Op("Add", {x, Const(static_cast<float>(i))}));
  // All values are used again in the opposite order, so all must be live at the same time.
  Output sum = Op("AddN", left);
  Output product = left[0];
  for (int i = 600; i-- > 0;) product = Op("Maximum", {product, left[i]});
  EXPECT_EQ(Fused({Op("Mul", {sum, product})}, {{x, Counting(4)}}), Regions{});
}

// Random expressions over a few inputs: fused and separate nodes give the same bits.
class RandomExpressionTest : public FusedTest, public ::testing::WithParamInterface<int> {};

TEST_P(RandomExpressionTest, GiveTheSameBits) {
  std::mt19937 random(GetParam());
  auto pick = [&](size_t n) { return static_cast<size_t>(random() % n); };
  const char* unary[] = {"Neg",  "Exp", "Tanh", "Sigmoid", "Relu",  "Relu6", "Elu",   "Square",
                         "Sqrt", "Abs", "Sin",  "Cos",     "Floor", "Log1p", "Rsqrt", "Softplus"};
  const char* binary[] = {"Add",      "Sub",      "Mul",   "RealDiv",       "Maximum",           "Minimum",
                          "TanhGrad", "SqrtGrad", "Pow",   "ReluGrad",      "SquaredDifference", "SigmoidGrad",
                          "EluGrad",  "AddV2",    "Atan2", "ReciprocalGrad"};
  const bool known = pick(2) == 0;
  const int64_t n = std::vector<int64_t>{1, 7, 64, 1000, 1500, 40'000}[pick(6)];
  std::vector<Feed> feeds;
  OutputList values;
  std::normal_distribution<float> normal(0, 3);
  for (int i = 0; i < 3; ++i) {
    values.push_back(Placeholder(known ? PartialShape{n} : PartialShape()));
    feeds.push_back({values.back(), Floats(Shape{n}, [&](int64_t at) {
                       if (at % 97 == 5) return std::nanf("");
                       return at % 31 == 3 ? 1e6f * normal(random) : normal(random);
                     })});
  }
  Output scalar = Placeholder(known ? PartialShape::Scalar() : PartialShape());
  feeds.push_back({scalar, Tensor::Scalar(normal(random))});
  const size_t nodes = 5 + pick(60);
  for (size_t i = 0; i < nodes; ++i) {
    auto value = [&] { return values[pick(4) == 0 ? pick(values.size()) : values.size() - 1 - pick(3)]; };
    const size_t kind = pick(10);
    if (kind < 4) {
      values.push_back(Op(unary[pick(std::size(unary))], {value()}));
    } else if (kind < 7) {
      values.push_back(Op(binary[pick(std::size(binary))], {value(), value()}));
    } else if (kind == 7) {
      Output operand = pick(2) == 0 ? scalar : Const(normal(random));
      if (pick(3) == 0) operand = Op("Mul", {operand, Op("Neg", {scalar})});
      const char* op = std::vector<const char*>{"Add", "Mul", "Maximum", "Pow", "RealDiv"}[pick(5)];
      values.push_back(pick(2) == 0 ? Op(op, {value(), operand}) : Op(op, {operand, value()}));
    } else if (kind == 8) {
      values.push_back(Op("AddN", {value(), value(), value()}));
    } else {
      Output less = Op(pick(2) == 0 ? "Less" : "Equal", {value(), pick(2) == 0 ? value() : scalar});
      values.push_back(Op("SelectV2", {less, value(), pick(2) == 0 ? value() : Const(1)}));
    }
  }
  OutputList fetches = {values.back()};
  if (pick(3) == 0) fetches.push_back(values[pick(values.size())]);
  Fused(fetches, feeds);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomExpressionTest, ::testing::Range(0, 200));

}  // namespace
}  // namespace weir
