// GrpcSecurity: TLS and tokens for the gRPC transport. gRPC makes the handshakes and reloads changed certificate files;
// this class decides which peers to accept, and identifies callers. Thread-safe.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "cluster/credentials.h"
#include "cluster/peer_identity.h"
#include "cluster/tokens.h"

namespace weir {

class GrpcSecurity final {
 public:
  // `env` holds the files of the credentials. It may be null if there are none.
  GrpcSecurity(Credentials credentials, Env* env, Clock& clock);

  // An error if the credentials cannot be used: see Credentials::Check.
  Status Check(bool serves);

  // For a connection to `address`. With TLS, the peer's certificate must be that of `task`
  // ("/job:ps/replica:0/task:0"), or, if `task` is empty, name the host of the address.
  std::shared_ptr<grpc::ChannelCredentials> ForChannel(const std::string& address, const std::string& task) const;
  std::shared_ptr<grpc::ServerCredentials> ForServer() const;

  // Adds this process's token to a call, if it has one.
  void AddToken(grpc::ClientContext* context) const;
  // Whether callers must present credentials.
  bool asks_callers() const { return credentials_.authenticates(); }
  // The identity of the caller: a trusted one without a name if callers need no credentials. REQUIRES: the call has
  // arrived.
  PeerIdentity Identify(const grpc::ServerContext& context) const;

 private:
  const Credentials credentials_;
  Env* const env_;
  const std::unique_ptr<AcceptedTokens> accepted_tokens_;  // null: none
  const std::unique_ptr<ShownToken> shown_token_;          // null: none
  mutable std::atomic<bool> warned_of_clear_text_{false};
  std::atomic<bool> warned_of_permissions_{false};
};

}  // namespace weir
