// What a kernel can do to its device, by the number `does`.
#if does == 4
extern "C" __device__ void __assertfail(const char *, const char *, unsigned, const char *,
                                        size_t);
#endif

__global__ void faults(float *__restrict__ c, const float *__restrict__ a, long long n)
{
  const long long i = (long long)blockIdx.x * block_size_x + threadIdx.x;
#if does == 1 // an illegal address
  *(volatile int *)8 = (int)i;
#elif does == 2 // a misaligned one
  *(volatile double *)((char *)c + 1) = 1;
#elif does == 3 // a trap
  asm volatile("trap;");
#elif does == 4 // a failing assertion
  if (i == 3) __assertfail("i != 3", "faults.cu", 17, "faults", 1);
#elif does == 5 // no end
  for (volatile int turn = 0; turn >= 0;) turn = 1;
#elif does == 6 // one element past the end
  if (i == n - 1) c[n] = 1;
#elif does == 7 // more shared memory than any block can have
  __shared__ float large[1 << 20];
  large[threadIdx.x] = a[i];
  __syncthreads();
  c[i] = large[block_size_x - 1 - threadIdx.x];
#elif does == 8 // no program
  c[i] = undeclared;
#elif does == 9 // the last element is forgotten
  if (i == n - 1) return;
#endif
  if (i < n) c[i] = a[i] + 1;
}
