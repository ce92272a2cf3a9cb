// Rendezvous: passes tensors between devices within a step. A producer sends under a key and a consumer receives under
// the same key, in any order. Abort fails all pending receives with its status. Thread-safe.
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
  // `done` may run on this thread before RecvAsync returns.
  virtual void RecvAsync(const std::string& key, Done done) = 0;
  virtual void Abort(Status reason) = 0;
};

}  // namespace weir

#endif  // WEIR_OP_RENDEZVOUS_H_
