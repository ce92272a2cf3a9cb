// Binds Operation.
#include "bind/attr.h"
#include "bind/errors.h"
#include "bind/gc.h"
#include "bind/input_caster.h"
#include "bind/messages.h"
#include "bind/objects.h"
#include "bind/session.h"
#include "graph/attr_proto.h"
#include "graph/colocation.h"
#include "graph/flow_context.h"
#include "graph/graph_def.h"
#include "proto/node_def.pb.h"
#include "proto/op_def.pb.h"

namespace weir::python {
namespace {

using O = OperationObject;

py::list Outputs(const O& op) {
  py::list list;
  for (int i = 0; i < op.node->num_outputs(); ++i) list.append(Wrap(Output(op.node, i)));
  return list;
}

py::list Inputs(const O& op) {
  py::list list;
  for (const Output& input : op.node->inputs()) list.append(Wrap(input));
  return list;
}

py::object NodeDefOf(const O& op) {
  tensorflow::NodeDef def;
  ExportNodeDef(*op.node, &def);
  return MessageToPython("NodeDef", def);
}

py::object OpDefOf(const O& op) {
  tensorflow::OpDef def;
  ToProto(op.node->op(), &def);
  return MessageToPython("OpDef", def);
}

py::object GetAttr(const O& op, const std::string& name) {
  const AttrValue* value = op.node->FindAttr(name);
  if (value == nullptr) RaiseValue(fmt::format("Operation '{}' has no attr named '{}'.", op.node->name(), name));
  return AttrToPython(*value);
}

py::list ColocationGroups(const O& op) {
  py::list groups;
  for (const std::string& name : weir::ColocationGroups(*op.node)) groups.append(py::bytes(name));
  return groups;
}

void BindChanges(py::class_<O>& cls) {
  cls.def("_set_device",
          [](O& op, py::handle device) {
            std::string name;
            if (!device.is_none())
              name = PyUnicode_Check(device.ptr()) ? py::cast<std::string>(device) : Str(device.attr("to_string")());
            op.node->graph().SetDevice(op.node, Take(DeviceName::Parse(name)).ToString());
          })
      .def("_set_attr",
           [](O& op, std::string name, py::handle value) {
             Check(op.node->graph().SetAttr(op.node, std::move(name), AttrFromAny(value)));
           })
      .def("_add_control_input", [](O& op, Node* control) { op.node->graph().AddControlInput(op.node, control); })
      .def("_add_control_inputs",
           [](O& op, const std::vector<Node*>& controls) {
             for (Node* control : controls) op.node->graph().AddControlInput(op.node, control);
           })
      .def("_update_input",
           [](O& op, int index, Output tensor) { Check(op.node->graph().UpdateInput(op.node, index, tensor)); });
}

const char* NameOf(NodeKind kind) {
  switch (kind) {
    case NodeKind::kKernel:
    case NodeKind::kTrigger:
    case NodeKind::kTransfer:
      return "kernel";
    case NodeKind::kConst:
      return "const";
    case NodeKind::kSwitch:
      return "switch";
    case NodeKind::kMerge:
      return "merge";
    case NodeKind::kEnter:
      return "enter";
    case NodeKind::kExit:
      return "exit";
    case NodeKind::kNextIteration:
      return "next_iteration";
    case NodeKind::kLoopCond:
      return "loop_cond";
  }
  return "kernel";
}

// What Python code decides by. It does not compare op.type: tools/check_layers fails if it does.
void BindTraits(py::module_& m) {
  py::class_<OpTraits>(m, "OpTraits")
      .def_property_readonly("kind", [](const OpTraits& traits) { return NameOf(traits.kind); })
      .def_property_readonly("is_variable", [](const OpTraits& traits) { return traits.state == StateRole::kVariable; })
      .def_property_readonly("is_variable_handle",
                             [](const OpTraits& traits) { return traits.state == StateRole::kVariableHandle; })
      .def_property_readonly("reads_variable",
                             [](const OpTraits& traits) { return traits.value_use == ValueUse::kGives; })
      .def_readonly("is_placeholder", &OpTraits::placeholder)
      .def_readonly("is_iterator", &OpTraits::iterator)
      .def_property_readonly("is_alias", [](const OpTraits& traits) { return IsAlias(traits); });
}

}  // namespace

void BindOperation(py::module_& m) {
  BindTraits(m);
  py::class_<O> cls(m, "Operation", py::dynamic_attr(), GarbageCollected<O, VisitGraph<O>>());
  cls.def_property_readonly("name", [](const O& op) { return op.node->name(); })
      .def_property_readonly("type", [](const O& op) { return op.node->type(); })
      .def_property_readonly("graph", [](const O& op) { return op.graph; })
      .def_property_readonly("device", [](const O& op) { return op.node->device(); })
      .def_property_readonly("inputs", Inputs)
      .def_property_readonly("outputs", Outputs)
      .def_property_readonly("control_inputs", [](const O& op) { return op.node->control_inputs(); })
      .def_property_readonly("_control_outputs", [](const O& op) { return op.node->control_outputs(); })
      .def_property_readonly("node_def", NodeDefOf)
      .def_property_readonly("op_def", OpDefOf)
      .def_property_readonly("_traits", [](const O& op) { return op.node->op().traits; })
      .def_property_readonly("_id", [](const O& op) { return op.node->id(); })
      .def_property_readonly("traceback",
                             [](const O& op) { return GraphObjectOf(op.graph).origins.StackOf(op.node->id()); })
      .def("values", [](const O& op) { return py::tuple(Outputs(op)); })
      .def("get_attr", GetAttr, py::arg("name"))
      .def("colocation_groups", ColocationGroups)
      .def(
          "run",
          [](py::object self, py::object feed_dict, py::object session) {
            RunOperation(std::move(self), std::move(feed_dict), std::move(session));
          },
          py::arg("feed_dict") = py::none(), py::arg("session") = py::none())
      .def("__repr__",
           [](const O& op) { return fmt::format("<tf.Operation '{}' type={}>", op.node->name(), op.node->type()); })
      .def("__str__", [](const O& op) { return py::str(NodeDefOf(op)); })
      .def("__hash__", [](const O& op) { return static_cast<Py_ssize_t>(std::hash<Node*>()(op.node) >> 1); })
      .def("__eq__", [](const O& op, py::handle other) { return IsOperation(other) && NodeOf(other) == op.node; })
      .def("__ne__", [](const O& op, py::handle other) { return !IsOperation(other) || NodeOf(other) != op.node; });
  BindChanges(cls);
}

}  // namespace weir::python
