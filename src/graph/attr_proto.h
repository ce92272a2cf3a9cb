// Converts AttrValue and OpDef to and from TensorFlow's messages.
#ifndef WEIR_GRAPH_ATTR_PROTO_H_
#define WEIR_GRAPH_ATTR_PROTO_H_

#include "op/op_def.h"
#include "proto/attr_value.pb.h"
#include "proto/op_def.pb.h"

namespace weir {

void ToProto(const AttrValue& value, tensorflow::AttrValue* proto);
// A message without a value gives an AttrValue without a kind; an empty list gives an EmptyList. Malformed values (an
// unknown type, a list of two kinds) are errors.
Result<AttrValue> FromProto(const tensorflow::AttrValue& proto);
// Converts only the schema: functions and kernels have no message. FromProto checks that arguments refer to existing
// attributes.
void ToProto(const OpDef& op, tensorflow::OpDef* proto);
Result<OpDef> FromProto(const tensorflow::OpDef& proto);

}  // namespace weir

#endif  // WEIR_GRAPH_ATTR_PROTO_H_
