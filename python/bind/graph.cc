// Binds Graph: lookups, GraphDef export, creation of operations.
#include "graph/graph.h"

#include <memory>
#include <set>

#include "bind/attr.h"
#include "bind/errors.h"
#include "bind/gc.h"
#include "bind/input_caster.h"
#include "bind/literal.h"
#include "bind/messages.h"
#include "bind/objects.h"
#include "bind/process.h"
#include "bind/variables.h"
#include "graph/function_library.h"
#include "graph/graph_def.h"
#include "graph/node_builder.h"
#include "proto/graph.pb.h"

namespace weir::python {
namespace {

// Visits the Python objects in the graph's collections: items, and constraints of variables. Visits an object once for
// each reference that the graph owns: an object that was added to two collections has two, but copies of a
// SharedPyObject share one, and so do all entries of a variable with the same constraint.
int VisitGraphMembers(GraphObject& self, visitproc visit, void* arg) {
  std::set<std::shared_ptr<PyObject>, std::owner_less<>> held;
  for (const std::string& name : self.graph->collections().Names()) {
    for (const std::any& item : self.graph->collections().Items(name)) {
      if (const auto* object = std::any_cast<SharedPyObject>(&item)) held.insert(object->shared());
      if (const auto* variable = std::any_cast<VariablePtr>(&item))
        if (const SharedPyObject* constraint = ConstraintFunction((*variable)->constraint()))
          held.insert(constraint->shared());
    }
  }
  for (const std::shared_ptr<PyObject>& object : held) Py_VISIT(object.get());
  return 0;
}
void ClearGraphMembers(GraphObject& self) {
  for (const std::string& name : self.graph->collections().Names()) self.graph->collections().Set(name, {});
}

std::string WantedKinds(bool allow_tensor, bool allow_operation) {
  return allow_tensor && allow_operation ? "Tensor or Operation" : allow_tensor ? "Tensor" : "Operation";
}

py::object ElementByName(GraphObject& self, const std::string& name, bool allow_tensor, bool allow_operation) {
  Graph& graph = *self.graph;
  const size_t colon = name.rfind(':');
  if (colon != std::string::npos && allow_tensor) {
    const std::string op = name.substr(0, colon);
    const std::string digits = name.substr(colon + 1);
    if (digits.empty() || digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos)
      RaiseValue(fmt::format(
          "The name '{}' looks a like a Tensor name, but is not a valid one. Tensor names must be of the form "
          "\"<op_name>:<output_index>\".",
          name));
    Node* node = graph.FindNode(op);
    if (node == nullptr)
      RaiseKey(fmt::format(
          "The name '{}' refers to a Tensor which does not exist. The operation, '{}', does not exist in the graph.",
          name, op));
    const int index = std::stoi(digits);
    if (index >= node->num_outputs())
      RaiseKey(fmt::format(
          "The name '{}' refers to a Tensor which does not exist. The operation, '{}', exists but only has {} outputs.",
          name, op, node->num_outputs()));
    return Wrap(Output(node, index));
  }
  if (colon != std::string::npos)
    RaiseValue(fmt::format("Name '{}' appears to refer to a Tensor, not an Operation.", name));
  Node* node = graph.FindNode(name);
  if (allow_operation) {
    if (node == nullptr) RaiseKey(fmt::format("The name '{}' refers to an Operation not in the graph.", name));
    return Wrap(node);
  }
  if (node != nullptr)
    RaiseValue(
        fmt::format("The name '{}' refers to an Operation, not a Tensor. Tensor names must be of the form "
                    "\"<op_name>:<output_index>\".",
                    name));
  RaiseValue(fmt::format(
      "The name '{}' looks like an (invalid) Operation name, not a Tensor. Tensor names must be of the form "
      "\"<op_name>:<output_index>\".",
      name));
}

}  // namespace

py::object GraphElement(GraphObject& self, py::handle object, bool allow_tensor, bool allow_operation) {
  py::object element = py::reinterpret_borrow<py::object>(object);
  if (!IsTensor(object) && !IsOperation(object) && !PyUnicode_Check(object.ptr()) &&
      py::hasattr(object, "_as_graph_element"))
    element = object.attr("_as_graph_element")();
  if (PyUnicode_Check(element.ptr()) || PyBytes_Check(element.ptr()))
    return ElementByName(self, py::cast<std::string>(element), allow_tensor, allow_operation);
  if (IsTensor(element) && allow_tensor) {
    if (&OutputOf(element).graph() != self.graph.get())
      RaiseValue(fmt::format("Tensor {} is not an element of this graph.", Str(element)));
    return element;
  }
  if (IsOperation(element) && allow_operation) {
    if (&NodeOf(element)->graph() != self.graph.get())
      RaiseValue(fmt::format("Operation {} is not an element of this graph.", Repr(element)));
    return element;
  }
  RaiseType(
      fmt::format("Can not convert a {} into a {}.", TypeName(element), WantedKinds(allow_tensor, allow_operation)));
}

namespace {

// Creates a node from a flat list of tensors, like TensorFlow's Graph.create_op.
py::object CreateOp(GraphObject& self, const std::string& type, py::handle inputs, py::handle, py::handle,
                    const Name& name, py::handle attrs, const py::kwargs&) {
  Graph& graph = *self.graph;
  const OpDef* op = graph.FindOp(type);
  if (op == nullptr) RaiseValue(fmt::format("Op type '{}' is not registered.", type));
  AttrMap given;
  if (!attrs.is_none()) {
    for (auto item : py::cast<py::dict>(py::reinterpret_borrow<py::object>(attrs))) {
      const std::string attr = py::cast<std::string>(item.first);
      const AttrDef* def = op->FindAttr(attr);
      const bool is_message = py::hasattr(item.second, "SerializeToString");
      given[attr] = def == nullptr || is_message ? AttrFromAny(item.second) : AttrFrom(item.second, *def, type);
    }
  }
  NodeBuilder builder(graph, type, name.text);
  std::vector<Input> flat;
  for (py::handle item : py::iter(inputs)) flat.push_back(InputFrom(item));
  size_t next = 0;
  for (const ArgDef& arg : op->inputs) {
    int count = 1;
    if (arg.is_list()) count = Take(ArgCount(arg, given));
    if (next + static_cast<size_t>(count) > flat.size())
      RaiseValue(fmt::format("op {} needs more than {} inputs", type, flat.size()));
    InputList part(flat.begin() + static_cast<int64_t>(next), flat.begin() + static_cast<int64_t>(next) + count);
    next += static_cast<size_t>(count);
    if (arg.is_list())
      builder.In(std::move(part));
    else
      builder.In(part[0]);
  }
  if (next != flat.size()) RaiseValue(fmt::format("op {} takes {} inputs, {} were given", type, next, flat.size()));
  for (auto& [attr, value] : given) builder.Attr(attr, std::move(value));
  return Wrap(Take(builder.Build()));
}

py::object AsGraphDef(const GraphObject& self, py::handle from_version, bool add_shapes) {
  ExportOptions options{.add_shapes = add_shapes};
  if (!from_version.is_none()) options.first_node = from_version.cast<int>();
  return MessageToPython("GraphDef", Take(ExportGraphDef(*self.graph, options)));
}

void BindLookups(py::class_<GraphObject>& cls) {
  using G = GraphObject;
  cls.def(
         "as_graph_element",
         [](G& g, py::handle obj, bool tensor, bool operation) { return GraphElement(g, obj, tensor, operation); },
         py::arg("obj"), py::arg("allow_tensor") = true, py::arg("allow_operation") = true)
      .def("get_operations",
           [](G& g) {
             py::list list;
             for (Node* node : g.graph->Nodes()) list.append(Wrap(node));
             return list;
           })
      .def(
          "get_operation_by_name",
          [](G& g, py::handle name) {
            if (!PyUnicode_Check(name.ptr()))
              RaiseType(fmt::format("Operation names are strings (or similar), not {}.", TypeName(name)));
            return GraphElement(g, name, false, true);
          },
          py::arg("name"))
      .def(
          "get_tensor_by_name",
          [](G& g, py::handle name) {
            if (!PyUnicode_Check(name.ptr()))
              RaiseType(fmt::format("Tensor names are strings (or similar), not {}.", TypeName(name)));
            return GraphElement(g, name, true, false);
          },
          py::arg("name"))
      .def(
          "is_feedable", [](G& g, Output tensor) { return !g.not_feedable.contains(tensor); }, py::arg("tensor"))
      .def(
          "is_fetchable", [](G& g, py::handle element) { return !g.not_fetchable.contains(NodeFrom(element)); },
          py::arg("tensor_or_op"))
      .def(
          "prevent_feeding", [](G& g, Output tensor) { g.not_feedable.insert(tensor); }, py::arg("tensor"))
      .def(
          "prevent_fetching", [](G& g, Node* op) { g.not_fetchable.insert(op); }, py::arg("op"));
}

}  // namespace

void BindGraph(py::module_& m) {
  using G = GraphObject;
  py::class_<G> cls(m, "Graph", py::dynamic_attr(), GarbageCollected<G, VisitGraphMembers, ClearGraphMembers>());
  cls.def(py::init<>())
      .def("create_op", &CreateOp, py::arg("op_type"), py::arg("inputs"), py::arg("dtypes") = py::none(),
           py::arg("input_types") = py::none(), py::arg("name") = py::none(), py::arg("attrs") = py::none())
      .def("as_graph_def", &AsGraphDef, py::arg("from_version") = py::none(), py::arg("add_shapes") = false)
      .def("finalize", [](G& g) { g.graph->Finalize(); })
      .def("_unsafe_unfinalize", [](G& g) { g.graph->Unfinalize(); })
      .def("_check_not_finalized",
           [](G& g) {
             if (g.graph->finalized()) RaiseRuntime("Graph is finalized and cannot be modified.");
           })
      .def_property_readonly("finalized", [](G& g) { return g.graph->finalized(); })
      .def_property_readonly("version", [](G& g) { return g.graph->num_nodes(); })
      .def_property_readonly("_version", [](G& g) { return g.graph->num_nodes(); })
      .def_property_readonly("_last_id", [](G& g) { return g.graph->num_nodes(); })
      .def_property(
          "seed", [](G& g) { return g.graph->seed; }, [](G& g, std::optional<int64_t> seed) { g.graph->seed = seed; })
      .def_property_readonly("building_function", [](G& g) { return g.building_function; })
      .def_property(
          "_building_function", [](G& g) { return g.building_function; },
          [](G& g, bool value) { g.building_function = value; })
      .def_property_readonly("graph_def_versions",
                             [](G& g) {
                               tensorflow::GraphDef def;
                               def.mutable_versions()->set_producer(g.graph->versions().producer);
                               def.mutable_versions()->set_min_consumer(g.graph->versions().min_consumer);
                               return MessageToPython("VersionDef", def.versions());
                             })
      .def(
          "unique_name", [](G& g, const std::string& name, bool mark) { return g.graph->UniqueName(name, mark); },
          py::arg("name"), py::arg("mark_as_used") = true)
      .def("get_name_scope", [](G& g) { return g.graph->build().name_scope; })
      .def("_is_function", [](G& g, const std::string& name) { return g.graph->functions().FindOp(name) != nullptr; })
      .def_property_readonly("_uid", [](G& g) { return g.graph->uid(); });
  BindLookups(cls);
  BindScopes(cls, m);
  BindCollections(cls, m);
  m.def("get_default_graph", &DefaultGraph);
  m.def("reset_default_graph", [] {
    if (!Stacks().graphs.empty())
      RaiseRuntime(
          "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared graph, exit the nesting "
          "and create a new graph.");
    ThreadStacks& stacks = Stacks();
    if (callbacks_running == 0)
      stacks.replaced_graphs.clear();
    else
      stacks.replaced_graphs.push_back(stacks.own_graph);
    stacks.own_graph = py::object();
  });
}

}  // namespace weir::python
