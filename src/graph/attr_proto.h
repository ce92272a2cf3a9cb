// AttrValue and OpDef to and from TensorFlow's messages.
#pragma once

#include "op/op_def.h"
#include "proto/attr_value.pb.h"
#include "proto/op_def.pb.h"

namespace weir {

void ToProto(const AttrValue& value, tensorflow::AttrValue* proto);
// `type` is the attribute's kind when it is known ("list(int)"): it gives empty lists their kind.
Result<AttrValue> FromProto(const tensorflow::AttrValue& proto);
void ToProto(const OpDef& op, tensorflow::OpDef* proto);
Result<OpDef> FromProto(const tensorflow::OpDef& proto);

}  // namespace weir
