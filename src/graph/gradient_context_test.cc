#include "op/gradient_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>

#include "graph/gradients.h"
#include "graph/node_builder.h"
#include "ops/register.h"

namespace weir {
namespace {

using ::testing::HasSubstr;

// The error of differentiating an op whose gradient function calls `use`.
std::string ErrorOf(const std::function<void(GradientContext&)>& use) {
  OpRegistry registry;
  ops::RegisterAllOps(registry);
  registry.Add({.name = "Twice",
                .signature = "x: float -> y: float",
                .gradient = [&use](GradientContext& g) -> Result<Gradients> {
                  use(g);
                  return Gradients{Grad()};
                }});
  Graph graph(registry);
  const Output x = NodeBuilder(graph, "Placeholder", "x").Attr("dtype", AttrValue(kFloat)).BuildOutput();
  const Output y = NodeBuilder(graph, "Twice", "twice").In(x).BuildOutput();
  return std::string(AddGradients(graph, {y}, {x}).status().message());
}

TEST(GradientContextTest, IndicesOutOfRangeAreErrors) {
  EXPECT_EQ(ErrorOf([](GradientContext& g) { EXPECT_TRUE(g.input(0).valid() && g.d_output(0).valid()); }), "");
  for (const int i : {1, -1, INT_MIN}) {
    const std::string where = "gradient of 'twice' (op Twice)";
    const std::string input = fmt::format("used input {}, but there are 1 inputs", i);
    const std::string output = fmt::format("used output {}, but there are 1 outputs", i);
    EXPECT_THAT(ErrorOf([i](GradientContext& g) { EXPECT_FALSE(g.input(i).valid()); }), HasSubstr(where));
    EXPECT_THAT(ErrorOf([i](GradientContext& g) { EXPECT_FALSE(g.input(i).valid()); }), HasSubstr(input));
    EXPECT_THAT(ErrorOf([i](GradientContext& g) { EXPECT_FALSE(g.output(i).valid()); }), HasSubstr(output));
    EXPECT_THAT(ErrorOf([i](GradientContext& g) { EXPECT_FALSE(g.d_output(i).valid()); }), HasSubstr(output));
    EXPECT_THAT(ErrorOf([i](GradientContext& g) { EXPECT_FALSE(HasGrad(g.raw_d_output(i))); }), HasSubstr(output));
  }
}

}  // namespace
}  // namespace weir
