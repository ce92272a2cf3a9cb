// Special functions of doubles. Arguments outside of a function's domain give NaN, poles infinity, as TensorFlow's do.
#pragma once

namespace weir::ops {

double LogGamma(double x);
double Digamma(double x);
double ErfInverse(double x);
double NormalQuantile(double p);  // the x at which the standard normal distribution reaches p
double HurwitzZeta(double x, double q);
double Polygamma(double n, double x);
// The regularized incomplete gamma functions: lower, upper, and the derivative of the lower one in a.
double Igamma(double a, double x);
double Igammac(double a, double x);
double IgammaDerivative(double a, double x);
// How x moves with a where the lower function stays as it is: the derivative of a gamma-distributed sample in its
// shape.
double GammaSampleDerivative(double a, double x);
// The regularized incomplete beta function.
double Betainc(double a, double b, double x);

}  // namespace weir::ops
