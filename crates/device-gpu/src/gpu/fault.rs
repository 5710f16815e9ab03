//! Error codes of drivers: in words, as the outcome of a trial, and as the loss of a device. HIP
//! took over CUDA's numbers, so one table serves both.

use std::fmt;

use device::{DeviceFault, RunFault};

pub(crate) const OUT_OF_MEMORY: u32 = 2;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DriverFault {
    code: u32,
    /// The driver's name for the code.
    name: String,
    /// The function that returned the code. For an error of a kernel, the first call after the
    /// kernel.
    call: &'static str,
}

struct KnownCode {
    code: u32,
    meaning: &'static str,
    kind: FaultKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FaultKind {
    /// Only this call failed.
    Refused,
    /// The device cannot do what was asked.
    Impossible,
    /// The device is lost to this process: the driver answers every call with this code.
    Sticky,
}

macro_rules! known {
    ($($kind:ident $code:literal $meaning:literal;)*) => {
        &[$(KnownCode { code: $code, meaning: $meaning, kind: FaultKind::$kind }),*]
    };
}

const KNOWN: &[KnownCode] = known! {
    Refused 2 "the device has too little memory left";
    Refused 100 "the driver shows no device";
    Refused 101 "there is no such device";
    Refused 34 "the library is the toolkit's stub, made for linking only";
    Refused 802 "the system of GPUs is not ready yet";
    Refused 803 "the driver's library and its kernel module differ in version";
    Refused 804 "the compatibility package does not support this device";
    Refused 209 "the compiled kernel is for another device";
    Refused 200 "the driver cannot read the compiled kernel";
    Refused 218 "the driver cannot compile the kernel";
    Refused 222 "NVRTC is newer than the driver";
    Refused 500 "there is nothing of that name";
    Impossible 1 "the driver refuses the launch's values";
    Impossible 701 "a block needs more registers or shared memory than there are";
    Impossible 9 "the driver refuses the launch's geometry";
    Impossible 720 "a cooperative launch has more blocks than run at once";
    Impossible 801 "the device does not support this";
    Sticky 4 "the driver is shutting down";
    Sticky 46 "the device is not available any more";
    Sticky 214 "the device's memory has an error that cannot be corrected";
    Sticky 220 "an NVLink has an error that cannot be corrected";
    Sticky 714 "a kernel damaged its call stack or ran out of it";
    Sticky 715 "a kernel met an illegal instruction";
    Sticky 716 "a kernel accessed an address that is no multiple of the access's size";
    Sticky 717 "a kernel accessed an address in the wrong kind of memory";
    Sticky 718 "a kernel jumped to no instruction";
    Sticky 700 "a kernel accessed memory that nobody allocated";
    Sticky 702 "the driver's watchdog ended a kernel that ran too long";
    Sticky 710 "an assertion in a kernel failed";
    Sticky 719 "a kernel failed while it ran";
    Sticky 1052 "the runtime's own call for memory failed";
    Sticky 1053 "a call of the runtime's own failed";
    Sticky 999 "the driver does not know what went wrong";
};

impl DriverFault {
    pub(crate) fn new(code: u32, name: String, call: &'static str) -> Self {
        Self { code, name, call }
    }

    fn known(&self) -> Option<&'static KnownCode> {
        KNOWN.iter().find(|known| known.code == self.code)
    }

    fn is(&self, kind: FaultKind) -> bool {
        self.known().is_some_and(|known| known.kind == kind)
    }

    pub(crate) fn has(&self, code: u32) -> bool {
        self.code == code
    }

    /// Whether the process can no longer use the device.
    pub(crate) fn is_sticky(&self) -> bool {
        self.is(FaultKind::Sticky)
    }

    /// The fault of a launch that failed with this code.
    pub(crate) fn of_launch(&self) -> RunFault {
        if self.is(FaultKind::Impossible) {
            RunFault::Invalid(self.to_string())
        } else {
            RunFault::Failed(self.to_string())
        }
    }
}

impl fmt::Display for DriverFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.known() {
            Some(known) => write!(f, "{} ({} from {})", known.meaning, self.name, self.call),
            None => write!(f, "{} answered {}", self.call, self.name),
        }
    }
}

impl From<DriverFault> for DeviceFault {
    fn from(fault: DriverFault) -> Self {
        Self(fault.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(code: u32) -> DriverFault {
        DriverFault::new(code, "CUDA_ERROR_X".to_owned(), "cuLaunchKernel")
    }

    #[test]
    fn codes_become_outcomes() {
        let invalid = fault(701).of_launch();
        assert!(matches!(invalid, RunFault::Invalid(_)), "{invalid}");
        let failed = fault(700).of_launch();
        assert_eq!(
            failed.to_string(),
            "a kernel accessed memory that nobody allocated (CUDA_ERROR_X from cuLaunchKernel)"
        );
        assert!(matches!(failed, RunFault::Failed(_)));
    }

    #[test]
    fn what_poisons_the_process_is_sticky_and_a_lack_of_memory_is_not() {
        for code in [700, 702, 710, 716, 719] {
            assert!(fault(code).is_sticky(), "{code}");
        }
        assert!(!fault(OUT_OF_MEMORY).is_sticky());
    }

    #[test]
    fn a_code_that_nobody_knows_is_said_by_number() {
        let fault = DriverFault::new(54321, "CUDA error 54321".to_owned(), "cuInit");
        assert_eq!(fault.to_string(), "cuInit answered CUDA error 54321");
        assert!(!fault.is_sticky());
    }
}
