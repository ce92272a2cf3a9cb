// Decompositions that reduce a matrix to a condensed form, which LAPACK solves by iteration. Unimplemented if there is
// no LAPACK on this machine. C is double or std::complex<double>.
#ifndef WEIR_OPS_MATH_LINALG_CONDENSED_H_
#define WEIR_OPS_MATH_LINALG_CONDENSED_H_

#include "ops/math/linalg_batch.h"

namespace weir::ops {

// Returns a divisor for the values with which their squares neither overflow nor underflow; usually 1. NaN or infinite
// if one of the values is not finite.
template <class C>
double ExtremeScale(const std::vector<C>& values);

// Eigenvalues in ascending order and, if wanted, eigenvectors as the columns of `vectors`. Reads the lower triangle of
// `a` and overwrites all of it. InvalidArgument if that is not finite.
template <class C>
Status SelfAdjointEigen(Matrix<C>& a, Matrix<C>& values, Matrix<C>* vectors, FactorScratch& scratch);

// Singular values in descending order and, if u and v are given, singular vectors in their columns: u and v determine
// how many, at least one per value. Overwrites `a`. All NaN if `a` is not finite.
template <class C>
Status SingularValues(Matrix<C>& a, Matrix<C>& values, Matrix<C>* u, Matrix<C>* v, FactorScratch& scratch);

// a = vectors triangle vectors^H, where `triangle` is upper triangular. REQUIRES: finite values.
struct Schur {
  Matrix<std::complex<double>> triangle;
  Matrix<std::complex<double>> vectors;
};
Result<Schur> SchurOf(const Matrix<std::complex<double>>& a, FactorScratch& scratch);

// The principal square root of an upper triangle. Not finite if there is none.
Matrix<std::complex<double>> RootOfTriangle(const Matrix<std::complex<double>>& t);

}  // namespace weir::ops

#endif  // WEIR_OPS_MATH_LINALG_CONDENSED_H_
