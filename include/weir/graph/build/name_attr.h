// NameAttr: the trailing argument of the functions of weir::raw_ops for ops without optional attributes.
#ifndef WEIR_GRAPH_BUILD_NAME_ATTR_H_
#define WEIR_GRAPH_BUILD_NAME_ATTR_H_

#include <string>

namespace weir::raw_ops {

struct NameAttr {
  std::string name;  // of the node; empty means the op's type
};

}  // namespace weir::raw_ops

#endif  // WEIR_GRAPH_BUILD_NAME_ATTR_H_
