__global__ void plusone(float *__restrict__ c, const float *__restrict__ a, long long n)
{
  const long long i = (long long)blockIdx.x * block_size_x + threadIdx.x;
  if (i < n) c[i] = a[i] + 1;
}
