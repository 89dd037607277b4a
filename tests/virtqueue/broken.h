// broken.h: what both halves have to be like once the other broke a rule.

#ifndef TESTS_VIRTQUEUE_BROKEN_H_
#define TESTS_VIRTQUEUE_BROKEN_H_

#include <string>

#include "tests/virtqueue/device_context.h"
#include "tests/virtqueue/driver_context.h"

// A device queue that is broken stays so, in every way, and says why.
void ExpectBrokenForGood(DeviceContext& context, const std::string& fault);

// A driver queue that is quarantined stays so, in every way, and says why.
void ExpectQuarantinedForGood(DriverContext& context, const std::string& fault);

#endif  // TESTS_VIRTQUEUE_BROKEN_H_
