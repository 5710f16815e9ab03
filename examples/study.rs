//! Runs a study from Rust: finds the knee of `vecadd` on this processor, and the best configuration
//! of every size.

use std::error::Error;

use autobench::{Silent, Study, StudySettings, run_if_worker, write_all};

#[expect(clippy::print_stdout, reason = "it prints its answer")]
fn main() -> Result<(), Box<dyn Error>> {
    // Kernels run in worker processes, which run this same executable.
    run_if_worker();
    let mut settings = StudySettings::saturate("vecadd");
    settings.sizes.list = Some(vec![1 << 10, 1 << 14, 1 << 18]);
    settings.budget.seconds = Some(2.0);
    let result = Study::prepare(settings)?.begin(&std::env::temp_dir())?.run(&mut Silent)?;
    write_all(&result.folder, &result.record, &result.view)?;
    for (size, best) in result.best_per_size() {
        println!("{size}: {:.3e} s with {}", best.seconds.median, best.configuration);
    }
    println!("knee {:?}, results in {}", result.knee(), result.folder.path().display());
    Ok(())
}
