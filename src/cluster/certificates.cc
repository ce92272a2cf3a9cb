#include "cluster/certificates.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>

#include "cluster/peer_identity.h"

namespace weir {

// Frees an OpenSSL object. CertificateAuthority::Parts has members with this type, so it is not in the unnamed
// namespace.
template <auto free>
struct OpenSslDeleter {
  template <class T>
  void operator()(T* object) const {
    free(object);
  }
};
using OwnedKey = std::unique_ptr<EVP_PKEY, OpenSslDeleter<EVP_PKEY_free>>;
using OwnedCertificate = std::unique_ptr<X509, OpenSslDeleter<X509_free>>;

namespace {

using Bio = std::unique_ptr<BIO, OpenSslDeleter<BIO_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, OpenSslDeleter<X509_EXTENSION_free>>;
using Number = std::unique_ptr<BIGNUM, OpenSslDeleter<BN_free>>;

Status Failed(const char* what) {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_get_error(), text.data(), text.size());
  ERR_clear_error();
  return Internal("OpenSSL cannot {}: {}", what, text.data());
}

std::string TextOf(BIO* bio) {
  char* begin = nullptr;
  const long size = BIO_get_mem_data(bio, &begin);
  return std::string(begin, static_cast<size_t>(size));
}

Result<KeyAndCertificate> ToPem(EVP_PKEY* key, X509* certificate) {
  const Bio key_bio(BIO_new(BIO_s_mem()));
  const Bio certificate_bio(BIO_new(BIO_s_mem()));
  if (key_bio == nullptr || certificate_bio == nullptr ||
      PEM_write_bio_PKCS8PrivateKey(key_bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1 ||
      PEM_write_bio_X509(certificate_bio.get(), certificate) != 1)
    return Failed("write a certificate");
  return KeyAndCertificate{TextOf(key_bio.get()), TextOf(certificate_bio.get())};
}

bool IsNumericAddress(const std::string& host) {
  std::array<unsigned char, 16> bytes{};
  return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 || inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

// OpenSSL parses extensions from text in which commas and colons are separators: no host may contain them.
Status CheckHost(const std::string& host) {
  const bool good = !host.empty() && host.size() <= 253 && std::all_of(host.begin(), host.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_' || c == '*';
  });
  if (good || IsNumericAddress(host)) return OkStatus();
  return InvalidArgument("'{}' is neither a host name nor a numeric address", host);
}

bool Extend(X509* certificate, X509* issuer, int what, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str()));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

// A certificate with a random serial number, not signed yet. It is its own issuer if `issuer` is null.
Result<OwnedCertificate> NewCertificate(EVP_PKEY* key, const std::string& common_name, X509* issuer, int starts_in_days,
                                        int valid_days) {
  constexpr int kSerialBits = 127;
  constexpr long kDay = 24 * 3600;
  OwnedCertificate certificate(X509_new());
  const Number serial(BN_new());
  if (certificate == nullptr || serial == nullptr ||
      BN_rand(serial.get(), kSerialBits, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) != 1 ||
      BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate.get())) == nullptr)
    return Failed("make a certificate");
  const auto* name = reinterpret_cast<const unsigned char*>(common_name.c_str());
  X509_NAME* const subject = X509_get_subject_name(certificate.get());
  // Valid from a few minutes earlier, for hosts whose clocks are slow.
  constexpr long kEarly = 300;
  if (X509_set_version(certificate.get(), X509_VERSION_3) != 1 ||
      X509_gmtime_adj(X509_getm_notBefore(certificate.get()), starts_in_days * kDay - kEarly) == nullptr ||
      X509_gmtime_adj(X509_getm_notAfter(certificate.get()), (long{starts_in_days} + valid_days) * kDay) == nullptr ||
      X509_set_pubkey(certificate.get(), key) != 1 ||
      X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, name, -1, -1, 0) != 1 ||
      X509_set_issuer_name(certificate.get(), issuer == nullptr ? subject : X509_get_subject_name(issuer)) != 1)
    return Failed("fill in a certificate");
  return certificate;
}

}  // namespace

struct CertificateAuthority::Parts {
  OwnedKey key;
  OwnedCertificate certificate;
};

CertificateAuthority::CertificateAuthority(std::unique_ptr<Parts> parts, KeyAndCertificate pem)
    : parts_(std::move(parts)), pem_(std::move(pem)) {}
CertificateAuthority::CertificateAuthority(CertificateAuthority&&) noexcept = default;
CertificateAuthority& CertificateAuthority::operator=(CertificateAuthority&&) noexcept = default;
CertificateAuthority::~CertificateAuthority() = default;

Result<CertificateAuthority> CertificateAuthority::Make(const std::string& name, int valid_days) {
  auto parts = std::make_unique<Parts>();
  parts->key.reset(EVP_EC_gen("P-256"));
  if (parts->key == nullptr) return Failed("make a key");
  WEIR_ASSIGN(parts->certificate, NewCertificate(parts->key.get(), name, nullptr, 0, valid_days));
  X509* const certificate = parts->certificate.get();
  if (!Extend(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") ||
      !Extend(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign") ||
      !Extend(certificate, certificate, NID_subject_key_identifier, "hash") ||
      X509_sign(certificate, parts->key.get(), EVP_sha256()) == 0)
    return Failed("sign the certificate of the CA");
  WEIR_ASSIGN(KeyAndCertificate pem, ToPem(parts->key.get(), certificate));
  return CertificateAuthority(std::move(parts), std::move(pem));
}

Result<CertificateAuthority> CertificateAuthority::Load(const KeyAndCertificate& pem) {
  auto parts = std::make_unique<Parts>();
  const Bio key(BIO_new_mem_buf(pem.key.data(), static_cast<int>(pem.key.size())));
  const Bio certificate(BIO_new_mem_buf(pem.certificate.data(), static_cast<int>(pem.certificate.size())));
  parts->key.reset(PEM_read_bio_PrivateKey(key.get(), nullptr, nullptr, nullptr));
  parts->certificate.reset(PEM_read_bio_X509(certificate.get(), nullptr, nullptr, nullptr));
  const bool good = parts->key != nullptr && parts->certificate != nullptr &&
                    X509_check_private_key(parts->certificate.get(), parts->key.get()) == 1 &&
                    X509_check_ca(parts->certificate.get()) == 1;
  ERR_clear_error();
  if (!good) return InvalidArgument("these are not the key and the certificate of a CA");
  return CertificateAuthority(std::move(parts), pem);
}

Result<KeyAndCertificate> CertificateAuthority::Issue(const Request& request) const {
  const std::optional<PeerIdentity> identity = ParseIdentity(request.identity);
  if (!identity.has_value()) {
    return InvalidArgument(
        "'{}' is not an identity: expected task/JOB/INDEX, client/NAME or admin/NAME, with names of letters, digits "
        "and -_.@",
        request.identity);
  }
  const bool is_task = identity->role == Role::kTask;
  std::string names = fmt::format("URI:weir://{}", request.identity);
  for (const std::string& host : request.hosts) {
    WEIR_TRY(CheckHost(host));
    names += fmt::format(",{}:{}", IsNumericAddress(host) ? "IP" : "DNS", host);
  }
  constexpr size_t kMaxCommonName = 64;  // of X.509. The common name is for people; the URI identifies the owner
  const OwnedKey key(EVP_EC_gen("P-256"));
  if (key == nullptr) return Failed("make a key");
  X509* const issuer = parts_->certificate.get();
  WEIR_ASSIGN(const OwnedCertificate certificate, NewCertificate(key.get(), request.identity.substr(0, kMaxCommonName),
                                                                 issuer, request.starts_in_days, request.valid_days));
  if (!Extend(certificate.get(), issuer, NID_basic_constraints, "critical,CA:FALSE") ||
      !Extend(certificate.get(), issuer, NID_key_usage, "critical,digitalSignature") ||
      !Extend(certificate.get(), issuer, NID_ext_key_usage, is_task ? "serverAuth,clientAuth" : "clientAuth") ||
      !Extend(certificate.get(), issuer, NID_authority_key_identifier, "keyid") ||
      !Extend(certificate.get(), issuer, NID_subject_alt_name, names) ||
      X509_sign(certificate.get(), parts_->key.get(), EVP_sha256()) == 0)
    return Failed("sign a certificate");
  return ToPem(key.get(), certificate.get());
}

}  // namespace weir
