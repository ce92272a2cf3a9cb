// tf.assert_* and related checks.
#include "graph/compose/checks.h"

#include "bind/arguments.h"
#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/compose/dims.h"
#include "graph/node_builder.h"

namespace weir::python {
namespace {

CheckOptions Options(const Values& data, std::optional<int64_t> summarize, const Name& message, const Name& name) {
  CheckOptions options;
  if (data.is_list) options.data = data.list;
  options.summarize = summarize.value_or(3);
  options.message = message.text;
  options.name = name.text;
  return options;
}

Graph& GraphFor(const Input& x, const Input& y = {}) {
  if (x.is_output()) return x.output().graph();
  return y.is_output() ? y.output().graph() : DefaultGraphRef();
}

// If an assertion is known to fail while building, raises the error that a step would raise.
py::object Asserted(Result<Node*> node) {
  if (!node.ok() && IsFailedAssertion(node.status())) RaiseRunError(node.status(), nullptr);
  return Wrap(Take(std::move(node)));
}
// The same for ranks, whose failures raise ValueError.
py::object AssertedRank(Result<Node*> node) { return Wrap(Take(std::move(node))); }

void BindRelations(py::module_& m) {
  struct Row {
    const char* name;
    Relation relation;
  };
  for (const Row& row :
       {Row{"assert_equal", Relation::kEqual}, Row{"assert_none_equal", Relation::kNotEqual},
        Row{"assert_less", Relation::kLess}, Row{"assert_less_equal", Relation::kLessEqual},
        Row{"assert_greater", Relation::kGreater}, Row{"assert_greater_equal", Relation::kGreaterEqual}}) {
    m.def(
        row.name,
        [relation = row.relation](Input x, Input y, Values data, std::optional<int64_t> summarize, const Name& message,
                                  const Name& name) {
          return Asserted(AssertRelation(GraphFor(x, y), relation, x, y, Options(data, summarize, message, name)));
        },
        py::arg("x"), py::arg("y"), py::arg("data") = py::none(), py::arg("summarize") = py::none(),
        py::arg("message") = py::none(), py::arg("name") = py::none());
  }
  for (const Row& row :
       {Row{"assert_negative", Relation::kLess}, Row{"assert_positive", Relation::kGreater},
        Row{"assert_non_negative", Relation::kGreaterEqual}, Row{"assert_non_positive", Relation::kLessEqual}}) {
    m.def(
        row.name,
        [relation = row.relation](Input x, Values data, std::optional<int64_t> summarize, const Name& message,
                                  const Name& name) {
          return Asserted(AssertSign(GraphFor(x), relation, x, Options(data, summarize, message, name)));
        },
        py::arg("x"), py::arg("data") = py::none(), py::arg("summarize") = py::none(), py::arg("message") = py::none(),
        py::arg("name") = py::none());
  }
  m.def(
      "assert_near",
      [](Input x, Input y, Input rtol, Input atol, Values data, std::optional<int64_t> summarize, const Name& message,
         const Name& name) {
        return Asserted(AssertNear(GraphFor(x, y), x, y, rtol, atol, Options(data, summarize, message, name)));
      },
      py::arg("x"), py::arg("y"), py::arg("rtol") = py::none(), py::arg("atol") = py::none(),
      py::arg("data") = py::none(), py::arg("summarize") = py::none(), py::arg("message") = py::none(),
      py::arg("name") = py::none());
}

void BindRanks(py::module_& m) {
  const auto bind = [&m](const char* name, Relation relation, const char* parameter) {
    m.def(
        name,
        [relation](Input x, Values ranks, Values data, std::optional<int64_t> summarize, const Name& message,
                   const Name& name) {
          return AssertedRank(
              AssertRank(GraphFor(x), relation, x, ranks.list, Options(data, summarize, message, name)));
        },
        py::arg("x"), py::arg(parameter), py::arg("data") = py::none(), py::arg("summarize") = py::none(),
        py::arg("message") = py::none(), py::arg("name") = py::none());
  };
  bind("assert_rank", Relation::kEqual, "rank");
  bind("assert_rank_in", Relation::kEqual, "ranks");
  bind("assert_rank_at_least", Relation::kGreaterEqual, "rank");
}

std::string Prefixed(const Name& message, const std::string& text) {
  return message.given() ? message.text + " " + text : text;
}

void BindTypes(py::module_& m) {
  m.def(
      "assert_integer",
      [](Output x, const Name& message, const Name& name) {
        if (!IsInteger(x.base_dtype()))
          RaiseType(Prefixed(message,
                             fmt::format("Expected \"x\" to be integer type. Found: {}", DTypeName(x.base_dtype()))));
        return Wrap(Take(
            NodeBuilder(x.graph(), "NoOp", name.given() ? name.text : "statically_determined_is_integer").Build()));
      },
      py::arg("x"), py::arg("message") = py::none(), py::arg("name") = py::none());
  m.def(
      "assert_type",
      [](Output x, DType type, const Name& message, const Name& name) {
        if (x.base_dtype() != BaseType(type))
          RaiseType(Prefixed(message, fmt::format("{} must be of type {}, not {}", x.name(), DTypeName(type),
                                                  DTypeName(x.base_dtype()))));
        return Wrap(Take(
            NodeBuilder(x.graph(), "NoOp", name.given() ? name.text : "statically_determined_correct_type").Build()));
      },
      py::arg("tensor"), py::arg("tf_type"), py::arg("message") = py::none(), py::arg("name") = py::none());
  m.def(
      "assert_scalar",
      [](Input tensor, const Name& name, const Name& message) {
        Graph& graph = GraphFor(tensor);
        Output x = Take(ToOutput(graph, tensor, kInvalidType, "tensor"));
        if (x.shape().known_rank() && x.shape().rank() != 0)
          RaiseValue(Prefixed(
              message, fmt::format("Expected scalar shape for {}, saw shape: {}.", x.name(), ShapeText(x.shape()))));
        return x;
      },
      py::arg("tensor"), py::arg("name") = py::none(), py::arg("message") = py::none());
  m.def(
      "is_numeric_tensor",
      [](py::handle tensor) { return IsTensor(tensor) && IsNumeric(OutputOf(tensor).base_dtype()); },
      py::arg("tensor"));
  m.def(
      "assert_same_float_dtype",
      [](py::object tensors, DType dtype) {
        if (!tensors.is_none()) {
          for (py::handle t : py::iter(tensors)) {
            if (t.is_none()) continue;
            const DType type = InputFrom(t).is_output() ? InputFrom(t).output().base_dtype() : kInvalidType;
            if (type == kInvalidType) continue;
            if (dtype == kInvalidType) dtype = type;
            if (type != BaseType(dtype))
              RaiseValue(fmt::format("Tensors are of different types: {} and {}", DTypeName(dtype), DTypeName(type)));
          }
        }
        if (dtype == kInvalidType) dtype = kFloat;
        if (!IsFloating(dtype)) RaiseValue(fmt::format("Expected floating point type, got {}.", DTypeName(dtype)));
        return dtype;
      },
      py::arg("tensors") = py::none(), py::arg("dtype") = py::none());
  m.def(
      "assert_proper_iterable",
      [](py::handle values) {
        if (IsTensor(values) || PyUnicode_Check(values.ptr()) || PyBytes_Check(values.ptr()) ||
            !py::isinstance<py::iterable>(values))
          RaiseType(
              fmt::format("Expected argument \"values\" to be a \"proper\" iterable. Found: {}", TypeName(values)));
      },
      py::arg("values"));
}

}  // namespace

void BindChecks(py::module_& m) {
  BindRelations(m);
  BindRanks(m);
  BindTypes(m);
  Def(
      m, "Assert",
      +[](Graph& g, Input condition, Values data, std::optional<int64_t> summarize, Name n) {
        if (!data.is_list) RaiseType("the data of an Assert must be a list");
        return Assert(g, condition, data.list, {.summarize = summarize.value_or(3), .name = n.text});
      },
      py::arg("condition"), py::arg("data"), py::arg("summarize") = py::none(), py::arg("name") = py::none());
  Def(
      m, "Print",
      +[](Graph& g, Input input, Values data, Name message, std::optional<int64_t> first_n,
          std::optional<int64_t> summarize, Name n) -> Output {
        return Print(g, input, data.list,
                     {.message = message.text,
                      .first_n = first_n.value_or(-1),
                      .summarize = summarize.value_or(3),
                      .name = n.text});
      },
      py::arg("input_"), py::arg("data"), py::arg("message") = py::none(), py::arg("first_n") = py::none(),
      py::arg("summarize") = py::none(), py::arg("name") = py::none());
  Def(
      m, "verify_tensor_all_finite",
      +[](Graph& g, Input t, std::string message, Name n) { return VerifyFinite(g, t, message, n.text); }, py::arg("t"),
      py::arg("msg"), py::arg("name") = py::none());
  m.def("add_check_numerics_ops", [] { return Wrap(Take(CheckAllNumerics(DefaultGraphRef()))); });
  using Ordered = Output (*)(Graph&, Input, Name);
  Def(m, "is_non_decreasing", Ordered([](Graph& g, Input x, Name n) { return IsIncreasing(g, x, false, n.text); }),
      py::arg("x"), py::arg("name") = py::none());
  Def(m, "is_strictly_increasing", Ordered([](Graph& g, Input x, Name n) { return IsIncreasing(g, x, true, n.text); }),
      py::arg("x"), py::arg("name") = py::none());
}

}  // namespace weir::python
