//! Measures reading and judging on lines like those of a long session: `speed [CALLS]`. Each call
//! has a line of about 1 KiB, and a result of about 2 KiB behind it.

#![allow(clippy::print_stdout, reason = "it prints")]

use std::error::Error;
use std::io::Write as _;
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use hookward_replay::{Histories, Outcome, ReadOptions, Recorded, Replay, ReplayOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let count: u32 = std::env::args()
        .nth(1)
        .map_or(Ok(400_000), |text| text.parse())?;
    let folder = tempfile::tempdir()?;
    let path = Utf8PathBuf::from_path_buf(folder.path().join("session.jsonl"))
        .map_err(|_| "the temporary folder is not UTF-8")?;
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path)?);
    let output = "a line of what the command printed, as commands do\\n".repeat(36);
    for number in 0..count {
        let common = format!(
            r#""parentUuid":"5287201a-912e-4890-8065-{number:012}","isSidechain":false,"userType":"external","cwd":"/home/person/projects/shop","sessionId":"c796cd3c-a4e7-4e38-b62f-9518dee55aae","version":"2.1.197","gitBranch":"main","timestamp":"2026-06-01T14:11:14.535Z""#
        );
        writeln!(
            file,
            r#"{{{common},"type":"assistant","uuid":"bfd1bcf7-95ce-4410-b131-{number:012}","message":{{"id":"msg_01{number:022}","type":"message","role":"assistant","model":"a-model","content":[{{"type":"tool_use","id":"toolu_01{number:022}","name":"Bash","input":{{"command":"cd api && cargo test -p shop --test orders_{number} 2>&1 | tail -40","description":"Run the tests of the orders module"}}}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{{"input_tokens":4,"cache_creation_input_tokens":1200,"cache_read_input_tokens":34000,"output_tokens":120,"service_tier":"standard","cache_creation":{{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":1200}}}}}}}}"#
        )?;
        writeln!(
            file,
            r#"{{{common},"type":"user","uuid":"dfe89d07-23f6-424b-af50-{number:012}","message":{{"role":"user","content":[{{"tool_use_id":"toolu_01{number:022}","type":"tool_result","content":"{output}","is_error":false}}]}}}}"#
        )?;
    }
    file.flush()?;
    drop(file);
    let options = ReadOptions {
        format: None,
        cwd: "/".into(),
    };
    for round in 1..=3 {
        let mut histories = Histories::open(std::slice::from_ref(&path), options.clone());
        let judge = |_: &Recorded| Outcome::default();
        let (start, worked) = (Instant::now(), processor_time());
        let report = Replay::new(&judge, ReplayOptions::default()).run(&mut histories, &mut |_| ());
        let seconds = start.elapsed().as_secs_f64();
        let worked = processor_time().saturating_sub(worked).as_secs_f64();
        #[allow(clippy::cast_precision_loss, reason = "shown with three digits")]
        let (rate, megabytes) = (
            report.calls as f64 / worked,
            histories.bytes_total() as f64 / 1e6 / worked,
        );
        println!(
            "round {round}: {} calls in {seconds:.2} s; {rate:.0} calls and {megabytes:.0} MB per second of processor time",
            report.calls
        );
    }
    Ok(())
}

/// What this process has worked so far, however many others the machine is shared with.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}
