#include "cluster/grpc/grpc_security.h"

#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "base/env.h"
#include "base/log.h"
#include "session/cluster_spec.h"

namespace weir {
namespace {

constexpr char kTokenKey[] = "authorization";
constexpr std::string_view kTokenPrefix = "Bearer ";

std::string Text(grpc::string_ref text) { return std::string(text.data(), text.size()); }

// "*.example.org" covers one label, as usual.
bool Covers(const std::string& pattern, const std::string& host) {
  if (absl::AsciiStrToLower(pattern) == absl::AsciiStrToLower(host)) return true;
  const size_t dot = host.find('.');
  return pattern.starts_with("*.") && dot != std::string::npos && dot > 0 &&
         absl::AsciiStrToLower(pattern.substr(1)) == absl::AsciiStrToLower(host.substr(dot));
}

// Accepts only the expected server. gRPC has verified the chain up to the CA before.
class ServerVerifier final : public grpc::experimental::ExternalCertificateVerifier {
 public:
  // Expects the certificate to have `uri`, the name of a task, or else `host`.
  ServerVerifier(std::string uri, std::string host) : uri_(std::move(uri)), host_(std::move(host)) {}
  bool Verify(grpc::experimental::TlsCustomVerificationCheckRequest* request, std::function<void(grpc::Status)>,
              grpc::Status* status) override {
    *status = Check(*request);
    return true;
  }
  void Cancel(grpc::experimental::TlsCustomVerificationCheckRequest*) override {}

 private:
  grpc::Status Check(const grpc::experimental::TlsCustomVerificationCheckRequest& request) const {
    std::vector<std::string> names;
    const auto any = [&](const std::vector<grpc::string_ref>& list, const auto& matches) {
      for (const grpc::string_ref& name : list) names.push_back(Text(name));
      return std::any_of(list.begin(), list.end(), [&](grpc::string_ref name) { return matches(Text(name)); });
    };
    const auto is_host = [this](const std::string& name) { return Covers(name, host_); };
    const bool good = uri_.empty() ? any(request.dns_names(), is_host) || any(request.ip_names(), is_host)
                                   : any(request.uri_names(), [this](const std::string& name) { return name == uri_; });
    if (good) return grpc::Status::OK;
    return grpc::Status(grpc::StatusCode::UNAUTHENTICATED,
                        fmt::format("the server's certificate is for {}, not for {}",
                                    names.empty() ? "no such name" : fmt::format("{}", fmt::join(names, ", ")),
                                    uri_.empty() ? host_ : uri_));
  }

  const std::string uri_;
  const std::string host_;
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
  if (env_ != nullptr) WEIR_TRY(credentials_.Check(*env_, serves));
  if (serves && accepted_tokens_ != nullptr) WEIR_TRY(accepted_tokens_->Check());
  return shown_token_ == nullptr ? OkStatus() : shown_token_->Check();
}

std::shared_ptr<grpc::ChannelCredentials> GrpcSecurity::ForChannel(const std::string& address,
                                                                   const std::string& task) const {
  if (!credentials_.uses_tls()) return grpc::InsecureChannelCredentials();
  const Result<Address> parsed = Address::Parse(address);
  grpc::experimental::TlsChannelCredentialsOptions options;
  options.set_certificate_provider(FilesOf(credentials_));
  options.watch_root_certs();
  if (!credentials_.tls_cert.empty()) options.watch_identity_key_cert_pairs();
  options.set_certificate_verifier(grpc::experimental::ExternalCertificateVerifier::Create<ServerVerifier>(
      TaskUri(task), parsed.ok() ? parsed->host : address));
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
  if (!asks_callers()) return TrustedPeer();
  PeerIdentity identity{Role::kNone, "", ""};
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
