// Tests that deeply nested function calls start, end, fail and are cancelled without using the stack.
#include <gmock/gmock.h>

#include "graph/attr_proto.h"
#include "graph/function_library.h"
#include "runtime/small_ops_test.h"

namespace weir {
namespace {

using ::testing::HasSubstr;

constexpr int kDepth = 6000;

class FunctionCallsTest : public SmallGraph {
 protected:
  // f(x) = op(x), or op() if `takes_x` is false. An op may also be another function.
  void AddFunction(const std::string& name, const std::vector<std::string>& ops, bool takes_x = true) {
    tensorflow::FunctionDef def;
    def.mutable_signature()->set_is_stateful(ops.size() > 1);  // so that all calls run, not only that of the result
    def.mutable_signature()->set_name(name);
    tensorflow::OpDef::ArgDef* x = def.mutable_signature()->add_input_arg();
    x->set_name("x");
    x->set_type(tensorflow::DT_FLOAT);
    tensorflow::OpDef::ArgDef* y = def.mutable_signature()->add_output_arg();
    y->set_name("y");
    y->set_type(tensorflow::DT_FLOAT);
    for (size_t i = 0; i < ops.size(); ++i) {
      tensorflow::NodeDef* node = def.add_node_def();
      node->set_name(fmt::format("n{}", i));
      node->set_op(ops[i]);
      if (takes_x) node->add_input("x");
      if (ops[i] == "Later" || ops[i] == "Fail") ToProto(AttrValue(kFloat), &(*node->mutable_attr())["T"]);
    }
    (*def.mutable_ret())["y"] = "n0:y:0";
    const Status status = graph_->functions().Add(def);
    ASSERT_TRUE(status.ok()) << status;
  }
  // Adds functions f0 to f<kDepth - 1>. Each calls the next one; the last one calls `op`.
  void AddChain(const std::string& op, bool takes_x = true) {
    for (int i = 0; i + 1 < kDepth; ++i) AddFunction(fmt::format("f{}", i), {fmt::format("f{}", i + 1)});
    AddFunction(fmt::format("f{}", kDepth - 1), {op}, takes_x);
  }
  Status Error(Output fetch, int timeout_ms = 0) {
    RunRequest request;
    tensorflow::RunOptions options;
    options.set_timeout_in_ms(timeout_ms);
    request.options = &options;
    request.fetches = {fetch};
    return session().Run(request).status();
  }
};

TEST_F(FunctionCallsTest, ValuesComeBackThroughManyCalls) {
  AddChain("Later");
  const Output y = Op("f0", {Const(7)});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Value(y), 7);
}

TEST_F(FunctionCallsTest, ErrorsComeBackThroughManyCalls) {
  AddChain("Fail");
  const Status error = Error(Op("f0", {Const(7)}, "outer"));
  EXPECT_EQ(error.code(), StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(error.message()), HasSubstr("[[node 'n0' (Fail)]]"));
  EXPECT_THAT(std::string(error.message()), HasSubstr("[[node 'outer' (f0)]]"));
  EXPECT_LT(error.message().size(), 2000u) << "only some of the calls are named";
}

TEST_F(FunctionCallsTest, ManyCallsAreCancelled) {
  AddChain("Forever", /*takes_x=*/false);
  EXPECT_EQ(Error(Op("f0", {Const(7)}), 300).code(), StatusCode::kDeadlineExceeded);
}

TEST_F(FunctionCallsTest, AFunctionThatCallsItselfWithoutEnd) {
  AddFunction("once", {"once"});
  AddFunction("twice", {"twice", "twice"});
  AddFunction("often", std::vector<std::string>(50, "often"));
  for (const char* name : {"once", "twice"}) {
    const Status error = Error(Op(name, {Const(1)}));
    EXPECT_EQ(error.code(), StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(error.message()),
                HasSubstr(fmt::format("Calls of function '{}' are nested more than 20000 levels deep", name)));
    EXPECT_THAT(std::string(error.message()), HasSubstr("WEIR_MAX_CALL_DEPTH"));
  }
  const Status error = Error(Op("often", {Const(1)}));
  EXPECT_EQ(error.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(error.message()), HasSubstr("WEIR_MAX_CALLS"));
}

}  // namespace
}  // namespace weir
