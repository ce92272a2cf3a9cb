// Imports loops and gradients that TensorFlow built, runs them, and compares with the same program built here.
// tests/data/tensorflow_nested_loops.pb is what TensorFlow's graph mode exports for Program below; the expected numbers
// are its results.
#include <fstream>
#include <sstream>

#include "graph/compose/tensor_array.h"
#include "graph/flow_session_test.h"
#include "graph/graph_def.h"

namespace weir {
namespace {

using ::testing::ElementsAre;

class FlowImportTest : public FlowTest {
 protected:
  struct Program {
    Output x;
    Output n;
    Output y;
    Output dx;
  };

  void Check(const Program& p) {
    const auto feeds = [&](std::initializer_list<float> x, int32_t n) {
      return std::vector<Feed>{{p.x, Tensor::Vector<float>(x)}, {p.n, Tensor::Scalar(n)}};
    };
    EXPECT_EQ(Float(p.y, feeds({1, 2}, 4)), 142);
    EXPECT_THAT(Floats(p.dx, feeds({1, 2}, 4)), ElementsAre(15.875, 433.25));
    EXPECT_EQ(Float(p.y, feeds({0.5}, 3)), 4.4375);
    EXPECT_THAT(Floats(p.dx, feeds({0.5}, 3)), ElementsAre(11.375));
    EXPECT_EQ(Float(p.y, feeds({1, 2, 3}, 0)), 6);
    EXPECT_THAT(Floats(p.dx, feeds({1, 2, 3}, 0)), ElementsAre(1, 1, 1));
  }
};

TEST_F(FlowImportTest, TensorFlowsLoopsRunHere) {
  std::ifstream file("tests/data/tensorflow_nested_loops.pb", std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  tensorflow::GraphDef def;
  ASSERT_TRUE(def.ParseFromString(bytes.str())) << "run in the root of the source tree";
  Result<ImportResult> imported = ImportGraphDef(graph(), def);
  ASSERT_TRUE(imported.ok()) << imported.status();
  const auto find = [&](const char* name) { return Must(graph().FindOutput(name)); };
  Check({find("x:0"), find("n:0"), find("y:0"), find("dx:0")});
}

TEST_F(FlowImportTest, TheSameProgramBuiltHere) {
  Program p;
  p.x = PlaceholderOf({-1});
  p.n = PlaceholderOf(PartialShape::Scalar(), kInt32);
  Output x = p.x;
  TensorArray sums(graph(), kFloat, p.n);
  OutputList out = Must(WhileLoop(
      graph(), [&](const OutputList& v) -> Result<Output> { return Less(v[0], p.n); },
      [&](const OutputList& v) -> Result<OutputList> {
        WEIR_ASSIGN(OutputList inner,
                    WhileLoop(
                        graph(), [&](const OutputList& w) -> Result<Output> { return Less(w[0], v[0]); },
                        [&](const OutputList& w) -> Result<OutputList> {
                          return OutputList{w[0] + 1, w[1] * x + 0.5f};
                        },
                        {0, v[1]}));
        WEIR_ASSIGN(OutputList chosen, Cond(
                                           graph(), Greater(Sum(inner[1], 0), 10.0f),
                                           [&]() -> Result<OutputList> { return OutputList{inner[1] / 2.0f}; },
                                           [&]() -> Result<OutputList> { return OutputList{inner[1] + x * x}; }));
        return OutputList{v[0] + 1, chosen[0], sums.WithFlow(v[2]).Write(v[0], Sum(chosen[0], 0)).flow()};
      },
      {0, x, sums.flow()}));
  p.y = Sum(out[1], 0) + Sum(sums.WithFlow(out[2]).Stack(), 0);
  p.dx = GradientOf(p.y, x);
  Check(p);
}

}  // namespace
}  // namespace weir
