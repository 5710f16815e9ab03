//! Floating-point control (rounding, denormals). A kernel may change it only for itself.
#![expect(unsafe_code, reason = "reads and writes the processor's control registers")]

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use std::arch::asm;

/// A thread's control registers, without the sticky exception flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FloatingPointControl(u64);

#[cfg(target_arch = "x86_64")]
impl FloatingPointControl {
    const STICKY: u32 = 0x3F;

    #[inline]
    pub(super) fn now() -> Self {
        let (mut vector, mut old) = (0_u32, 0_u16);
        // SAFETY: both instructions store a register to a local variable.
        unsafe {
            asm!("stmxcsr [{}]", in(reg) &raw mut vector, options(nostack, preserves_flags));
            asm!("fnstcw [{}]", in(reg) &raw mut old, options(nostack, preserves_flags));
        }
        Self(u64::from(vector & !Self::STICKY) | u64::from(old) << 32)
    }

    fn set(self) {
        let (vector, old) = (self.0 as u32, (self.0 >> 32) as u16);
        // SAFETY: both instructions load a register with a value that it held earlier.
        unsafe {
            asm!("ldmxcsr [{}]", in(reg) &raw const vector, options(nostack, preserves_flags));
            asm!("fldcw [{}]", in(reg) &raw const old, options(nostack, preserves_flags));
        }
    }
}

#[cfg(target_arch = "aarch64")]
impl FloatingPointControl {
    #[inline]
    pub(super) fn now() -> Self {
        let control: u64;
        // SAFETY: the instruction reads a register.
        unsafe { asm!("mrs {}, fpcr", out(reg) control, options(nomem, nostack)) };
        Self(control)
    }

    fn set(self) {
        // SAFETY: the instruction loads the register with a value that it held earlier.
        unsafe { asm!("msr fpcr, {}", in(reg) self.0, options(nomem, nostack)) };
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl FloatingPointControl {
    /// This processor has no known control registers.
    pub(super) fn now() -> Self {
        Self(0)
    }

    fn set(self) {}
}

impl FloatingPointControl {
    /// Runs foreign code, then restores the registers.
    #[inline]
    pub(super) fn kept<R>(work: impl FnOnce() -> R) -> R {
        let before = Self::now();
        let result = work();
        if Self::now() != before {
            before.set();
        }
        result
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn what_foreign_code_sets_is_gone_when_it_returns() {
        let before = FloatingPointControl::now();
        let flush_to_zero = FloatingPointControl(before.0 | 0x8040);
        let inside = FloatingPointControl::kept(|| {
            flush_to_zero.set();
            FloatingPointControl::now()
        });
        assert!(inside == flush_to_zero && FloatingPointControl::now() == before);
    }
}
