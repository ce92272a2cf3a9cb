// Tests of LocalSession: signatures, feeds and fetches, devices, callables, partial runs, traces, functions.
#include "runtime/local_session.h"

#include <gmock/gmock.h>

#include <map>

#include "graph/attr_proto.h"
#include "graph/function_library.h"
#include "graph/graph_def.h"
#include "runtime/constant_evaluator.h"
#include "runtime/small_ops_test.h"

namespace weir {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class LocalSessionTest : public SmallGraph {
 protected:
  template <class T>
  std::string Message(const Result<T>& result) {
    return std::string(result.status().message());
  }
};

TEST_F(LocalSessionTest, FeedsAndFetchesOfEveryKind) {
  Output x = Placeholder("x");
  Output y = Op("Add", {x, Const(1)});
  Output z = Op("Add", {y, Const(1)});
  // The same fetch twice, a fed tensor, a constant.
  Result<std::vector<Tensor>> result = Run({z, z, x, Const(9)}, {{x, Float(1)}});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ((*result)[0].scalar<float>(), 3);
  EXPECT_EQ((*result)[1].scalar<float>(), 3);
  EXPECT_EQ((*result)[2].scalar<float>(), 1);
  EXPECT_EQ((*result)[3].scalar<float>(), 9);
  // Any tensor may be fed. Its node does not run.
  EXPECT_EQ(Value(z, {{y, Float(10)}}), 11);
  // Only targets, no fetches.
  Result<std::vector<Tensor>> nothing = Run({}, {{x, Float(1)}}, {z.node, x.node});
  ASSERT_TRUE(nothing.ok()) << nothing.status();
  EXPECT_TRUE(nothing->empty());
  EXPECT_TRUE(Run({}).ok());
}

TEST_F(LocalSessionTest, AFedNodeMayStillRunUnlessItIsAPlaceholder) {
  Output v = Variable("v");
  ASSERT_TRUE(Run({}, {}, {Op("Assign", {v, Const(1)}).node}).ok());
  Output added = Op("AssignAdd", {v, Const(1)}, "added");
  // Consumers get the fed value, and the node does not run.
  EXPECT_EQ(Value(Op("Add", {added, Const(1)}), {{added, Float(10)}}), 11);
  EXPECT_EQ(Value(v), 1);
  // The node still runs if it is a control input or a target.
  EXPECT_EQ(Value(Op("Identity", {Const(5)}, "after", {added.node}), {{added, Float(10)}}), 5);
  EXPECT_EQ(Value(v), 2);
  ASSERT_TRUE(Run({}, {{added, Float(10)}}, {added.node}).ok());
  EXPECT_EQ(Value(v), 3);
  // A fed placeholder does not run, even as a control input.
  Output x = Placeholder("x");
  Output y = Op("Identity", {Const(7)}, "y", {x.node});
  EXPECT_EQ(Value(y, {{x, Float(1)}}), 7);
  EXPECT_THAT(Message(Run({y})), HasSubstr("You must feed a value for placeholder tensor 'x'"));
}

TEST_F(LocalSessionTest, WrongSignatures) {
  Output x = Placeholder("x");
  Graph other(registry_);
  Output elsewhere = NodeBuilder(other, "Placeholder", "x").Attr("dtype", kFloat).BuildOutput();
  EXPECT_THAT(Message(Run({elsewhere})), HasSubstr("is not an element of this graph"));
  EXPECT_THAT(Message(Run({Output(x.node, 3)})), HasSubstr("does not exist"));
  EXPECT_EQ(Run({Output()}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Run({}, {}, {nullptr}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(Run({x}, {{x, Float(1)}, {x, Float(2)}})), HasSubstr("more than once"));
}

TEST_F(LocalSessionTest, AConstantMustMatchItsDtype) {
  NodeBuilder liar(*graph_, "Const", "liar");
  Output c = Make(liar.Attr("value", Tensor::Scalar(int32_t{1})).Attr("dtype", kFloat));
  Result<std::vector<Tensor>> result = Run({Op("Identity", {c})});
  EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(NodeOf(result.status()), "liar");
}

TEST_F(LocalSessionTest, FeedsAreChecked) {
  Output x = Placeholder("x", {3});
  Output many = Placeholder("many", {-1, 3});
  EXPECT_EQ(Message(Run({x}, {{x, Tensor::Vector<float>({1, 2})}})),
            "Cannot feed value of shape (2,) for Tensor 'x:0', which has shape '(3,)'");
  EXPECT_EQ(Message(Run({many}, {{many, Float(1)}})),
            "Cannot feed value of shape () for Tensor 'many:0', which has shape '(?, 3)'");
  EXPECT_THAT(Message(Run({x}, {{x, Tensor::Vector<int32_t>({1, 2, 3})}})), HasSubstr("type int32"));
  EXPECT_EQ(Run({x}, {{x, Tensor()}}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(Run({many}, {{many, *Tensor::Zeros(kFloat, Shape{0, 3})}}).ok());
}

TEST_F(LocalSessionTest, StateBelongsToTheNodeNotToTheSignature) {
  Output count = Op("Count", {});
  EXPECT_EQ(Value(count), 1);
  EXPECT_EQ(Value(Op("Add", {count, Const(0)})), 2);
  Result<std::vector<Tensor>> both = Run({count, Const(1)});
  EXPECT_EQ((*both)[0].scalar<float>(), 3);
}

TEST_F(LocalSessionTest, Devices) {
  config_.mutable_device_count()->insert({"CPU", 2});
  Result<std::vector<DeviceInfo>> devices = session().ListDevices();
  ASSERT_TRUE(devices.ok());
  ASSERT_EQ(devices->size(), 2u);
  EXPECT_EQ((*devices)[1].name, "/job:localhost/replica:0/task:0/device:CPU:1");
  EXPECT_EQ((*devices)[1].type, "CPU");
  NodeBuilder on_second(*graph_, "Add", "second");
  Output y = Make(on_second.In(Const(1)).In(Const(2)).Device("/cpu:1"));
  EXPECT_EQ(Value(y), 3);
  NodeBuilder nowhere(*graph_, "Add", "nowhere");
  Output z = Make(nowhere.In(Const(1)).In(Const(2)).Device("/device:GPU:3"));
  Result<std::vector<Tensor>> result = Run({z});
  EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(result), HasSubstr("Cannot assign a device for operation nowhere"));
  EXPECT_THAT(Message(result),
              HasSubstr("/device:GPU:3 but available devices are [ /job:localhost/replica:0/task:0/device:CPU:0,"));
  EXPECT_THAT(Message(result), HasSubstr("With ConfigProto(allow_soft_placement=True) it runs on one of these."));
  EXPECT_EQ(NodeOf(result.status()), "nowhere");
  session_.reset();
  config_.set_allow_soft_placement(true);
  EXPECT_EQ(Value(z), 3);
}

TEST_F(LocalSessionTest, ColocatedNodesArePlacedTogether) {
  config_.mutable_device_count()->insert({"CPU", 3});
  NodeBuilder anchor(*graph_, "Add", "anchor");
  Output a = Make(anchor.In(Const(1)).In(Const(2)).Device("/cpu:2"));
  NodeBuilder follower(*graph_, "Add", "follower");
  Output b = Make(follower.In(Const(1)).In(Const(2)).Attr("_class", std::vector<std::string>{"loc:@anchor"}));
  tensorflow::RunOptions options;
  options.set_output_partition_graphs(true);
  tensorflow::RunMetadata metadata;
  RunRequest request;
  request.fetches = {b};
  request.options = &options;
  request.metadata = &metadata;
  ASSERT_TRUE(session().Run(request).ok());
  ASSERT_EQ(metadata.partition_graphs_size(), 1);
  for (const tensorflow::NodeDef& node : metadata.partition_graphs(0).node()) {
    if (node.name() == "follower") {
      EXPECT_EQ(node.device(), "/job:localhost/replica:0/task:0/device:CPU:2");
    }
  }
  NodeBuilder contrary(*graph_, "Add", "contrary");
  Output c = Make(contrary.In(a).In(Const(2)).Attr("_class", std::vector<std::string>{"loc:@anchor"}).Device("/cpu:1"));
  EXPECT_THAT(Message(Run({c})), HasSubstr("Cannot colocate nodes"));
  EXPECT_THAT(Message(Run({c})), HasSubstr("incompatible ids: '/device:CPU:2' and '/device:CPU:1'"));
  NodeBuilder stranger(*graph_, "Add", "stranger");
  Output d = Make(stranger.In(a)
                      .In(Const(2))
                      .Attr("_class", std::vector<std::string>{"loc:@contrary"})
                      .Device("/job:elsewhere/device:CPU:1"));
  NodeBuilder friendly(*graph_, "Add", "friendly");
  Output e =
      Make(friendly.In(d).In(d).Attr("_class", std::vector<std::string>{"loc:@stranger"}).Device("/job:localhost"));
  // With soft placement, members of a group may request different devices, but not different jobs.
  session_.reset();
  config_.set_allow_soft_placement(true);
  EXPECT_EQ(Value(c), 5);
  EXPECT_THAT(Message(Run({e})), HasSubstr("incompatible jobs: "));
}

TEST_F(LocalSessionTest, ConsumersOfAReferenceAreColocatedWithIt) {
  config_.mutable_device_count()->insert({"CPU", 3});
  NodeBuilder variable(*graph_, "VariableV2", "v");
  Output v = Make(variable.Attr("dtype", kFloat).Attr("shape", PartialShape::Scalar()).Device("/cpu:2"));
  Op("Add", {Op("Assign", {v, Const(1)}, "assigned"), Const(1)}, "plus");
  NodeBuilder away(*graph_, "Assign", "away");
  Make(away.In(v).In(Const(1)).Device("/cpu:1"));
  // A graph from another program may lack the _class attributes.
  Result<tensorflow::GraphDef> def = ExportGraphDef(*graph_);
  ASSERT_TRUE(def.ok()) << def.status();
  for (tensorflow::NodeDef& node : *def->mutable_node()) node.mutable_attr()->erase("_class");
  graph_ = std::make_shared<Graph>(registry_);
  ASSERT_TRUE(ImportGraphDef(*graph_, *def).ok());
  tensorflow::RunOptions options;
  options.set_output_partition_graphs(true);
  tensorflow::RunMetadata metadata;
  RunRequest request;
  request.fetches = {graph_->FindNode("plus")};
  request.options = &options;
  request.metadata = &metadata;
  ASSERT_TRUE(session().Run(request).ok());
  std::map<std::string, std::string> devices;
  for (const tensorflow::NodeDef& node : metadata.partition_graphs(0).node()) devices[node.name()] = node.device();
  EXPECT_THAT(devices["assigned"], EndsWith("CPU:2"));
  EXPECT_THAT(devices["plus"], EndsWith("CPU:0"));  // uses the value, not the reference
  // Also if the node requests another device, as in TensorFlow.
  request.fetches = {graph_->FindNode("away")};
  metadata.Clear();
  ASSERT_TRUE(session().Run(request).ok());
  for (const tensorflow::NodeDef& node : metadata.partition_graphs(0).node()) devices[node.name()] = node.device();
  EXPECT_THAT(devices["away"], EndsWith("CPU:2"));
}

TEST_F(LocalSessionTest, AVariableHasOneDeviceInAllSignatures) {
  config_.mutable_device_count()->insert({"CPU", 3});
  Output v = Variable("v");
  Op("Assign", {v, Const(1)}, "init");
  NodeBuilder add(*graph_, "AssignAdd", "add");
  Make(add.In(v).In(Const(1)).Device("/cpu:2"));
  tensorflow::RunOptions options;
  options.set_output_partition_graphs(true);
  const auto device_of_v = [&](const char* target) {
    tensorflow::RunMetadata metadata;
    RunRequest request;
    request.targets = {graph_->FindNode(target)};
    request.options = &options;
    request.metadata = &metadata;
    EXPECT_TRUE(session().Run(request).ok());
    for (const tensorflow::NodeDef& node : metadata.partition_graphs(0).node()) {
      if (node.name() == "v") return node.device();
    }
    return std::string("not in the plan");
  };
  // The request of a node that is only in the second signature counts for the first one, too.
  EXPECT_THAT(device_of_v("init"), EndsWith("CPU:2"));
  EXPECT_THAT(device_of_v("add"), EndsWith("CPU:2"));
  // A node that is added later cannot move the variable.
  NodeBuilder late(*graph_, "AssignAdd", "late");
  Make(late.In(v).In(Const(1)).Device("/cpu:1"));
  EXPECT_THAT(device_of_v("late"), EndsWith("CPU:2"));
}

TEST_F(LocalSessionTest, Callables) {
  Output x = Placeholder("x", PartialShape::Scalar());
  Output y = Op("Add", {x, Const(1)});
  Result<std::shared_ptr<Session::Callable>> callable = session().MakeCallable({x}, {y, x}, {});
  ASSERT_TRUE(callable.ok()) << callable.status();
  for (float value : {1.f, 5.f}) {
    Result<std::vector<Tensor>> result = (*callable)->Call({Float(value)});
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ((*result)[0].scalar<float>(), value + 1);
    EXPECT_EQ((*result)[1].scalar<float>(), value);
  }
  EXPECT_EQ((*callable)->Call({}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ((*callable)->Call({Tensor::Vector<float>({1})}).status().code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(session().Close().ok());
  EXPECT_EQ((*callable)->Call({Float(1)}).status().code(), StatusCode::kCancelled);
}

// --- partial runs

class PartialRunTest : public LocalSessionTest {
 protected:
  Output x = Placeholder("x");
  Output z = Placeholder("z");
  Output q = Op("Mul", {x, Const(2)}, "q");
  Output w = Op("Add", {Op("Later", {q}), z}, "w");

  std::string Begin() {
    Result<std::string> handle = session().PartialRunSetup({x, z}, {q, w}, {});
    EXPECT_TRUE(handle.ok()) << handle.status();
    return handle.ok() ? *handle : "";
  }
  Result<std::vector<Tensor>> Piece(const std::string& handle, const OutputList& fetches,
                                    const std::vector<Feed>& feeds) {
    return session().PartialRun(handle, feeds, fetches);
  }
};

TEST_F(PartialRunTest, FeedsAndFetchesArriveInSeveralCalls) {
  for (int i = 0; i < 3; ++i) {
    const std::string handle = Begin();
    Result<std::vector<Tensor>> first = Piece(handle, {q}, {{x, Float(3)}});
    ASSERT_TRUE(first.ok()) << first.status();
    EXPECT_EQ((*first)[0].scalar<float>(), 6);
    Result<std::vector<Tensor>> second = Piece(handle, {w}, {{z, Float(1)}});
    ASSERT_TRUE(second.ok()) << second.status();
    EXPECT_EQ((*second)[0].scalar<float>(), 7);
    EXPECT_EQ(Message(Piece(handle, {w}, {})), "Must run 'setup' before performing partial runs!");
  }
}

TEST_F(PartialRunTest, WrongPiecesAreErrors) {
  EXPECT_EQ(Message(Piece("abc", {q}, {})), "Must run 'setup' before performing partial runs!");
  const std::string handle = Begin();
  EXPECT_EQ(Message(Piece(handle, {w}, {{x, Float(1)}})),
            "Fetch w:0 can't be computed from the feeds that have been fed so far.");
  ASSERT_TRUE(Piece(handle, {q}, {{x, Float(1)}}).ok());
  EXPECT_EQ(Message(Piece(handle, {}, {{x, Float(1)}})), "The feed x:0 has already been fed.");
  EXPECT_EQ(Message(Piece(handle, {q}, {})), "The fetch q:0 has already been fetched.");
  Output other = Placeholder("other");
  EXPECT_EQ(Message(Piece(handle, {other}, {})), "The fetch other:0 was not specified in partial_run_setup.");
  EXPECT_EQ(Message(Piece(handle, {}, {{other, Float(1)}})),
            "The feed other:0 was not specified in partial_run_setup.");
}

TEST_F(PartialRunTest, AnErrorOrCloseEndsThePartialRun) {
  Output bad = Op("Fail", {q});
  Result<std::string> handle = session().PartialRunSetup({x, z}, {bad, w}, {});
  ASSERT_TRUE(handle.ok());
  EXPECT_EQ(Piece(*handle, {bad}, {{x, Float(1)}}).status().code(), StatusCode::kOutOfRange);
  EXPECT_EQ(Message(Piece(*handle, {w}, {})), "Must run 'setup' before performing partial runs!");
  Begin();
  EXPECT_TRUE(session().Close().ok());
}

TEST_F(PartialRunTest, TheCallersTokenEndsTheWait) {
  Output never = Op("Add", {q, Op("Forever", {})});
  Result<std::string> handle = session().PartialRunSetup({x}, {never}, {});
  ASSERT_TRUE(handle.ok()) << handle.status();
  CancelToken token;
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    token.Cancel(Cancelled("the caller left"));
  });
  Result<std::vector<Tensor>> result = session().PartialRun(*handle, {{x, Float(1)}}, {never}, &token);
  canceller.join();
  EXPECT_EQ(Message(result), "the caller left");
  // With a token that is already cancelled, it fails at once.
  handle = session().PartialRunSetup({x}, {never}, {});
  ASSERT_TRUE(handle.ok()) << handle.status();
  EXPECT_EQ(Message(session().PartialRun(*handle, {{x, Float(1)}}, {never}, &token)), "the caller left");
}

TEST_F(PartialRunTest, ACancelledSetupStartsNothing) {
  Output v = Variable("v");
  ASSERT_TRUE(Run({}, {}, {Op("Assign", {v, Const(1)}).node}).ok());
  Output added = Op("AssignAdd", {v, Const(1)});
  CancelToken token;
  token.Cancel(Cancelled("the caller left"));
  EXPECT_EQ(Message(session().PartialRunSetup({x}, {q}, {added.node}, &token)), "the caller left");
  EXPECT_EQ(Value(v), 1);
  CancelToken other;
  EXPECT_TRUE(session().PartialRunSetup({x}, {q}, {added.node}, &other).ok());
}

TEST_F(PartialRunTest, AnUpdateByAnotherStepDoesNotChangeAValueBeforeItIsFetched) {
  Output v = Variable("v");
  ASSERT_TRUE(Run({}, {}, {Op("Assign", {v, Const(1)}).node}).ok());
  Output read = Op("Identity", {v}, "read", {Op("Identity", {Const(0)}).node});
  Output after = Op("Identity", {Const(7)}, "after", {read.node});
  Result<std::string> handle = session().PartialRunSetup({x}, {read, after, q}, {});
  ASSERT_TRUE(handle.ok()) << handle.status();
  ASSERT_TRUE(Piece(*handle, {after}, {}).ok());
  EXPECT_EQ(Value(Op("AssignAdd", {v, Const(1)})), 2);
  Result<std::vector<Tensor>> values = Piece(*handle, {read, read}, {});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0].scalar<float>(), 1);
  EXPECT_EQ((*values)[1].scalar<float>(), 1);
}

// --- traces

TEST_F(LocalSessionTest, TraceListsTheNodesThatRan) {
  Output x = Placeholder("x");
  Output y = Op("Add", {x, Const(1)}, "y");
  tensorflow::RunOptions options;
  options.set_trace_level(tensorflow::RunOptions::FULL_TRACE);
  tensorflow::RunMetadata metadata;
  RunRequest request;
  request.feeds = {{x, Float(1)}};
  request.fetches = {Op("Later", {y}, "later")};
  request.options = &options;
  request.metadata = &metadata;
  ASSERT_TRUE(session().Run(request).ok());
  ASSERT_EQ(metadata.step_stats().dev_stats_size(), 1);
  const tensorflow::DeviceStepStats& device = metadata.step_stats().dev_stats(0);
  EXPECT_EQ(device.device(), "/job:localhost/replica:0/task:0/device:CPU:0");
  ASSERT_EQ(device.node_stats_size(), 2);
  const tensorflow::NodeExecStats& stats = device.node_stats(0);
  EXPECT_EQ(stats.node_name(), "y");
  EXPECT_EQ(stats.timeline_label(), "y = Add(_arg_x_0_0, c)");
  EXPECT_EQ(stats.output(0).tensor_description().dtype(), 1);
  EXPECT_EQ(stats.output(0).tensor_description().allocation_description().requested_bytes(), 4);
  EXPECT_GT(stats.all_start_micros(), 0);
  EXPECT_GE(device.node_stats(1).op_end_rel_micros(), 1000);
  EXPECT_EQ(metadata.partition_graphs_size(), 0);
}

TEST_F(LocalSessionTest, PartitionGraphsHaveFeedsAndFetches) {
  Output x = Placeholder("x");
  Output y = Op("Add", {x, Const(1)}, "y");
  Output z = Op("Later", {y}, "z");
  tensorflow::RunOptions options;
  options.set_output_partition_graphs(true);
  tensorflow::RunMetadata metadata;
  RunRequest request;
  request.feeds = {{x, Float(1)}};
  request.fetches = {z, x, y};
  request.options = &options;
  request.metadata = &metadata;
  ASSERT_TRUE(session().Run(request).ok());
  ASSERT_EQ(metadata.partition_graphs_size(), 1);
  std::map<std::string, std::string> found;
  for (const tensorflow::NodeDef& node : metadata.partition_graphs(0).node()) {
    if (node.op() != "_Arg" && node.op() != "_Retval") continue;
    EXPECT_EQ(node.attr().at("T").type(), tensorflow::DT_FLOAT);
    EXPECT_EQ(node.device(), "/job:localhost/replica:0/task:0/device:CPU:0");
    found[node.name()] = node.op() == "_Arg" ? "" : node.input(0);
    EXPECT_EQ(node.attr().at("index").i(), node.name().back() - '0');
  }
  // As in TensorFlow, a feed that is fetched has no _Retval.
  EXPECT_EQ(found,
            (std::map<std::string, std::string>{{"_arg_x_0_0", ""}, {"_retval_z_0_0", "z"}, {"_retval_y_0_2", "y"}}));
}

// --- functions and constants

TEST_F(LocalSessionTest, FunctionsOfTheGraph) {
  // f calls Later and adds a constant; g(a) = f(f(a)).
  auto make = [&](const std::string& name, const std::function<Output(Graph&, Output)>& body) {
    Graph inside(registry_);
    if (Status s = inside.functions().AddAll(graph_->functions()); !s.ok()) ADD_FAILURE() << s;
    Output a = NodeBuilder(inside, "Placeholder", "a").Attr("dtype", kFloat).BuildOutput();
    Output r = body(inside, a);
    EXPECT_TRUE(inside.TakeError().ok());
    Result<tensorflow::FunctionDef> def = GraphToFunction(inside, name, {a}, {r}, {"r"}, {}, "");
    ASSERT_TRUE(def.ok()) << def.status();
    ASSERT_TRUE(graph_->functions().Add(*def).ok());
  };
  make("f", [](Graph& g, Output a) {
    Output later = NodeBuilder(g, "Later").In(a).BuildOutput();
    return NodeBuilder(g, "Add").In(later).In(Constant(g, Float(1))).BuildOutput();
  });
  make("g", [](Graph& g, Output a) {
    return NodeBuilder(g, "f").In(NodeBuilder(g, "f").In(a).BuildOutput()).BuildOutput();
  });
  make("h", [](Graph& g, Output a) { return NodeBuilder(g, "Fail", "inner").In(a).BuildOutput(); });
  Output x = Placeholder("x");
  Output y = Op("g", {Op("Add", {x, x})});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Value(y, {{x, Float(2)}}), 6);
  // Many concurrent calls.
  Output sum = Const(0);
  for (int i = 0; i < 8; ++i) sum = Op("Add", {sum, Op("f", {x})});
  EXPECT_EQ(Value(sum, {{x, Float(1)}}), 16);
  Result<std::vector<Tensor>> result = Run({Op("h", {x}, "outer")}, {{x, Float(1)}});
  EXPECT_EQ(result.status().code(), StatusCode::kOutOfRange);
  EXPECT_THAT(Message(result), HasSubstr("[[node 'inner' (Fail)]]"));
  EXPECT_THAT(Message(result), HasSubstr("[[node 'outer' (h)]]"));
  EXPECT_EQ(NodeOf(result.status()), "inner");
}

TEST_F(LocalSessionTest, ConstantsAreEvaluatedBeforeARun) {
  std::shared_ptr<ConstantEvaluator> evaluator = MakeLocalConstantEvaluator(RealEnv());
  Output y = Op("Add", {Const(1), Const(2)});
  Result<std::vector<Tensor>> value = evaluator->Evaluate(*y.node->props(), {Float(3), Float(4)});
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ((*value)[0].scalar<float>(), 7);
  EXPECT_FALSE(evaluator->Evaluate(*y.node->props(), {Float(3)}).ok());
  EXPECT_FALSE(evaluator->Evaluate(*y.node->props(), {Float(3), Tensor::Scalar(int32_t{1})}).ok());
  EXPECT_FALSE(evaluator->Evaluate(*Op("Count", {}).node->props(), {}).ok());
  EXPECT_FALSE(evaluator->Evaluate(*Op("Later", {y}).node->props(), {Float(1)}).ok());
  const Tensor large = *Tensor::Zeros(kFloat, Shape{3 << 20});
  EXPECT_EQ(evaluator->Evaluate(*y.node->props(), {large, large}).status().code(), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace weir
