// Mutators for fuzz targets whose input contains graphs.
#pragma once

#include <random>
#include <string>

#include "proto/graph.pb.h"

namespace weir::fuzz {

// Changes one property of one node and keeps the message well-formed: most random bytes do not even parse.
inline void MutateNode(google::protobuf::RepeatedPtrField<tensorflow::NodeDef>* nodes, std::minstd_rand& random) {
  auto pick = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  if (nodes->empty()) return;
  tensorflow::NodeDef& node = *nodes->Mutable(pick(nodes->size()));
  const tensorflow::NodeDef& other = nodes->Get(pick(nodes->size()));
  switch (pick(8)) {
    case 0:
      node.set_op(other.op());
      break;
    case 1:
      if (node.input_size() > 0) node.set_input(pick(node.input_size()), other.name());
      break;
    case 2:
      node.add_input((pick(2) == 0 ? "" : "^") + other.name());
      break;
    case 3:
      if (node.input_size() > 0) node.mutable_input(pick(node.input_size()))->append(pick(2) == 0 ? ":1" : ":7");
      break;
    case 4:
      for (const auto& [name, value] : other.attr()) {
        if (pick(3) == 0) (*node.mutable_attr())[name] = value;
      }
      break;
    case 5:
      for (auto& [name, value] : *node.mutable_attr()) {
        if (pick(3) != 0) continue;
        constexpr int64_t kNumbers[] = {-1, 0, 1, 2, 255, int64_t{1} << 31, int64_t{1} << 62};
        if (value.has_i()) value.set_i(kNumbers[pick(7)]);
        if (value.has_type()) value.set_type(static_cast<tensorflow::DataType>(pick(24) + (pick(8) == 0 ? 100 : 0)));
        if (value.has_shape()) value.mutable_shape()->add_dim()->set_size(kNumbers[pick(7)]);
        if (value.has_list()) value.mutable_list()->Clear();
        if (value.has_tensor()) value.mutable_tensor()->mutable_tensor_shape()->add_dim()->set_size(kNumbers[pick(4)]);
      }
      break;
    case 6:
      *nodes->Add() = other;
      break;
    default:
      nodes->SwapElements(pick(nodes->size()), pick(nodes->size()));
      break;
  }
}

}  // namespace weir::fuzz
