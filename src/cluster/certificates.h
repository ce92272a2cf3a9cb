// CertificateAuthority: issues the certificates of a cluster, for users without a CA of their own. `weir certs make`
// writes them to files; servers and their peers read the files as Credentials.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"

namespace weir {

// In PEM.
struct KeyAndCertificate {
  std::string key;
  std::string certificate;
};

class CertificateAuthority final {
 public:
  struct Request {
    std::string identity;            // "task/ps/0", "client/alice", "admin/bob": see peer_identity.h
    std::vector<std::string> hosts;  // names and numeric addresses at which a server is reached
    int valid_days = 365;
    int starts_in_days = 0;  // negative: in the past
  };

  // Makes a CA with a new key. `name` is the common name of its certificate, for people who read it.
  static Result<CertificateAuthority> Make(const std::string& name, int valid_days);
  // Loads a CA that Make created earlier. InvalidArgument if `pem` is not a key and its certificate.
  static Result<CertificateAuthority> Load(const KeyAndCertificate& pem);

  CertificateAuthority(CertificateAuthority&&) noexcept;
  CertificateAuthority& operator=(CertificateAuthority&&) noexcept;
  ~CertificateAuthority();

  const KeyAndCertificate& pem() const { return pem_; }
  // Servers can use only the certificates of tasks. InvalidArgument if the identity or a host is malformed.
  Result<KeyAndCertificate> Issue(const Request& request) const;

 private:
  struct Parts;
  explicit CertificateAuthority(std::unique_ptr<Parts> parts, KeyAndCertificate pem);
  std::unique_ptr<Parts> parts_;
  KeyAndCertificate pem_;
};

}  // namespace weir
