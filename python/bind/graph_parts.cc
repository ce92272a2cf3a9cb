// Graphs and tensors as messages, and functions on these: tf.graph_util, tf.make_tensor_proto, traces. Partitioners.
#include "bind/arguments.h"
#include "bind/flat_values.h"
#include "bind/messages.h"
#include "bind/numpy.h"
#include "bind/process.h"
#include "graph/compose/partitioners.h"
#include "graph/subgraph.h"
#include "proto/step_stats.pb.h"
#include "runtime/chrome_trace.h"
#include "tensor/tensor_proto.h"

namespace weir::python {
namespace {

using tensorflow::GraphDef;

void BindGraphUtil(py::module_& m) {
  m.def("extract_sub_graph", [](py::handle def, const std::vector<std::string>& wanted) {
    return MessageToPython("GraphDef", Take(ExtractSubgraph(MessageFrom<GraphDef>(def), wanted)));
  });
  m.def("remove_training_nodes", [](py::handle def, const std::vector<std::string>& keep) {
    return MessageToPython("GraphDef", WithoutTrainingNodes(MessageFrom<GraphDef>(def), {keep.begin(), keep.end()}));
  });
  m.def("variables_of_graph_def", [](py::handle def) {
    std::vector<std::pair<std::string, std::string>> found;
    for (const VariableNode& v : VariablesOf(Process::Get().registry(), MessageFrom<GraphDef>(def)))
      found.emplace_back(v.node, v.value);
    return found;
  });
  m.def("variables_to_constants", [](py::handle def, const py::dict& values) {
    std::map<std::string, Tensor> tensors;
    for (auto [name, value] : values)
      tensors[py::cast<std::string>(name)] = TensorFromNumpy(value, kInvalidType, Memory::kCopy);
    return MessageToPython("GraphDef",
                           Take(VariablesToConstants(Process::Get().registry(), MessageFrom<GraphDef>(def), tensors)));
  });
}

void BindTensorMessages(py::module_& m) {
  m.def(
      "make_tensor_proto",
      [](py::handle values, DType dtype, py::handle shape, bool verify_shape, bool allow_broadcast) {
        Tensor tensor = TensorFromPython(values, dtype);
        if (!shape.is_none()) {
          const PartialShape wanted = ShapeFrom(shape);
          if (allow_broadcast && tensor.num_elements() != 1 && tensor.num_elements() != wanted.num_elements())
            RaiseType(fmt::format("Expected Tensor's shape: {}, got {}.", ShapeText(wanted),
                                  ShapeText(PartialShape(tensor.shape()))));
          tensor = FillShape(tensor, wanted, verify_shape && !allow_broadcast);
        }
        tensorflow::TensorProto proto;
        ToProto(tensor, &proto);
        return MessageToPython("TensorProto", proto);
      },
      py::arg("values"), py::arg("dtype") = py::none(), py::arg("shape") = py::none(), py::arg("verify_shape") = false,
      py::arg("allow_broadcast") = false);
  m.def(
      "make_ndarray",
      [](py::handle tensor) { return ArrayFromTensor(Take(FromProto(MessageFrom<tensorflow::TensorProto>(tensor)))); },
      py::arg("tensor"));
  m.def(
      "constant_value",
      [](Output tensor, bool) -> py::object {
        if (!tensor.valid()) RaiseType("a Tensor is needed, not None");
        Tensor value = tensor.graph().ConstantValue(tensor);
        return value.dtype() == kInvalidType ? py::none() : ArrayFromTensor(std::move(value));
      },
      py::arg("tensor"), py::arg("partial") = false);
  m.def(
      "constant_value_as_shape",
      [](Output tensor) {
        if (!tensor.valid()) RaiseType("a Tensor is needed, not None");
        return tensor.graph().ConstantShape(tensor);
      },
      py::arg("tensor"));
  m.def(
      "chrome_trace",
      [](py::handle step_stats, bool show_dataflow, bool show_memory) {
        return ChromeTrace(MessageFrom<tensorflow::StepStats>(step_stats),
                           {.show_dataflow = show_dataflow, .show_memory = show_memory});
      },
      py::arg("step_stats"), py::arg("show_dataflow") = true, py::arg("show_memory") = false);
}

// Each returns a function of (shape, dtype).
void BindPartitioners(py::module_& m) {
  m.def(
      "fixed_size_partitioner",
      [](int num_shards, int axis) {
        return py::cpp_function(
            [num_shards, axis](PartialShape shape, const py::kwargs&) {
              return Take(FixedSizePartitions(shape, num_shards, axis));
            },
            py::arg("shape"));
      },
      py::arg("num_shards"), py::arg("axis") = 0);
  m.def(
      "variable_axis_size_partitioner",
      [](int64_t max_shard_bytes, int axis, int64_t bytes_per_string_element, std::optional<int64_t> max_shards) {
        if (max_shard_bytes < 1 || bytes_per_string_element < 1)
          RaiseValue("max_shard_bytes and bytes_per_string_element must be positive");
        if (max_shards.has_value() && *max_shards < 1) RaiseValue("max_shards must be positive");
        const AxisSizePartition how{max_shard_bytes, axis, bytes_per_string_element, max_shards};
        return py::cpp_function(
            [how](PartialShape shape, DType dtype) { return Take(AxisSizePartitions(shape, dtype, how)); },
            py::arg("shape"), py::arg("dtype"));
      },
      py::arg("max_shard_bytes"), py::arg("axis") = 0, py::arg("bytes_per_string_element") = 16,
      py::arg("max_shards") = py::none());
  m.def(
      "min_max_variable_partitioner",
      [](int64_t max_partitions, int axis, int64_t min_slice_size, int64_t bytes_per_string_element) {
        const MinMaxPartition how{max_partitions, axis, min_slice_size, bytes_per_string_element};
        return py::cpp_function(
            [how](PartialShape shape, DType dtype) { return Take(MinMaxPartitions(shape, dtype, how)); },
            py::arg("shape"), py::arg("dtype"));
      },
      py::arg("max_partitions") = 1, py::arg("axis") = 0, py::arg("min_slice_size") = 256 << 10,
      py::arg("bytes_per_string_element") = 16);
}

}  // namespace

void BindGraphParts(py::module_& m) {
  BindGraphUtil(m);
  BindTensorMessages(m);
  BindPartitioners(m);
}

}  // namespace weir::python
