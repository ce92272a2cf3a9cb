// Conds and loops: the nodes that they consist of, their results, and the errors for invalid uses.
#include "graph/flow_session_test.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(FlowTest, CondTakesOneBranch) {
  Output x = PlaceholderOf(PartialShape::Scalar());
  OutputList out = Must(Cond(
      graph(), Greater(x, 2.0f), [&]() -> Result<OutputList> { return OutputList{x * 2.0f}; },
      [&]() -> Result<OutputList> { return OutputList{Scalar(7)}; }));
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(Float(out[0], {{x, Tensor::Scalar(3.0f)}}), 6);
  EXPECT_EQ(Float(out[0], {{x, Tensor::Scalar(1.0f)}}), 7);
  EXPECT_EQ(out[0].shape(), PartialShape::Scalar());
}

// The inputs of a node: "a:0 b:1 ^c ".
std::string InputsText(const Graph& graph, const char* name) {
  const Node* node = graph.FindNode(name);
  if (node == nullptr) return "no such node";
  std::string text;
  for (const Output& in : node->inputs()) text += in.name() + " ";
  for (const Node* in : node->control_inputs()) text += "^" + in->name() + " ";
  return text;
}

TEST_F(FlowTest, CondIsLaidOutAsTensorFlowDoes) {
  Output x = Scalar(3, "x");
  Must(Cond(
      graph(), Greater(x, 2.0f), [&]() -> Result<OutputList> { return OutputList{x * 2.0f}; },
      [&]() -> Result<OutputList> { return OutputList{Scalar(7)}; }));
  const auto inputs = [&](const char* name) { return InputsText(graph(), name); };
  EXPECT_EQ(inputs("cond/Switch"), "Greater:0 Greater:0 ");
  EXPECT_EQ(inputs("cond/switch_t"), "cond/Switch:1 ");
  EXPECT_EQ(inputs("cond/switch_f"), "cond/Switch:0 ");
  EXPECT_EQ(inputs("cond/pred_id"), "Greater:0 ");
  EXPECT_EQ(inputs("cond/mul/y"), "^cond/switch_t ");
  EXPECT_EQ(inputs("cond/mul/Switch"), "x:0 cond/pred_id:0 ");
  EXPECT_EQ(inputs("cond/mul"), "cond/mul/Switch:1 cond/mul/y:0 ");
  EXPECT_EQ(inputs("cond/Const"), "^cond/switch_f ");
  EXPECT_EQ(inputs("cond/Merge"), "cond/Const:0 cond/mul:0 ");
}

TEST_F(FlowTest, BranchesMayBeOpsAndOuterValues) {
  Output x = PlaceholderOf(PartialShape::Scalar());
  Output pred = PlaceholderOf(PartialShape::Scalar(), kBool);
  OutputList out = Must(Cond(
      graph(), pred,
      [&]() -> Result<OutputList> {
        return OutputList{x, NodeAsOutput(NoOp(graph()))};
      },
      [&]() -> Result<OutputList> {
        return OutputList{x + 1.0f, NodeAsOutput(NoOp(graph()))};
      }));
  EXPECT_EQ(Float(out[0], {{x, Tensor::Scalar(3.0f)}, {pred, Tensor::Scalar(true)}}), 3);
  EXPECT_EQ(Float(out[0], {{x, Tensor::Scalar(3.0f)}, {pred, Tensor::Scalar(false)}}), 4);
  Result<std::vector<Tensor>> ran = Run({out[1]}, {{pred, Tensor::Scalar(false)}});
  ASSERT_TRUE(ran.ok()) << ran.status();
  EXPECT_FALSE((*ran)[0].scalar<bool>());
}

TEST_F(FlowTest, NestedConds) {
  Output x = PlaceholderOf(PartialShape::Scalar());
  const auto value = [&](float v) { return [&, v]() -> Result<OutputList> { return OutputList{x * v}; }; };
  OutputList out = Must(Cond(
      graph(), Greater(x, 0.0f), [&] { return Cond(graph(), Greater(x, 10.0f), value(100), value(10)); }, value(-1)));
  EXPECT_EQ(Float(out[0], {{x, Tensor::Scalar(11.0f)}}), 1100);
  EXPECT_EQ(Float(out[0], {{x, Tensor::Scalar(2.0f)}}), 20);
  EXPECT_EQ(Float(out[0], {{x, Tensor::Scalar(-2.0f)}}), 2);
  Output grad = GradientOf(out[0], x);
  EXPECT_EQ(Float(grad, {{x, Tensor::Scalar(11.0f)}}), 100);
  EXPECT_EQ(Float(grad, {{x, Tensor::Scalar(2.0f)}}), 10);
  EXPECT_EQ(Float(grad, {{x, Tensor::Scalar(-2.0f)}}), -1);
}

TEST_F(FlowTest, CondErrors) {
  Output pred = PlaceholderOf(PartialShape::Scalar(), kBool);
  const BranchFn one = [&]() -> Result<OutputList> { return OutputList{Scalar(1)}; };
  const BranchFn two = [&]() -> Result<OutputList> { return OutputList{Scalar(1), Scalar(2)}; };
  const BranchFn whole = [&]() -> Result<OutputList> {
    return OutputList{Constant(graph(), Tensor::Scalar(int32_t{1}))};
  };
  EXPECT_THAT(Message(Cond(graph(), pred, one, two)), HasSubstr("must have the same structure"));
  EXPECT_THAT(Message(Cond(graph(), pred, one, whole)),
              HasSubstr("Received float32 from 'true_fn' and int32 from 'false_fn'"));
  EXPECT_TRUE(IsTypeError(Cond(graph(), Scalar(1), one, one).status()));
  EXPECT_EQ(Cond(graph(), Constant(graph(), Tensor::Vector<bool>({true})), one, one).status().code(),
            StatusCode::kInvalidArgument);
}

TEST_F(FlowTest, CaseTakesTheFirstThatHolds) {
  Output x = PlaceholderOf(PartialShape::Scalar());
  const auto value = [&](float v) { return [&, v]() -> Result<OutputList> { return OutputList{Scalar(v)}; }; };
  const std::vector<CaseBranch> branches = {{Greater(x, 10.0f), value(1)}, {Greater(x, 5.0f), value(2)}};
  OutputList out = Must(Case(graph(), branches, value(3)));
  EXPECT_EQ(Float(out[0], {{x, Tensor::Scalar(11.0f)}}), 1);
  EXPECT_EQ(Float(out[0], {{x, Tensor::Scalar(7.0f)}}), 2);
  EXPECT_EQ(Float(out[0], {{x, Tensor::Scalar(0.0f)}}), 3);
  OutputList strict = Must(Case(graph(), branches, nullptr, /*exclusive=*/true));
  EXPECT_EQ(Float(strict[0], {{x, Tensor::Scalar(7.0f)}}), 2);
  EXPECT_THAT(Message(Run({strict[0]}, {{x, Tensor::Scalar(11.0f)}})), HasSubstr("exclusive=True"));
  EXPECT_THAT(Message(Run({strict[0]}, {{x, Tensor::Scalar(0.0f)}})),
              HasSubstr("None of conditions evaluated as True"));
}

TEST_F(FlowTest, LoopCounts) {
  OutputList out = Must(WhileLoop(
      graph(), [&](const OutputList& v) -> Result<Output> { return Less(v[0], 10); },
      [&](const OutputList& v) -> Result<OutputList> {
        return OutputList{v[0] + 1, v[1] * 2.0f};
      },
      {0, 1.0f}));
  EXPECT_EQ(Float(out[1]), 1024);
  EXPECT_EQ(out[1].shape(), PartialShape::Scalar());
}

TEST_F(FlowTest, LoopIsLaidOutAsTensorFlowDoes) {
  Output y = Scalar(2, "y");
  Must(WhileLoop(
      graph(), [&](const OutputList& v) -> Result<Output> { return Less(v[0], 10); },
      [&](const OutputList& v) -> Result<OutputList> {
        return OutputList{v[0] + 1, v[1] * y};
      },
      {0, 1.0f}));
  const auto inputs = [&](const char* name) { return InputsText(graph(), name); };
  EXPECT_EQ(inputs("while/Enter"), "while/Const:0 ");
  EXPECT_EQ(inputs("while/Merge"), "while/Enter:0 while/NextIteration:0 ");
  EXPECT_EQ(inputs("while/Less/y"), "^while/Merge ");
  EXPECT_EQ(inputs("while/LoopCond"), "while/Less:0 ");
  EXPECT_EQ(inputs("while/Switch_1"), "while/Merge_1:0 while/LoopCond:0 ");
  EXPECT_EQ(inputs("while/Identity_1"), "while/Switch_1:1 ");
  EXPECT_EQ(inputs("while/add/y"), "^while/Identity ");
  EXPECT_EQ(inputs("while/mul/Enter"), "y:0 ");
  EXPECT_EQ(inputs("while/mul"), "while/Identity_1:0 while/mul/Enter:0 ");
  EXPECT_EQ(inputs("while/NextIteration_1"), "while/mul:0 ");
  EXPECT_EQ(inputs("while/Exit_1"), "while/Switch_1:0 ");
  EXPECT_EQ(graph().FindNode("while/Enter")->Attr<std::string>("frame_name").value_or(""), "while/while_context");
}

TEST_F(FlowTest, LoopLimitsAndShapes) {
  const LoopCondFn small = [&](const OutputList& v) -> Result<Output> { return Less(Sum(v[0], 0), 10.0f); };
  const LoopBodyFn doubled = [&](const OutputList& v) -> Result<OutputList> {
    return OutputList{ConcatV2(graph(), {v[0], v[0]}, 0)};
  };
  Output one = Vector({1});
  EXPECT_THAT(Message(WhileLoop(graph(), small, doubled, {one})),
              HasSubstr("enters the loop with shape [1], but has shape [2] after one"));
  EXPECT_THAT(Message(WhileLoop(graph(), small, doubled, {one}, {.shape_invariants = {PartialShape{2}}})),
              HasSubstr("is not compatible with the initial shape"));
  OutputList out = Must(WhileLoop(graph(), small, doubled, {one}, {.shape_invariants = {PartialShape{-1}}}));
  EXPECT_EQ(Floats(out[0]).size(), 16u);
  OutputList twice = Must(
      WhileLoop(graph(), small, doubled, {one}, {.shape_invariants = {PartialShape{-1}}, .maximum_iterations = 2}));
  EXPECT_EQ(Floats(twice[0]).size(), 4u);
  OutputList never = Must(
      WhileLoop(graph(), small, doubled, {one}, {.shape_invariants = {PartialShape{-1}}, .maximum_iterations = 0}));
  EXPECT_EQ(Floats(never[0]).size(), 1u);
}

TEST_F(FlowTest, LoopErrors) {
  const LoopCondFn always = [&](const OutputList& v) -> Result<Output> { return Less(v[0], 10.0f); };
  const LoopBodyFn same = [&](const OutputList& v) -> Result<OutputList> { return v; };
  EXPECT_THAT(Message(WhileLoop(graph(), always, same, {})), HasSubstr("'loop_vars' must be provided"));
  EXPECT_TRUE(IsTypeError(WhileLoop(graph(), always, same, {1.0f}, {.parallel_iterations = 0}).status()));
  EXPECT_THAT(Message(WhileLoop(graph(), always, [&](const OutputList&) -> Result<OutputList> { return OutputList{}; },
                                {1.0f})),
              HasSubstr("returned 0 values for 1 loop variables"));
  EXPECT_THAT(Message(WhileLoop(
                  graph(), always,
                  [&](const OutputList& v) -> Result<OutputList> { return OutputList{Cast(v[0], kInt32)}; }, {1.0f})),
              HasSubstr("has type int32 after one iteration"));
  EXPECT_TRUE(IsTypeError(
      WhileLoop(graph(), [&](const OutputList& v) -> Result<Output> { return v[0]; }, same, {1.0f}).status()));
  Output inside;
  Must(WhileLoop(graph(), always,
                 [&](const OutputList& v) -> Result<OutputList> {
                   inside = v[0] + 1.0f;
                   return OutputList{inside};
                 },
                 {1.0f}));
  Output outside = inside + 1.0f;
  EXPECT_FALSE(outside.valid());
  EXPECT_THAT(std::string(graph().TakeError().message()), HasSubstr("is in a while loop"));
}

TEST_F(FlowTest, NestedLoopsAndCondsInLoops) {
  Output x = PlaceholderOf(PartialShape::Scalar());
  // Three iterations: multiply by x as many times as the outer counter says, and halve results above 100.
  OutputList out = Must(WhileLoop(
      graph(), [&](const OutputList& v) -> Result<Output> { return Less(v[0], 3); },
      [&](const OutputList& v) -> Result<OutputList> {
        WEIR_ASSIGN(OutputList inner,
                    WhileLoop(
                        graph(), [&](const OutputList& w) -> Result<Output> { return Less(w[0], v[0]); },
                        [&](const OutputList& w) -> Result<OutputList> {
                          return OutputList{w[0] + 1, w[1] * x};
                        },
                        {0, v[1]}));
        WEIR_ASSIGN(OutputList chosen, Cond(
                                           graph(), Greater(inner[1], 100.0f),
                                           [&]() -> Result<OutputList> { return OutputList{inner[1] / 2.0f}; },
                                           [&]() -> Result<OutputList> { return OutputList{inner[1]}; }));
        return OutputList{v[0] + 1, chosen[0]};
      },
      {0, 1.0f}));
  EXPECT_EQ(Float(out[1], {{x, Tensor::Scalar(2.0f)}}), 8);
  EXPECT_EQ(Float(out[1], {{x, Tensor::Scalar(10.0f)}}), 500);
}

TEST_F(FlowTest, LoopInABranchThatIsNotTaken) {
  Output pred = PlaceholderOf(PartialShape::Scalar(), kBool);
  Output x = PlaceholderOf(PartialShape::Scalar());
  OutputList out = Must(Cond(
      graph(), pred,
      [&] {
        return WhileLoop(
            graph(), [&](const OutputList& v) -> Result<Output> { return Less(v[0], 100.0f); },
            [&](const OutputList& v) -> Result<OutputList> { return OutputList{v[0] * x}; }, {x});
      },
      [&]() -> Result<OutputList> { return OutputList{x}; }));
  EXPECT_EQ(Float(out[0], {{x, Tensor::Scalar(2.0f)}, {pred, Tensor::Scalar(true)}}), 128);
  EXPECT_EQ(Float(out[0], {{x, Tensor::Scalar(2.0f)}, {pred, Tensor::Scalar(false)}}), 2);
  Output grad = GradientOf(out[0], x);
  EXPECT_EQ(Float(grad, {{x, Tensor::Scalar(2.0f)}, {pred, Tensor::Scalar(true)}}), 7 * 64);
  EXPECT_EQ(Float(grad, {{x, Tensor::Scalar(2.0f)}, {pred, Tensor::Scalar(false)}}), 1);
}

TEST_F(FlowTest, ControlDependenciesReachIntoLoops) {
  Output x = PlaceholderOf(PartialShape::Scalar());
  Node* check = Assert(graph(), Less(x, 5.0f), {x});
  ControlDependencies after(graph(), {check});
  OutputList out = Must(WhileLoop(
      graph(), [&](const OutputList& v) -> Result<Output> { return Less(v[0], 10.0f); },
      [&](const OutputList& v) -> Result<OutputList> { return OutputList{v[0] + Scalar(1) + x * 0.0f}; }, {0.0f}));
  EXPECT_EQ(Float(out[0], {{x, Tensor::Scalar(2.0f)}}), 10);
  EXPECT_THAT(Message(Run({out[0]}, {{x, Tensor::Scalar(7.0f)}})), HasSubstr("assertion failed"));
}

TEST_F(FlowTest, TupleWaitsForAll) {
  OutputList out = Must(Tuple(graph(), {Scalar(1), Output(), Scalar(2)}));
  EXPECT_EQ(Float(out[0]), 1);
  EXPECT_FALSE(out[1].valid());
  EXPECT_EQ(Float(out[2]), 2);
}

}  // namespace
}  // namespace weir
