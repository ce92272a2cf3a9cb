// What rewrites may and may not do to a plan.
#include "runtime/passes/passes.h"

#include "runtime/small_ops_test.h"

namespace weir {
namespace {

class PassesTest : public SmallGraph {
 protected:
  // The ops that are left in the plan of `fetches`, in order of their names.
  std::vector<std::string> Planned(const OutputList& fetches, const std::vector<Feed>& feeds = {}) {
    tensorflow::RunOptions options;
    options.set_output_partition_graphs(true);
    tensorflow::RunMetadata metadata;
    RunRequest request;
    request.feeds = feeds;
    request.fetches = fetches;
    request.options = &options;
    request.metadata = &metadata;
    Result<std::vector<Tensor>> result = session().Run(request);
    EXPECT_TRUE(result.ok()) << result.status();
    values_.clear();
    if (result.ok()) {
      for (const Tensor& value : *result) values_.push_back(value.scalar<float>());
    }
    std::vector<std::string> ops;
    for (const tensorflow::NodeDef& node : metadata.partition_graphs(0).node()) ops.push_back(node.op());
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
  // Also what is fetched.
  EXPECT_EQ(Planned({Op("Add", {Const(1), Const(2)})}), Ops{"Const"});
  EXPECT_EQ(values_, std::vector<float>{3});
}

TEST_F(PassesTest, WhatFailsOrHasStateStays) {
  Output sum = Op("Add", {Op("Count", {}), Const(1)});
  EXPECT_EQ(Planned({sum}), (Ops{"Add", "Const", "Count"}));
  Output after = Op("Add", {Const(1), Const(1)}, "after", {sum.node});
  EXPECT_EQ(Planned({after}), (Ops{"Add", "Add", "Const", "Count"}));
  Result<std::vector<Tensor>> result = Run({Op("Fail", {Const(1)}, "broken")});
  EXPECT_EQ(NodeOf(result.status()), "broken");
}

TEST_F(PassesTest, DuplicatesAreMerged) {
  Output x = Placeholder("x");
  Output a = Op("Add", {x, Const(1)});
  Output b = Op("Add", {x, Const(1)});
  Output c = Op("Add", {x, Const(2)});
  EXPECT_EQ(Planned({Op("Mul", {a, b}), c}, {{x, Float(2)}}), (Ops{"Add", "Add", "Const", "Const", "Mul", "_Arg"}));
  EXPECT_EQ(values_, (std::vector<float>{9, 4}));
  // Fetching both gives both.
  EXPECT_EQ(Planned({a, b}, {{x, Float(2)}}), (Ops{"Add", "Const", "_Arg"}));
  EXPECT_EQ(values_, (std::vector<float>{3, 3}));
}

TEST_F(PassesTest, ReadsOfVariablesAndStateAreNotMerged) {
  Output v = Variable("v");
  ASSERT_TRUE(Run({}, {}, {Op("Assign", {v, Const(1)}).node}).ok());
  Output before = Op("Identity", {v}, "before");
  Output added = Op("AssignAdd", {v, Const(1)}, "added", {before.node});
  Output after = Op("Identity", {v}, "after", {added.node});
  EXPECT_EQ(Planned({Op("Count", {}), Op("Count", {}), after}).size(), 7u);
  EXPECT_EQ(values_[2], 2);
}

TEST_F(PassesTest, LoopsStayLoops) {
  Output x = Placeholder("x");
  Output one = Enter(Const(1), "loop", true);
  Output end = While(x, Const(10), "loop", [&](Output i) {
    return Op("Add", {Op("Mul", {i, one}), Op("Mul", {i, one})});
  });
  EXPECT_EQ(Value(end, {{x, Float(1)}}), 16);
}

TEST_F(PassesTest, TheOptimizerCanBeOff) {
  config_.mutable_graph_options()->mutable_optimizer_options()->set_opt_level(tensorflow::OptimizerOptions::L0);
  EXPECT_EQ(Planned({Op("Add", {Const(1), Const(2)})}), (Ops{"Add", "Const", "Const"}));
}

}  // namespace
}  // namespace weir
