// Polynomials of least greatest relative error on a short interval, for results of so many
// significant digits in base 2: 24 (f32), 11 (f16), 8 (bf16).
#pragma once

namespace ab {

// The coefficients from the lowest power.
AUTOBENCH_INLINE float polynomial(float, float last) { return last; }
template <class... More>
AUTOBENCH_INLINE float polynomial(float x, float first, More... more) {
  return first + x * polynomial(x, more...);
}

template <int Digits>
struct polynomials {
  // 2^r for |r| <= 1/2.
  AUTOBENCH_INLINE static float exp2(float r) {
    if constexpr (Digits > 11)
      return 1.0f + r * polynomial(r, 0.693147215f, 0.240226528f, 0.0555031056f, 0.009617693f,
                                   0.00134066425f, 0.000155946645f);
    else if constexpr (Digits > 8)
      return 1.0f + r * polynomial(r, 0.695766835f, 0.242030505f, 0.0416986947f);
    else
      return 1.0f + r * polynomial(r, 0.705934846f, 0.246875293f);
  }
  // (log(1 + f) - f + f^2 / 2) / f^3 for 1 + f within sqrt(2) of 1.
  AUTOBENCH_INLINE static float log_rest(float f) {
    return polynomial(f, 0.333333317f, -0.25000821f, 0.200012269f, -0.166233575f, 0.142017571f,
                      -0.131601799f, 0.127615789f, -0.0763450385f);
  }
  // log2(1 + f) / f, short.
  AUTOBENCH_INLINE static float log2_factor(float f) {
    if constexpr (Digits > 8)
      return polynomial(f, 1.44227044f, -0.724296965f, 0.511272441f, -0.327770318f);
    else
      return polynomial(f, 1.44417711f, -0.751134564f, 0.449609057f);
  }
  // sin(r) and cos(r) for |r| <= pi / 4; s is r^2.
  AUTOBENCH_INLINE static float sin(float r, float s) {
    if constexpr (Digits > 11)
      return r + r * s * polynomial(s, -0.166666542f, 0.00833213709f, -0.000195120219f);
    else if constexpr (Digits > 8)
      return r + r * s * polynomial(s, -0.166633241f, 0.0081615814f);
    else
      return r + r * s * -0.16238563f;
  }
  AUTOBENCH_INLINE static float cos(float s) {
    if constexpr (Digits > 11)
      return 1.0f - 0.5f * s + s * s * polynomial(s, 0.041666645f, -0.00138872841f, 2.4429431e-05f);
    else
      return 1.0f + s * polynomial(s, -0.499755595f, 0.0404461543f);
  }
  // atan(x) for |x| <= 1.
  AUTOBENCH_INLINE static float atan(float x) {
    const float s = x * x;
    if constexpr (Digits > 11)
      return x + x * s * polynomial(s, -0.333332991f, 0.199985484f, -0.142642434f, 0.109521951f,
                                    -0.0840347827f, 0.0579580793f, -0.0311783334f, 0.0109148678f,
                                    -0.00179368012f);
    else if constexpr (Digits > 8)
      return x + x * s * polynomial(s, -0.327622815f, 0.159314424f, -0.0464966441f);
    else
      return x + x * s * polynomial(s, -0.307695817f, 0.0947005195f);
  }
  // asin(x) for |x| <= 1/2; s is x^2.
  AUTOBENCH_INLINE static float asin(float x, float s) {
    if constexpr (Digits > 11)
      return x + x * s * polynomial(s, 0.166667525f, 0.0749529771f, 0.0454703692f, 0.0241795467f,
                                    0.0421662525f);
    else if constexpr (Digits > 8)
      return x + x * s * polynomial(s, 0.165057776f, 0.0942985831f);
    else
      return x + x * s * 0.18465108f;
  }
  // tanh(x) for |x| <= 5/8.
  AUTOBENCH_INLINE static float tanh(float x) {
    const float s = x * x;
    if constexpr (Digits > 11)
      return x + x * s * polynomial(s, -0.333332819f, 0.133314422f, -0.0537397184f, 0.0206390981f,
                                    -0.00570499893f);
    else if constexpr (Digits > 8)
      return x + x * s * polynomial(s, -0.330466809f, 0.10837091f);
    else
      return x + x * s * -0.295261215f;
  }
  // erf(x) for |x| <= 1; short, for |x| <= 3.
  AUTOBENCH_INLINE static float erf(float x) {
    const float s = x * x;
    if constexpr (Digits > 11)
      return x * polynomial(s, 1.12837917f, -0.376126258f, 0.112835852f, -0.0268538125f,
                            0.00518832884f, -0.000801020422f, 7.85389747e-05f);
    else if constexpr (Digits > 8)
      return x * polynomial(s, 1.12825321f, -0.374497046f, 0.109086632f, -0.023358147f,
                            0.00349137334f, -0.000338633033f, 1.88787169e-05f, -4.55010647e-07f);
    else
      return x * polynomial(s, 1.12607096f, -0.35901262f, 0.0892658313f, -0.0134343839f,
                            0.00107728583f, -3.50090979e-05f);
  }
  // log(1 - erf(x)) for 1 <= x <= 4.
  AUTOBENCH_INLINE static float log_of_rest_of_erf(float x) {
    return polynomial(x, -0.000320598783f, -1.12717155f, -0.63801239f, -0.103218049f,
                      0.0218895672f, -0.00296009501f, 0.000187602806f);
  }
};

}  // namespace ab
