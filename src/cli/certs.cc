#include "cli/certs.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

#include "cluster/certificates.h"
#include "cluster/resolve.h"

namespace weir::cli {
namespace {

constexpr int kCaYears = 10;
constexpr int kDaysPerYear = 365;

struct Subject {
  CertificateAuthority::Request request;
  std::string file;  // without its ending
};

// The names by which others reach a task.
std::vector<std::string> HostsOf(const Address& address) {
  if (address.is_unix()) return {"localhost"};
  if (IsLoopbackName(address.host) || address.host.starts_with("127.")) return {"localhost", "127.0.0.1", "::1"};
  return {address.host};
}

Result<std::vector<Subject>> Subjects(const MakeCertsOptions& options, Env& env) {
  std::vector<Subject> subjects;
  const ServeOptions& from = options.cluster;
  const char* tf_config = std::getenv("TF_CONFIG");
  const bool has_cluster = !from.cluster.empty() || !from.ps_hosts.empty() || !from.worker_hosts.empty() ||
                           !from.config_file.empty() || (tf_config != nullptr && *tf_config != '\0');
  if (has_cluster) {
    WEIR_ASSIGN(const ClusterConfig config, ClusterOf(from, tf_config, env));
    for (const auto& [job, tasks] : config.cluster.jobs()) {
      for (const auto& [task, text] : tasks) {
        WEIR_ASSIGN(const Address address, Address::Parse(text));
        subjects.push_back({{.identity = fmt::format("task/{}/{}", job, task), .hosts = HostsOf(address)},
                            fmt::format("{}-{}", job, task)});
      }
    }
  }
  for (const std::string& name : options.clients)
    subjects.push_back({{.identity = "client/" + name, .hosts = {}}, "client-" + name});
  for (const std::string& name : options.administrators)
    subjects.push_back({{.identity = "admin/" + name, .hosts = {}}, "admin-" + name});
  if (subjects.empty()) {
    return InvalidArgument(
        "no task, client or administrator to make a certificate for: give the cluster (--cluster, --ps_hosts and "
        "--worker_hosts, --config or TF_CONFIG), --clients or --admins");
  }
  return subjects;
}

Status WritePair(Env& env, const std::string& stem, const KeyAndCertificate& pem) {
  WEIR_TRY(env.WriteFileAtomically(stem + ".key", pem.key));
  return env.WriteFileAtomically(stem + ".crt", pem.certificate);
}

Result<CertificateAuthority> OpenAuthority(const std::string& stem, Env& env, bool* made) {
  *made = !env.Exists(stem + ".key");
  if (*made) {
    WEIR_ASSIGN(CertificateAuthority authority, CertificateAuthority::Make("Weir cluster CA", kCaYears * kDaysPerYear));
    WEIR_TRY(WritePair(env, stem, authority.pem()));
    return authority;
  }
  KeyAndCertificate pem;
  WEIR_ASSIGN(pem.key, env.ReadFile(stem + ".key"));
  WEIR_ASSIGN(pem.certificate, env.ReadFile(stem + ".crt"));
  Result<CertificateAuthority> authority = CertificateAuthority::Load(pem);
  if (!authority.ok()) return WithContext(authority.status(), stem + ".key and .crt");
  return authority;
}

}  // namespace

Status MakeCerts(const MakeCertsOptions& options, Env& env) {
  WEIR_ASSIGN(const std::vector<Subject> subjects, Subjects(options, env));
  umask(S_IRWXG | S_IRWXO);  // only this user may read the keys
  WEIR_TRY(env.MakeDirectories(options.folder));
  const std::string ca = JoinPath(options.folder, "ca");
  for (const Subject& subject : subjects) {
    const std::string path = JoinPath(options.folder, subject.file + ".key");
    if (env.Exists(path)) return AlreadyExists("{} exists: move it away to replace that certificate", path);
  }
  bool made = false;
  WEIR_ASSIGN(const CertificateAuthority authority, OpenAuthority(ca, env, &made));
  fmt::print("{} {}.crt and {}.key (keep this key off the servers: whoever has it can make certificates)\n",
             made ? "wrote" : "used", ca, ca);
  for (const Subject& subject : subjects) {
    CertificateAuthority::Request request = subject.request;
    request.valid_days = options.valid_days;
    WEIR_ASSIGN(const KeyAndCertificate issued, authority.Issue(request));
    const std::string stem = JoinPath(options.folder, subject.file);
    WEIR_TRY(WritePair(env, stem, issued));
    fmt::print("wrote {}.crt and .key  {}\n", stem, request.identity);
  }
  const std::string example = JoinPath(options.folder, subjects.front().file);
  fmt::print(
      "\nEach process needs its own pair and ca.crt:\n  export WEIR_TLS_CERT={0}.crt WEIR_TLS_KEY={0}.key "
      "WEIR_TLS_CA={1}.crt\n",
      example, ca);
  return OkStatus();
}

}  // namespace weir::cli
