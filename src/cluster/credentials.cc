#include "cluster/credentials.h"

#include <cstdlib>
#include <filesystem>

#include "base/env.h"
#include "base/file_scheme.h"

namespace weir {
namespace {

std::string Variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

Status CheckPem(Env& env, const std::string& path, const char* what, std::string_view mark) {
  Result<std::string> text = env.ReadFile(path);
  if (!text.ok()) return WithContext(text.status(), fmt::format("the file of {}, '{}'", what, path));
  if (text->find(mark) == std::string::npos)
    return InvalidArgument("'{}' cannot be the file of {}: it has no PEM block \"{}\"", path, what, mark);
  return OkStatus();
}

}  // namespace

Credentials Credentials::FromEnvironment() {
  Credentials credentials;
  credentials.tls_cert = Variable("WEIR_TLS_CERT");
  credentials.tls_key = Variable("WEIR_TLS_KEY");
  credentials.tls_ca = Variable("WEIR_TLS_CA");
  credentials.token_file = Variable("WEIR_TOKEN_FILE");
  credentials.accepted_tokens_file = Variable("WEIR_ACCEPTED_TOKENS");
  return credentials;
}

Credentials Credentials::OrElse(const Credentials& other) const {
  const auto either = [](const std::string& own, const std::string& others) { return own.empty() ? others : own; };
  Credentials both = *this;
  both.tls_cert = either(tls_cert, other.tls_cert);
  both.tls_key = either(tls_key, other.tls_key);
  both.tls_ca = either(tls_ca, other.tls_ca);
  both.token_file = either(token_file, other.token_file);
  both.accepted_tokens_file = either(accepted_tokens_file, other.accepted_tokens_file);
  return both;
}

Status Credentials::Check(Env& env, bool serves) const {
  if (tls_cert.empty() != tls_key.empty()) {
    return InvalidArgument("a certificate needs its key: {} is given without {}",
                           tls_cert.empty() ? "tls_key" : "tls_cert", tls_cert.empty() ? "tls_cert" : "tls_key");
  }
  if (!tls_cert.empty() && tls_ca.empty())
    return InvalidArgument("tls_cert is given without tls_ca, which is needed to verify the certificates of peers");
  if (serves && !tls_ca.empty() && tls_cert.empty())
    return InvalidArgument("a server with tls_ca needs a certificate of its own: tls_cert and tls_key");
  if (!tls_ca.empty()) WEIR_TRY(CheckPem(env, tls_ca, "the certificates of the CA (tls_ca)", "BEGIN CERTIFICATE"));
  if (!tls_cert.empty()) {
    WEIR_TRY(CheckPem(env, tls_cert, "the certificate (tls_cert)", "BEGIN CERTIFICATE"));
    WEIR_TRY(CheckPem(env, tls_key, "the certificate's key (tls_key)", "PRIVATE KEY"));
  }
  return OkStatus();
}

Result<std::string> Credentials::CheckPermissions() const {
  using std::filesystem::perms;
  std::string warning;
  for (const std::string& path : {tls_key, token_file, accepted_tokens_file}) {
    if (!CheckFileScheme(path).ok()) continue;  // Check reports files that cannot be read
    std::error_code error;
    const perms granted = std::filesystem::status(path.substr(FilePrefixSize(path)), error).permissions();
    if (error) continue;
    if ((granted & perms::others_write) != perms::none) {
      return MakeStatus(StatusCode::kPermissionDenied,
                        fmt::format("every user of this host can change '{0}': chmod o-rw '{0}'", path));
    }
    if ((granted & perms::others_read) != perms::none)
      warning = fmt::format("every user of this host can read '{0}', which holds a secret: chmod o-rw '{0}'", path);
  }
  return warning;
}

}  // namespace weir
