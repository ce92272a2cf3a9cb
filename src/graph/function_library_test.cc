#include "graph/function_library.h"

#include <gmock/gmock.h>

#include "graph/graph_def_ops_test.h"
#include "graph/node_builder.h"

namespace weir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void AddArg(tensorflow::OpDef::ArgDef* arg, const std::string& name, DType type) {
  arg->set_name(name);
  arg->set_type(static_cast<tensorflow::DataType>(static_cast<int>(type)));
}

// Twice(x) = x + x
tensorflow::FunctionDef Twice() {
  tensorflow::FunctionDef def;
  def.mutable_signature()->set_name("Twice");
  AddArg(def.mutable_signature()->add_input_arg(), "x", kFloat);
  AddArg(def.mutable_signature()->add_output_arg(), "y", kFloat);
  AddNode(def.mutable_node_def(), "sum", "AddV2", {"x", "x"}, {{"T", kFloat}});
  (*def.mutable_ret())["y"] = "sum:z:0";
  return def;
}

// Generic<T>(x) = {x + x, Twice called through a func attribute}, for any T.
tensorflow::FunctionDef Generic() {
  tensorflow::FunctionDef def;
  tensorflow::OpDef& signature = *def.mutable_signature();
  signature.set_name("Generic");
  signature.add_attr()->set_name("T");
  signature.mutable_attr(0)->set_type("type");
  signature.add_input_arg()->set_name("x");
  signature.mutable_input_arg(0)->set_type_attr("T");
  signature.add_output_arg()->set_name("y");
  signature.mutable_output_arg(0)->set_type_attr("T");
  AddNode(def.mutable_node_def(), "sum", "AddV2", {"x", "x:0"}, {{"T", AttrPlaceholder{"T"}}});
  auto inner = std::make_shared<AttrMap>(AttrMap{{"T", AttrPlaceholder{"T"}}});
  AddNode(def.mutable_node_def(), "call", "Call", {"sum:z:0", "^sum"},
          {{"Tin", std::vector<DType>{kFloat}}, {"Tout", std::vector<DType>{kFloat}}, {"f", FuncAttr{"Twice", inner}}});
  (*def.mutable_ret())["y"] = "call:output:0";
  return def;
}

class FunctionLibraryTest : public SmallOpsTest {
 protected:
  Result<FunctionBody> Body(const std::string& name, const AttrMap& attrs = {}) {
    return InstantiateFunction(library_, registry_, name, attrs);
  }
  std::string BodyError(const tensorflow::FunctionDef& def, const AttrMap& attrs = {}) {
    FunctionLibrary library(registry_);
    EXPECT_TRUE(library.Add(def).ok());
    Result<FunctionBody> body = InstantiateFunction(library, registry_, def.signature().name(), attrs);
    EXPECT_FALSE(body.ok());
    return Text(body.status());
  }
  FunctionLibrary library_{registry_};
};

TEST_F(FunctionLibraryTest, FunctionsAreOps) {
  EXPECT_TRUE(library_.empty());
  ASSERT_OK(library_.Add(Twice()));
  ASSERT_OK(library_.Add(Twice()));
  EXPECT_FALSE(library_.empty());
  const OpDef* op = library_.FindOp("Twice");
  ASSERT_NE(op, nullptr);
  EXPECT_TRUE(op->is_function);
  EXPECT_EQ(op->inputs[0].type, kFloat);
  EXPECT_EQ(library_.FindOp("Thrice"), nullptr);
  EXPECT_EQ(library_.Find("Thrice"), nullptr);
  EXPECT_THAT(library_.Names(), ElementsAre("Twice"));

  tensorflow::FunctionDef other = Twice();
  AddNode(other.mutable_node_def(), "more", "NoOp");
  EXPECT_THAT(Text(library_.Add(other)), HasSubstr("'Twice'"));
  other.mutable_signature()->set_name("AddV2");
  EXPECT_THAT(Text(library_.Add(other)), HasSubstr("an op with the same name"));
  other.mutable_signature()->set_name("");
  EXPECT_FALSE(library_.Add(other).ok());
}

TEST_F(FunctionLibraryTest, GradientsAreKept) {
  ASSERT_OK(library_.AddGradient("Twice", "TwiceGrad"));
  ASSERT_OK(library_.AddGradient("Twice", "TwiceGrad"));
  EXPECT_EQ(library_.GradientOf("Twice"), "TwiceGrad");
  EXPECT_EQ(library_.GradientOf("TwiceGrad"), "");
  EXPECT_THAT(Text(library_.AddGradient("Twice", "Other")), HasSubstr("'TwiceGrad'"));
}

TEST_F(FunctionLibraryTest, LibrariesMergeAndSurviveARoundTrip) {
  ASSERT_OK(library_.Add(Twice()));
  ASSERT_OK(library_.Add(Generic()));
  ASSERT_OK(library_.AddGradient("Twice", "Generic"));
  tensorflow::FunctionDefLibrary proto;
  library_.ToProto(&proto);
  FunctionLibrary second(registry_);
  ASSERT_OK(second.AddLibrary(proto));
  ASSERT_OK(second.AddAll(library_));
  ASSERT_OK(second.AddAll(second));
  EXPECT_THAT(second.Names(), ElementsAre("Generic", "Twice"));
  EXPECT_EQ(second.GradientOf("Twice"), "Generic");
  FunctionLibrary third(registry_);
  ASSERT_OK(third.AddAll(library_));
  EXPECT_EQ(third.Find("Twice"), library_.Find("Twice")) << "definitions are shared";
}

TEST_F(FunctionLibraryTest, ABaseIsFoundButNotListed) {
  ASSERT_OK(library_.Add(Twice()));
  ASSERT_OK(library_.AddGradient("Twice", "Generic"));
  FunctionLibrary above(registry_);
  above.SetBase(&library_);
  EXPECT_EQ(above.FindOp("Twice"), library_.FindOp("Twice"));
  EXPECT_EQ(above.Find("Twice"), library_.Find("Twice"));
  EXPECT_EQ(above.GradientOf("Twice"), "Generic");
  EXPECT_EQ(above.FindOp("Generic"), nullptr);
  EXPECT_TRUE(above.empty());
  EXPECT_THAT(above.Names(), ElementsAre());
}

TEST_F(FunctionLibraryTest, GraphsCarryTheirFunctions) {
  tensorflow::GraphDef def;
  AddConst(&def, "c", Tensor::Scalar(1.0f));
  AddNode(&def, "t", "Twice", {"c"});
  *def.mutable_library()->add_function() = Twice();
  Graph graph(registry_);
  ASSERT_OK(ImportGraphDef(graph, def).status());
  EXPECT_TRUE(graph.FindNode("t")->op().is_function);
  Result<tensorflow::GraphDef> out = ExportGraphDef(graph);
  ASSERT_TRUE(out.ok());
  ASSERT_EQ(out->library().function_size(), 1);
  EXPECT_EQ(out->library().function(0).signature().name(), "Twice");
  EXPECT_EQ(out->versions().min_consumer(), 12);
  EXPECT_FALSE(ExportGraphDef(graph, {.add_library = false})->has_library());
}

TEST_F(FunctionLibraryTest, BodiesHaveArgumentsAndResults) {
  ASSERT_OK(library_.Add(Twice()));
  Result<FunctionBody> body = Body("Twice");
  ASSERT_OK(body.status());
  ASSERT_EQ(body->args.size(), 1u);
  ASSERT_EQ(body->results.size(), 1u);
  EXPECT_EQ(body->args[0]->type(), "_Arg");
  EXPECT_EQ(body->args[0]->name(), "x");
  EXPECT_EQ(*body->args[0]->Attr<DType>("T"), kFloat);
  EXPECT_EQ(*body->args[0]->Attr<int64_t>("index"), 0);
  EXPECT_EQ(body->results[0]->type(), "_Retval");
  EXPECT_EQ(body->results[0]->input(0).node, body->graph->FindNode("sum"));
  EXPECT_EQ(body->graph->FindNode("sum")->input(1).node, body->args[0]);
  EXPECT_EQ(Body("Thrice").status().code(), StatusCode::kNotFound);
}

TEST_F(FunctionLibraryTest, AttributesFillPlaceholders) {
  ASSERT_OK(library_.Add(Twice()));
  ASSERT_OK(library_.Add(Generic()));
  Result<FunctionBody> body = Body("Generic", {{"T", kFloat}, {"_unrelated", 1}, {"also", 2}});
  ASSERT_OK(body.status());
  Node* call = body->graph->FindNode("call");
  EXPECT_EQ(*body->graph->FindNode("sum")->Attr<DType>("T"), kFloat);
  EXPECT_EQ(call->Attr<FuncAttr>("f")->attrs->at("T"), AttrValue(kFloat));
  EXPECT_THAT(call->control_inputs(), ElementsAre(body->graph->FindNode("sum")));
  EXPECT_NE(body->graph->FindOp("Twice"), nullptr);
  EXPECT_THAT(Text(Body("Generic").status()), HasSubstr("'T'"));
  EXPECT_THAT(Text(Body("Generic", {{"T", kString}}).status()), HasSubstr("'Generic'"));
}

TEST_F(FunctionLibraryTest, ListsAreFlattened) {
  tensorflow::FunctionDef def;
  tensorflow::OpDef& signature = *def.mutable_signature();
  signature.set_name("Lists");
  signature.add_attr()->set_name("N");
  signature.mutable_attr(0)->set_type("int");
  signature.add_input_arg()->set_name("dim");
  signature.mutable_input_arg(0)->set_type(tensorflow::DT_INT32);
  signature.add_input_arg()->set_name("xs");
  signature.mutable_input_arg(1)->set_type(tensorflow::DT_FLOAT);
  signature.mutable_input_arg(1)->set_number_attr("N");
  signature.add_output_arg()->set_name("ys");
  signature.mutable_output_arg(0)->set_type(tensorflow::DT_FLOAT);
  signature.mutable_output_arg(0)->set_number_attr("N");
  signature.add_output_arg()->set_name("one");
  signature.mutable_output_arg(1)->set_type(tensorflow::DT_FLOAT);
  AddNode(def.mutable_node_def(), "pack", "Pack", {"xs"}, {{"N", AttrPlaceholder{"N"}}, {"T", kFloat}});
  AddNode(def.mutable_node_def(), "split", "Split", {"dim", "pack:output:0"},
          {{"num_split", AttrPlaceholder{"N"}}, {"T", kFloat}});
  AddNode(def.mutable_node_def(), "add", "AddV2", {"xs:2", "split:output:1"}, {{"T", kFloat}});
  (*def.mutable_ret())["ys"] = "split:output";
  (*def.mutable_ret())["one"] = "add:z:0";
  ASSERT_OK(library_.Add(def));
  Result<FunctionBody> body = Body("Lists", {{"N", 3}});
  ASSERT_OK(body.status());
  ASSERT_EQ(body->args.size(), 4u);
  EXPECT_EQ(body->args[3]->name(), "xs_2");
  ASSERT_EQ(body->results.size(), 4u);
  EXPECT_EQ(body->results[2]->input(0), Output(body->graph->FindNode("split"), 2));
  EXPECT_EQ(body->graph->FindNode("pack")->num_inputs(), 3);
  EXPECT_EQ(body->graph->FindNode("add")->input(0).node, body->args[3]);
  EXPECT_THAT(Text(Body("Lists", {{"N", 2}}).status()), HasSubstr("xs:2"));
  EXPECT_FALSE(Body("Lists", {{"N", -1}}).ok());
  EXPECT_FALSE(Body("Lists", {{"N", int64_t{1} << 40}}).ok());
}

TEST_F(FunctionLibraryTest, ControlResultsAndShapesOfArguments) {
  tensorflow::FunctionDef def = Twice();
  AddNode(def.mutable_node_def(), "emit", "Emit", {"x", "^x"}, {{"T", kFloat}});
  (*def.mutable_control_ret())["done"] = "emit";
  ToProto(AttrValue(std::vector<PartialShape>{PartialShape{2, 3}}),
          &(*(*def.mutable_arg_attr())[0].mutable_attr())["_output_shapes"]);
  ASSERT_OK(library_.Add(def));
  Result<FunctionBody> body = Body("Twice");
  ASSERT_OK(body.status());
  EXPECT_THAT(body->control_results, ElementsAre(body->graph->FindNode("emit")));
  EXPECT_TRUE(body->control_results[0]->control_inputs().empty());
  EXPECT_EQ(body->graph->FindNode("sum")->output_shape(0).ToString(), "[2,3]");
}

TEST_F(FunctionLibraryTest, BrokenBodiesAreErrors) {
  struct Case {
    const char* expected;
    std::function<void(tensorflow::FunctionDef*)> breakage;
  };
  const Case cases[] = {
      {"'zz:z:0'", [](auto* def) { def->mutable_node_def(0)->set_input(0, "zz:z:0"); }},
      {"'sum'", [](auto* def) { def->mutable_node_def(0)->set_input(0, "sum"); }},
      {"'w'", [](auto* def) { def->mutable_node_def(0)->set_input(0, "sum:w:0"); }},
      {"'x:1'", [](auto* def) { def->mutable_node_def(0)->set_input(0, "x:1"); }},
      {"'x:-1'", [](auto* def) { def->mutable_node_def(0)->set_input(0, "x:-1"); }},
      {"'x:0:0'", [](auto* def) { def->mutable_node_def(0)->set_input(0, "x:0:0"); }},
      {"cycle", [](auto* def) { def->mutable_node_def(0)->set_input(0, "sum:z:0"); }},
      {"'q'", [](auto* def) { def->mutable_node_def(0)->add_input("^q"); }},
      {"'Foo'", [](auto* def) { def->mutable_node_def(0)->set_op("Foo"); }},
      {"'y'", [](auto* def) { def->clear_ret(); }},
      {"sum", [](auto* def) { *def->add_node_def() = def->node_def(0); }},
      {"'gone'", [](auto* def) { (*def->mutable_control_ret())["c"] = "gone"; }},
      {"'U'", [](auto* def) { (*def->mutable_node_def(0)->mutable_attr())["T"].set_placeholder("U"); }},
      {"incompatible",
       [](auto* def) { def->mutable_signature()->mutable_output_arg(0)->set_type(tensorflow::DT_INT32); }},
  };
  for (const Case& c : cases) {
    tensorflow::FunctionDef def = Twice();
    c.breakage(&def);
    std::string error = BodyError(def);
    EXPECT_THAT(error, HasSubstr(c.expected));
    EXPECT_THAT(error, HasSubstr("function 'Twice'"));
  }
}

class GraphToFunctionTest : public FunctionLibraryTest {
 protected:
  Output Placeholder(const std::string& name, DType type, PartialShape shape = {}) {
    return NodeBuilder(graph_, "Placeholder", name).Attr("dtype", type).Attr("shape", shape).BuildOutput();
  }
  Output Add(const std::string& name, Output a, Output b) {
    return NodeBuilder(graph_, "AddV2", name).In(a).In(b).BuildOutput();
  }
  Result<tensorflow::FunctionDef> Write(const std::vector<Output>& inputs, const std::vector<Output>& outputs,
                                        const std::vector<std::string>& names = {},
                                        const std::vector<Node*>& control = {}) {
    EXPECT_TRUE(graph_.TakeError().ok());
    return GraphToFunction(graph_, "F", inputs, outputs, names, control, "says what it does");
  }
  Graph graph_{registry_};
};

TEST_F(GraphToFunctionTest, WritesTheNodesThatResultsNeed) {
  Output x = Placeholder("Scope/X", kFloat, PartialShape{2});
  Output dim = Constant(graph_, Tensor::Scalar<int32_t>(0), "dim");
  Node* split = NodeBuilder(graph_, "Split", "split").In(dim).In(x).Attr("num_split", 2).BuildNode();
  Output res = NodeBuilder(graph_, "AddV2", "res")
                   .In(Output(split, 1))
                   .In(x)
                   .ControlInput(dim.node)
                   .ControlInput(x.node)
                   .BuildOutput();
  Add("unused", x, x);
  Result<tensorflow::FunctionDef> def = Write({x}, {res, x});
  ASSERT_OK(def.status());
  EXPECT_EQ(def->signature().name(), "F");
  EXPECT_EQ(def->signature().description(), "says what it does");
  ASSERT_EQ(def->signature().input_arg_size(), 1);
  EXPECT_EQ(def->signature().input_arg(0).name(), "scope_x_0") << "the result of that name comes first";
  EXPECT_EQ(def->signature().input_arg(0).type(), tensorflow::DT_FLOAT);
  EXPECT_EQ(def->signature().output_arg(0).name(), "res");
  EXPECT_EQ(def->signature().output_arg(1).name(), "scope_x");
  EXPECT_FALSE(def->signature().is_stateful());
  ASSERT_EQ(def->node_def_size(), 3);
  EXPECT_EQ(def->node_def(0).name(), "dim");
  EXPECT_THAT(Inputs(def->node_def(1)), ElementsAre("dim:output:0", "scope_x_0"));
  EXPECT_EQ(def->node_def(2).name(), "res_0");
  EXPECT_THAT(Inputs(def->node_def(2)), ElementsAre("split:output:1", "scope_x_0", "^dim"));
  EXPECT_EQ(def->ret().at("res"), "res_0:z:0");
  EXPECT_EQ(def->ret().at("scope_x"), "scope_x_0");

  ASSERT_OK(library_.Add(*def));
  Result<FunctionBody> body = Body("F");
  ASSERT_OK(body.status());
  EXPECT_EQ(body->results[1]->input(0).node, body->args[0]);
  EXPECT_EQ(body->args[0]->output_shape(0).ToString(), "[2]");
}

TEST_F(GraphToFunctionTest, KeepsEffectsLoopsAndColocation) {
  Output x = Placeholder("x", kFloat);
  Node* emit = NodeBuilder(graph_, "Emit", "emit").In(x).BuildNode();
  Output enter = NodeBuilder(graph_, "Enter", "enter").In(x).Attr("frame_name", "f").BuildOutput();
  Node* merge = NodeBuilder(graph_, "Merge", "merge").In(InputList{enter, enter}).BuildNode();
  Output next = NodeBuilder(graph_, "NextIteration", "next").In(merge->output(0)).BuildOutput();
  ASSERT_OK(graph_.UpdateInput(merge, 1, next));
  Output exit = NodeBuilder(graph_, "Exit", "exit")
                    .In(merge->output(0))
                    .Attr("_class", std::vector<std::string>{"loc:@merge", "loc:@x"})
                    .BuildOutput();
  Result<tensorflow::FunctionDef> def = Write({x}, {exit}, {"out"}, {emit});
  ASSERT_OK(def.status());
  EXPECT_TRUE(def->signature().is_stateful());
  EXPECT_EQ(def->control_ret().at("emit"), "emit");
  EXPECT_EQ(def->signature().control_output(0), "emit");
  ASSERT_EQ(def->node_def_size(), 5);
  EXPECT_EQ(def->node_def(0).name(), "emit");
  EXPECT_THAT(Inputs(def->node_def(2)), ElementsAre("enter:output:0", "next:output:0"));
  ASSERT_EQ(def->node_def(4).attr().at("_class").list().s_size(), 1);
  EXPECT_EQ(def->node_def(4).attr().at("_class").list().s(0), "loc:@merge");
  ASSERT_OK(library_.Add(*def));
  Result<FunctionBody> body = Body("F");
  ASSERT_OK(body.status());
  EXPECT_EQ(body->graph->FindNode("merge")->input(1).node->name(), "next");
  EXPECT_THAT(body->control_results, ElementsAre(body->graph->FindNode("emit")));
}

TEST_F(GraphToFunctionTest, RejectsNodesOfOtherGraphs) {
  Output x = Placeholder("x", kFloat);
  Graph other(registry_);
  Output foreign = NodeBuilder(other, "Placeholder", "y").Attr("dtype", kFloat).BuildOutput();
  EXPECT_THAT(Text(Write({x, x}, {x}).status()), HasSubstr("'x:0'"));
  EXPECT_THAT(Text(Write({foreign}, {x}).status()), HasSubstr("input 0"));
  EXPECT_THAT(Text(Write({x}, {foreign}).status()), HasSubstr("output 0"));
  EXPECT_THAT(Text(Write({x}, {Output()}).status()), HasSubstr("output 0"));
  EXPECT_THAT(Text(Write({x}, {Output(x.node, 1)}).status()), HasSubstr("output 0"));
  EXPECT_FALSE(Write({x}, {x}, {}, {foreign.node}).ok());
  EXPECT_FALSE(Write({x}, {x}, {"a", "b"}).ok());
  EXPECT_FALSE(Write({x}, {x, x}, {"a", "a"}).ok());
  EXPECT_FALSE(Write({x}, {x}, {""}).ok());
  Result<tensorflow::FunctionDef> twice = Write({x}, {x, x});
  ASSERT_OK(twice.status());
  EXPECT_EQ(twice->signature().output_arg(1).name(), "x_0");
  EXPECT_EQ(twice->signature().input_arg(0).name(), "x_1");
}

}  // namespace
}  // namespace weir
