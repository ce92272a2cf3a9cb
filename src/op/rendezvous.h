// Rendezvous: where tensors meet between devices in a step. A producer sends under a key, a consumer receives under it,
// in any order. Thread-safe; an abort ends all waits with its status.
#ifndef WEIR_OP_RENDEZVOUS_H_
#define WEIR_OP_RENDEZVOUS_H_

#include <functional>
#include <string>

#include "base/intrusive_ptr.h"
#include "tensor/tensor.h"

namespace weir {

class Rendezvous : public RefCounted {
 public:
  struct Value {
    Tensor tensor;
    bool dead = false;  // from a branch that was not taken
  };
  using Done = std::function<void(Result<Value>)>;

  virtual Status Send(const std::string& key, Value value) = 0;
  // `done` may run on this thread, at once.
  virtual void RecvAsync(const std::string& key, Done done) = 0;
  virtual void Abort(Status reason) = 0;
};

}  // namespace weir

#endif  // WEIR_OP_RENDEZVOUS_H_
