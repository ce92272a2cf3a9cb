// tf.import_graph_def.
#include "bind/errors.h"
#include "bind/input_caster.h"
#include "bind/messages.h"
#include "bind/objects.h"
#include "graph/graph_def.h"
#include "graph/node_builder.h"

namespace weir::python {
namespace {

py::object ImportIntoDefault(py::handle graph_def, py::handle input_map, py::handle return_elements, py::handle name,
                             py::handle, py::handle) {
  if (!PyBytes_Check(graph_def.ptr()) && !py::hasattr(graph_def, "SerializeToString"))
    RaiseType("graph_def must be a GraphDef proto.");
  Graph& graph = DefaultGraphRef();
  const auto def = MessageFrom<tensorflow::GraphDef>(graph_def);
  ImportOptions options;
  options.prefix = name.is_none() ? std::string("import") : py::cast<std::string>(name);
  if (options.prefix.ends_with('/')) {
    options.prefix.pop_back();
    options.uniquify_prefix = false;
  }
  if (!input_map.is_none()) {
    if (!PyDict_Check(input_map.ptr())) RaiseType("input_map must be a dictionary mapping strings to Tensor objects.");
    for (auto item : py::reinterpret_borrow<py::dict>(input_map)) {
      if (!PyUnicode_Check(item.first.ptr()))
        RaiseType("input_map must be a dictionary mapping strings to Tensor objects.");
      options.input_map.emplace(py::cast<std::string>(item.first), Take(ToOutput(graph, InputFrom(item.second))));
    }
  }
  if (!return_elements.is_none())
    for (py::handle element : py::iter(return_elements)) {
      if (!PyUnicode_Check(element.ptr())) RaiseType("return_elements must be a list of strings.");
      options.return_elements.push_back(py::cast<std::string>(element));
    }
  ImportResult result = Take(ImportGraphDef(graph, def, options));
  if (!result.unused_input_map_keys.empty()) {
    std::string keys;
    for (const std::string& key : result.unused_input_map_keys) keys += (keys.empty() ? "" : ", ") + key;
    RaiseValue(fmt::format("Attempted to map inputs that were not found in graph_def: [{}]", keys));
  }
  if (return_elements.is_none()) return py::none();
  py::list returned;
  for (const ImportResult::Element& element : result.returned)
    returned.append(element.output < 0 ? Wrap(element.node) : Wrap(Output(element.node, element.output)));
  return py::object(std::move(returned));
}

}  // namespace

void BindImportGraph(py::module_& m) {
  m.def("import_graph_def", &ImportIntoDefault, py::arg("graph_def"), py::arg("input_map") = py::none(),
        py::arg("return_elements") = py::none(), py::arg("name") = py::none(), py::arg("op_dict") = py::none(),
        py::arg("producer_op_list") = py::none());
}

}  // namespace weir::python
