#include "cluster/grpc/grpc_security.h"

#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>

#include <algorithm>

#include "base/env.h"
#include "base/log.h"
#include "cluster/resolve.h"
#include "session/cluster_spec.h"

namespace weir {
namespace {

constexpr char kTokenKey[] = "authorization";
constexpr std::string_view kTokenPrefix = "Bearer ";

std::string Text(grpc::string_ref text) { return std::string(text.data(), text.size()); }

// The name that a server's certificate must have if it is not known which task it is.
std::string HostOf(const std::string& address) {
  const Result<Address> parsed = Address::Parse(address);
  if (!parsed.ok()) return "";
  return parsed->is_unix() ? "localhost" : parsed->host;
}

// Accepts only the expected server. gRPC has verified the chain up to the CA before.
class ServerVerifier final : public grpc::experimental::ExternalCertificateVerifier {
 public:
  explicit ServerVerifier(WantedServer wanted) : wanted_(std::move(wanted)) {}
  bool Verify(grpc::experimental::TlsCustomVerificationCheckRequest* request, std::function<void(grpc::Status)>,
              grpc::Status* status) override {
    const auto texts = [](const std::vector<grpc::string_ref>& list) {
      std::vector<std::string> names;
      for (const grpc::string_ref& name : list) names.push_back(Text(name));
      return names;
    };
    const Status checked =
        wanted_.Check(texts(request->uri_names()), texts(request->dns_names()), texts(request->ip_names()));
    if (!checked.ok()) *status = grpc::Status(grpc::StatusCode::UNAUTHENTICATED, std::string(checked.message()));
    return true;
  }
  void Cancel(grpc::experimental::TlsCustomVerificationCheckRequest*) override {}

 private:
  const WantedServer wanted_;
};

std::shared_ptr<grpc::experimental::CertificateProviderInterface> FilesOf(const Credentials& credentials) {
  return std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
      credentials.tls_key, credentials.tls_cert, credentials.tls_ca,
      static_cast<unsigned>(std::max<int64_t>(1, credentials.reload_seconds)));
}

}  // namespace

GrpcSecurity::GrpcSecurity(Credentials credentials, Env* env, Clock& clock)
    : credentials_(std::move(credentials)),
      env_(env),
      accepted_tokens_(credentials_.accepted_tokens_file.empty()
                           ? nullptr
                           : std::make_unique<AcceptedTokens>(*env, clock, credentials_.accepted_tokens_file,
                                                              credentials_.reload_seconds)),
      shown_token_(credentials_.token_file.empty() ? nullptr
                                                   : std::make_unique<ShownToken>(*env, clock, credentials_.token_file,
                                                                                  credentials_.reload_seconds)) {}

Status GrpcSecurity::Check(bool serves) {
  if (env_ != nullptr) {
    WEIR_TRY(credentials_.Check(*env_, serves));
    WEIR_ASSIGN(const std::string warning, credentials_.CheckPermissions());
    if (!warning.empty() && !warned_of_permissions_.exchange(true)) LogWarning("{}", warning);
  }
  if (serves && accepted_tokens_ != nullptr) WEIR_TRY(accepted_tokens_->Check());
  return shown_token_ == nullptr ? OkStatus() : shown_token_->Check();
}

std::shared_ptr<grpc::ChannelCredentials> GrpcSecurity::ForChannel(const std::string& address,
                                                                   const std::string& task) const {
  if (!credentials_.uses_tls()) {
    if (shown_token_ != nullptr && !IsLoopback(HostOf(address)) && !warned_of_clear_text_.exchange(true)) {
      LogWarning("this process sends its token to {} without encryption: set WEIR_TLS_CA. See docs/security.md",
                 address);
    }
    return grpc::InsecureChannelCredentials();
  }
  grpc::experimental::TlsChannelCredentialsOptions options;
  options.set_certificate_provider(FilesOf(credentials_));
  options.watch_root_certs();
  if (!credentials_.tls_cert.empty()) options.watch_identity_key_cert_pairs();
  options.set_certificate_verifier(grpc::experimental::ExternalCertificateVerifier::Create<ServerVerifier>(
      WantedServer{.by_task = !task.empty(), .uri = TaskUri(task), .host = HostOf(address)}));
  options.set_check_call_host(false);  // the verifier checks the whole connection
  return grpc::experimental::TlsCredentials(options);
}

std::shared_ptr<grpc::ServerCredentials> GrpcSecurity::ForServer() const {
  if (!credentials_.uses_tls()) return grpc::InsecureServerCredentials();
  grpc::experimental::TlsServerCredentialsOptions options(FilesOf(credentials_));
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  // Without accepted tokens, a caller without a certificate is refused by the handshake already.
  options.set_cert_request_type(accepted_tokens_ == nullptr ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                                                            : GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_AND_VERIFY);
  return grpc::experimental::TlsServerCredentials(options);
}

void GrpcSecurity::AddToken(grpc::ClientContext* context) const {
  if (shown_token_ != nullptr) context->AddMetadata(kTokenKey, std::string(kTokenPrefix) + shown_token_->Get());
}

PeerIdentity GrpcSecurity::Identify(const grpc::ServerContext& context) const {
  PeerIdentity identity{asks_callers() ? Role::kNone : Role::kTrusted, "", context.peer()};
  if (!asks_callers()) return identity;
  const std::shared_ptr<const grpc::AuthContext> auth = context.auth_context();
  if (auth != nullptr && !auth->FindPropertyValues("x509_pem_cert").empty()) {
    std::vector<std::string> uris;
    for (const grpc::string_ref& uri : auth->FindPropertyValues("peer_uri")) uris.push_back(Text(uri));
    const std::vector<grpc::string_ref> common_names = auth->FindPropertyValues("x509_common_name");
    identity = IdentityInCertificate(uris, common_names.empty() ? "" : Text(common_names.front()));
  } else if (accepted_tokens_ != nullptr) {
    const auto [begin, end] = context.client_metadata().equal_range(kTokenKey);
    for (auto it = begin; it != end && identity.role == Role::kNone; ++it) {
      const std::string_view value(it->second.data(), it->second.size());
      if (value.starts_with(kTokenPrefix)) identity = accepted_tokens_->Find(value.substr(kTokenPrefix.size()));
    }
  }
  identity.address = context.peer();
  return identity;
}

}  // namespace weir
