// TensorFlow's messages, declared only: no public header needs protobuf. A program that uses a message includes its
// header, e.g. <proto/graph.pb.h> for tensorflow::GraphDef, and needs protobuf to compile.
#ifndef WEIR_PROTO_MESSAGES_H_
#define WEIR_PROTO_MESSAGES_H_

#include <memory>
#include <utility>

namespace tensorflow {
class ClusterDef;
class ConfigProto;
class Event;
class GraphDef;
class MetaGraphDef;
class NodeDef;
class QueueRunnerDef;
class RunMetadata;
class RunOptions;
class SavedModel;
class SaverDef;
class ServerDef;
class SessionLog;
class SignatureDef;
class StepStats;
class Summary;
class SummaryMetadata;
class TensorInfo;
class VariableDef;
}  // namespace tensorflow

namespace weir {

// Like std::optional<const T>, for a message whose type may be incomplete here. Copies share the message.
template <class T>
class OptionalMessage {
 public:
  OptionalMessage() = default;
  OptionalMessage(const T& message) : message_(std::make_shared<const T>(message)) {}
  OptionalMessage(T&& message) : message_(std::make_shared<const T>(std::move(message))) {}
  bool has_value() const { return message_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  const T& operator*() const { return *message_; }  // REQUIRES: has_value()
  const T* operator->() const { return message_.get(); }

 private:
  std::shared_ptr<const T> message_;
};

}  // namespace weir

#endif  // WEIR_PROTO_MESSAGES_H_
