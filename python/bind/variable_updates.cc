// Updates of variables: assignments and scatters, as methods and as functions on variables of both kinds or on
// references.
#include "bind/errors.h"
#include "bind/input_caster.h"
#include "bind/literal.h"
#include "bind/objects.h"
#include "bind/sparse.h"
#include "bind/variables.h"
#include "graph/build/state_ops.h"
#include "graph/node_builder.h"

namespace weir::python {
namespace {

// Raises TypeError if a traced function captured the value of a reference variable, which it cannot update.
void RequireReference(const Variable& v, const std::string& op, const std::vector<DType>& more_inputs) {
  if (v.is_resource() || IsRef(v.handle().dtype())) return;
  std::string others;
  for (const DType type : more_inputs) others += fmt::format(", tf.{}", DTypeName(type));
  RaiseType(fmt::format("In op '{}', input types ([tf.{}{}]) are not compatible with expected types ([tf.{}{}])", op,
                        DTypeName(v.dtype()), others, DTypeName(RefType(v.dtype())), others));
}

// The variable for use in the current graph, for an update.
VariablePtr CapturedForUpdate(const char* update, const VariablePtr& v) {
  VariablePtr here = CapturedVariable(v);
  RequireReference(*here, update, {v->dtype()});
  return here;
}

// Whether the object is a reference, which an op can update.
bool IsReference(py::handle object) { return IsTensor(object) && IsRef(OutputOf(object).dtype()); }

// The variable to update. Raises AttributeError for other objects, as TensorFlow does, which calls this method of them.
VariablePtr VariableToUpdate(py::handle object, const char* method) {
  if (IsVariable(object) || py::hasattr(object, "_variable_object")) return VariableFrom(object);
  RaiseMissingAttribute(object, py::hasattr(object, "dtype") ? method : "dtype");
}

py::object ResultOf(const VariablePtr& v, Output output, bool read_value) {
  Check(v->graph().TakeError());
  return read_value ? Wrap(output) : Wrap(output.node);
}

// A scatter op on either kind of variable, by op name. Returns the updated reference, or a read after the update.
py::object Scatter(const VariablePtr& variable, const std::string& op, const Input& indices, const Input& values,
                   bool use_locking, const Name& name) {
  const VariablePtr v = CapturedVariable(variable);
  RequireReference(*v, op, {indices.is_output() ? indices.output().base_dtype() : kInt32, v->dtype()});
  NodeBuilder node(v->graph(), (v->is_resource() ? "Resource" : "") + op, name.text);
  node.In(v->handle()).In(indices);
  // A handle does not determine the type of a literal; a reference does.
  node.In(v->is_resource() ? Input(Take(ToOutput(v->graph(), values, v->dtype()))) : values);
  if (!v->is_resource()) return Wrap(Output(Take(node.Attr("use_locking", use_locking).Build()), 0));
  Node* update = Take(node.Build());
  ControlDependencies after(v->graph(), {update});
  return Wrap(v->ReadValue());
}

// A scatter of the rows of tf.IndexedSlices.
py::object ScatterSlices(const VariablePtr& v, const std::string& op, py::handle delta, bool use_locking,
                         const Name& name) {
  if (!IsSlices(delta)) RaiseType(fmt::format("sparse_delta is not IndexedSlices: {}", Repr(delta)));
  return Scatter(v, op, SlicesOf(delta).indices, SlicesOf(delta).values, use_locking, name);
}

struct ScatterOp {
  const char* function;  // tf.scatter_update, and the method of the same name
  const char* op;
  bool locking;  // the default of use_locking
};
constexpr ScatterOp kScatters[] = {
    {"scatter_update", "ScatterUpdate", true}, {"scatter_add", "ScatterAdd", false},
    {"scatter_sub", "ScatterSub", false},      {"scatter_mul", "ScatterMul", false},
    {"scatter_div", "ScatterDiv", false},      {"scatter_min", "ScatterMin", false},
    {"scatter_max", "ScatterMax", false},
};
constexpr ScatterOp kNdScatters[] = {{"scatter_nd_update", "ScatterNdUpdate", true},
                                     {"scatter_nd_add", "ScatterNdAdd", false},
                                     {"scatter_nd_sub", "ScatterNdSub", false}};

// tf.scatter_add and related functions, on both kinds of variables or on references.
void BindScatters(py::module_& m, py::class_<Variable, VariablePtr>& cls) {
  const auto function = [&m](const ScatterOp& s) {
    m.def(
        s.function,
        [op = std::string(s.op)](py::object ref, const Input& indices, const Input& updates, bool use_locking,
                                 const Name& name) -> py::object {
          if (!IsReference(ref))
            return Scatter(VariableToUpdate(ref, "_lazy_read"), op, indices, updates, use_locking, name);
          const Output to = OutputOf(ref);
          return Wrap(Output(Take(NodeBuilder(to.graph(), op, name.text)
                                      .In(to)
                                      .In(indices)
                                      .In(updates)
                                      .Attr("use_locking", use_locking)
                                      .Build()),
                             0));
        },
        py::arg("ref"), py::arg("indices"), py::arg("updates"), py::arg("use_locking") = s.locking,
        py::arg("name") = py::none());
  };
  for (const ScatterOp& s : kScatters) {
    function(s);
    cls.def(
        s.function,
        [op = std::string(s.op)](const VariablePtr& v, py::object delta, bool use_locking, const Name& name) {
          return ScatterSlices(v, op, delta, use_locking, name);
        },
        py::arg("sparse_delta"), py::arg("use_locking") = false, py::arg("name") = py::none());
  }
  for (const ScatterOp& s : kNdScatters) {
    function(s);
    cls.def(
        s.function,
        [op = std::string(s.op)](const VariablePtr& v, const Input& indices, const Input& updates, const Name& name) {
          return Scatter(v, op, indices, updates, true, name);
        },
        py::arg("indices"), py::arg("updates"), py::arg("name") = py::none());
  }
}

void BindAssignMethods(py::class_<Variable, VariablePtr>& cls) {
  using V = const VariablePtr&;
  cls.def(
         "assign",
         [](V v, const Input& value, bool use_locking, const Name& name, bool read_value) {
           const VariablePtr here = CapturedForUpdate("Assign", v);
           return ResultOf(here, here->Assign(value, use_locking, true, name.text), read_value);
         },
         py::arg("value"), py::arg("use_locking") = false, py::arg("name") = py::none(), py::arg("read_value") = true)
      .def(
          "assign_add",
          [](V v, const Input& delta, bool use_locking, const Name& name, bool read_value) {
            const VariablePtr here = CapturedForUpdate("AssignAdd", v);
            return ResultOf(here, here->AssignAdd(delta, use_locking, name.text), read_value);
          },
          py::arg("delta"), py::arg("use_locking") = false, py::arg("name") = py::none(), py::arg("read_value") = true)
      .def(
          "assign_sub",
          [](V v, const Input& delta, bool use_locking, const Name& name, bool read_value) {
            const VariablePtr here = CapturedForUpdate("AssignSub", v);
            return ResultOf(here, here->AssignSub(delta, use_locking, name.text), read_value);
          },
          py::arg("delta"), py::arg("use_locking") = false, py::arg("name") = py::none(), py::arg("read_value") = true)
      .def(
          "count_up_to",
          [](V variable, int64_t limit) {
            const VariablePtr v = CapturedVariable(variable);
            RequireReference(*v, "CountUpTo", {});
            const char* op = v->is_resource() ? "ResourceCountUpTo" : "CountUpTo";
            NodeBuilder node(v->graph(), op);
            node.In(v->handle()).Attr("limit", limit);
            if (v->is_resource()) node.Attr("T", v->dtype());
            return Output(Take(node.Build()), 0);
          },
          py::arg("limit"));
}

void BindAssignFunctions(py::module_& m) {
  // tf.assign and related functions, on both kinds of variables or on references.
  using Update = Output (Variable::*)(const Input&, bool, std::string) const;
  const std::tuple<const char*, const char*, Update> updates[] = {{"assign_add", "AssignAdd", &Variable::AssignAdd},
                                                                  {"assign_sub", "AssignSub", &Variable::AssignSub}};
  for (const auto& [name, op, update] : updates) {
    m.def(
        name,
        [name = name, op = op, update = update](py::object ref, const Input& value, bool use_locking, const Name& as) {
          if (IsReference(ref))
            return Output(Take(NodeBuilder(OutputOf(ref).graph(), op, as.text)
                                   .In(OutputOf(ref))
                                   .In(value)
                                   .Attr("use_locking", use_locking)
                                   .Build()),
                          0);
          const VariablePtr v = CapturedForUpdate(op, VariableToUpdate(ref, name));
          Output changed = ((*v).*update)(value, use_locking, as.text);
          Check(v->graph().TakeError());
          return changed;
        },
        py::arg("ref"), py::arg("value"), py::arg("use_locking") = false, py::arg("name") = py::none());
  }
  m.def(
      "assign",
      [](py::object ref, const Input& value, py::object validate_shape, py::object use_locking, const Name& name) {
        const bool validate = validate_shape.is_none() || py::cast<bool>(validate_shape);
        const bool locking = use_locking.is_none() || py::cast<bool>(use_locking);
        if (IsReference(ref))
          return Output(Take(NodeBuilder(OutputOf(ref).graph(), "Assign", name.text)
                                 .In(OutputOf(ref))
                                 .In(value)
                                 .Attr("validate_shape", validate)
                                 .Attr("use_locking", locking)
                                 .Build()),
                        0);
        const VariablePtr v = CapturedForUpdate("Assign", VariableToUpdate(ref, "assign"));
        Output changed = v->Assign(value, locking, validate, name.text);
        Check(v->graph().TakeError());
        return changed;
      },
      py::arg("ref"), py::arg("value"), py::arg("validate_shape") = py::none(), py::arg("use_locking") = py::none(),
      py::arg("name") = py::none());
  m.def(
      "count_up_to", [](py::object ref, int64_t limit, const Name&) { return ref.attr("count_up_to")(limit); },
      py::arg("ref"), py::arg("limit"), py::arg("name") = py::none());
  m.def(
      "is_variable_initialized",
      [](py::object variable) {
        if (IsTensor(variable) && IsRef(OutputOf(variable).dtype())) {
          Output flag = IsVariableInitialized(OutputOf(variable));
          Check(flag.graph().TakeError());
          return flag;
        }
        const VariablePtr v = CapturedVariable(VariableFrom(variable));
        RequireReference(*v, "IsVariableInitialized", {});
        Output flag = v->IsInitialized();
        Check(v->graph().TakeError());
        return flag;
      },
      py::arg("variable"));
}

}  // namespace

void BindVariableUpdates(py::module_& m, py::class_<Variable, VariablePtr>& cls) {
  BindAssignMethods(cls);
  BindAssignFunctions(m);
  BindScatters(m, cls);
}

}  // namespace weir::python
