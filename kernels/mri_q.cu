// The matrix Q of non-Cartesian image reconstruction in magnetic resonance imaging:
// Q(x) = sum over samples of |phi|^2 exp(2 pi i k.x), real and imaginary part, for every voxel.
// A sine and a cosine per pair of voxel and sample: arithmetic sets the pace.
//
// magnitude_type     the format of phi and of |phi|^2
// sample_type        the format of the samples' positions k
// voxel_type         the format of the voxels' positions x, of k.x, and of sine and cosine
// image_type         the format of sums and results
// policy             how sine and cosine are computed
// block_size_x       threads per block
// voxels_per_thread  voxels per thread, a block's width apart
// unroll_samples     samples per round of the innermost loop
#include "autobench/autobench.h"

constexpr int tile = 128; // samples that a block holds at a time; their number is a multiple

struct whole {
  __device__ voxel_type operator()(voxel_type turns) const { return ab::floor(turns); }
};

__global__ void mri_q(image_type *__restrict__ image_re, image_type *__restrict__ image_im,
                      const magnitude_type *__restrict__ phi_re,
                      const magnitude_type *__restrict__ phi_im,
                      const sample_type *__restrict__ sample_x,
                      const sample_type *__restrict__ sample_y,
                      const sample_type *__restrict__ sample_z,
                      const voxel_type *__restrict__ voxel_x,
                      const voxel_type *__restrict__ voxel_y,
                      const voxel_type *__restrict__ voxel_z, long long voxels, int samples)
{
  // The voxels of a thread, so that halves are computed in pairs where the device can.
  typedef ab::vec<voxel_type, voxels_per_thread> phases;
  typedef ab::vec<image_type, voxels_per_thread> values;
  __shared__ voxel_type kx[tile], ky[tile], kz[tile];
  __shared__ image_type weights[tile];
  ab::per_thread<phases> own_x, own_y, own_z;
  ab::per_thread<values> sums_re, sums_im;
  constexpr int width = block_size_x * voxels_per_thread;
  const long long first = (long long)blockIdx.x * width;
  const int rest = voxels - first < width ? (int)(voxels - first) : width;

  AUTOBENCH_PHASE {
    for (int item = 0; item < voxels_per_thread; ++item) {
      const int at = item * block_size_x + threadIdx.x;
      // Voxels beyond the last one stand at the origin and are not stored.
      own_x()[item] = at < rest ? voxel_x[first + at] : voxel_type(0);
      own_y()[item] = at < rest ? voxel_y[first + at] : voxel_type(0);
      own_z()[item] = at < rest ? voxel_z[first + at] : voxel_type(0);
    }
    sums_re() = values::all(image_type(0));
    sums_im() = values::all(image_type(0));
  }
  for (int k0 = 0; k0 < samples; k0 += tile) {
    AUTOBENCH_PHASE {
      for (int at = threadIdx.x; at < tile; at += block_size_x) {
        const int k = k0 + at;
        kx[at] = ab::convert<voxel_type>(sample_x[k]);
        ky[at] = ab::convert<voxel_type>(sample_y[k]);
        kz[at] = ab::convert<voxel_type>(sample_z[k]);
        const magnitude_type re = phi_re[k], im = phi_im[k];
        weights[at] = ab::convert<image_type>(ab::fma(re, re, magnitude_type(im * im)));
      }
    }
    AUTOBENCH_PHASE {
      const phases half = phases::all(voxel_type(0.5f));
      const voxel_type turn = voxel_type(ab::compute<voxel_type>::type(6.28318530717958647693));
      phases x, y, z;
      for (int item = 0; item < voxels_per_thread; ++item) {
        x[item] = own_x()[item];
        y[item] = own_y()[item];
        z[item] = own_z()[item];
      }
      // A tile's own sums, so that little terms meet little sums.
      values re = values::all(image_type(0)), im = re;
      for (int some = 0; some < tile; some += unroll_samples) {
        AUTOBENCH_UNROLL_IN(voxel_type)
        for (int next = 0; next < unroll_samples; ++next) {
          const int at = some + next;
          // In turns, from which whole ones are taken without rounding.
          const phases turns =
              ab::fma(phases::all(kx[at]), x, ab::fma(phases::all(ky[at]), y, kz[at] * z));
          const phases part = turns - ab::map(turns + half, whole());
          phases sine, cosine;
          ab::sincos<ab::policy>(part * turn, sine, cosine);
          const values weight = values::all(weights[at]);
          re = ab::fma(weight, ab::convert<image_type>(cosine), re);
          im = ab::fma(weight, ab::convert<image_type>(sine), im);
        }
      }
      sums_re() += re;
      sums_im() += im;
    }
  }
  AUTOBENCH_PHASE {
    for (int item = 0; item < voxels_per_thread; ++item) {
      const int at = item * block_size_x + threadIdx.x;
      if (at < rest) {
        image_re[first + at] = sums_re()[item];
        image_im[first + at] = sums_im()[item];
      }
    }
  }
}
