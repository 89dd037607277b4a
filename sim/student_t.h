// student_t.h: the t distribution, central and not, as the tests need it.
//
// Over Boost.Math, which is kept out of every header: it is slow to compile.

#ifndef SIM_STUDENT_T_H_
#define SIM_STUDENT_T_H_

namespace sim {

// The t that |T| exceeds with probability `alpha`, 0 < alpha < 1.
double TwoSidedT(double df, double alpha);

// The probability that |T| exceeds |t|.
double TwoSidedP(double df, double t);

// The probability that |T| exceeds `t` when T has its centre moved by
// `noncentrality`, both >= 0.
double NoncentralTwoSidedP(double df, double t, double noncentrality);

}  // namespace sim

#endif  // SIM_STUDENT_T_H_
