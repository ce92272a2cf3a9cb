// DatasetBuilder: builds the node of a dataset, and helpers for its arguments.
#pragma once

#include <utility>

#include "graph/compose/dataset.h"
#include "graph/node_builder.h"

namespace weir {

// Converts an argument to an output of type `type`. A literal becomes a constant with the argument's name.
inline Output DatasetArg(Graph& graph, const Input& value, DType type, const char* name) {
  Result<Output> output = ToOutput(graph, value, type, name);
  if (output.ok()) return *output;
  graph.RecordError(output.status());
  return {};
}

class DatasetBuilder final {
 public:
  DatasetBuilder(Graph& graph, const char* op) : graph_(graph), builder_(graph, op) {}
  DatasetBuilder(const Dataset& input, const char* op) : DatasetBuilder(input.graph(), op) {
    builder_.In(input.variant());
  }
  DatasetBuilder& In(const Input& value, DType type, const char* name) {
    builder_.In(DatasetArg(graph_, value, type, name));
    return *this;
  }
  DatasetBuilder& In(OutputList values) {
    builder_.In(values);
    return *this;
  }
  DatasetBuilder& Attr(std::string name, AttrValue value) {
    builder_.Attr(std::move(name), std::move(value));
    return *this;
  }
  // `types` is the attribute with the types of the captured values.
  DatasetBuilder& Function(const DatasetFunction& f, const std::string& attr = "f",
                           const std::string& types_attr = "Targuments") {
    std::vector<DType> types;
    for (const Output& value : f.captured) types.push_back(value.base_dtype());
    builder_.In(f.captured).Attr(attr, f.function).Attr(types_attr, types);
    return *this;
  }
  Dataset Build(ElementType element, bool types = true) {
    if (types) builder_.Attr("output_types", element.types);
    builder_.Attr("output_shapes", element.shapes);
    return Dataset(builder_.BuildOutput(), std::move(element));
  }
  Dataset BuildOfText() { return Dataset(builder_.BuildOutput(), {{kString}, {PartialShape::Scalar()}}); }

 private:
  Graph& graph_;
  NodeBuilder builder_;
};

// The inputs "seed" and "seed2" of a dataset op that uses random numbers.
std::pair<Output, Output> DatasetSeeds(Graph& graph, std::optional<int64_t> seed);

}  // namespace weir
