// Attributes that newer producers put on ops: hints that change no result, and those that mean
// nothing at one value, the way the op works without them.
#ifndef WEIR_GRAPH_GRAPH_DEF_NEWER_ATTRS_H_
#define WEIR_GRAPH_GRAPH_DEF_NEWER_ATTRS_H_

#include <string_view>

#include "op/attr_value.h"

namespace weir {

// True if an attribute `name` that an op's schema lacks may be dropped, because `value` asks for
// nothing new.
bool MayDropNewerAttr(std::string_view name, const AttrValue& value);

}  // namespace weir

#endif  // WEIR_GRAPH_GRAPH_DEF_NEWER_ATTRS_H_
