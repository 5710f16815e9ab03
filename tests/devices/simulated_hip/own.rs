//! Tests for AMD only: instruction sets, code objects, the code object manager.

use std::{fs, path::Path};

use super::{
    libraries::{self, words},
    outer::{self, cost_a_sentence, listed, program, study, trials, tune},
    real_compiler, vendor,
};

/// A code object manager that knows one architecture.
const COMGR: &str = r#"
#include <stddef.h>
extern "C" int amd_comgr_get_isa_count(size_t *count) { return *count = 1, 0; }
extern "C" int amd_comgr_get_isa_name(size_t, const char **name) {
  return *name = "amdgcn-amd-amdhsa--gfx90a", 0;
}"#;

#[test]
fn an_architecture_that_the_compiler_does_not_know_is_a_sentence_and_never_compiled() {
    let comgr = libraries::build("comgr", COMGR);
    for (architecture, refused) in [("gfx90a:sramecc+:xnack-", false), ("gfx942:xnack-", true)] {
        let out = tempfile::tempdir().expect("a folder");
        let output = tune(out.path(), |command| {
            command
                .env("AUTOBENCH_AMD_COMGR", &comgr)
                .env("SIMULATED_GPU_ARCHITECTURE", architecture);
        });
        let said = words(&output);
        assert_eq!(output.status.success(), !refused, "{said}");
        let expected = "does not know the device's architecture gfx942; a newer ROCm does";
        assert_eq!(said.contains(expected), refused, "{said}");
    }
}

#[test]
fn the_real_compiler_is_not_asked_for_what_its_own_list_lacks() {
    let Some(compiler) = real_compiler::found() else {
        eprintln!("skipped: no real compiler was found; {}", vendor::INSTALL);
        return;
    };
    for (architecture, refused) in [("gfx90a", false), ("gfx9999", true)] {
        let mut command = program();
        vendor::accept_real(&mut command, &compiler);
        command
            .env_remove("AUTOBENCH_AMD_COMGR")
            .env("AUTOBENCH_HIPRTC", &compiler)
            .env("SIMULATED_GPU_ARCHITECTURE", architecture);
        let said = words(&command.arg("devices").output().expect("it runs"));
        assert_eq!(said.contains("does not know the device's architecture"), refused, "{said}");
    }
}

#[test]
fn sensors_of_the_device_are_in_the_records() {
    let smi = libraries::build("librocm_smi64", include_str!("smi.cpp"));
    for (variable, source) in [
        ("SIMULATED_SMI_NEW", "ROCm's counter of energy"),
        ("SIMULATED_SMI_NO_COUNTER", "ROCm's power, sampled"),
    ]
    .into_iter()
    .take(if crate::support::exhaustive() { 2 } else { 1 })
    {
        let out = tempfile::tempdir().expect("a folder");
        let output = tune(out.path(), |command| {
            command
                .env("AUTOBENCH_ROCM_SMI", &smi)
                .env(variable, "1")
                .args(["--observe", "energy"]);
        });
        assert!(output.status.success(), "{}", words(&output));
        let trials = trials(out.path());
        let metrics = |name: &str| outer::metrics(&trials, name);
        assert!(!metrics("clock").is_empty() && metrics("clock").iter().all(|x| *x == 1.7e9));
        assert!(metrics("temperature").iter().all(|x| *x == 61.0));
        let watts = metrics("power");
        assert!(!watts.is_empty() && watts.iter().all(|x| (x - 300.0).abs() < 30.0), "{watts:?}");
        let text = study(out.path());
        assert!(text.contains(source), "{text}");
    }
}

#[test]
fn a_device_is_listed_with_its_facts() {
    let device = listed();
    assert_eq!(device["name"], "Simulated GPU");
    assert_eq!(device["compiler"], "hiprtc 9.0 of HIP 6.4.43482");
    // Twice 1.6 GHz on a bus of 4096 bits, and 4 × 128 lanes at 1.7 GHz.
    assert_eq!(device["peak_bandwidth"], 2.0 * 1.6e9 * 512.0);
    assert_eq!(device["peak_flops"], 2.0 * 1.7e9 * 512.0);
    for (fact, value) in [
        ("architecture", "gfx90a:sramecc+:xnack-"),
        ("compiled_for", "gfx90a:sramecc+:xnack-"),
        ("multiprocessors", "4"),
        ("warp_size", "64"),
        ("hip_of_runtime", "6.4.43482"),
        ("shared_memory_per_block", "64 KiB"),
    ] {
        assert_eq!(device["facts"][fact], value, "{fact}");
    }
    let sensors = device["facts"]["sensors"].as_str();
    assert!(sensors.is_some_and(|text| text.contains("AUTOBENCH_ROCM_SMI")), "{sensors:?}");
}

#[test]
fn libraries_that_cannot_be_used_cost_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = folder.path().join("text.so");
    fs::write(&text, "this is no library").expect("written");
    let stub = libraries::build("stub", "extern \"C\" int hipInit(unsigned) { return 0; }");
    let other = libraries::compiler();
    let named = folder.path().join("libhiprtc.so.5");
    fs::copy(&other, &named).expect("copied");
    cost_a_sentence(&[
        ("AUTOBENCH_HIP_RUNTIME", &text, "cannot be loaded"),
        ("AUTOBENCH_HIP_RUNTIME", Path::new("/nowhere/libamdhip64.so"), "cannot be loaded"),
        ("AUTOBENCH_HIP_RUNTIME", folder.path(), "where there is none of libamdhip64.so.7"),
        ("AUTOBENCH_HIP_RUNTIME", &stub, "it has no function `hipDriverGetVersion`"),
        ("AUTOBENCH_HIPRTC", &text, "cannot be loaded"),
        ("AUTOBENCH_HIPRTC", &stub, "it has no function `hiprtcVersion`"),
        ("AUTOBENCH_HIPRTC", &named, "is of ROCm 5 and the runtime of ROCm 6"),
    ]);
}

#[test]
fn a_compiler_inside_the_runtime_is_found_there() {
    // Without the variable, the compiler is first searched as a separate library.
    let mut command = program();
    command.env_remove("AUTOBENCH_HIPRTC").env("LD_LIBRARY_PATH", "/nowhere");
    let (driver, compiler) = (vendor::DRIVER_SOURCE, vendor::COMPILER_SOURCE);
    // Both sources use the name `success`.
    let both = libraries::build("both", &format!("{driver}\n#define success fine\n{compiler}"));
    command.env("AUTOBENCH_HIP_RUNTIME", &both).args(["devices", "--json"]);
    let said = words(&command.output().expect("it runs"));
    assert!(said.contains("hiprtc 9.0 of HIP 6.4.43482"), "{said}");
}
