//! The functions of the header, with the ranges of their tests and their f64 references.
#![expect(unsafe_code, reason = "the host's library has what Rust's has not")]

unsafe extern "C" {
    safe fn erf(x: f64) -> f64;
}

/// A function of the header.
pub(super) struct Function {
    /// Name of the function, and its call with the arguments `a` and `b`.
    pub(super) name: &'static str,
    pub(super) call: &'static str,
    /// The arguments' range, as the table states it.
    pub(super) domain: &'static str,
    /// Whether the error counts for these arguments.
    pub(super) is_inside: fn(f64, f64) -> bool,
    /// Range of the uniform samples in f32 and f64.
    pub(super) even: (f64, f64),
    pub(super) exact: fn(f64, f64) -> f64,
    /// Whether errors are absolute; otherwise they are in units in the last place of the exact
    /// result.
    pub(super) is_absolute: bool,
}

const fn plain(
    name: &'static str,
    call: &'static str,
    domain: &'static str,
    even: (f64, f64),
    is_inside: fn(f64, f64) -> bool,
    exact: fn(f64, f64) -> f64,
) -> Function {
    Function { name, call, domain, is_inside, even, exact, is_absolute: false }
}

const fn absolute(function: Function) -> Function {
    Function { is_absolute: true, ..function }
}

fn is_normal(x: f64) -> bool {
    (2_f64.powi(-126)..2_f64.powi(126)).contains(&x.abs())
}

/// All functions, in the order of the kernels' `which`.
pub(super) const FUNCTIONS: [Function; 23] = [
    plain("exp", "ab::exp<P>(a)", "all", (-105.0, 90.0), |_, _| true, |x, _| x.exp()),
    plain("exp2", "ab::exp2<P>(a)", "all", (-151.0, 130.0), |_, _| true, |x, _| x.exp2()),
    plain("log", "ab::log<P>(a)", "all", (0.5, 2.0), |_, _| true, |x, _| x.ln()),
    plain("log2", "ab::log2<P>(a)", "all", (0.5, 2.0), |_, _| true, |x, _| x.log2()),
    plain("log10", "ab::log10<P>(a)", "all", (0.5, 2.0), |_, _| true, |x, _| x.log10()),
    plain("sin", "ab::sin<P>(a)", "up to 3", (-3.0, 3.0), |x, _| x.abs() <= 3.0, |x, _| x.sin()),
    absolute(plain(
        "sin",
        "ab::sin<P>(a)",
        "up to 10,000",
        (-1e4, 1e4),
        |x, _| x.abs() <= 1e4,
        |x, _| x.sin(),
    )),
    plain("cos", "ab::cos<P>(a)", "up to 1.5", (-1.5, 1.5), |x, _| x.abs() <= 1.5, |x, _| x.cos()),
    absolute(plain(
        "cos",
        "ab::cos<P>(a)",
        "up to 10,000",
        (-1e4, 1e4),
        |x, _| x.abs() <= 1e4,
        |x, _| x.cos(),
    )),
    plain("tan", "ab::tan<P>(a)", "up to 1.5", (-1.5, 1.5), |x, _| x.abs() <= 1.5, |x, _| x.tan()),
    plain("asin", "ab::asin<P>(a)", "all", (-1.0, 1.0), |_, _| true, |x, _| x.asin()),
    plain("acos", "ab::acos<P>(a)", "all", (-1.0, 1.0), |_, _| true, |x, _| x.acos()),
    plain("atan", "ab::atan<P>(a)", "all", (-4.0, 4.0), |_, _| true, |x, _| x.atan()),
    plain("tanh", "ab::tanh<P>(a)", "all", (-10.0, 10.0), |_, _| true, |x, _| x.tanh()),
    plain("erf", "ab::erf<P>(a)", "all", (-5.0, 5.0), |_, _| true, |x, _| erf(x)),
    plain("sqrt", "ab::sqrt<P>(a)", "normal", (0.0, 4.0), |x, _| is_normal(x), |x, _| x.sqrt()),
    plain(
        "rsqrt",
        "ab::rsqrt<P>(a)",
        "normal",
        (0.0, 4.0),
        |x, _| is_normal(x),
        |x, _| 1.0 / x.sqrt(),
    ),
    plain(
        "reciprocal",
        "ab::reciprocal<P>(a)",
        "normal, less than 2¹²⁵",
        (-4.0, 4.0),
        |x, _| is_normal(x) && x.abs() < 2_f64.powi(125),
        |x, _| 1.0 / x,
    ),
    plain(
        "atan2",
        "ab::atan2<P>(a, b)",
        "quotients from 2⁻¹⁰⁰ to 2¹⁰⁰",
        (-4.0, 4.0),
        |y, x| (2_f64.powi(-100)..2_f64.powi(100)).contains(&(y / x).abs()),
        f64::atan2,
    ),
    plain(
        "pow",
        "ab::pow<P>(a, b)",
        "bases above 0; results from 2⁻¹⁴ to 2¹⁵",
        (0.0, 4.0),
        |x, y| x > 0.0 && (2_f64.powi(-14)..2_f64.powi(15)).contains(&x.powf(y)),
        f64::powf,
    ),
    plain(
        "divide",
        "ab::divide<P>(a, b)",
        "normal, quotients too; divisors less than 2¹²⁵",
        (-4.0, 4.0),
        |x, y| is_normal(x) && is_normal(y) && is_normal(x / y) && y.abs() < 2_f64.powi(125),
        |x, y| x / y,
    ),
    plain(
        "sincos, sine",
        "sine<P>(a)",
        "up to 3",
        (-3.0, 3.0),
        |x, _| x.abs() <= 3.0,
        |x, _| x.sin(),
    ),
    plain(
        "sincos, cosine",
        "cosine<P>(a)",
        "up to 1.5",
        (-1.5, 1.5),
        |x, _| x.abs() <= 1.5,
        |x, _| x.cos(),
    ),
];
