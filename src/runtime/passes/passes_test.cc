// Tests what passes may and may not change in a plan.
#include "runtime/passes/passes.h"

#include "runtime/small_ops_test.h"

namespace weir {
namespace {

class PassesTest : public SmallGraph {
 protected:
  // The ops in the plan for `fetches` after the passes, sorted by name.
  std::vector<std::string> Planned(const OutputList& fetches, const std::vector<Feed>& feeds = {},
                                   const std::vector<Node*>& targets = {}) {
    tensorflow::RunOptions options;
    options.set_output_partition_graphs(true);
    tensorflow::RunMetadata metadata;
    RunRequest request;
    request.feeds = feeds;
    request.fetches = fetches;
    request.targets = targets;
    request.options = &options;
    request.metadata = &metadata;
    Result<std::vector<Tensor>> result = session().Run(request);
    EXPECT_TRUE(result.ok()) << result.status();
    values_.clear();
    if (result.ok()) {
      for (const Tensor& value : *result) values_.push_back(value.scalar<float>());
    }
    std::vector<std::string> ops;
    for (const tensorflow::NodeDef& node : metadata.partition_graphs(0).node()) {
      if (node.op() != "_Retval") ops.push_back(node.op());  // fetches are not nodes of the plan
    }
    std::sort(ops.begin(), ops.end());
    return ops;
  }
  using Ops = std::vector<std::string>;
  std::vector<float> values_;
};

TEST_F(PassesTest, ConstantsAreFolded) {
  Output x = Placeholder("x");
  Output y = Op("Mul", {x, Op("Add", {Const(1), Op("Mul", {Const(2), Const(3)})})});
  EXPECT_EQ(Planned({y}, {{x, Float(2)}}), (Ops{"Const", "Mul", "_Arg"}));
  EXPECT_EQ(values_, std::vector<float>{14});
  // Fetched nodes are folded too.
  EXPECT_EQ(Planned({Op("Add", {Const(1), Const(2)})}), Ops{"Const"});
  EXPECT_EQ(values_, std::vector<float>{3});
}

TEST_F(PassesTest, FailingOrStatefulNodesAreNotFolded) {
  Output sum = Op("Add", {Op("Count", {}), Const(1)});
  EXPECT_EQ(Planned({sum}), (Ops{"Add", "Const", "Count"}));
  Output after = Op("Add", {Const(1), Const(1)}, "after", {sum.node});
  EXPECT_EQ(Planned({after}), (Ops{"Add", "Const", "Count"}));  // waits for Count, because the sum is unused
  Result<std::vector<Tensor>> result = Run({Op("Fail", {Const(1)}, "broken")});
  EXPECT_EQ(NodeOf(result.status()), "broken");
}

TEST_F(PassesTest, NodesThatFollowAnEffectAreNotFolded) {
  Output v = Variable("v");
  ASSERT_TRUE(Run({}, {}, {Op("Assign", {v, Const(1)}).node}).ok());
  NodeBuilder late(*graph_, "Const", "late");
  Output one =
      Make(late.Attr("value", Float(1)).Attr("dtype", kFloat).ControlInput(Op("AssignAdd", {v, Const(1)}).node));
  EXPECT_EQ(Value(Op("Add", {one, Const(2)})), 3);
  EXPECT_EQ(Value(v), 2);
}

TEST_F(PassesTest, LargeValuesAreNotFolded) {
  for (int64_t size : {1 << 18, (1 << 18) + 1}) {
    auto zeros = [&] {
      NodeBuilder builder(*graph_, "Const");
      return Output(Make(builder.Attr("value", *Tensor::Zeros(kFloat, Shape{size})).Attr("dtype", kFloat)));
    };
    Output sum = Op("Add", {zeros(), zeros()});
    EXPECT_EQ(Planned({}, {}, {sum.node}), size == 1 << 18 ? Ops{"Const"} : (Ops{"Add", "Const", "Const"}));
  }
}

TEST_F(PassesTest, DuplicatesAreMerged) {
  Output x = Placeholder("x");
  Output a = Op("Add", {x, Const(1)});
  Output b = Op("Add", {x, Const(1)});
  Output c = Op("Add", {x, Const(2)});
  EXPECT_EQ(Planned({Op("Mul", {a, b}), c}, {{x, Float(2)}}), (Ops{"Add", "Add", "Const", "Const", "Mul", "_Arg"}));
  EXPECT_EQ(values_, (std::vector<float>{9, 4}));
  // Both merged nodes can be fetched.
  EXPECT_EQ(Planned({a, b}, {{x, Float(2)}}), (Ops{"Add", "Const", "_Arg"}));
  EXPECT_EQ(values_, (std::vector<float>{3, 3}));
  EXPECT_EQ(Planned({}, {{x, Float(2)}}, {a.node, b.node}), (Ops{"Add", "Const", "_Arg"}));
}

TEST_F(PassesTest, NodesOfOtherDevicesOrAfterOtherNodesAreNotMerged) {
  config_.mutable_device_count()->insert({"CPU", 2});
  Output x = Placeholder("x");
  auto add = [&](const std::string& device, Node* after) {
    NodeBuilder builder(*graph_, "Add");
    builder.In(x).In(x).Device(device);
    if (after != nullptr) builder.ControlInput(after);
    return Output(Make(builder));
  };
  EXPECT_EQ(Planned({add("/cpu:0", nullptr), add("/cpu:1", nullptr)}, {{x, Float(1)}}), (Ops{"Add", "Add", "_Arg"}));
  Node* first = Op("Count", {}).node;
  EXPECT_EQ(Planned({add("", nullptr), add("", first)}, {{x, Float(1)}}), (Ops{"Add", "Add", "Count", "_Arg"}));
  EXPECT_EQ(Planned({add("", first), add("", Op("Count", {}).node)}, {{x, Float(1)}}).size(), 5u);
  EXPECT_EQ(Planned({add("", first), add("", first)}, {{x, Float(1)}}), (Ops{"Add", "Count", "_Arg"}));
}

TEST_F(PassesTest, NodesOfOtherAttributesAreNotMerged) {
  registry_.Add({.name = "Scale",
                 .signature = "x: float -> y: float",
                 .attrs = {"factor: float"},
                 .shape = SameAsInput(0),
                 .kernels = CpuKernel([](KernelSetup& setup) -> Result<Kernel> {
                   WEIR_ASSIGN(float factor, setup.Attr<float>("factor"));
                   return Kernel::Sync([factor](KernelContext& ctx) -> Status {
                     ctx.set_output(0, Float(ctx.input(0).scalar<float>() * factor));
                     return OkStatus();
                   });
                 })});
  Output x = Placeholder("x");
  auto scale = [&](float factor, const std::string& note) {
    NodeBuilder builder(*graph_, "Scale");
    return Output(Make(builder.In(x).Attr("factor", factor).Attr(note, true)));
  };
  Output twice = scale(2, "_a"), thrice = scale(3, "_a"), again = scale(2, "_b");
  EXPECT_EQ(Planned({twice, thrice}, {{x, Float(2)}}), (Ops{"Scale", "Scale", "_Arg"}));
  EXPECT_EQ(values_, (std::vector<float>{4, 6}));
  // Internal attributes do not matter.
  EXPECT_EQ(Planned({twice, again}, {{x, Float(2)}}), (Ops{"Scale", "_Arg"}));
  EXPECT_EQ(values_, (std::vector<float>{4, 4}));
}

TEST_F(PassesTest, ReadsOfVariablesAndStateAreNotMerged) {
  Output v = Variable("v");
  ASSERT_TRUE(Run({}, {}, {Op("Assign", {v, Const(1)}).node}).ok());
  Output before = Op("Identity", {v}, "before");
  Output added = Op("AssignAdd", {v, Const(1)}, "added", {before.node});
  Output after = Op("Identity", {v}, "after", {added.node});
  EXPECT_EQ(Planned({Op("Count", {}), Op("Count", {}), after}).size(), 7u);
  EXPECT_EQ(values_[2], 2);
  Node* start = Op("NoOp", {}).node;
  EXPECT_EQ(Planned({Op("Count", {}, "", {start}), Op("Count", {}, "", {start})}), (Ops{"Count", "Count", "NoOp"}));
  EXPECT_EQ(Planned({Op("Identity", {v}), Op("Identity", {v})}), (Ops{"Identity", "Identity", "VariableV2"}));
}

TEST_F(PassesTest, ControlOnlyNodesAreNotComputed) {
  Output x = Placeholder("x");
  Output count = Op("Count", {});
  Output unused = Op("Mul", {Op("Add", {count, x}), x});
  Output gate = Op("Add", {x, Const(1)}, "gate", {unused.node});
  EXPECT_EQ(Planned({gate}, {{x, Float(2)}}), (Ops{"Add", "Const", "Count", "_Arg"}));
  EXPECT_EQ(values_, std::vector<float>{3});
  // The inputs of a skipped node still run before its consumers.
  Output v = Variable("v");
  ASSERT_TRUE(Run({}, {}, {Op("Assign", {v, Const(1)}).node}).ok());
  Output added = Op("AssignAdd", {v, Const(1)}, "added");
  Output twice = Op("Mul", {Op("Identity", {added}), Const(2)});
  EXPECT_EQ(Value(Op("Identity", {v}, "late", {twice.node})), 2);
  // A node that is fetched or a target is computed.
  EXPECT_EQ(Planned({gate, unused}, {{x, Float(2)}}).size(), 6u);
  EXPECT_EQ(Planned({gate}, {{x, Float(2)}}, {unused.node}).size(), 6u);
}

TEST_F(PassesTest, LoopsStayLoops) {
  Output x = Placeholder("x");
  Output one = Enter(Const(1), "loop", true);
  Output end = While(x, Const(10), "loop", [&](Output i) {
    return Op("Add", {Op("Mul", {i, one}), Op("Mul", {i, one})});
  });
  EXPECT_EQ(Value(end, {{x, Float(1)}}), 16);
}

TEST_F(PassesTest, ReportListsTheChanges) {
  setenv("WEIR_EXPLAIN", "1", 1);
  Output x = Placeholder("x");
  Output unused = Op("Mul", {x, x}, "unused");
  Output a = Op("Add", {x, Op("Add", {Const(1), Const(2)})}, "a", {unused.node});
  Output b = Op("Add", {x, Op("Add", {Const(1), Const(2)})}, "b", {unused.node});
  testing::internal::CaptureStderr();
  EXPECT_EQ(Value(Op("Mul", {a, b}, "y"), {{x, Float(1)}}), 16);
  const std::string said = testing::internal::GetCapturedStderr();
  unsetenv("WEIR_EXPLAIN");
  EXPECT_EQ(said,
            "plan for y:0: 10 nodes, 3 after the passes\n"
            "  4 merged with an equal node\n"
            "  1 skipped, because nothing uses their values\n"
            "  1 folded to constants\n");
}

TEST_F(PassesTest, NoReportUnlessRequested) {
  setenv("WEIR_EXPLAIN", "0", 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(Value(Op("Add", {Const(1), Const(2)})), 3);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  unsetenv("WEIR_EXPLAIN");
}

TEST_F(PassesTest, TheOptimizerCanBeOff) {
  config_.mutable_graph_options()->mutable_optimizer_options()->set_opt_level(tensorflow::OptimizerOptions::L0);
  EXPECT_EQ(Planned({Op("Add", {Const(1), Const(2)})}), (Ops{"Add", "Const", "Const"}));
}

}  // namespace
}  // namespace weir
