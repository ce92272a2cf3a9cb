// Attributes that newer producers add to ops and that an older op may ignore: hints, and attributes whose default value
// means the old behavior.
#ifndef WEIR_GRAPH_GRAPH_DEF_NEWER_ATTRS_H_
#define WEIR_GRAPH_GRAPH_DEF_NEWER_ATTRS_H_

#include <string_view>

#include "op/attr_value.h"

namespace weir {

// True if attribute `name`, which is missing from an op's schema, may be dropped because `value` does not change the
// op's behavior.
bool MayDropNewerAttr(std::string_view name, const AttrValue& value);

}  // namespace weir

#endif  // WEIR_GRAPH_GRAPH_DEF_NEWER_ATTRS_H_
