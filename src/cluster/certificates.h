// CertificateAuthority: makes the certificates of a cluster, for people who have no CA. `weir certs make` writes them
// to files; a server and its peers read them as Credentials.
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

  // A new CA with a key of its own. `name` is for people.
  static Result<CertificateAuthority> Make(const std::string& name, int valid_days);
  // The CA of an earlier Make. InvalidArgument if these are not a key and its certificate.
  static Result<CertificateAuthority> Load(const KeyAndCertificate& pem);

  CertificateAuthority(CertificateAuthority&&) noexcept;
  CertificateAuthority& operator=(CertificateAuthority&&) noexcept;
  ~CertificateAuthority();

  const KeyAndCertificate& pem() const { return pem_; }
  // Only the certificates of tasks can be shown by servers. InvalidArgument for an identity or a host that cannot be.
  Result<KeyAndCertificate> Issue(const Request& request) const;

 private:
  struct Parts;
  explicit CertificateAuthority(std::unique_ptr<Parts> parts, KeyAndCertificate pem);
  std::unique_ptr<Parts> parts_;
  KeyAndCertificate pem_;
};

}  // namespace weir
