// Attributes that newer producers put on ops, which mean nothing at one value: the way the op works without them.
#pragma once

#include <string_view>

#include "op/attr_value.h"

namespace weir {

// True if an attribute `name` that an op's schema lacks may be dropped, because `value` asks for nothing new.
bool IsNewerAttrAtDefault(std::string_view name, const AttrValue& value);

}  // namespace weir
