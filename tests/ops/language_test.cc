// Tests of the op test language: invalid files are rejected with the line number, and wrong results are detected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "op/gradient_context.h"
#include "op/kernel.h"
#include "op/shape_context.h"
#include "ops/register.h"
#include "runtime/local_session.h"
#include "tests/ops/coverage.h"
#include "tests/ops/run.h"

namespace weir::optest {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Language : public ::testing::Test {
 protected:
  Language() {
    ops::RegisterAllOps(registry_);
    mode_.name = "test";
    mode_.open = [this](std::shared_ptr<Graph> graph) -> Result<std::unique_ptr<Session>> {
      return std::make_unique<LocalSession>(std::move(graph),
                                            LocalSession::Dependencies{pool_, blocking_pool_, RealEnv(), nullptr, {}});
    };
  }
  std::string ParseError(std::string_view text) {
    Result<File> file = ParseFile(registry_, "f", text);
    return file.ok() ? "" : std::string(file.status().message());
  }
  // Runs all cases and returns "line: text" for each problem.
  std::vector<std::string> Problems(std::string_view text) {
    Result<File> file = ParseFile(registry_, "f", text);
    if (!file.ok()) return {std::string(file.status().message())};
    std::vector<std::string> all;
    for (const Case& one : file->cases) {
      for (const Problem& problem : RunCase(registry_, *file, one, mode_).problems) {
        all.push_back(fmt::format("{}: {}", problem.line, problem.text));
      }
    }
    return all;
  }

  OpRegistry registry_;
  ThreadPool pool_{"test", 2};
  ElasticPool blocking_pool_{"test_blocking"};
  RunMode mode_;
};

TEST_F(Language, WrongFilesAreRefusedWithTheirLine) {
  EXPECT_THAT(ParseError("  y == float{1}\n"), HasSubstr("f:1: an indented line before any case"));
  EXPECT_THAT(ParseError("\n\nwhat is this\n"), HasSubstr("f:3: 'what' does not start"));
  EXPECT_THAT(ParseError("case a\n  y = NoSuchOp()\n"), HasSubstr("f:2: there is no op 'NoSuchOp'"));
  EXPECT_THAT(ParseError("case a\n  y = Abs(float{1}; speed=2)\n"),
              HasSubstr("f:2: op 'Abs' has no attribute 'speed'"));
  EXPECT_THAT(ParseError("case a\n  y = Abs(float[2]{1})\n"), HasSubstr("f:2: 1 values for the shape [2]"));
  EXPECT_THAT(ParseError("case a\n  y = Abs(float[2]{1 2}\n"), HasSubstr("f:2: a bracket stays open"));
  EXPECT_THAT(ParseError("case a\n  | x | y\n  | 1\n"), HasSubstr("f:3: 1 cells under 2 columns"));
  EXPECT_THAT(ParseError("case a\n  error InvalidArgument 'x'\n"), HasSubstr("f:2: an error line follows"));
  EXPECT_THAT(ParseError("case a\n  run x\n  error Wrong 'x'\n"), HasSubstr("f:3: 'Wrong' is no error code"));
  EXPECT_THAT(ParseError("case a\n  y == floaty{1}\n"), HasSubstr("f:2: 'floaty' is not an element type"));
}

TEST_F(Language, TablesAndListsOfTypesAreWrittenOut) {
  Result<File> file = ParseFile(registry_, "f",
                                "case $Op of $T for T in float double\n  | Op | x\n  | Abs | 1 2\n  | Neg | 3 4\n"
                                "  y = $Op($T[2]{$x})\n");
  ASSERT_TRUE(file.ok()) << file.status();
  std::vector<std::string> titles;
  for (const Case& one : file->cases) titles.push_back(fmt::format("{} {}", one.line, one.title));
  EXPECT_THAT(titles, ElementsAre("3 Abs of float", "3 Abs of double", "4 Neg of float", "4 Neg of double"));
  EXPECT_EQ(std::get<Literal>(file->cases[3].statements[0].call.args[0].value).value.ToString(), "float64 [2] [3 4]");

  file = ParseFile(registry_, "f", "case sizes for T in float double\n  | x\n  | 1\n  y = Abs($T{$x})\n");
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_EQ(file->cases.size(), 2u);
  EXPECT_EQ(file->cases[1].title, "sizes (x: 1) (T: double)");
}

TEST_F(Language, LiteralsOfAllKinds) {
  EXPECT_THAT(
      Problems("case a\n"
               "  a = Identity(int32[2,3]{1 to 6})\n  a == int32[2,3]{1 2 3 4 5 6}\n"
               "  b = Identity(complex64[5]{1 -2 2i 1-i -1.5+2.5i})\n  b == complex64[5]{1 -2+0i 0+2i 1-1i -1.5+2.5i}\n"
               "  c = Identity(string[3]{\"\\x41\\n\" '# {' ''})\n  c == string[3]{'A\\n' '# {' \"\"}\n"
               "  d = Identity(float[4]{1 0 ...})  # a comment\n  d == float[4]{1 0 1 0}\n"
               "  e = Identity(bool[3]{true 0 1})\n  e == bool[3]{1 false true}\n"
               "  f = Identity(double[3]{nan inf -inf})\n  f == double[3]{nan inf -inf}\n"
               "  g = Identity(uint64{18446744073709551615})\n  g == uint64{18446744073709551615}\n"
               "  h = Identity(float[2,0]{})\n  h == float[2,0]{}\n"
               "  i = Identity(double[3]{random 5 6})\n  i between 5 and 6\n"),
      IsEmpty());
}

TEST_F(Language, WrongResultsAreSeen) {
  EXPECT_THAT(Problems("case a\n  y = Abs(float[2]{1 2})\n  y == float[2]{1 3}\n"),
              ElementsAre(HasSubstr("3: y:0 is float32 [2] [1 2], not float32 [2] [1 3]: element 1 is off by 1")));
  EXPECT_THAT(Problems("case a\n  y = Abs(float{1})\n  y == double{1}\n"), ElementsAre(HasSubstr("3: y:0 is float32")));
  EXPECT_THAT(Problems("case a\n  y = Abs(float{1})\n  y == float[1]{1}\n"),
              ElementsAre(HasSubstr("3: y:0 is float32 []")));
  EXPECT_THAT(Problems("case a\n  y = Abs(float{1})\n  y == float{nan}\n"), ElementsAre(HasSubstr("3: y:0 is")));
  EXPECT_THAT(Problems("case a\n  y = Abs(float{1})\n  y == float{1.001}\n  y == float{1.001} within 0.01\n"),
              ElementsAre(HasSubstr("3: y:0 is")));
  EXPECT_THAT(Problems("case a\n  y = Abs(int32{100})\n  y == int32{98} within 2\n  y == int32{98} within 1\n"),
              ElementsAre(HasSubstr("4: y:0 is")));
  EXPECT_THAT(Problems("case a\n  y = Abs(float{1})\n  y is float[1]\n"),
              ElementsAre(HasSubstr("3: y:0 is float32 []")));
  EXPECT_THAT(Problems("case a\n  y = Abs(float{3})\n  y between 0 and 2\n"), ElementsAre(HasSubstr("not in [0, 2]")));
  EXPECT_THAT(Problems("case a\n  Abs(float{3})\n  error InvalidArgument 'x'\n"), ElementsAre("3: there was no error"));
  EXPECT_THAT(Problems("case a\n  MatMul(float[2,3]{0 ...}, float[2,3]{0 ...})\n  error NotFound 'M'\n"),
              ElementsAre(HasSubstr("3: the error is: INVALID_ARGUMENT")));
  EXPECT_THAT(Problems("shape Abs([2,?]) -> [2,3]\n"),
              ElementsAre(HasSubstr("1: INTERNAL: the shape function gives [2,?]")));
  EXPECT_THAT(Problems("shape Abs([2,?]) -> error 'x'\n"), ElementsAre(HasSubstr("there was no error")));
  EXPECT_THAT(Problems("case a\n  y = Abs(float[2]{1 2})\n  shape y -> [3]\n"),
              ElementsAre(HasSubstr("known as [2], not [3]")));
  EXPECT_THAT(Problems("case a\n  y = Abs(float{1})\n  covers Neg\n"), ElementsAre(HasSubstr("no node of the case")));
}

TEST_F(Language, WrongGradientsAndShapesAreSeen) {
  // An op with a wrong gradient, a wrong shape function and errors that do not name it.
  registry_.Add({.name = "Twice",
                 .signature = "x: T -> y: T",
                 .attrs = {"T: {float, double}"},
                 .shape = FixedShapes("[7]"),
                 .gradient = [](GradientContext& g) -> Result<Gradients> { return Gradients{g.d_output(0)}; },
                 .kernels = CpuKernel([](KernelSetup&) -> Result<Kernel> {
                   return Kernel::Sync([](KernelContext& ctx) -> Status {
                     WEIR_ASSIGN(Tensor y, ctx.Allocate(0, ctx.input(0).shape()));
                     for (int64_t i = 0; i < y.num_elements(); ++i)
                       y.data<double>()[i] = 2 * ctx.input(0).data<double>()[i];
                     return OkStatus();
                   });
                 })});
  EXPECT_THAT(Problems("case a\n  y = Twice(double[7]{random})\n  gradient y\n"),
              ElementsAre(HasSubstr("by differences 1.08")));
  EXPECT_THAT(Problems("random Twice(double[7])\n"), ElementsAre(HasSubstr("by differences 1.08")));
  EXPECT_THAT(Problems("random Twice(double[3])\n"), ElementsAre(HasSubstr("is known as float64 [7] before the run")));
  EXPECT_THAT(Problems("case a\n  y = Square(double[2]{1 2})\n  gradient y\n"), IsEmpty());
  EXPECT_THAT(Problems("case a\n  y = Square(double[2]{1 2})\n  gradient y is none\n"),
              ElementsAre(HasSubstr("a gradient reaches what is fed")));
  EXPECT_THAT(Problems("case a\n  y = Floor(double[2]{1.5 2.5})\n  gradient y\n"),
              ElementsAre(HasSubstr("no gradient reaches what is fed")));
}

TEST_F(Language, CoverageListsMissingOpsAndStaleReasons) {
  Result<File> file = ParseFile(registry_, "f",
                                "case a\n  y = MatMul(double[1,1]{1}, double[1,1]{1})\n  y == double[1,1]{1}\n"
                                "shape MatMul([2,?], [?,3]) -> [2,3]\nrandom Neg(double[2])\n"
                                "shape Abs([2]) -> error 'x'\n");
  ASSERT_TRUE(file.ok()) << file.status();
  Coverage coverage;
  AddCoverage(registry_, *file, &coverage);
  const Groups groups = {{"math", {"Abs", "MatMul"}}, {"nn", {"Neg"}}};
  CoverageReport report = CheckCoverage(registry_, groups, coverage, "todo nn\n");
  EXPECT_THAT(report.wrong,
              ElementsAre("math: Abs lacks gradient, shape, value", "math: MatMul lacks error, gradient"));
  EXPECT_THAT(report.todo, ElementsAre("nn: Neg lacks error, shape, value"));
  report = CheckCoverage(
      registry_, groups, coverage,
      "# why\ntodo nn\nAbs gradient,shape,value not needed in this test\nMatMul error,gradient not needed here\n");
  EXPECT_THAT(report.wrong, IsEmpty());
  report = CheckCoverage(registry_, groups, coverage,
                         "MatMul value,error it has a value\nAbsent value it is not there\nAbs value no\n");
  EXPECT_THAT(report.wrong, Contains("MatMul: reasons.txt excuses its value, but a case has it"));
  EXPECT_THAT(report.wrong, Contains("reasons.txt:2: there is no such op: Absent value it is not there"));
  EXPECT_THAT(report.wrong, Contains("reasons.txt:3: an op, its checks and a reason in words expected: Abs value no"));
}

}  // namespace
}  // namespace weir::optest
