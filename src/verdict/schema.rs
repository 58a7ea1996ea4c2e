//! The schema of the documents, made from their types; `schema.json` is what others read and must be the same.

use std::path::Path;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::report::{CheckReport, CheckResult, ReplayReport, SCHEMA};
use super::samples;
use crate::lesson::{Role, Size};
use crate::timeline::samples as traces;

/// Any document that a command prints with `--json`.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, clippy::large_enum_variant, reason = "only its schema is wanted")]
enum Document {
    /// `learn check --json`.
    Check(CheckReport),
    /// `learn check --schedule TOKEN --json`.
    Replay(ReplayReport),
}

/// The schema, as its types have it now.
fn generated() -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<Document>().to_value();
    if let Some(object) = schema.as_object_mut() {
        object.insert("title".into(), json!("What `learn` prints with --json"));
    }
    schema
}

fn report() -> Value {
    let result = |variant: &str, role, size: &[usize], verdict| CheckResult {
        lesson: "race".into(),
        variant: variant.into(),
        size: Size(size.to_vec()),
        role,
        as_claimed: true,
        sample: None,
        verdict,
    };
    let results = vec![
        result("broken", Role::Broken, &[2, 1], samples::race()),
        result("broken", Role::Broken, &[2], samples::deadlock()),
        result("fixed_lock", Role::Fixed, &[3, 2], samples::holds()),
        result("fixed_lock", Role::Fixed, &[9, 9], samples::out_of_budget()),
    ];
    serde_json::to_value(CheckReport::new(results)).unwrap()
}

fn replay() -> Value {
    let trace = traces::race();
    let report = ReplayReport {
        schema: SCHEMA,
        lesson: "race".into(),
        variant: "broken".into(),
        size: Size(vec![2, 1]),
        token: trace.token(),
        parted: None,
        broken: vec!["always: every deposit is in the balance".into()],
        trace,
    };
    serde_json::to_value(report).unwrap()
}

#[test]
fn the_schema_that_others_read_is_the_types_own() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/verdict/schema.json");
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&path, serde_json::to_string_pretty(&generated()).unwrap() + "\n").unwrap();
    }
    // As values, because the order of an object's fields depends on features of serde_json that others may switch on.
    let committed: Value =
        std::fs::read_to_string(&path).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    assert!(committed == generated(), "src/verdict/schema.json is out of date: run UPDATE_SCHEMA=1 cargo test schema");
}

#[test]
fn every_field_is_described() {
    fn check(path: &str, value: &Value) {
        if let Some(properties) = value.get("properties").and_then(Value::as_object) {
            for (name, property) in properties {
                // A variant of an enum describes its tag, and what it holds if that is one thing.
                let variant = value.get("description").is_some() && (properties.len() == 1 || name == "end");
                let described = property.get("description").is_some() || variant;
                assert!(described, "{path}/{name} has no description");
            }
        }
        match value {
            Value::Object(fields) => fields.iter().for_each(|(name, inner)| check(&format!("{path}/{name}"), inner)),
            Value::Array(items) => items.iter().for_each(|inner| check(path, inner)),
            _ => {}
        }
    }
    check("", &generated());
}

/// Why the schema does not allow a document; `None` if it does.
fn objection(document: &Value) -> Option<String> {
    let mut compiler = boon::Compiler::new();
    compiler.add_resource("schema.json", generated()).unwrap();
    let mut schemas = boon::Schemas::new();
    let schema = compiler.compile("schema.json", &mut schemas).unwrap();
    schemas.validate(document, schema).err().map(|error| error.to_string())
}

#[test]
fn what_is_printed_is_valid() {
    for document in [report(), replay()] {
        assert_eq!(objection(&document), None);
    }
}

#[test]
fn a_document_that_says_something_else_is_not() {
    for (pointer, wrong) in [
        ("/schema", json!(2)),
        ("/results/0/verdict/finding", json!("perhaps")),
        ("/results/0/verdict/schedules", json!(-1)),
        ("/results/0/verdict/schedules", json!("many")),
        ("/results/0/verdict/complete", json!("yes")),
        ("/results/0/verdict/counterexample/steps/0/effect", json!("harms")),
        ("/results/0/verdict/token", json!("1.2.q")),
        ("/results/0/role", json!(null)),
        ("/results/0/size", json!("2x1")),
        ("/results/1/verdict/counterexample/ending/end", json!("stuck")),
    ] {
        let mut document = report();
        *document.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer} is there")) = wrong.clone();
        assert!(objection(&document).is_some(), "{pointer} = {wrong}");
    }
    let mut document = report();
    document["results"][0]["verdict"].as_object_mut().unwrap().remove("complete");
    assert!(objection(&document).is_some(), "a field is missing");
}
