// Tests of graph partitioning. Every case checks the invariants of partitions: each node occurs once, inputs are in the
// same partition, and sends and receives are paired.
#include "runtime/partition.h"

#include <map>
#include <set>

#include "op/hidden_attrs.h"
#include "op/rendezvous_key.h"
#include "runtime/constant_evaluator.h"
#include "runtime/local_devices.h"
#include "runtime/passes/passes.h"
#include "runtime/placer.h"
#include "runtime/small_ops_test.h"

namespace weir {
namespace {

constexpr char kA[] = "/job:a/replica:0/task:0";
constexpr char kB[] = "/job:b/replica:0/task:0";
constexpr char kC[] = "/job:c/replica:0/task:0";

class PartitionTest : public SmallGraph {
 protected:
  PartitionTest() {
    for (const char* task : {kA, kB, kC}) {
      for (auto& device : MakeLocalDevices({}, task, RealRng())) devices_.push_back(std::move(device));
    }
  }

  using Build = std::function<Output()>;
  Output On(const std::string& job, const Build& build) {
    DeviceScope scope(*graph_, "/job:" + job);
    return build();
  }
  Output OpOn(const std::string& job, const std::string& op, const OutputList& inputs, std::string name = "",
              std::vector<Node*> after = {}) {
    return On(job, [&] { return Op(op, inputs, std::move(name), std::move(after)); });
  }
  Output ConstOn(const std::string& job, float value, std::string name) {
    return On(job, [&] { return Const(value, std::move(name)); });
  }

  void Cut(const OutputList& fetches, const OutputList& feeds = {}, std::vector<Node*> targets = {}) {
    Result<PlanGraph> plan = PruneGraph(*graph_, feeds, fetches, targets);
    ASSERT_TRUE(plan.ok()) << plan.status();
    plan_ = *std::move(plan);
    ASSERT_TRUE(PlaceNodes(*graph_, devices_, {}, plan_).ok());
    Cut();
  }
  void Cut() {
    Result<Partitions> cut = PartitionGraph(plan_);
    ASSERT_TRUE(cut.ok()) << cut.status();
    cut_ = *std::move(cut);
    CheckParts();
  }

  const Partition& Part(const std::string& task) {
    for (const Partition& part : cut_.parts) {
      if (part.task == task) return part;
    }
    ADD_FAILURE() << "there is no part for " << task;
    return cut_.parts.at(0);
  }
  const tensorflow::NodeDef* Find(const std::string& task, const std::string& name) {
    for (const tensorflow::NodeDef& node : Part(task).graph.node()) {
      if (node.name() == name) return &node;
    }
    return nullptr;
  }
  int Count(const std::string& task, const std::string& op, bool client = false) {
    int count = 0;
    for (const tensorflow::NodeDef& node : Part(task).graph.node()) {
      auto it = node.attr().find("client_terminated");
      count += node.op() == op && (it != node.attr().end() && it->second.b()) == client;
    }
    return count;
  }

  std::vector<std::unique_ptr<Device>> devices_;
  PlanGraph plan_;
  Partitions cut_;

 private:
  static std::string Key(const tensorflow::NodeDef& node) {
    const auto& attr = node.attr();
    return RendezvousKey{attr.at("send_device").s(), static_cast<uint64_t>(attr.at("send_device_incarnation").i()),
                         attr.at("recv_device").s(), attr.at("tensor_name").s()}
        .ToString();
  }

  void CheckParts() {
    std::map<std::string, tensorflow::DataType> sends;
    std::map<std::string, tensorflow::DataType> receives;
    std::set<std::string> all;
    for (const Partition& part : cut_.parts) {
      std::set<std::string> names;
      std::set<std::string> client_keys;
      for (const tensorflow::NodeDef& node : part.graph.node()) {
        EXPECT_TRUE(names.insert(node.name()).second) << node.name();
        EXPECT_TRUE(all.insert(node.name()).second) << node.name() << " is in two parts";
        EXPECT_EQ(TaskOfDevice(node.device()), part.task) << node.name();
        if (node.op() != "_Send" && node.op() != "_Recv") continue;
        const bool sends_it = node.op() == "_Send";
        const std::string& own_end = node.attr().at(sends_it ? "send_device" : "recv_device").s();
        EXPECT_EQ(own_end, node.device());
        if (node.attr().at("client_terminated").b()) {
          client_keys.insert(Key(node));
          continue;
        }
        auto& keys = sends_it ? sends : receives;
        EXPECT_TRUE(keys.emplace(Key(node), node.attr().at(sends_it ? "T" : "tensor_type").type()).second) << Key(node);
      }
      for (const tensorflow::NodeDef& node : part.graph.node()) {
        for (std::string input : node.input()) {
          if (input.starts_with("^")) input.erase(0, 1);
          EXPECT_TRUE(names.contains(input.substr(0, input.find(':')))) << node.name() << " <- " << input;
        }
      }
      for (const auto* edges : {&part.feeds, &part.fetches}) {
        for (const Partition::ClientEdge& edge : *edges) EXPECT_TRUE(client_keys.contains(edge.key)) << edge.key;
      }
    }
    EXPECT_EQ(sends, receives);
    for (const PlanGraph::Node& node : plan_.nodes) EXPECT_TRUE(all.contains(node.name())) << node.name();
  }
};

TEST_F(PartitionTest, EdgesWithinATaskAreNotCut) {
  Cut({OpOn("b", "Add", {ConstOn("b", 1, "x"), ConstOn("b", 2, "y")}, "sum")});
  ASSERT_EQ(cut_.parts.size(), 1u);
  EXPECT_FALSE(cut_.has_flow);
  EXPECT_EQ(Count(kB, "_Send"), 0);
  EXPECT_EQ(Count(kB, "_Send", true), 1);
}

TEST_F(PartitionTest, OneSendServesAllConsumersOfATask) {
  Output x = ConstOn("a", 1, "x");
  Output b1 = OpOn("b", "Add", {x, x});
  Output b2 = OpOn("b", "Mul", {x, b1});
  Output c = OpOn("c", "Add", {x, b2});
  Cut({c});
  EXPECT_EQ(Count(kA, "_Send"), 2);  // to b and to c
  EXPECT_EQ(Count(kB, "_Recv"), 1);
  EXPECT_EQ(Count(kC, "_Recv"), 2);
}

TEST_F(PartitionTest, AReceiveKnowsTheShapeThatTheGraphKnows) {
  Cut({OpOn("b", "Identity", {ConstOn("a", 1, "x")}, "y")});
  for (const tensorflow::NodeDef& node : Part(kB).graph.node()) {
    if (node.op() != "_Recv") continue;
    ASSERT_TRUE(node.attr().contains(kReceivedShapeAttr));
    EXPECT_FALSE(node.attr().at(kReceivedShapeAttr).shape().unknown_rank());
    EXPECT_EQ(node.attr().at(kReceivedShapeAttr).shape().dim_size(), 0);
  }
  EXPECT_EQ(Count(kB, "_Recv"), 1);
}

TEST_F(PartitionTest, OutputsOfANodeAreSentSeparately) {
  Output forked = OpOn("a", "Switch", {ConstOn("a", 1, "x"), On("a", [&] { return Bool(true); })}, "forked");
  Output sum = OpOn("b", "Add", {Output(forked.node, 1), Output(forked.node, 1)});
  Output other = OpOn("b", "Identity", {Output(forked.node, 0)});
  Cut({}, {}, {sum.node, other.node});
  EXPECT_TRUE(cut_.has_flow);
  EXPECT_EQ(Count(kA, "_Send"), 2);
  std::set<std::string> sent;
  for (const tensorflow::NodeDef& node : Part(kA).graph.node()) {
    if (node.op() == "_Send") sent.insert(node.input(0));
  }
  EXPECT_EQ(sent, (std::set<std::string>{"forked", "forked:1"}));
}

TEST_F(PartitionTest, ControlEdgesTravelAsEmptyValues) {
  Output x = ConstOn("a", 1, "x");
  Output first = OpOn("a", "Identity", {x}, "first");
  Output second = OpOn("b", "NoOp", {}, "second", {first.node});
  Output third = OpOn("b", "NoOp", {}, "third", {first.node});
  Cut({}, {}, {second.node, third.node});
  EXPECT_EQ(Count(kA, "_Send"), 1);
  EXPECT_EQ(Count(kB, "_Recv"), 1);
  ASSERT_EQ(Find(kB, "second")->input_size(), 1);
  EXPECT_TRUE(Find(kB, "second")->input(0).starts_with("^"));
  EXPECT_EQ(Find(kB, "second")->input(0), Find(kB, "third")->input(0));
  // The value and the control output of a node are sent separately.
  Cut({OpOn("b", "Add", {first, first})}, {}, {second.node});
  EXPECT_EQ(Count(kA, "_Send"), 2);
}

TEST_F(PartitionTest, FeedsAndFetchesBelongToTheTasksThatUseThem) {
  Output x = On("a", [&] { return Placeholder("x"); });
  Output y = On("a", [&] { return Placeholder("y"); });
  Output on_b = OpOn("b", "Add", {x, x});
  Output on_c = OpOn("c", "Add", {x, on_b});
  Cut({on_c, on_b, on_c, x}, {x, y});
  EXPECT_EQ(cut_.parts.size(), 2u);  // nothing runs on a, and y is not used
  for (const char* task : {kB, kC}) {
    ASSERT_EQ(Part(task).feeds.size(), 1u);
    EXPECT_EQ(Part(task).feeds[0].number, 0);
    EXPECT_EQ(Count(task, "_Recv", true), 1);
    EXPECT_EQ(Count(task, "_Send", true), 1);
  }
  ASSERT_EQ(Part(kB).fetches.size(), 1u);
  EXPECT_EQ(Part(kB).fetches[0].number, 1);
  ASSERT_EQ(Part(kC).fetches.size(), 2u);  // fetched twice but sent once; the fed value belongs to no partition
  EXPECT_EQ(Part(kC).fetches[0].key, Part(kC).fetches[1].key);
}

TEST_F(PartitionTest, VariablesAreSentByValue) {
  Output v = On("a", [&] { return Variable("v"); });
  Output assign = OpOn("a", "Assign", {v, ConstOn("b", 1, "one")});
  Output read = OpOn("b", "Identity", {v});
  Cut({read, v}, {}, {assign.node});
  for (const tensorflow::NodeDef& node : Part(kA).graph.node()) {
    if (node.op() != "_Send") continue;
    EXPECT_EQ(node.attr().at("T").type(), tensorflow::DT_FLOAT) << node.name();
  }
  EXPECT_EQ(Count(kA, "_Recv"), 1);
  EXPECT_EQ(Count(kB, "_Recv"), 1);
  // References stay on one task, even if their consumers request other devices.
  EXPECT_EQ(TaskOfDevice(Find(kA, assign.node->name())->device()), kA);
}

TEST_F(PartitionTest, NewNodesGetUnusedNames) {
  Output x = ConstOn("a", 1, "x");
  Output clash = OpOn("b", "Add", {x, ConstOn("b", 1, "x/_0")});
  Cut({OpOn("b", "Add", {clash, ConstOn("b", 1, "x/_1")})});
  EXPECT_EQ(Count(kA, "_Send"), 1);
}

TEST_F(PartitionTest, ALoopOnOneTaskNeedsNoControlLoop) {
  Output end = On("b", [&] {
    return While(Const(0), Const(3), "loop", [&](Output i) { return Op("Add", {i, Enter(Const(1), "loop", true)}); });
  });
  Cut({OpOn("a", "Identity", {end})});
  EXPECT_EQ(Count(kB, "LoopCond"), 1);
  EXPECT_EQ(Count(kB, "Enter"), 3);
  EXPECT_EQ(Count(kB, "_Recv"), 0);
  EXPECT_EQ(Count(kA, "Enter"), 0);
}

TEST_F(PartitionTest, ADistributedLoopIteratesOnEveryTask) {
  Output end = On("b", [&] {
    return While(Const(0), Const(3), "loop", [&](Output i) {
      Output doubled = OpOn("c", "Add", {i, i}, "doubled");
      return Op("Add", {doubled, Enter(Const(1), "loop", true)});
    });
  });
  Cut({OpOn("a", "Identity", {end})});
  EXPECT_TRUE(cut_.has_flow);
  EXPECT_EQ(Count(kC, "Enter"), 1);
  EXPECT_EQ(Count(kC, "NextIteration"), 1);
  EXPECT_EQ(Count(kC, "_Recv"), 2);  // the condition and i
  // Each receive waits for its iteration.
  for (const tensorflow::NodeDef& node : Part(kC).graph.node()) {
    if (node.op() != "_Recv") continue;
    ASSERT_EQ(node.input_size(), 1) << node.name();
    EXPECT_EQ(Find(kC, node.input(0).substr(1))->op(), "Merge");
  }
  EXPECT_EQ(Count(kA, "Enter"), 0);
}

TEST_F(PartitionTest, ADistributedInnerLoopMakesTheOuterOneDistributed) {
  Output end = On("a", [&] {
    return While(Const(0), Const(3), "outer", [&](Output i) {
      return While(i, Enter(Const(9), "outer", true), "inner", [&](Output j) {
        return OpOn("b", "Add", {j, j}, "doubled");
      });
    });
  });
  Cut({end});
  EXPECT_EQ(Count(kB, "Enter"), 2);
  EXPECT_EQ(Count(kB, "Merge"), 2);
  std::set<std::string> frames;
  for (const tensorflow::NodeDef& node : Part(kB).graph.node()) {
    if (node.op() == "Enter") frames.insert(node.attr().at("frame_name").s());
  }
  EXPECT_EQ(frames, (std::set<std::string>{"outer", "inner"}));
}

TEST_F(PartitionTest, ALoopInABranchThatSpansTasks) {
  Output x = On("a", [&] { return Placeholder("x"); });
  Output pred = On("a", [&] { return Placeholder("p", {}, kBool); });
  Output forked = OpOn("a", "Switch", {x, pred});
  Output end = On("b", [&] {
    return While(Output(forked.node, 1), Const(3), "loop", [&](Output i) { return OpOn("a", "Add", {i, i}); });
  });
  Output merged = On("a", [&] { return Merge({end, Output(forked.node, 0)}); });
  Cut({merged}, {x, pred});
  EXPECT_EQ(Count(kA, "Enter"), 1);
  EXPECT_EQ(Count(kB, "_Recv"), 2);  // the value that enters the loop, and the sum
}

TEST_F(PartitionTest, FoldedConstantsAreWhereTheyWereComputed) {
  Output sum = OpOn("b", "Add", {ConstOn("b", 1, "x"), ConstOn("b", 2, "y")}, "sum");
  Output product = OpOn("c", "Mul", {sum, sum}, "product");
  Result<PlanGraph> plan = PruneGraph(*graph_, {}, {sum, product}, {});
  ASSERT_TRUE(plan.ok());
  plan_ = *std::move(plan);
  ASSERT_TRUE(PlaceNodes(*graph_, devices_, {}, plan_).ok());
  const std::shared_ptr<ConstantEvaluator> evaluator = MakeLocalConstantEvaluator(RealEnv());
  PassReport report;
  ASSERT_TRUE(RunPasses(plan_, {.fold_constants = true, .evaluator = evaluator.get()}, report).ok());
  Cut();
  ASSERT_NE(Find(kB, "sum"), nullptr);
  EXPECT_EQ(Find(kB, "sum")->op(), "Const");
  EXPECT_EQ(Find(kC, "product")->op(), "Const");
  EXPECT_EQ(Count(kC, "_Recv"), 0);
}

TEST_F(PartitionTest, GroupMovesToItsConsumers) {
  Output on_b = OpOn("b", "Identity", {ConstOn("b", 1, "x")});
  Output on_c = OpOn("c", "Identity", {ConstOn("c", 1, "y")});
  Output inner = OpOn("a", "NoOp", {}, "inner", {on_b.node, on_c.node});
  Output group = OpOn("a", "NoOp", {}, "group", {inner.node});
  Output last = OpOn("b", "Add", {ConstOn("b", 1, "z"), ConstOn("b", 1, "u")}, "last", {group.node});
  // A group that waits for several nodes of its own task stays there, so that only one value is sent.
  Output also_on_c = OpOn("c", "Identity", {on_c});
  Output far = OpOn("c", "NoOp", {}, "far", {on_c.node, also_on_c.node});
  Output end = OpOn("b", "Add", {last, last}, "end", {far.node});
  Result<PlanGraph> plan = PruneGraph(*graph_, {}, {end}, {});
  ASSERT_TRUE(plan.ok()) << plan.status();
  plan_ = *std::move(plan);
  ASSERT_TRUE(PlaceNodes(*graph_, devices_, {}, plan_).ok());
  MoveGroups(plan_);
  Cut();
  EXPECT_EQ(cut_.parts.size(), 2u);
  EXPECT_NE(Find(kB, "group"), nullptr);
  EXPECT_NE(Find(kB, "inner"), nullptr);
  EXPECT_NE(Find(kC, "far"), nullptr);
  EXPECT_EQ(Count(kC, "_Send"), 2);
  EXPECT_EQ(Count(kB, "_Send"), 0);
}

TEST_F(PartitionTest, TheTaskOfADevice) {
  EXPECT_EQ(TaskOfDevice(std::string(kA) + "/device:CPU:0"), kA);
  EXPECT_EQ(TaskOfDevice("no device"), "no device");
  EXPECT_EQ(TaskOfDevice(""), "");
}

}  // namespace
}  // namespace weir
