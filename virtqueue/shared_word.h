// shared_word.h: what an access to shared memory comes down to.
//
// An atomic_ref, and then this header is no more than a name. A test may put
// another word below both halves, to see and to order each access: it sets the
// flag //virtqueue:other_word to a library that defines VIRTQUEUE_OTHER_WORD,
// the header of its SharedWord. See tests/explorer/explored_word.h.

#ifndef VIRTQUEUE_SHARED_WORD_H_
#define VIRTQUEUE_SHARED_WORD_H_

#ifdef VIRTQUEUE_OTHER_WORD
#include VIRTQUEUE_OTHER_WORD
#else

#include <atomic>

namespace virtqueue {

template <typename T>
using SharedWord = std::atomic_ref<T>;

}  // namespace virtqueue

#endif  // VIRTQUEUE_OTHER_WORD

#endif  // VIRTQUEUE_SHARED_WORD_H_
