// Parameters of the benchmark are macros here.
__global__ void add(float *__restrict__ c, const float *__restrict__ a,
                    const float *__restrict__ b, long long n)
{
  const long long first = (long long)blockIdx.x * (block_size_x * items_per_thread);
  for (int item = 0; item < items_per_thread; ++item) {
    const long long i = first + item * block_size_x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
  }
}
