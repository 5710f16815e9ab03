//! The host's C++ compiler: finds it, runs it with a time limit, and reads its errors.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use device::{CompileFault, Missing};
use rustix::process::{Pid, Signal, kill_process};

use super::source;

/// Time limit of a compilation.
const COMPILE_TIMEOUT: Duration = Duration::from_secs(60);
const FLAGS: &[&str] = &[
    "-std=gnu++17",
    "-O3",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=fast",
    "-w",
];
const NATIVE: &str = if cfg!(target_arch = "x86_64") { "-march=native" } else { "-mcpu=native" };

/// Messages of compilers and linkers if the machine lacks something, not the source.
const LACKS: [&str; 10] = [
    "No space left on device",
    "Disk quota exceeded",
    "Cannot allocate memory",
    "out of memory",
    "memory exhausted",
    "Too many open files",
    "File too large",
    "Killed signal terminated program",
    "Terminated signal terminated program",
    "Hangup signal terminated program",
];

pub(super) struct Compiler {
    /// The program, with arguments given in `CXX`.
    command: Vec<String>,
    /// First line of `--version`.
    pub(super) version: String,
    /// Whether plain `ld` has failed, so that the compiler links instead.
    driver_links: AtomicBool,
}

impl Compiler {
    /// Finds `CXX`, or else the first of clang++, g++ and c++ that runs.
    pub(super) fn find() -> Result<Self, Missing> {
        let named = std::env::var("CXX").ok().filter(|name| !name.trim().is_empty());
        let candidates = match &named {
            Some(name) => vec![name.as_str()],
            None => vec!["clang++", "g++", "c++"],
        };
        candidates.iter().find_map(|name| Self::ask(name)).ok_or_else(|| Missing {
            why: match &named {
                Some(name) => format!("the C++ compiler `{name}` that CXX names does not run"),
                None => "no C++ compiler was found (clang++, g++ and c++ do not run)".to_owned(),
            },
            cure: "install g++ or clang++, or set CXX".to_owned(),
        })
    }

    fn ask(name: &str) -> Option<Self> {
        let command: Vec<String> = name.split_whitespace().map(str::to_owned).collect();
        let output = Command::new(command.first()?)
            .args(&command[1..])
            .arg("--version")
            .stdin(Stdio::null())
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let version = text.lines().next().filter(|_| output.status.success())?.trim().to_owned();
        Some(Self { command, version, driver_links: AtomicBool::new(false) })
    }

    /// Everything that determines the compiler's output, for the cache key.
    pub(super) fn identity(&self) -> String {
        format!("{}\n{}", self.command_line(), self.version)
    }

    /// The program and its flags, without folders and files of one compilation.
    pub(super) fn command_line(&self) -> String {
        format!("{} {} {NATIVE}", self.command.join(" "), FLAGS.join(" "))
    }

    /// Compiles a text to `library` with these additional options. `folder` is used by this
    /// compilation only.
    pub(super) fn build(
        &self,
        unit: &str,
        options: &[String],
        folder: &Path,
        include: &Path,
        library: &Path,
    ) -> Result<(), CompileFault> {
        let failed = |error: io::Error| {
            CompileFault::Machine(format!("cannot compile in {}: {error}", folder.display()))
        };
        let (text, object) = (folder.join("unit.cpp"), folder.join("unit.o"));
        fs::write(&text, unit).map_err(failed)?;
        let mut compile = self.command(folder);
        compile.args(FLAGS).arg(NATIVE).args(options).args(["-I", ".", "-I"]).arg(include);
        // Headers in place of CUDA's. They report what the cpu device lacks.
        compile.arg("-I").arg(include.join("autobench/cpu/lacking"));
        compile.args(["-fdiagnostics-color=never", "-c", "unit.cpp", "-o"]).arg(&object);
        let report = finish(&mut compile, folder).map_err(failed)?;
        report.map_err(|report| fault(&report))?;
        self.link(folder, &object, library).map_err(failed)?.map_err(|report| fault(&report))
    }

    /// Links with plain `ld`, which takes a fifth of the time that linking through the compiler
    /// takes.
    fn link(
        &self,
        folder: &Path,
        object: &Path,
        library: &Path,
    ) -> io::Result<Result<(), CompilerReport>> {
        if !self.driver_links.load(Ordering::Relaxed) {
            let mut link = Command::new("ld");
            link.current_dir(folder).args(["-shared", "--no-undefined", "-o"]);
            link.arg(library).arg(object).args(["-lm", "-lc"]);
            if matches!(finish(&mut link, folder), Ok(Ok(()))) {
                return Ok(Ok(()));
            }
        }
        let mut link = self.command(folder);
        link.args(["-shared", "-o"]).arg(library).arg(object).arg("-lm");
        let report = finish(&mut link, folder)?;
        // If the compiler cannot link the object either, the failure says nothing about `ld`.
        self.driver_links.fetch_or(report.is_ok(), Ordering::Relaxed);
        Ok(report)
    }

    fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new(&self.command[0]);
        // With this `TMPDIR`, files of a killed compiler are removed with the folder.
        command.args(&self.command[1..]).current_dir(folder).env("LC_ALL", "C").env("TMPDIR", ".");
        command
    }
}

enum CompilerReport {
    Text(String),
    /// The compiler was ended from outside, or ended without a message.
    Ended(String),
    /// The compiler exceeded the time limit.
    TooSlow,
}

fn finish(command: &mut Command, folder: &Path) -> io::Result<Result<(), CompilerReport>> {
    let log: PathBuf = folder.join("log");
    let file = File::create(&log)?;
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
    let mut child = command.spawn()?;
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if started.elapsed() > COMPILE_TIMEOUT {
            stop(&mut child);
            return Ok(Err(CompilerReport::TooSlow));
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    if status.success() {
        return Ok(Ok(()));
    }
    let bytes = fs::read(&log)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let ended = if text.trim().is_empty() {
        Some(match lacks_room(folder) {
            Some(error) => {
                format!(
                    "the compiler ended with {status}: cannot write in {}: {error}",
                    folder.display()
                )
            }
            None => format!("the compiler ended with {status} and said nothing"),
        })
    } else {
        let lacks = |line: &&str| LACKS.iter().any(|what| line.contains(what));
        text.lines().find(lacks).map(|line| format!("the compiler says: {}", line.trim()))
    };
    Ok(Err(ended.map_or(CompilerReport::Text(text), CompilerReport::Ended)))
}

/// Why nothing can be written to a folder. What a compiler said about that may have found no room
/// either.
fn lacks_room(folder: &Path) -> Option<io::Error> {
    /// More than a file system may still have in a block that it began.
    const BYTES: usize = 64 << 10;
    let file = folder.join("room");
    fs::write(&file, vec![0; BYTES]).and_then(|()| fs::remove_file(file)).err()
}

/// Kills a compiler and its children. Killing only the driver would leave the compiler proper
/// running.
fn stop(child: &mut Child) {
    let id = child.id();
    let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
    for id in children.unwrap_or_default().split_whitespace().filter_map(|id| id.parse().ok()) {
        if let Some(pid) = Pid::from_raw(id) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
    let _ = child.kill();
    let _ = child.wait();
}

fn fault(report: &CompilerReport) -> CompileFault {
    let text = match report {
        CompilerReport::Text(text) => text,
        CompilerReport::Ended(why) => return CompileFault::Machine(why.clone()),
        CompilerReport::TooSlow => {
            return CompileFault::Failed(format!(
                "the compiler was stopped after {} seconds",
                COMPILE_TIMEOUT.as_secs()
            ));
        }
    };
    let lacking = "autobench: the cpu device has no ";
    if let Some(at) = text.find(lacking) {
        let what = text[at..].lines().next().unwrap_or_default();
        let what = what.trim_start_matches("autobench: ").trim_end_matches(['"', '\'', ']', '\\']);
        let what = what.split([';', '"']).next().unwrap_or(what);
        return CompileFault::Invalid(what.trim().to_owned());
    }
    let line = text
        .lines()
        .find(|line| line.contains("error: ") || line.contains("undefined reference"))
        .or_else(|| text.lines().find(|line| !line.trim().is_empty()))
        .unwrap_or_default();
    if line.starts_with(source::ENTRIES) {
        return CompileFault::Failed(format!(
            "an entry is not a `__global__` function of the sources: {line}"
        ));
    }
    CompileFault::Failed(line.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_that_finds_no_room_to_say_so_is_answered_by_the_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let silent = |place: &Path| {
            let mut compiler = Command::new("false");
            match finish(&mut compiler, place).expect("it runs") {
                Err(CompilerReport::Ended(why)) => why,
                _ => panic!("`false` fails and says nothing"),
            }
        };
        assert!(silent(folder.path()).ends_with("and said nothing"));
        // A folder of this name is in the way of the file.
        fs::create_dir(folder.path().join("room")).expect("made");
        let told = silent(folder.path());
        assert!(told.contains("cannot write in") && told.contains("Is a directory"), "{told}");
    }
}
