//! Benchmarks: finding them, loading them, speaking the C table with them, and turning their
//! document into something that can be asked for spaces, shapes and geometry.
