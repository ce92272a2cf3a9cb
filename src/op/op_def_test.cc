#include "op/op_def.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "op/op_registry.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

AttrDef Attr(std::string_view text) {
  Result<AttrDef> attr = ParseAttr(text);
  EXPECT_TRUE(attr.ok()) << text << ": " << attr.status();
  return attr.ok() ? *attr : AttrDef();
}
AttrValue Default(std::string_view text) {
  const AttrDef attr = Attr(text);
  EXPECT_TRUE(attr.default_value.has_value()) << text;
  return attr.default_value.value_or(AttrValue());
}
std::string AttrError(std::string_view text) {
  Result<AttrDef> attr = ParseAttr(text);
  EXPECT_FALSE(attr.ok()) << text;
  return std::string(attr.status().message());
}
OpDef Op(OpEntry entry) {
  Result<OpDef> op = ParseOp(std::move(entry));
  EXPECT_TRUE(op.ok()) << op.status();
  return op.ok() ? *op : OpDef();
}
std::string OpError(std::string signature, std::vector<std::string> attrs = {}) {
  Result<OpDef> op = ParseOp({.name = "Bad", .signature = signature, .attrs = std::move(attrs)});
  EXPECT_FALSE(op.ok()) << signature;
  return std::string(op.status().message());
}

TEST(ParseAttrTest, Kinds) {
  for (const char* kind : {"string", "int", "float", "bool", "type", "shape", "tensor", "func"}) {
    EXPECT_EQ(Attr(fmt::format("a: {}", kind)).type, kind);
    EXPECT_EQ(Attr(fmt::format("a:list( {} )", kind)).type, fmt::format("list({})", kind));
  }
  const AttrDef types = Attr("T: {half, bfloat16, float, double, int32, resource}");
  EXPECT_EQ(types.type, "type");
  EXPECT_THAT(types.allowed_types, ElementsAre(kHalf, kBFloat16, kFloat, kDouble, kInt32, kResource));
  EXPECT_THAT(Attr("padding: {'SAME', \"VALID\"}").allowed_strings, ElementsAre("SAME", "VALID"));
  EXPECT_EQ(Attr("a: list({'x', 'y'})").type, "list(string)");
  EXPECT_EQ(Attr("a: list({int32, int64}) >= 1").type, "list(type)");
  EXPECT_THAT(Attr("T: numbertype").allowed_types,
              ElementsAre(kFloat, kDouble, kInt32, kUint8, kInt16, kInt8, kComplex64, kInt64, kQint8, kQuint8, kQint32,
                          kBFloat16, kQint16, kQuint16, kUint16, kComplex128, kHalf, kUint32, kUint64));
  EXPECT_THAT(Attr("T: realnumbertype").allowed_types, SizeIs(12));
  EXPECT_THAT(Attr("T: {quantizedtype, bool}").allowed_types,
              ElementsAre(kQint8, kQuint8, kQint32, kQint16, kQuint16, kBool));
}

TEST(ParseAttrTest, Minima) {
  EXPECT_EQ(Attr("N: int >= 1").minimum, 1);
  EXPECT_EQ(Attr("N: int >= -5 = 2").minimum, -5);
  EXPECT_EQ(Attr("Tout: list(type) >= 0").minimum, 0);
  EXPECT_EQ(Attr("N: int").minimum, std::nullopt);
}

TEST(ParseAttrTest, Defaults) {
  EXPECT_EQ(Default("T: {float, double} = DT_DOUBLE"), AttrValue(kDouble));
  EXPECT_EQ(Default("a: type = DT_FLOAT"), AttrValue(kFloat));
  EXPECT_EQ(Default("a: list(type) = [DT_INT32, DT_STRING]"), AttrValue(std::vector<DType>{kInt32, kString}));
  EXPECT_EQ(Default("a: list(int) = []"), AttrValue(std::vector<int64_t>{}));
  EXPECT_EQ(Default("a: list(int) = [1, -2]"), AttrValue(std::vector<int64_t>{1, -2}));
  EXPECT_EQ(Default("a: int = -1"), AttrValue(-1));
  EXPECT_EQ(Default("a: float = 1e-3"), AttrValue(1e-3));
  EXPECT_EQ(Default("a: float = -1"), AttrValue(-1.0));
  EXPECT_EQ(Default("a: list(float) = [0.5, 1]"), AttrValue(std::vector<float>{0.5f, 1.f}));
  EXPECT_EQ(Default("a: bool = true"), AttrValue(true));
  EXPECT_EQ(Default("a: string = ''"), AttrValue(""));
  EXPECT_EQ(Default("a: {'SAME', 'VALID'} = \"SAME\""), AttrValue("SAME"));
  EXPECT_EQ(Default("a: string = 'it\\'s'"), AttrValue("it's"));
  EXPECT_EQ(Default("a: shape = {}"), AttrValue(PartialShape::Scalar()));
  EXPECT_EQ(Default("a: shape = []"), AttrValue(PartialShape::Scalar()));
  EXPECT_EQ(Default("a: shape = { unknown_rank: true }"), AttrValue(PartialShape()));
  EXPECT_EQ(Default("a: shape = { dim { size: 2 } dim { size: -1 } }"), AttrValue(PartialShape{2, -1}));
  EXPECT_EQ(Default("a: shape = [2,?]"), AttrValue(PartialShape{2, -1}));
  EXPECT_EQ(Default("a: list(shape) = [{}, [3]]"),
            AttrValue(std::vector<PartialShape>{PartialShape::Scalar(), PartialShape{3}}));
  EXPECT_EQ(Default("f: func = { name: 'g' }"), AttrValue(FuncAttr{"g", nullptr}));
  EXPECT_EQ(Default("t: tensor = uint8[255, 0, 7]"), AttrValue(Tensor::Vector<uint8_t>({255, 0, 7})));
  EXPECT_EQ(Default("f: list(func) = []"), AttrValue(std::vector<FuncAttr>{}));
}

TEST(ParseAttrTest, ErrorsQuoteTheText) {
  EXPECT_THAT(AttrError("T {float}"), HasSubstr("':' expected at '{float}' in 'T {float}'"));
  EXPECT_THAT(AttrError("T: {float, int33}"), HasSubstr("'int33' is not an element type"));
  EXPECT_THAT(AttrError("T: {float"), HasSubstr("'}' expected"));
  EXPECT_THAT(AttrError("T: number"), HasSubstr("'number' is not an attribute kind"));
  EXPECT_THAT(AttrError("T: list(int"), HasSubstr("')' expected"));
  EXPECT_THAT(AttrError("a: string >= 1"), HasSubstr("only an int or a list has a minimum"));
  EXPECT_THAT(AttrError("a: int = x"), HasSubstr("a number expected"));
  EXPECT_THAT(AttrError("a: int = 99999999999999999999"), HasSubstr("out of range"));
  EXPECT_THAT(AttrError("a: bool = maybe"), HasSubstr("true or false expected"));
  EXPECT_THAT(AttrError("a: string = 'x"), HasSubstr("unterminated string"));
  EXPECT_THAT(AttrError("a: int = 1 2"), HasSubstr("text left over"));
  EXPECT_THAT(AttrError("a: int >= 3 = 1"), HasSubstr("passed 1 less than minimum 3."));
  EXPECT_THAT(AttrError("a: {'x'} = 'y'"), HasSubstr("passed string 'y' not in: \"x\"."));
  EXPECT_THAT(AttrError("a: shape = { dim { size: -7 } }"), ::testing::Not(""));
  EXPECT_THAT(AttrError("a: tensor = 1"), HasSubstr("a vector of uint8"));
  EXPECT_THAT(AttrError("a: tensor = uint8[1, 256]"), HasSubstr("0 to 255 expected"));
  EXPECT_THAT(AttrError("a: list(tensor) = [uint8[1]]"), HasSubstr("default of a list of tensors is []"));
  EXPECT_THAT(AttrError(""), HasSubstr("a name expected"));
  EXPECT_THAT(AttrError("1a: int"), HasSubstr("a name expected"));
}

TEST(ParseOpTest, Signatures) {
  const OpDef op = Op({.name = "Many",
                       .signature = "x: T, ref: Ref(T), values: N * T, dims: N*int32, args: Targs, vars: N * Ref(T), "
                                    "more: Ref(N * float) -> y: T, out: Targs",
                       .attrs = {"T: type", "N: int >= 1", "Targs: list(type)"},
                       .traits = kNeverBlocks,
                       .stateful = true});
  ASSERT_THAT(op.inputs, SizeIs(7));
  EXPECT_EQ(op.inputs[0].type_attr, "T");
  EXPECT_FALSE(op.inputs[0].is_list());
  EXPECT_TRUE(op.inputs[1].is_ref);
  EXPECT_EQ(op.inputs[1].type_attr, "T");
  EXPECT_EQ(op.inputs[2].number_attr, "N");
  EXPECT_EQ(op.inputs[3].type, kInt32);
  EXPECT_TRUE(op.inputs[3].is_list());
  EXPECT_EQ(op.inputs[4].type_list_attr, "Targs");
  EXPECT_TRUE(op.inputs[5].is_ref);
  EXPECT_EQ(op.inputs[5].number_attr, "N");
  EXPECT_TRUE(op.inputs[6].is_ref);
  EXPECT_EQ(op.inputs[6].type, kFloat);
  ASSERT_THAT(op.outputs, SizeIs(2));
  EXPECT_EQ(op.outputs[1].name, "out");
  EXPECT_TRUE(op.stateful);
  ASSERT_NE(op.FindAttr("N"), nullptr);
  EXPECT_EQ(op.FindAttr("n"), nullptr);

  EXPECT_THAT(Op({.name = "NoOp", .signature = ""}).inputs, SizeIs(0));
  EXPECT_THAT(Op({.name = "A", .signature = "->"}).outputs, SizeIs(0));
  EXPECT_THAT(Op({.name = "A", .signature = "-> y: int32"}).outputs, SizeIs(1));
  EXPECT_THAT(Op({.name = "A", .signature = "x: int32"}).inputs, SizeIs(1));
  EXPECT_THAT(Op({.name = "A", .signature = "x: int32 ->"}).outputs, SizeIs(0));
}

TEST(ParseOpTest, Errors) {
  EXPECT_THAT(OpError("x: T"), HasSubstr("schema of op 'Bad'"));
  EXPECT_THAT(OpError("x: T"), HasSubstr("'T' is neither an element type nor a declared attribute"));
  EXPECT_THAT(OpError("x: N * int32"), HasSubstr("'N' is not an attribute of kind int"));
  EXPECT_THAT(OpError("x: N", {"N: int"}), HasSubstr("is not allowed here"));
  EXPECT_THAT(OpError("x: N * Ts", {"N: int", "Ts: list(type)"}), HasSubstr("is not allowed here"));
  EXPECT_THAT(OpError("x: Ref(Ref(float))"), HasSubstr("Ref inside Ref"));
  EXPECT_THAT(OpError("x: float y: float"), HasSubstr("',' or '->' expected"));
  EXPECT_THAT(OpError("x: float, x: float"), HasSubstr("'x' is declared twice"));
  EXPECT_THAT(OpError("x: float -> y: float z"), HasSubstr("text left over"));
  EXPECT_THAT(OpError("x"), HasSubstr("':' expected"));
  EXPECT_THAT(OpError("x: float,"), HasSubstr("a name expected"));
  EXPECT_THAT(OpError("", {"T: type", "T: int"}), HasSubstr("declared twice"));
  EXPECT_FALSE(ParseOp({.name = "", .signature = ""}).ok());
}

OpDef ConcatLike() {
  return Op({.name = "ConcatLike",
             .signature = "axis: int32, values: N * T -> output: T",
             .attrs = {"N: int >= 2", "T: {float, int32}", "alpha: float = 0.5", "names: list(string) >= 1 = ['a']",
                       "mode: {'x', 'y'} = 'x'", "f: func = {}"}});
}
std::string CheckError(AttrMap attrs) {
  Status status = CheckAndCompleteAttrs(ConcatLike(), &attrs);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
  return std::string(status.message());
}

TEST(CheckAndCompleteAttrsTest, FillsDefaultsAndKeepsPrivateAttributes) {
  AttrMap attrs{{"N", 3}, {"T", kFloat}, {"_class", std::vector<std::string>{"loc:@x"}}};
  ASSERT_TRUE(CheckAndCompleteAttrs(ConcatLike(), &attrs).ok());
  EXPECT_EQ(attrs.size(), 7u);
  EXPECT_EQ(attrs.at("alpha"), AttrValue(0.5));
  EXPECT_EQ(attrs.at("mode"), AttrValue("x"));
  EXPECT_TRUE(attrs.contains("_class"));
}

TEST(CheckAndCompleteAttrsTest, ConvertsCompatibleValues) {
  AttrMap attrs{{"N", 3}, {"T", AttrPlaceholder{"T"}}, {"alpha", 2}};
  ASSERT_TRUE(CheckAndCompleteAttrs(ConcatLike(), &attrs).ok());
  EXPECT_EQ(attrs.at("alpha"), AttrValue(2.0));
  const OpDef op = Op({.name = "L", .signature = "", .attrs = {"l: list(float)", "t: list(tensor)"}});
  const AttrValue empty{AttrValue::Value(EmptyList{})};
  AttrMap lists{{"l", empty}, {"t", empty}};
  ASSERT_TRUE(CheckAndCompleteAttrs(op, &lists).ok());
  EXPECT_EQ(lists.at("l").Kind(), "list(float)");
  EXPECT_EQ(lists.at("t").Kind(), "list(tensor)");
  lists["l"] = std::vector<int64_t>{1, 2};
  ASSERT_TRUE(CheckAndCompleteAttrs(op, &lists).ok());
  EXPECT_EQ(lists.at("l"), AttrValue(std::vector<float>{1, 2}));
}

TEST(CheckAndCompleteAttrsTest, Errors) {
  EXPECT_THAT(CheckError({{"N", 2}}), HasSubstr("op 'ConcatLike' needs the attribute 'T' (type)"));
  EXPECT_THAT(CheckError({{"N", 1}, {"T", kFloat}}), HasSubstr("passed 1 less than minimum 2."));
  EXPECT_THAT(CheckError({{"N", 2}, {"T", kString}}),
              HasSubstr("'T' has DataType string not in list of allowed values"));
  EXPECT_THAT(CheckError({{"N", 2}, {"T", RefType(kFloat)}}), HasSubstr("not in list of allowed values"));
  EXPECT_THAT(CheckError({{"N", kFloat}, {"T", kFloat}}), HasSubstr("'N' must be of kind int, but holds type"));
  EXPECT_THAT(CheckError({{"N", 2}, {"T", kFloat}, {"mode", "z"}}), HasSubstr("\"x\", \"y\""));
  EXPECT_THAT(CheckError({{"N", 2}, {"T", kFloat}, {"names", std::vector<std::string>{}}}),
              HasSubstr("passed list of length 0 less than minimum 1."));
  EXPECT_THAT(CheckError({{"N", 2}, {"T", kFloat}, {"names", AttrValue()}}), HasSubstr("holds nothing"));
  EXPECT_THAT(CheckError({{"N", 2}, {"T", kFloat}, {"other", 1}}), HasSubstr("no attribute 'other'"));
  EXPECT_THAT(CheckError({{"N", 2}, {"T", kFloat}, {"", 1}}), HasSubstr("no attribute ''"));
}

OpDef ParseLike() {
  return Op({.name = "ParseLike",
             .signature = "keys: N * string -> values: types",
             .attrs = {"N: int", "types: list(type)", "shapes: list(shape) = []"},
             .equal_lengths = {"N = types = shapes?"}});
}

TEST(CheckAndCompleteAttrsTest, LengthsMustBeEqual) {
  const std::vector<DType> two = {kFloat, kInt64};
  auto check = [](AttrMap attrs) { return std::string(CheckAndCompleteAttrs(ParseLike(), &attrs).message()); };
  EXPECT_EQ(check({{"N", 2}, {"types", two}}), "");
  EXPECT_EQ(check({{"N", 2}, {"types", two}, {"shapes", std::vector<PartialShape>(2)}}), "");
  EXPECT_EQ(check({{"N", 0}, {"types", std::vector<DType>{}}}), "");
  EXPECT_EQ(check({{"N", 1}, {"types", AttrPlaceholder{"T"}}}), "");
  EXPECT_THAT(check({{"N", 1}, {"types", two}}),
              HasSubstr("op 'ParseLike': attributes 'N' and 'types' must have the same length, but have 1 and 2"));
  EXPECT_THAT(check({{"N", 0}, {"types", two}}), HasSubstr("have 0 and 2"));
  EXPECT_THAT(check({{"N", 2}, {"types", two}, {"shapes", std::vector<PartialShape>(3)}}),
              HasSubstr("attributes 'N' and 'shapes' must have the same length, but have 2 and 3"));
  EXPECT_THAT(check({{"N", 1}, {"types", AttrPlaceholder{"T"}}, {"shapes", std::vector<PartialShape>(3)}}),
              HasSubstr("'N' and 'shapes'"));
}

TEST(ParseOpTest, EqualLengthsNameCountsAndLists) {
  auto error = [](std::string lengths) {
    return std::string(ParseOp({.name = "Bad",
                                .signature = "",
                                .attrs = {"N: int", "x: float", "l: list(int)"},
                                .equal_lengths = {std::move(lengths)}})
                           .status()
                           .message());
  };
  EXPECT_EQ(error("N = l?"), "");
  EXPECT_THAT(error("N = x"), HasSubstr("'x' is not an attribute of kind int or list"));
  EXPECT_THAT(error("N = other"), HasSubstr("schema of op 'Bad'"));
  EXPECT_THAT(error("N l"), HasSubstr("'=' expected"));
}

TEST(ArgTypesTest, FlattensLists) {
  const OpDef op = Op({.name = "M",
                       .signature = "a: N * T, r: Ref(T), l: Ts, i: int64 -> o: Ts",
                       .attrs = {"N: int", "T: type", "Ts: list(type)"}});
  const AttrMap attrs{{"N", 2}, {"T", kFloat}, {"Ts", std::vector<DType>{kInt32, kString}}};
  EXPECT_THAT(*ArgTypes(op.inputs, attrs), ElementsAre(kFloat, kFloat, RefType(kFloat), kInt32, kString, kInt64));
  EXPECT_THAT(*ArgTypes(op.outputs, attrs), ElementsAre(kInt32, kString));
  EXPECT_EQ(*ArgCount(op.inputs[0], attrs), 2);
  EXPECT_EQ(*ArgCount(op.inputs[1], attrs), 1);
  EXPECT_EQ(*ArgCount(op.inputs[2], attrs), 2);
  const AttrMap none{{"N", 0}, {"T", kFloat}, {"Ts", AttrValue(AttrValue::Value(EmptyList{}))}};
  EXPECT_THAT(*ArgTypes(op.inputs, none), ElementsAre(RefType(kFloat), kInt64));
}

TEST(ArgTypesTest, WrongCountsAreErrors) {
  const OpDef op = Op({.name = "M", .signature = "a: N * T", .attrs = {"N: int", "T: type"}});
  EXPECT_THAT(ArgTypes(op.inputs, {{"N", -1}, {"T", kFloat}}).status().message(), HasSubstr("negative"));
  EXPECT_THAT(ArgTypes(op.inputs, {{"N", int64_t{1} << 62}, {"T", kFloat}}).status().message(), HasSubstr("at most"));
  EXPECT_THAT(ArgTypes(op.inputs, {{"N", 1}, {"T", kInvalidType}}).status().message(), HasSubstr("no valid type"));
  EXPECT_FALSE(ArgTypes(op.inputs, {{"N", 1}}).ok());
  EXPECT_FALSE(ArgTypes(op.inputs, {{"N", 1}, {"T", AttrPlaceholder{"T"}}}).ok());
}

TEST(OpRegistryTest, FindsParsesAndLists) {
  OpRegistry registry;
  registry.Add({.name = "B", .signature = "x: T -> y: T", .attrs = {"T: type"}});
  registry.Add({.name = "A", .signature = ""});
  EXPECT_THAT(registry.Names(), ElementsAre("A", "B"));
  EXPECT_EQ(registry.Find("C"), nullptr);
  registry.AddKernels("B", {KernelDef{.device = "GPU", .types = {{"T", kFloat}}, .make = {}, .host_memory = {"x"}}});
  EXPECT_TRUE(registry.Validate().ok());
  const OpDef* op = registry.Find("B");
  ASSERT_NE(op, nullptr);
  EXPECT_THAT(op->inputs, SizeIs(1));
  EXPECT_THAT(op->kernels, SizeIs(1));
  EXPECT_EQ(registry.Find("B"), op);
  EXPECT_TRUE(registry.Validate().ok());
}

TEST(OpRegistryTest, ValidateChecksKernelsAgainstTheSchema) {
  auto error = [](KernelDef kernel) {
    OpRegistry registry;
    registry.Add({.name = "A", .signature = "x: T", .attrs = {"T: {float}", "n: int = 1"}, .kernels = {kernel}});
    return std::string(registry.Validate().message());
  };
  EXPECT_EQ(error({.types = {{"T", kFloat}}, .make = {}, .host_memory = {}}), "");
  EXPECT_THAT(error({.types = {{"T", kInt32}}, .make = {}, .host_memory = {}}), HasSubstr("does not allow"));
  EXPECT_THAT(error({.types = {{"n", kFloat}}, .make = {}, .host_memory = {}}), HasSubstr("no such type attribute"));
  EXPECT_THAT(error({.types = {}, .make = {}, .host_memory = {"z"}}), HasSubstr("not an argument"));
}

TEST(OpRegistryTest, ValidateReportsMalformedSchemas) {
  OpRegistry registry;
  registry.Add({.name = "A", .signature = "x: T"});
  EXPECT_THAT(registry.Validate().message(), HasSubstr("schema of op 'A'"));
}

TEST(OpRegistryDeathTest, InternalBugsAbortTheProgram) {
  OpRegistry registry;
  registry.Add({.name = "A", .signature = ""});
  EXPECT_DEATH(registry.Add({.name = "A", .signature = ""}), "op added twice: A");
  EXPECT_DEATH(registry.AddKernels("Z", {}), "not added");
}

}  // namespace
}  // namespace weir
