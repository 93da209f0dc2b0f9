//! `hookward schema`: the documents that cross a process boundary, as JSON Schema.

use std::process::ExitCode;

use hookward_contract::wire;
use hookward_policy::schema as policy_schema;

use crate::args::SchemaName;
use crate::error::CliError;
use crate::output::Output;

pub(crate) fn run(what: SchemaName, output: &Output) -> Result<ExitCode, CliError> {
    let schema = match what {
        SchemaName::Config => policy_schema(),
        SchemaName::Payload => schemars::schema_for!(wire::Payload<'_>).to_value(),
        SchemaName::Answer => schemars::schema_for!(wire::Answer).to_value(),
    };
    output.raw(&serde_json::to_string_pretty(&schema).map_err(CliError::policy)?);
    Ok(ExitCode::SUCCESS)
}
