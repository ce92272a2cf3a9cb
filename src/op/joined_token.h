// JoinedToken: a CancelToken that is cancelled with the first of several. They outlive it.
#ifndef WEIR_OP_JOINED_TOKEN_H_
#define WEIR_OP_JOINED_TOKEN_H_

#include <initializer_list>
#include <utility>
#include <vector>

#include "op/cancel.h"

namespace weir {

class JoinedToken final {
 public:
  // Null tokens are left out.
  JoinedToken(std::initializer_list<CancelToken*> tokens) {
    for (CancelToken* token : tokens) {
      if (token == nullptr) continue;
      const CancelToken::Id id = token->Register([this, token] { joined_.Cancel(token->reason()); });
      if (id == 0) {
        joined_.Cancel(token->reason());
      } else {
        ties_.emplace_back(token, id);
      }
    }
  }
  ~JoinedToken() {
    for (const auto& [token, id] : ties_) token->Unregister(id);
  }
  JoinedToken(const JoinedToken&) = delete;
  JoinedToken& operator=(const JoinedToken&) = delete;
  CancelToken* get() { return &joined_; }

 private:
  CancelToken joined_;
  std::vector<std::pair<CancelToken*, CancelToken::Id>> ties_;
};

}  // namespace weir

#endif  // WEIR_OP_JOINED_TOKEN_H_
