// sleep_data.h: a published data set with published results.
//
// "sleep" of R's package datasets: extra hours of sleep of ten patients under
// two drugs (Student 1908). The results that the tests expect are those in R's
// manual page and in R Core Team's examples for t.test.

#ifndef TESTS_SIM_SLEEP_DATA_H_
#define TESTS_SIM_SLEEP_DATA_H_

#include <vector>

namespace sim {

inline const std::vector<double> kSleepDrug1 = {0.7, -1.6, -0.2, -1.2, -0.1,
                                                3.4, 3.7,  0.8,  0.0,  2.0};
inline const std::vector<double> kSleepDrug2 = {1.9, 0.8, 1.1, 0.1, -0.1,
                                                4.4, 5.5, 1.6, 4.6, 3.4};

}  // namespace sim

#endif  // TESTS_SIM_SLEEP_DATA_H_
