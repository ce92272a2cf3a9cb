// JoinedToken: a CancelToken that is cancelled as soon as one of several tokens is. REQUIRES: the tokens outlive it.
// Cancel callbacks of the joined token may destroy the JoinedToken.
#ifndef WEIR_OP_JOINED_TOKEN_H_
#define WEIR_OP_JOINED_TOKEN_H_

#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "op/cancel.h"

namespace weir {

class JoinedToken final {
 public:
  // Null tokens are ignored.
  JoinedToken(std::initializer_list<CancelToken*> tokens) {
    for (CancelToken* token : tokens) {
      if (token == nullptr) continue;
      const CancelToken::Id id = token->Register([joined = joined_, token] { joined->Cancel(token->reason()); });
      if (id == 0) {
        joined_->Cancel(token->reason());
      } else {
        registrations_.emplace_back(token, id);
      }
    }
  }
  ~JoinedToken() {
    for (const auto& [token, id] : registrations_) token->Unregister(id);
  }
  JoinedToken(const JoinedToken&) = delete;
  JoinedToken& operator=(const JoinedToken&) = delete;
  CancelToken* get() { return joined_.get(); }

 private:
  const std::shared_ptr<CancelToken> joined_ = std::make_shared<CancelToken>();
  std::vector<std::pair<CancelToken*, CancelToken::Id>> registrations_;
};

}  // namespace weir

#endif  // WEIR_OP_JOINED_TOKEN_H_
