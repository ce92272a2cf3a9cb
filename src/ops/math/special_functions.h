// Special functions of doubles. As in TensorFlow, arguments outside of the domain give NaN, and poles infinity.
#pragma once

namespace weir::ops {

double LogGamma(double x);
double Digamma(double x);
double ErfInverse(double x);
double NormalQuantile(double p);  // x with P(X <= x) = p for the standard normal distribution
// The modified Bessel function of the first kind of order 0 or 1, times e^-|x|.
double ScaledBessel(int order, double x);
double HurwitzZeta(double x, double q);
double Polygamma(double n, double x);
// The regularized incomplete gamma functions: lower, upper, and the derivative of the lower one with respect to a.
double Igamma(double a, double x);
double Igammac(double a, double x);
double IgammaDerivative(double a, double x);
// The derivative of x with respect to a while the lower function is constant: the derivative of a gamma-distributed
// sample with respect to the shape parameter.
double GammaSampleDerivative(double a, double x);
// The regularized incomplete beta function.
double Betainc(double a, double b, double x);

}  // namespace weir::ops
