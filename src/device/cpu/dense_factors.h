// Factors of dense matrices: LU, Cholesky, QR, and solutions of triangular systems. Matrices are row-major, one matrix
// and one thread per call. The bulk of the work runs in AddProduct, so it uses the vectors of the machine at hand.
// C is double or std::complex<double>.
#ifndef WEIR_DEVICE_CPU_DENSE_FACTORS_H_
#define WEIR_DEVICE_CPU_DENSE_FACTORS_H_

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

namespace weir {

// Scratch memory of the functions below; reuse it from matrix to matrix. Not thread-safe.
class FactorScratch final {
 public:
  double* packed();                // for AddProduct
  double* Doubles(int64_t count);  // valid until the next call
  // Scratch arrays, by number: the functions below use 0 to 3, their callers may use 4 to 7. They keep the values of
  // their last use.
  template <class C>
  C* Panel(int which, int64_t count) {
    std::vector<double>& panel = panels_[which];
    const size_t doubles = (static_cast<size_t>(count) * sizeof(C) + sizeof(double) - 1) / sizeof(double);
    if (panel.size() < doubles) panel.resize(doubles);
    return reinterpret_cast<C*>(panel.data());
  }

 private:
  std::unique_ptr<double[]> packed_;
  std::vector<double> doubles_;
  std::vector<double> panels_[8];
};

// c[m,n] += sign * a[m,k] b[k,n]; a leading dimension is the distance between rows.
template <class C>
void AddDense(double sign, int64_t m, int64_t n, int64_t k, const C* a, int64_t lda, const C* b, int64_t ldb, C* c,
              int64_t ldc, FactorScratch& scratch);

// a[n,n] -> L without its diagonal of ones, and U. Step i swapped the rows i and pivots[i]. A zero on U's diagonal
// means that the matrix is singular.
template <class C>
void FactorLu(int64_t n, C* a, int64_t* pivots, FactorScratch& scratch);

// The lower triangle of a[n,n] -> L. Does not touch the upper triangle. Returns false, with a partly overwritten, if a
// pivot is not positive.
template <class C>
bool FactorCholesky(int64_t n, C* a, FactorScratch& scratch);

// Which triangle of a matrix to read, and whether to treat its diagonal as ones.
struct Triangle {
  bool lower = true;
  bool ones = false;
};
// x[n,k] -> a^-1 x.
template <class C>
void SolveTriangle(Triangle triangle, int64_t n, int64_t k, const C* a, int64_t lda, C* x, int64_t ldx,
                   FactorScratch& scratch);

// a[m,n] -> R in the upper triangle; below it reflectors, whose factors are tau[min(m,n)]: a = Q R with Q = H0 H1 ...
// and Hi = 1 - tau[i] v v^H, where v is column i below the diagonal, and 1 on it.
template <class C>
void FactorQr(int64_t m, int64_t n, C* a, C* tau, FactorScratch& scratch);

// x[m,k] -> Q x, or Q^H x, with the `count` reflectors of v[m,count]; reads v only below its diagonal.
template <class C>
void ApplyReflectors(bool adjoint, int64_t m, int64_t count, const C* v, int64_t ldv, const C* tau, int64_t k, C* x,
                     int64_t ldx, FactorScratch& scratch);

// q[m,k] = the first k columns of Q.
template <class C>
void FormReflectors(int64_t m, int64_t count, const C* v, int64_t ldv, const C* tau, int64_t k, C* q,
                    FactorScratch& scratch);

// QR with the columns swapped so that R's diagonal does not grow: column i of the result was columns[i] of a.
template <class C>
void FactorPivotedQr(int64_t m, int64_t n, C* a, C* tau, int64_t* columns);

}  // namespace weir

#endif  // WEIR_DEVICE_CPU_DENSE_FACTORS_H_
