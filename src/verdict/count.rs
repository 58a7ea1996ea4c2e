//! Exact numbers of schedules, of any size.

use std::fmt;
use std::ops::{Add, AddAssign};

use num_bigint::BigUint;
use serde::{Serialize, Serializer};

/// The largest whole number that every JSON reader keeps exactly: 2^53 - 1.
const EXACT_IN_JSON: u64 = (1 << 53) - 1;

/// A number of schedules; exact whatever its size.
///
/// In JSON a number up to 2^53 - 1, above that a string of digits. In text its digits are grouped: `34,650`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Count(BigUint);

impl Count {
    /// No schedule.
    pub fn zero() -> Self {
        Count::default()
    }

    /// One schedule.
    pub fn one() -> Self {
        Count(BigUint::from(1u8))
    }

    /// Whether there is none.
    pub fn is_zero(&self) -> bool {
        self.0 == BigUint::ZERO
    }

    /// `self` as a share of `all`, 0 to 1; 0 of 0 is 0.
    pub fn share_of(&self, all: &Count) -> f64 {
        if all.is_zero() {
            return 0.0;
        }
        // Both to the same power of two, so that neither overflows an f64.
        let shift = all.0.bits().saturating_sub(1000);
        approximate(&(&self.0 >> shift)) / approximate(&(&all.0 >> shift))
    }
}

fn approximate(n: &BigUint) -> f64 {
    n.iter_u64_digits().rev().fold(0.0, |sum, digit| sum * 2f64.powi(64) + digit as f64)
}

impl From<u64> for Count {
    fn from(n: u64) -> Self {
        Count(BigUint::from(n))
    }
}

impl AddAssign<&Count> for Count {
    fn add_assign(&mut self, other: &Count) {
        self.0 += &other.0;
    }
}

impl Add<&Count> for Count {
    type Output = Count;
    fn add(mut self, other: &Count) -> Count {
        self += other;
        self
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&group_digits(&self.0.to_string()))
    }
}

/// `34650` as `34,650`.
pub fn group_digits(digits: &str) -> String {
    let mut grouped = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match u64::try_from(&self.0) {
            Ok(n) if n <= EXACT_IN_JSON => serializer.serialize_u64(n),
            _ => serializer.collect_str(&self.0),
        }
    }
}

#[cfg(test)]
impl schemars::JsonSchema for Count {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Count".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A number of schedules; a string of digits where it is above 2^53 - 1.",
            "oneOf": [
                { "type": "integer", "minimum": 0, "maximum": EXACT_IN_JSON },
                { "type": "string", "pattern": "^[0-9]+$" }
            ]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_by_three() {
        let shown: Vec<String> = [0, 7, 999, 1_000, 34_650, 1_234_567].map(|n| Count::from(n).to_string()).into();
        assert_eq!(shown, ["0", "7", "999", "1,000", "34,650", "1,234,567"]);
    }

    #[test]
    fn a_share_is_right_beyond_the_range_of_a_float() {
        let mut third = Count(BigUint::from(10u8).pow(400));
        let all = Count(BigUint::from(3u8) * BigUint::from(10u8).pow(400));
        assert!((third.share_of(&all) - 1.0 / 3.0).abs() < 1e-12);
        third += &Count::one();
        assert_eq!(serde_json::to_value(&third).unwrap().as_str().unwrap().len(), 401);
    }

    #[test]
    fn json_numbers_stay_exact() {
        assert_eq!(serde_json::to_value(Count::from(EXACT_IN_JSON)).unwrap(), serde_json::json!(EXACT_IN_JSON));
        assert_eq!(
            serde_json::to_value(Count::from(EXACT_IN_JSON + 1)).unwrap(),
            serde_json::json!("9007199254740992")
        );
    }
}
