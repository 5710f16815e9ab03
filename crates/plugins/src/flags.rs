//! Decides which compiler options a benchmark may set. Allowed options change only the code of its
//! kernels. They may not name, write or include files, run other programs, or change the compile
//! target. Known families of options are allowed; everything else is refused.

/// Prefixes of options that only change code, for compilers like GCC and Clang (cpu device, hiprtc)
/// and for NVRTC. NVRTC also accepts two dashes instead of one. A word or `WORD=VALUE` follows the
/// prefix.
const FAMILIES: [&str; 7] = ["-f", "-m", "-O", "-W", "-D", "-U", "-std="];

/// Further options of GCC, Clang and NVRTC: the whole option, or its part before `=`.
const SINGLE: [&str; 36] = [
    "-g",
    "-g1",
    "-g2",
    "-g3",
    "-gline-tables-only",
    "-param",
    "-pthread",
    "-use_fast_math",
    "-prec-sqrt",
    "-prec-div",
    "-maxrregcount",
    "-extra-device-vectorization",
    "-restrict",
    "-lineinfo",
    "-generate-line-info",
    "-device-debug",
    "-G",
    "-dopt",
    "-define-macro",
    "-undefine-macro",
    "-std",
    "-expt-relaxed-constexpr",
    "-extended-lambda",
    "-device-int128",
    "-device-as-default-execution-space",
    "-default-device",
    "-split-compile",
    "-jump-table-density",
    "-ptxas-options",
    "-Xptxas",
    "-modify-stack-limit",
    "-builtin-initializer-list",
    "-builtin-move-forward",
    "-gpu-max-threads-per-block",
    "-cl-fast-relaxed-math",
    "-cl-denorms-are-zero",
];

/// Options of these families that do more: name or write files, load code, choose what links, or
/// change messages that autobench reads. Each has the reason why it is refused.
const MORE: [(&str, &str); 22] = [
    ("-fplugin", "it loads code into the compiler"),
    ("-fpass-plugin", "it loads code into the compiler"),
    ("-mllvm", "it passes options that nobody checks"),
    ("-Wl,", "it passes options to the linker"),
    ("-Wa,", "it passes options to the assembler"),
    ("-Wp,", "it passes options to the preprocessor"),
    ("-fuse-ld", "it chooses the program that links"),
    ("-fdump", "it writes files"),
    ("-fopt-info", "it writes files"),
    ("-fsave-optimization", "it writes files"),
    ("-foptimization-record", "it writes files"),
    ("-ftime-trace", "it writes files"),
    ("-fprofile", "it reads or writes files"),
    ("-fauto-profile", "it reads files"),
    ("-fcs-profile", "it reads or writes files"),
    ("-ftest-coverage", "it writes files"),
    ("-fcrash-diagnostics", "it writes files"),
    ("-fmodule", "it reads or writes files"),
    ("-fdiagnostics", "it changes the messages that are read for reasons"),
    ("-fsyntax-only", "nothing would be compiled"),
    ("-fbuild-session", "it reads files"),
    ("-moffload", "it compiles for something else"),
];

/// Name parts of `-f` options that reach files, compile for another target, or compile nothing.
const FILES: [&str; 22] = [
    "file",
    "list",
    "report",
    "trace",
    "profil",
    "usage",
    "-info",
    "debug",
    "syntax",
    "offload",
    "target",
    "callgraph",
    "branch-prob",
    "resolution",
    "xray",
    "seed",
    "sections",
    "dump",
    "plugin",
    "coverage",
    "record",
    "output",
];

/// Options of the family `-f` that may have a value: none of the values is a file name.
const VALUED: [&str; 25] = [
    "-fabi-version",
    "-falign-functions",
    "-falign-jumps",
    "-falign-labels",
    "-falign-loops",
    "-fconstexpr-depth",
    "-fconstexpr-loop-limit",
    "-fconstexpr-ops-limit",
    "-fconstexpr-steps",
    "-fdenormal-fp-math",
    "-fexcess-precision",
    "-ffp-contract",
    "-ffp-model",
    "-fgpu-flush-denormals-to-zero",
    "-finline-limit",
    "-flive-range-shrinkage",
    "-fmad",
    "-fmax-errors",
    "-fpack-struct",
    "-fsimd-cost-model",
    "-ftemplate-depth",
    "-ftz",
    "-fvect-cost-model",
    "-fveclib",
    "-fvisibility",
];

/// Prefixes of options that ptxas may receive: optimisation and caching.
const PTXAS: [&str; 7] = [
    "-O",
    "-v",
    "-dlcm=",
    "-dscm=",
    "--def-load-cache=",
    "--def-store-cache=",
    "--allow-expensive",
];

/// Why the compiler may not receive this word; `None` if it may.
#[must_use]
pub fn refused_flag(flag: &str) -> Option<String> {
    let refused = |why: &str| Some(format!("the compiler is not given `{}`: {why}", shown(flag)));
    if !flag.starts_with('-') {
        return refused(if flag.starts_with('@') {
            "it reads options from a file"
        } else {
            "it is no option, which begins with `-`, and would be read as a file"
        });
    }
    // NVRTC spells its options with two dashes, and accepts most with one.
    let single = flag.strip_prefix('-').filter(|rest| rest.starts_with('-')).unwrap_or(flag);
    let (name, value) = single.split_once('=').unwrap_or((single, ""));
    let defines = name.starts_with("-D") || name == "-define-macro";
    if let Some((_, why)) = MORE.iter().find(|(start, _)| single.starts_with(start)) {
        return refused(why);
    }
    if !defines && (single.contains(['/', '\\', '@']) || value.contains("..")) {
        return refused("it names a file");
    }
    if name.starts_with("-f") {
        if FILES.iter().any(|part| name.contains(part)) {
            return refused(
                "options with such a name reach files, other targets, or compile nothing",
            );
        }
        if single.contains('=') && !VALUED.contains(&name) {
            return refused(
                "of the options `-f…=VALUE` only those are taken whose values name no file",
            );
        }
    }
    if name.starts_with("-m") && value == "help" {
        return refused("nothing would be compiled");
    }
    let known = |word: &str| PTXAS.iter().any(|start| word.starts_with(start));
    if ["-ptxas-options", "-Xptxas"].contains(&name) && !value.split(',').all(known) {
        return refused("ptxas is given options like `-O3` or `-dlcm=cg`, and no files");
    }
    let of_family = FAMILIES.iter().any(|family| {
        single.strip_prefix(family).is_some_and(|rest| {
            *family == "-O" || rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        })
    });
    if of_family || SINGLE.contains(&name) {
        return None;
    }
    refused(
        "only options that change the code of kernels are taken (`-f…`, `-m…`, `-O…`, `-D…`, `-U…`, \
         `-W…`, `-std=…`, `-g`, and those of NVRTC like `--use_fast_math` and `--maxrregcount=N`)",
    )
}

/// Whether an option decides what a source means, rather than how well it is optimised.
pub(super) fn is_about_text(flag: &str) -> bool {
    let starts = ["-D", "-U", "-std", "--std", "--define-macro", "--undefine-macro"];
    starts.iter().any(|start| flag.starts_with(start))
}

/// The option as a message quotes it: its beginning, on one line.
fn shown(flag: &str) -> String {
    flag.chars().take(80).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_change_code_are_given() {
        for flag in [
            "-ffast-math",
            "-fno-unroll-loops",
            "-O2",
            "-Ofast",
            "-O",
            "-mavx2",
            "-march=x86-64-v3",
            "-mprefer-vector-width=256",
            "-DTILE=4",
            "-DPATH=\"a/b\"",
            "-UTILE",
            "-std=c++20",
            "--std=c++20",
            "--param=max-unroll-times=4",
            "-g",
            "--use_fast_math",
            "-use_fast_math",
            "--maxrregcount=32",
            "--fmad=false",
            "--ptxas-options=-O3,-dlcm=cg",
            "-Xptxas=-O1",
            "-mcumode",
            "-Wno-psabi",
            "-ffp-contract=off",
            "-fvect-cost-model=dynamic",
            "-falign-loops=32",
            "-Wall",
        ] {
            assert_eq!(refused_flag(flag), None, "{flag}");
        }
    }

    #[test]
    fn options_that_do_more_are_refused_and_so_are_unknown_ones() {
        for (flag, why) in [
            ("-o", "only options that change"),
            ("-o/etc/passwd", "names a file"),
            ("-include", "only options that change"),
            ("-imacros", "only options that change"),
            ("/etc/passwd", "it is no option"),
            ("@file", "reads options from a file"),
            ("-fplugin=./a.so", "loads code"),
            ("-fplugin-arg-a-b=c", "loads code"),
            ("-fpass-plugin=a.so", "loads code"),
            ("-wrapper", "only options that change"),
            ("-Btools", "only options that change"),
            ("-specs=mine", "only options that change"),
            ("--specs=mine", "only options that change"),
            ("-Wl,-T,script", "to the linker"),
            ("-Wa,-a=list", "to the assembler"),
            ("-Wp,-MD,file", "to the preprocessor"),
            ("-Xlinker", "only options that change"),
            ("-Xclang", "only options that change"),
            ("-Tscript", "only options that change"),
            ("-lm", "only options that change"),
            ("-L.", "only options that change"),
            ("-I..", "only options that change"),
            ("-isystem", "only options that change"),
            ("--sysroot=x", "only options that change"),
            ("-x", "only options that change"),
            ("-S", "only options that change"),
            ("-E", "only options that change"),
            ("-c", "only options that change"),
            ("-MF", "only options that change"),
            ("-save-temps", "only options that change"),
            ("-dumpbase", "only options that change"),
            ("-aux-info", "only options that change"),
            ("--coverage", "only options that change"),
            ("-gsplit-dwarf", "only options that change"),
            ("-fuse-ld=mine", "the program that links"),
            ("-fdump-tree-all=x", "writes files"),
            ("-fprofile-use=x", "reads or writes files"),
            ("-frandom-seed=../x", "names a file"),
            ("--fdevice-time-trace=x", "reach files"),
            ("-fproc-stat-report=x", "reach files"),
            ("-fstack-usage", "reach files"),
            ("-fcallgraph-info", "reach files"),
            ("-fcompare-debug=-fdump-tree-all", "reach files"),
            ("-fsanitize-ignorelist=x", "reach files"),
            ("-fsanitize-coverage-allowlist=x", "reach files"),
            ("-fxray-always-instrument=x", "reach files"),
            ("-fbasic-block-sections=list=x", "reach files"),
            ("-fbranch-probabilities", "reach files"),
            ("-foffload=nvptx-none", "reach files"),
            ("-fopenmp-targets=nvptx", "reach files"),
            ("-fdevice-syntax-only", "reach files"),
            ("-fsomething-new=x", "whose values name no file"),
            ("-mtune=help", "nothing would be compiled"),
            ("--ptxas-options=-arch=sm_50", "no files"),
            ("-fopt-info-all=x", "writes files"),
            ("-mllvm", "nobody checks"),
            ("--gpu-architecture=sm_50", "only options that change"),
            ("-arch=sm_50", "only options that change"),
            ("--offload-arch=gfx90a", "only options that change"),
            ("--include-path=x", "only options that change"),
            ("--pre-include=x", "only options that change"),
            ("--time=x", "only options that change"),
            ("--ptxas-options=--output-file,x", "no files"),
            ("--ptxas-options=-o,x", "no files"),
            ("-f", "only options that change"),
            ("-", "only options that change"),
            ("--", "only options that change"),
        ] {
            let refused = refused_flag(flag).unwrap_or_else(|| panic!("`{flag}` was taken"));
            assert!(refused.contains(why), "{flag}: {refused}");
        }
    }
}
