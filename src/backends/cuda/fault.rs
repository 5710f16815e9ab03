//! What the driver's codes mean: in words, for the outcome of a trial, and for the process.

use std::fmt;

use cudarc::driver::sys::CUresult;

use crate::backends::{DeviceFault, RunFault};

/// A call that the driver refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// The code.
    code: u32,
    /// The driver's name for it.
    name: String,
    /// The function that gave it: for errors of kernels the first to hear of them.
    call: &'static str,
}

/// A code with what it means and what it does.
struct Known {
    code: CUresult,
    meaning: &'static str,
    kind: Kind,
}

/// What follows from a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The call alone failed.
    Refused,
    /// The device cannot do this.
    Impossible,
    /// Nothing works any more in this process: the driver answers every call with this code.
    Sticky,
}

macro_rules! known {
    ($($kind:ident $code:ident $meaning:literal;)*) => {
        &[$(Known { code: CUresult::$code, meaning: $meaning, kind: Kind::$kind }),*]
    };
}

const KNOWN: &[Known] = known! {
    Refused CUDA_ERROR_OUT_OF_MEMORY "the device has too little memory left";
    Refused CUDA_ERROR_NO_DEVICE "the driver shows no device";
    Refused CUDA_ERROR_INVALID_DEVICE "there is no such device";
    Refused CUDA_ERROR_STUB_LIBRARY "the library is the toolkit's stub, made for linking only";
    Refused CUDA_ERROR_SYSTEM_NOT_READY "the system of GPUs is not ready yet";
    Refused CUDA_ERROR_SYSTEM_DRIVER_MISMATCH "the driver's library and its kernel module differ in version";
    Refused CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE "the compatibility package does not support this device";
    Refused CUDA_ERROR_NO_BINARY_FOR_GPU "the compiled kernel is for another device";
    Refused CUDA_ERROR_INVALID_IMAGE "the driver cannot read the compiled kernel";
    Refused CUDA_ERROR_INVALID_PTX "the driver cannot compile the kernel's PTX";
    Refused CUDA_ERROR_UNSUPPORTED_PTX_VERSION "NVRTC is newer than the driver";
    Refused CUDA_ERROR_NOT_FOUND "there is nothing of that name";
    Impossible CUDA_ERROR_INVALID_VALUE "the driver refuses the launch's values";
    Impossible CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES "a block needs more registers or shared memory than there are";
    Impossible CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE "a cooperative launch has more blocks than run at once";
    Impossible CUDA_ERROR_NOT_SUPPORTED "the device does not support this";
    Sticky CUDA_ERROR_DEINITIALIZED "the driver is shutting down";
    Sticky CUDA_ERROR_DEVICE_UNAVAILABLE "the device is not available any more";
    Sticky CUDA_ERROR_ECC_UNCORRECTABLE "the device's memory has an error that cannot be corrected";
    Sticky CUDA_ERROR_NVLINK_UNCORRECTABLE "an NVLink has an error that cannot be corrected";
    Sticky CUDA_ERROR_HARDWARE_STACK_ERROR "a kernel damaged its call stack or ran out of it";
    Sticky CUDA_ERROR_ILLEGAL_INSTRUCTION "a kernel met an illegal instruction";
    Sticky CUDA_ERROR_MISALIGNED_ADDRESS "a kernel accessed an address that is no multiple of the access's size";
    Sticky CUDA_ERROR_INVALID_ADDRESS_SPACE "a kernel accessed an address in the wrong kind of memory";
    Sticky CUDA_ERROR_INVALID_PC "a kernel jumped to no instruction";
    Sticky CUDA_ERROR_ILLEGAL_ADDRESS "a kernel accessed memory that nobody allocated";
    Sticky CUDA_ERROR_LAUNCH_TIMEOUT "the driver's watchdog ended a kernel that ran too long";
    Sticky CUDA_ERROR_ASSERT "an assertion in a kernel failed";
    Sticky CUDA_ERROR_LAUNCH_FAILED "a kernel failed while it ran";
    Sticky CUDA_ERROR_UNKNOWN "the driver does not know what went wrong";
};

impl Fault {
    /// A code of a call, with the driver's name for it where it has one.
    pub(super) fn new(code: u32, name: Option<String>, call: &'static str) -> Self {
        Self { code, name: name.unwrap_or_else(|| format!("CUDA error {code}")), call }
    }

    fn known(&self) -> Option<&'static Known> {
        KNOWN.iter().find(|known| known.code as u32 == self.code)
    }

    fn is(&self, kind: Kind) -> bool {
        self.known().is_some_and(|known| known.kind == kind)
    }

    /// Whether this is that code.
    pub(super) fn has(&self, code: CUresult) -> bool {
        self.code == code as u32
    }

    /// Whether the process cannot use the device any more.
    pub(super) fn is_sticky(&self) -> bool {
        self.is(Kind::Sticky)
    }

    /// As the end of a launch.
    pub(super) fn of_launch(&self) -> RunFault {
        if self.is(Kind::Impossible) {
            RunFault::Invalid(self.to_string())
        } else {
            RunFault::Failed(self.to_string())
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.known() {
            Some(known) => write!(f, "{} ({} from {})", known.meaning, self.name, self.call),
            None => write!(f, "{} answered {}", self.call, self.name),
        }
    }
}

impl From<Fault> for DeviceFault {
    fn from(fault: Fault) -> Self {
        Self(fault.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(code: CUresult) -> Fault {
        Fault::new(code as u32, Some("CUDA_ERROR_X".to_owned()), "cuLaunchKernel")
    }

    #[test]
    fn codes_become_outcomes() {
        let invalid = fault(CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES).of_launch();
        assert!(matches!(invalid, RunFault::Invalid(_)), "{invalid}");
        let failed = fault(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS).of_launch();
        assert_eq!(
            failed.to_string(),
            "a kernel accessed memory that nobody allocated (CUDA_ERROR_X from cuLaunchKernel)"
        );
        assert!(matches!(failed, RunFault::Failed(_)));
    }

    #[test]
    fn what_poisons_the_process_is_sticky_and_a_lack_of_memory_is_not() {
        for code in [
            CUresult::CUDA_ERROR_ILLEGAL_ADDRESS,
            CUresult::CUDA_ERROR_MISALIGNED_ADDRESS,
            CUresult::CUDA_ERROR_LAUNCH_FAILED,
            CUresult::CUDA_ERROR_ASSERT,
            CUresult::CUDA_ERROR_LAUNCH_TIMEOUT,
        ] {
            assert!(fault(code).is_sticky(), "{code:?}");
        }
        assert!(!fault(CUresult::CUDA_ERROR_OUT_OF_MEMORY).is_sticky());
    }

    #[test]
    fn a_code_that_nobody_knows_is_said_by_number() {
        let fault = Fault::new(54321, None, "cuInit");
        assert_eq!(fault.to_string(), "cuInit answered CUDA error 54321");
        assert!(!fault.is_sticky());
    }
}
