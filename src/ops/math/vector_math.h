// Elementary functions over spans of float and double, for the instruction set found at run time. x and y may be the
// same memory. NaN, infinities and signed zeros are as in the C library, other values within 4 units in the last place.
#pragma once

#include <cstdint>

#include "tensor/half.h"

namespace weir::ops {

void ExpInto(const float* x, float* y, int64_t n);
void ExpInto(const double* x, double* y, int64_t n);
void Expm1Into(const float* x, float* y, int64_t n);
void Expm1Into(const double* x, double* y, int64_t n);
void LogInto(const float* x, float* y, int64_t n);
void LogInto(const double* x, double* y, int64_t n);
void Log1pInto(const float* x, float* y, int64_t n);
void Log1pInto(const double* x, double* y, int64_t n);
void SinInto(const float* x, float* y, int64_t n);
void SinInto(const double* x, double* y, int64_t n);
void CosInto(const float* x, float* y, int64_t n);
void CosInto(const double* x, double* y, int64_t n);
void TanhInto(const float* x, float* y, int64_t n);
void TanhInto(const double* x, double* y, int64_t n);
// 1 / (1 + exp(-x)), without overflow and accurate in both tails.
void SigmoidInto(const float* x, float* y, int64_t n);
void SigmoidInto(const double* x, double* y, int64_t n);
// log(1 + exp(x)), without overflow.
void SoftplusInto(const float* x, float* y, int64_t n);
void SoftplusInto(const double* x, double* y, int64_t n);
void SqrtInto(const float* x, float* y, int64_t n);
void SqrtInto(const double* x, double* y, int64_t n);
void RsqrtInto(const float* x, float* y, int64_t n);
void RsqrtInto(const double* x, double* y, int64_t n);

// Conversion between widths, to nearest even.
void WidenInto(const half* x, float* y, int64_t n);
void NarrowInto(const float* x, half* y, int64_t n);

// y = exp(x - shift); returns the sum of y. Used by softmax.
float ExpMinusInto(const float* x, float shift, float* y, int64_t n);
double ExpMinusInto(const double* x, double shift, double* y, int64_t n);

// The sum, in several lanes and blocks; the largest and smallest element (NaN if there is one; -/+infinity for n = 0).
float SumOf(const float* x, int64_t n);
double SumOf(const double* x, int64_t n);
float MaxOf(const float* x, int64_t n);
double MaxOf(const double* x, int64_t n);
float MinOf(const float* x, int64_t n);
double MinOf(const double* x, int64_t n);

}  // namespace weir::ops
