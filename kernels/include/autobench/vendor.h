// What the vendors' compilers say differently, or do differently where they say the same.
#pragma once

namespace ab {

// A clock that runs at the same pace for everybody, for waiting; 0 on the CPU, where nobody waits.
AUTOBENCH_INLINE unsigned long long nanoseconds() {
#if defined(__CUDA_ARCH__)
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
#elif defined(AUTOBENCH_GPU)
  // AMD's counts at 100 MHz.
#if __has_builtin(__builtin_readsteadycounter)
  return __builtin_readsteadycounter() * 10;
#elif defined(__GFX11__)
  return __builtin_amdgcn_s_sendmsg_rtnl(0x83) * 10;
#else
  return __builtin_amdgcn_s_memrealtime() * 10;
#endif
#else
  return 0;
#endif
}

// x + y z, rounded twice.
AUTOBENCH_INLINE double sum_of_product(double x, double y, double z) {
#if defined(__CUDA_ARCH__)
  return __dadd_rn(x, __dmul_rn(y, z));
#elif defined(AUTOBENCH_GPU)
  // AMD's __dadd_rn and __dmul_rn are plain operators, which its compiler fuses.
#pragma clang fp contract(off)
  const double yz = y * z;
  return x + yz;
#else
  volatile double yz = y * z;
  return x + yz;
#endif
}

}  // namespace ab
