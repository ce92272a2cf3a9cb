// The prefix of entries in the attribute _class that name the node to be colocated with: "loc:@other".
#pragma once

#include <string_view>

namespace weir {

inline constexpr std::string_view kColocationPrefix = "loc:@";

}  // namespace weir
