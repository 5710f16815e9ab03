// Atomic functions of CUDA C++ on the threads of the host: relaxed, as CUDA's are.
#pragma once

namespace ab {

template <class T, class F>
static inline T exchange_with(T *at, F next) {
  T seen, wanted;
  __atomic_load(at, &seen, __ATOMIC_RELAXED);
  do {
    wanted = next(seen);
  } while (!__atomic_compare_exchange(at, &seen, &wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return seen;
}

template <class T>
struct identity {
  typedef T type;
};

}  // namespace ab

template <class T>
static inline T atomicAdd(T *at, typename ab::identity<T>::type x) {
  return ab::exchange_with(at, [=](T old) { return (T)(old + x); });
}
static inline int atomicAdd(int *at, int x) { return __atomic_fetch_add(at, x, __ATOMIC_RELAXED); }
static inline unsigned atomicAdd(unsigned *at, unsigned x) {
  return __atomic_fetch_add(at, x, __ATOMIC_RELAXED);
}
static inline ab_u64 atomicAdd(ab_u64 *at, ab_u64 x) {
  return __atomic_fetch_add(at, x, __ATOMIC_RELAXED);
}
template <class T>
static inline T atomicSub(T *at, typename ab::identity<T>::type x) {
  return ab::exchange_with(at, [=](T old) { return (T)(old - x); });
}
template <class T>
static inline T atomicMin(T *at, typename ab::identity<T>::type x) {
  return ab::exchange_with(at, [=](T old) { return old < x ? old : x; });
}
template <class T>
static inline T atomicMax(T *at, typename ab::identity<T>::type x) {
  return ab::exchange_with(at, [=](T old) { return old > x ? old : x; });
}
template <class T>
static inline T atomicAnd(T *at, typename ab::identity<T>::type x) {
  return __atomic_fetch_and(at, x, __ATOMIC_RELAXED);
}
template <class T>
static inline T atomicOr(T *at, typename ab::identity<T>::type x) {
  return __atomic_fetch_or(at, x, __ATOMIC_RELAXED);
}
template <class T>
static inline T atomicXor(T *at, typename ab::identity<T>::type x) {
  return __atomic_fetch_xor(at, x, __ATOMIC_RELAXED);
}
template <class T>
static inline T atomicExch(T *at, typename ab::identity<T>::type x) {
  T old;
  __atomic_exchange(at, &x, &old, __ATOMIC_RELAXED);
  return old;
}
template <class T>
static inline T atomicCAS(T *at, typename ab::identity<T>::type expected,
                          typename ab::identity<T>::type wanted) {
  __atomic_compare_exchange(at, &expected, &wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
static inline unsigned atomicInc(unsigned *at, unsigned limit) {
  return ab::exchange_with(at, [=](unsigned old) { return old >= limit ? 0u : old + 1; });
}

static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
