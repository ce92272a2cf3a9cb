#include "graph/graph_def.h"

#include <gmock/gmock.h>

#include <chrono>

#include "graph/function_library.h"
#include "graph/graph_def_ops_test.h"
#include "graph/node_builder.h"

namespace weir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class GraphDefTest : public SmallOpsTest {
 protected:
  GraphDefTest() { def_.mutable_versions()->set_producer(24); }

  Status Import(const ImportOptions& options = {}) {
    Result<ImportResult> result = ImportGraphDef(graph_, def_, options);
    if (!result.ok()) return result.status();
    result_ = *std::move(result);
    return OkStatus();
  }
  std::string ImportError(const ImportOptions& options = {}) {
    Status status = Import(options);
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(graph_.num_nodes(), before_) << "a refused def left nodes behind";
    return Text(status);
  }
  tensorflow::GraphDef Exported(const ExportOptions& options = {}) {
    Result<tensorflow::GraphDef> def = ExportGraphDef(graph_, options);
    EXPECT_TRUE(def.ok()) << def.status();
    return def.value_or(tensorflow::GraphDef());
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (Node* node : graph_.Nodes()) names.push_back(node->name());
    return names;
  }
  void AddIdentity(const std::string& name, const std::vector<std::string>& inputs, DType type = kFloat) {
    AddNode(&def_, name, "Identity", inputs, {{"T", type}});
  }
  // while (i < 10) i = i + 1, without the Less.
  void AddLoop() {
    AddConst(&def_, "start", Tensor::Scalar(0.0f));
    AddConst(&def_, "go", Tensor::Scalar(true));
    AddNode(&def_, "merge", "Merge", {"enter", "next"}, {{"T", kFloat}, {"N", 2}});
    AddNode(&def_, "next", "NextIteration", {"add"}, {{"T", kFloat}});
    AddNode(&def_, "add", "AddV2", {"switch:1", "switch:1"}, {{"T", kFloat}});
    AddNode(&def_, "switch", "Switch", {"merge", "go"}, {{"T", kFloat}});
    AddNode(&def_, "enter", "Enter", {"start"}, {{"T", kFloat}, {"frame_name", "loop"}});
    AddNode(&def_, "exit", "Exit", {"switch"}, {{"T", kFloat}});
  }

  Graph graph_{registry_};
  tensorflow::GraphDef def_;
  ImportResult result_;
  int before_ = 0;
};

TEST_F(GraphDefTest, RoundTrips) {
  AddConst(&def_, "c", Tensor::Vector<float>({1, 2}));
  AddNode(&def_, "split", "Split", {"dim", "c"}, {{"num_split", 2}, {"T", kFloat}});
  AddConst(&def_, "dim", Tensor::Scalar<int32_t>(0));
  AddNode(&def_, "sum", "AddV2", {"split:1", "split", "^c"}, {{"T", kFloat}, {"_note", "kept"}})
      .set_device("/job:ps/cpu:0");
  ASSERT_OK(Import());
  EXPECT_THAT(Names(), ElementsAre("c", "dim", "split", "sum"));
  ASSERT_EQ(result_.nodes.size(), 4u);
  EXPECT_EQ(result_.nodes[1]->name(), "split");
  EXPECT_EQ(graph_.FindNode("c")->output_shape(0).ToString(), "[2]");

  tensorflow::GraphDef out = Exported();
  EXPECT_EQ(out.versions().producer(), 24);
  ASSERT_EQ(out.node_size(), 4);
  const tensorflow::NodeDef& sum = out.node(3);
  EXPECT_EQ(sum.op(), "AddV2");
  EXPECT_THAT(Inputs(sum), ElementsAre("split:1", "split", "^c"));
  EXPECT_EQ(sum.device(), "/job:ps/device:CPU:0");
  EXPECT_EQ(sum.attr().at("_note").s(), "kept");
  EXPECT_EQ(out.node(2).attr().at("num_split").i(), 2);
  EXPECT_FALSE(out.has_library());

  Graph again(registry_);
  ASSERT_OK(ImportGraphDef(again, out).status());
  Result<tensorflow::GraphDef> second = ExportGraphDef(again);
  ASSERT_TRUE(second.ok());
  ASSERT_EQ(second->node_size(), out.node_size());
  for (int i = 0; i < out.node_size(); ++i) {
    EXPECT_EQ(second->node(i).name(), out.node(i).name());
    EXPECT_THAT(Inputs(second->node(i)), testing::ElementsAreArray(Inputs(out.node(i))));
    EXPECT_EQ(second->node(i).ByteSizeLong(), out.node(i).ByteSizeLong());
  }
}

TEST_F(GraphDefTest, ExportsShapesAndOnlyLaterNodesOnRequest) {
  AddConst(&def_, "c", Tensor::Vector<float>({1, 2}));
  AddIdentity("i", {"c"});
  ASSERT_OK(Import());
  tensorflow::GraphDef out = Exported({.first_node = 1, .add_shapes = true});
  ASSERT_EQ(out.node_size(), 1);
  EXPECT_EQ(out.node(0).name(), "i");
  EXPECT_EQ(out.node(0).attr().at("_output_shapes").list().shape(0).dim(0).size(), 2);
}

TEST_F(GraphDefTest, FillsInDefaults) {
  AddNode(&def_, "v", "VariableV2", {}, {{"dtype", kFloat}, {"shape", PartialShape{2}}});
  ASSERT_OK(Import());
  EXPECT_EQ(*graph_.FindNode("v")->Attr<std::string>("container"), "");
  EXPECT_EQ(graph_.FindNode("v")->output_type(0), RefType(kFloat));
}

TEST_F(GraphDefTest, DropsNewerAttributesThatChangeNoResult) {
  AddNode(&def_, "x", "Placeholder", {}, {{"dtype", kFloat}});
  AddNode(&def_, "mm", "MatMul", {"x", "x"}, {{"T", kFloat}, {"grad_a", true}, {"grad_b", false}, {"is_async", false}});
  ASSERT_OK(Import());
  EXPECT_EQ(graph_.FindNode("mm")->FindAttr("grad_a"), nullptr);
  EXPECT_EQ(graph_.FindNode("mm")->FindAttr("is_async"), nullptr);

  ToProto(AttrValue(true), &(*def_.mutable_node(1)->mutable_attr())["is_async"]);
  before_ = 2;
  std::string error = ImportError({.prefix = "again"});
  EXPECT_THAT(error, HasSubstr("'mm'"));
  EXPECT_THAT(error, HasSubstr("is_async"));
}

TEST_F(GraphDefTest, LoopsCloseAndKeepUnknownShapes) {
  AddLoop();
  ASSERT_OK(Import());
  Node* merge = graph_.FindNode("merge");
  EXPECT_EQ(merge->input(0).node->name(), "enter");
  EXPECT_EQ(merge->input(1).node->name(), "next");
  EXPECT_EQ(graph_.FindNode("enter")->consumers().size(), 1u);
  EXPECT_EQ(graph_.FindNode("next")->consumers().size(), 1u);
  EXPECT_FALSE(merge->output_shape(0).known_rank());
  EXPECT_EQ(merge->output_shape(1).ToString(), "[]");
  EXPECT_THAT(Inputs(Exported().node(graph_.FindNode("merge")->id())), ElementsAre("enter", "next"));

  for (tensorflow::NodeDef& node : *def_.mutable_node()) {
    if (node.name() != "merge") continue;
    ToProto(AttrValue(std::vector<PartialShape>{PartialShape{}, PartialShape::Scalar()}),
            &(*node.mutable_attr())["_output_shapes"]);
    node.mutable_attr()->at("_output_shapes").mutable_list()->mutable_shape(0)->set_unknown_rank(false);
  }
  Graph told(registry_);
  ASSERT_OK(ImportGraphDef(told, def_).status());
  EXPECT_EQ(told.FindNode("exit")->output_shape(0).ToString(), "[]");
  EXPECT_EQ(told.FindNode("merge")->FindAttr("_output_shapes"), nullptr);
}

TEST_F(GraphDefTest, LoopsNeedAnEntry) {
  AddNode(&def_, "merge", "Merge", {"next"}, {{"T", kFloat}, {"N", 1}});
  AddNode(&def_, "next", "NextIteration", {"merge"}, {{"T", kFloat}});
  EXPECT_THAT(ImportError(), HasSubstr("'merge'"));
}

TEST_F(GraphDefTest, OtherCyclesAreErrors) {
  AddConst(&def_, "c", Tensor::Scalar(1.0f));
  AddIdentity("a", {"b"});
  AddIdentity("b", {"a"});
  AddIdentity("behind", {"b"});
  std::string error = ImportError();
  EXPECT_THAT(error, HasSubstr("3 nodes"));
  EXPECT_THAT(error, HasSubstr("'a', 'b'"));

  def_.clear_node();
  AddIdentity("self", {"self"});
  EXPECT_THAT(ImportError(), HasSubstr("'self'"));

  def_.clear_node();
  AddIdentity("a", {"c"});
  AddConst(&def_, "c", Tensor::Scalar(1.0f)).add_input("^a");
  EXPECT_THAT(ImportError(), HasSubstr("cycle"));
}

TEST_F(GraphDefTest, ReportsInvalidNodes) {
  struct Case {
    const char* expected;
    std::function<void()> add;
  };
  const Case cases[] = {
      {"Node 'a': Unknown input node 'b'", [&] { AddIdentity("a", {"b"}); }},
      {"Node 'a': Unknown input node 'b'", [&] { AddNode(&def_, "a", "NoOp", {"^b"}); }},
      {"Node 'a': Connecting to invalid output 3 of source node c which has 1 outputs",
       [&] { AddIdentity("a", {"c:3"}); }},
      {"Node 'a': Unknown input node 'c:99999999999'", [&] { AddIdentity("a", {"c:99999999999"}); }},
      {"Node 'a': Unknown input node ''", [&] { AddIdentity("a", {""}); }},
      {"Input 0 of node a was passed float from c:0 incompatible with expected int32",
       [&] { AddIdentity("a", {"c"}, kInt32); }},
      {"Node 'c': the name is not unique", [&] { AddIdentity("c", {}); }},
      {"Node 'a b': Node name contains invalid characters", [&] { AddIdentity("a b", {"c"}); }},
      {"Node '': Node name contains invalid characters", [&] { AddIdentity("", {"c"}); }},
      {"Node 'a': Control dependencies must come after regular dependencies",
       [&] {
         AddIdentity("a", {"^c", "c"});
       }},
      {"Node 'a': expected inputs 'float' do not match 0 inputs specified", [&] { AddIdentity("a", {}); }},
      {"Node 'a': expected inputs 'float' do not match 2 inputs specified",
       [&] {
         AddIdentity("a", {"c", "c"});
       }},
      {"'T'", [&] { AddNode(&def_, "a", "Identity", {"c"}); }},
      {"'T'",
       [&] {
         AddNode(&def_, "a", "Identity", {"c"}, {{"T", 3}});
       }},
      {"'T'",
       [&] {
         AddNode(&def_, "a", "Identity", {"c"}, {{"T", AttrValue()}});
       }},
      {"'Q'",
       [&] {
         AddNode(&def_, "a", "Identity", {"c"}, {{"T", kFloat}, {"Q", 3}});
       }},
      {"reference type float_ref", [&] { AddIdentity("a", {"c"}, RefType(kFloat)); }},
      {"no valid type", [&] { AddIdentity("a", {"c"}, kInvalidType); }},
      {"placeholder",
       [&] {
         AddNode(&def_, "a", "Identity", {"c"}, {{"T", AttrPlaceholder{"T"}}});
       }},
      {"the attribute dtype says int32",
       [&] {
         AddNode(&def_, "a", "Const", {}, {{"dtype", kInt32}, {"value", Tensor::Scalar(1.0f)}});
       }},
      {"Input 0 of node a was passed float from c:0 incompatible with expected float_ref",
       [&] {
         AddNode(&def_, "a", "Assign", {"c", "c"}, {{"T", kFloat}});
       }},
      {"Node 'a': expects to be colocated with unknown node 'zz'",
       [&] {
         AddNode(&def_, "a", "NoOp", {}, {{"_class", std::vector<std::string>{"loc:@zz"}}});
       }},
      {"Node 'a': malformed device name '/job:'", [&] { AddNode(&def_, "a", "NoOp").set_device("/job:"); }},
  };
  for (const Case& c : cases) {
    def_.clear_node();
    AddConst(&def_, "c", Tensor::Scalar(1.0f));
    c.add();
    EXPECT_THAT(ImportError(), HasSubstr(c.expected));
  }
  def_.clear_node();
  AddNode(&def_, "a", "Foo");
  Status status = Import();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(Text(status), HasSubstr("'Foo'"));
  EXPECT_EQ(NodeOf(status), "a");
}

TEST_F(GraphDefTest, ShapeErrorsLeaveNothingBehind) {
  AddConst(&def_, "a", Tensor::Vector<float>({1, 2}));
  AddConst(&def_, "b", Tensor::Vector<float>({1, 2, 3}));
  AddNode(&def_, "sum", "AddV2", {"a", "b"}, {{"T", kFloat}});
  Status status = Import();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Text(status), HasSubstr("'sum'"));
  EXPECT_TRUE(graph_.Nodes().empty());
  EXPECT_EQ(graph_.FindNode("a"), nullptr);
}

TEST_F(GraphDefTest, ReferencesFeedValues) {
  AddNode(&def_, "v", "VariableV2", {}, {{"dtype", kFloat}, {"shape", PartialShape{2}}});
  AddIdentity("read", {"v"});
  AddNode(&def_, "set", "Assign", {"v", "read"}, {{"T", kFloat}});
  ASSERT_OK(Import());
  EXPECT_EQ(graph_.FindNode("read")->output_type(0), kFloat);
}

TEST_F(GraphDefTest, ChecksVersions) {
  AddNode(&def_, "a", "NoOp");
  def_.mutable_versions()->set_min_consumer(100000);
  EXPECT_THAT(ImportError(), HasSubstr("100000"));
  def_.mutable_versions()->set_min_consumer(12);
  def_.mutable_versions()->set_producer(-1);
  EXPECT_THAT(ImportError(), HasSubstr("-1"));
  def_.mutable_versions()->set_producer(2474);
  def_.mutable_versions()->add_bad_consumers(134);
  EXPECT_THAT(ImportError(), HasSubstr("134"));
  def_.mutable_versions()->clear_bad_consumers();
  ASSERT_OK(Import());
  EXPECT_EQ(Exported().versions().producer(), 24);
  EXPECT_EQ(Exported().versions().min_consumer(), 12);
}

TEST_F(GraphDefTest, OldScalarPlaceholdersHaveAnyShape) {
  AddNode(&def_, "p", "Placeholder", {}, {{"dtype", kFloat}, {"shape", PartialShape::Scalar()}});
  ASSERT_OK(Import());
  EXPECT_EQ(graph_.FindNode("p")->output_shape(0).ToString(), "[]");
  def_.mutable_versions()->set_producer(23);
  ASSERT_OK(Import({.prefix = "old"}));
  EXPECT_FALSE(graph_.FindNode("old/p")->output_shape(0).known_rank());
}

TEST_F(GraphDefTest, PrefixesAreMadeUnique) {
  AddConst(&def_, "c", Tensor::Scalar(1.0f));
  AddNode(&def_, "a", "Identity", {"c"}, {{"T", kFloat}, {"_class", std::vector<std::string>{"loc:@c", "other"}}});
  ASSERT_OK(Import({.prefix = "import"}));
  ASSERT_OK(Import({.prefix = "import"}));
  {
    NameScope scope(graph_, "outer");
    ASSERT_OK(Import({.prefix = "import"}));
  }
  EXPECT_THAT(Names(),
              ElementsAre("import/c", "import/a", "import_1/c", "import_1/a", "outer/import/c", "outer/import/a"));
  EXPECT_THAT(*graph_.FindNode("import_1/a")->Attr<std::vector<std::string>>("_class"),
              ElementsAre("loc:@import_1/c", "other"));
  EXPECT_EQ(graph_.UniqueName("import"), "import_2");
}

TEST_F(GraphDefTest, NamesAreMadeUniqueOnRequest) {
  AddConst(&def_, "c", Tensor::Scalar(1.0f));
  ASSERT_OK(Import());
  before_ = 1;
  EXPECT_THAT(ImportError(), HasSubstr("'c'"));
  AddConst(&def_, "c_1", Tensor::Scalar(1.0f));
  AddNode(&def_, "a", "Identity", {"c"}, {{"T", kFloat}, {"_class", std::vector<std::string>{"loc:@c"}}});
  ASSERT_OK(Import({.uniquify_names = true}));
  EXPECT_THAT(Names(), ElementsAre("c", "c_2", "c_1", "a"));
  EXPECT_EQ(graph_.FindNode("a")->input(0).node->name(), "c_2");
  EXPECT_THAT(*graph_.FindNode("a")->Attr<std::vector<std::string>>("_class"), ElementsAre("loc:@c_2"));
  EXPECT_THAT(Text(Import({.prefix = "c", .uniquify_prefix = false})), HasSubstr("prefix 'c'"));
}

TEST_F(GraphDefTest, ANodeGetsAnotherNameIfAnImportTakesItsName) {
  AddConst(&def_, "taken", Tensor::Scalar(1.0f));
  for (const std::string name : {"taken", "taken/"}) {
    Graph graph(registry_);
    DeviceScope importing(graph, DeviceRequest{.choose = [&](Node&) -> Result<std::string> {
                            if (graph.num_nodes() == 0) WEIR_TRY(ImportGraphDef(graph, def_, {}).status());
                            return std::string();
                          }});
    const Node* node = NodeBuilder(graph, "NoOp", name).BuildNode();
    ASSERT_NE(node, nullptr);
    EXPECT_EQ(node->name(), "taken_1");
    EXPECT_EQ(graph.FindNode("taken")->type(), "Const");
  }
}

TEST_F(GraphDefTest, InputMapReplacesInputs) {
  AddConst(&def_, "mine", Tensor::Scalar(5.0f));
  ASSERT_OK(Import());
  Output mine(graph_.FindNode("mine"), 0);
  def_.clear_node();
  AddConst(&def_, "c", Tensor::Scalar(1.0f));
  AddIdentity("a", {"c", "^c"});
  AddIdentity("b", {"gone:1"});
  ASSERT_OK(
      Import({.prefix = "i",
              .input_map = {{"c", mine}, {"^c", mine}, {"gone:1", mine}, {"zz", mine}, {"c:1", mine}, {"a:0", mine}},
              .return_elements = {"c:0", "c", "a:0"}}));
  EXPECT_EQ(graph_.FindNode("i/a")->input(0), mine);
  EXPECT_THAT(graph_.FindNode("i/a")->control_inputs(), ElementsAre(mine.node));
  EXPECT_EQ(graph_.FindNode("i/b")->input(0), mine);
  EXPECT_THAT(result_.unused_input_map_keys, ElementsAre("c:1", "zz"));
  ASSERT_EQ(result_.returned.size(), 3u);
  EXPECT_EQ(result_.returned[0].node, mine.node);
  EXPECT_EQ(result_.returned[0].output, 0);
  EXPECT_EQ(result_.returned[1].node->name(), "i/c");
  EXPECT_EQ(result_.returned[1].output, -1);
  EXPECT_EQ(result_.returned[2].node, mine.node);

  before_ = graph_.num_nodes();
  EXPECT_THAT(ImportError({.prefix = "j", .input_map = {{"c", Output()}}}), HasSubstr("'c'"));
  EXPECT_THAT(ImportError({.prefix = "j", .input_map = {{"c", Output(mine.node, 4)}}}), HasSubstr("'c'"));
}

TEST_F(GraphDefTest, InputMapTypesAreChecked) {
  AddConst(&def_, "mine", Tensor::Scalar<int32_t>(5));
  ASSERT_OK(Import());
  def_.clear_node();
  AddIdentity("a", {"c"});
  before_ = 1;
  EXPECT_THAT(ImportError({.prefix = "i", .input_map = {{"c", Output(graph_.FindNode("mine"), 0)}}}),
              HasSubstr("Input 0 of node i/a was passed int32 from mine:0 incompatible with expected float"));
}

TEST_F(GraphDefTest, ReturnElementsMustExist) {
  AddConst(&def_, "c", Tensor::Scalar(1.0f));
  EXPECT_THAT(ImportError({.return_elements = {"d"}}), HasSubstr("Requested return node 'd' not found"));
  EXPECT_THAT(ImportError({.return_elements = {"d:0"}}), HasSubstr("Requested return tensor 'd:0' not found"));
  EXPECT_THAT(ImportError({.return_elements = {"c:2"}}),
              HasSubstr("Invalid return output 2 of node 'c', which has 1 output(s)"));
}

TEST_F(GraphDefTest, ExtendsAGraph) {
  AddConst(&def_, "c", Tensor::Scalar(1.0f));
  ASSERT_OK(Import());
  def_.clear_node();
  AddNode(&def_, "a", "Identity", {"c", "^c"}, {{"T", kFloat}, {"_class", std::vector<std::string>{"loc:@c"}}});
  before_ = 1;
  EXPECT_THAT(ImportError(), HasSubstr("Unknown input node 'c'"));
  ASSERT_OK(Import({.extend = true}));
  EXPECT_EQ(graph_.FindNode("a")->input(0).node, graph_.FindNode("c"));
  AddIdentity("b", {"c:1"});
  def_.mutable_node()->DeleteSubrange(0, 1);
  before_ = 2;
  EXPECT_THAT(ImportError({.extend = true}), HasSubstr("invalid output 1"));
}

TEST_F(GraphDefTest, ScopesOfTheThreadApply) {
  AddNode(&def_, "gate", "NoOp");
  ASSERT_OK(Import());
  def_.clear_node();
  AddConst(&def_, "c", Tensor::Scalar(1.0f)).set_device("/gpu:3");
  AddNode(&def_, "v", "VariableV2", {}, {{"dtype", kFloat}, {"shape", PartialShape{2}}}).set_device("/job:ps/task:0");
  AddNode(&def_, "a", "Identity", {"c"}, {{"T", kFloat}, {"_class", std::vector<std::string>{"loc:@v"}}});
  {
    DeviceScope device(graph_, "/job:w/device:CPU:0");
    ControlDependencies control(graph_, {graph_.FindNode("gate")});
    ASSERT_OK(Import({.prefix = "i"}));
  }
  EXPECT_EQ(graph_.FindNode("i/c")->device(), "/job:w/device:GPU:3");
  EXPECT_EQ(graph_.FindNode("i/v")->device(), "/job:ps/task:0/device:CPU:0");
  EXPECT_EQ(graph_.FindNode("i/a")->device(), "/job:ps/task:0/device:CPU:0");
  EXPECT_THAT(graph_.FindNode("i/c")->control_inputs(), ElementsAre(graph_.FindNode("gate")));
  EXPECT_TRUE(graph_.FindNode("i/a")->control_inputs().empty());

  ASSERT_OK(Import({.prefix = "j", .control_inputs = {graph_.FindNode("gate")}}));
  EXPECT_EQ(graph_.FindNode("j/c")->device(), "/device:GPU:3");
  EXPECT_THAT(graph_.FindNode("j/c")->control_inputs(), ElementsAre(graph_.FindNode("gate")));
}

TEST_F(GraphDefTest, DeviceFunctionsApply) {
  AddConst(&def_, "c", Tensor::Scalar(1.0f)).set_device("/gpu:3");
  DeviceScope outer(graph_, "/job:w");
  DeviceScope inner(graph_, DeviceRequest{.choose = [](Node& node) -> Result<std::string> {
                      return node.device() == "/device:GPU:3" ? "/cpu:7" : "/cpu:8";
                    }});
  ASSERT_OK(Import());
  EXPECT_EQ(graph_.FindNode("c")->device(), "/job:w/device:CPU:7");
}

TEST_F(GraphDefTest, FinalizedGraphsRejectImports) {
  AddNode(&def_, "a", "NoOp");
  graph_.Finalize();
  EXPECT_EQ(Import().code(), StatusCode::kFailedPrecondition);
}

TEST_F(GraphDefTest, TooManyOutputsAreRefused) {
  AddNode(&def_, "dim", "Placeholder", {}, {{"dtype", kInt32}});
  AddNode(&def_, "x", "Placeholder", {}, {{"dtype", kFloat}});
  for (int i = 0; i < 20; ++i) {
    AddNode(&def_, fmt::format("split{}", i), "Split", {"dim", "x"}, {{"num_split", 1 << 20}, {"T", kFloat}});
  }
  EXPECT_EQ(Import().code(), StatusCode::kResourceExhausted);
  AddNode(&def_, "more", "Split", {"dim", "x"}, {{"num_split", std::numeric_limits<int64_t>::max()}, {"T", kFloat}});
  def_.mutable_node()->SwapElements(0, def_.node_size() - 1);
  EXPECT_THAT(ImportError(), HasSubstr("'more'"));
}

TEST_F(GraphDefTest, InputNamesAreReadAsTensorFlowDoes) {
  auto read = [](std::string_view text) {
    InputName name = ParseInputName(text);
    return fmt::format("{} {}", name.node, name.output);
  };
  EXPECT_EQ(read("a"), "a 0");
  EXPECT_EQ(read("a/b:12"), "a/b 12");
  EXPECT_EQ(read("^a"), "a -1");
  EXPECT_EQ(read("a:"), "a: 0");
  EXPECT_EQ(read("a:b"), "a:b 0");
  EXPECT_EQ(read("a1"), "a1 0");
  EXPECT_EQ(read("12"), "12 0");
  EXPECT_EQ(read(":12"), " 12");
  EXPECT_EQ(read("a:1234567890"), "a:1234567890 0");
}

// Up to half a million nodes in the worst order for sorting, all between one source and one sink.
TEST_F(GraphDefTest, LargeGraphsTakeLinearTime) {
  auto seconds = [&](int nodes) {
    tensorflow::GraphDef def;
    tensorflow::NodeDef& sink = AddNode(&def, "sink", "NoOp");
    for (int i = nodes; i > 0; --i) {
      sink.add_input(fmt::format("^n{}", i));
      AddNode(&def, fmt::format("n{}", i), "AddV2", {fmt::format("n{}", i - 1), "n0"}, {{"T", kFloat}});
    }
    AddConst(&def, "n0", Tensor::Scalar(1.0f));
    Graph graph(registry_);
    auto start = std::chrono::steady_clock::now();
    Result<ImportResult> result = ImportGraphDef(graph, def);
    EXPECT_TRUE(result.ok()) << result.status();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const double small = seconds(20000);
  const double large = seconds(200000);
  EXPECT_LT(large, 60 * small + 1.0) << "seconds for 20,000: " << small << ", for 200,000: " << large;
}

TEST_F(GraphDefTest, ACancelledImportLeavesNothingBehind) {
  for (int i = 0; i < 100; ++i) AddConst(&def_, fmt::format("c{}", i), Tensor::Scalar(1.0f));
  CancelToken cancel;
  EXPECT_TRUE(Import({.prefix = "p", .cancel = &cancel}).ok());
  before_ = graph_.num_nodes();
  cancel.Cancel(Cancelled("the client has left"));
  EXPECT_THAT(ImportError({.prefix = "q", .cancel = &cancel}), HasSubstr("the client has left"));
}

}  // namespace
}  // namespace weir
