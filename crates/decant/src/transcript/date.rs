//! `Date.parse`, as far as session files need it.

use crate::json::Value;

/// Beyond this JavaScript has no date (ECMA-262, TimeClip).
const MAX_MS: f64 = 8.64e15;

const MS_PER_DAY: i64 = 86_400_000;

/// `new Date(value).getTime()` in ms since 1970. Text is read in the forms that do not depend on a time zone of the
/// reader: `YYYY-MM-DD`, and `YYYY-MM-DDTHH:MM[:SS[.fraction]]` with `Z` or an offset; any other is NaN, though
/// JavaScript reads some more of them, in local time.
pub fn date_ms(value: Option<&Value>) -> f64 {
    match value {
        Some(Value::String(text)) => text.as_str().and_then(parse_iso).map_or(f64::NAN, |ms| ms as f64),
        Some(Value::Number(ms)) if ms.abs() <= MAX_MS => ms.trunc(),
        Some(Value::Null) => 0.0,
        Some(Value::Bool(value)) => f64::from(u8::from(*value)),
        _ => f64::NAN,
    }
}

fn parse_iso(text: &str) -> Option<i64> {
    let (date, time) = match text.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let [year, month, day] = fields(date, '-', [4, 2, 2])?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    // V8 takes any day up to 31 here and lets it run over into the next month.
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let before: i64 = days[..month as usize - 1].iter().sum();
    let years = year - 1;
    let day =
        years * 365 + years.div_euclid(4) - years.div_euclid(100) + years.div_euclid(400) + before + day - 719_163;
    let ms = match time {
        Some(time) => parse_time(time)?,
        None => 0,
    };
    Some(day * MS_PER_DAY + ms)
}

fn parse_time(text: &str) -> Option<i64> {
    let zone_at = text.find(['Z', '+', '-'])?;
    let (clock, zone) = text.split_at(zone_at);
    let offset = match zone.split_at(1) {
        ("Z", "") => 0,
        (sign, zone) => {
            let [hours, minutes] = fields(zone, ':', [2, 2])?;
            let minutes = if hours < 24 && minutes < 60 { hours * 60 + minutes } else { return None };
            match sign {
                "+" => minutes,
                "-" => -minutes,
                _ => return None,
            }
        }
    };
    let (clock, fraction) = match clock.split_once('.') {
        Some((clock, digits)) if clock.len() == 8 => (clock, milliseconds(digits)?),
        Some(_) => return None,
        None => (clock, 0),
    };
    let [hours, minutes, seconds] = match clock.len() {
        5 => fields(clock, ':', [2, 2]).map(|[hours, minutes]| [hours, minutes, 0]),
        _ => fields(clock, ':', [2, 2, 2]),
    }?;
    let end_of_day = hours == 24 && minutes == 0 && seconds == 0 && fraction == 0;
    if (hours > 23 && !end_of_day) || minutes > 59 || seconds > 59 {
        return None;
    }
    Some(((hours * 60 + minutes - offset) * 60 + seconds) * 1000 + fraction)
}

/// The first three digits of a fraction; the rest is cut off, as V8 does.
fn milliseconds(digits: &str) -> Option<i64> {
    let all_digits = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    all_digits.then(|| digits.bytes().chain(*b"00").take(3).fold(0, |ms, b| ms * 10 + i64::from(b - b'0')))
}

/// Numbers of exactly these widths, parted by `separator`.
fn fields<const N: usize>(text: &str, separator: char, widths: [usize; N]) -> Option<[i64; N]> {
    let mut parts = text.split(separator);
    let mut numbers = [0; N];
    for (number, width) in numbers.iter_mut().zip(widths) {
        let part = parts.next().filter(|part| part.len() == width && part.bytes().all(|b| b.is_ascii_digit()))?;
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What node 20's `new Date(text).getTime()` says, the same with two time zones.
    const NODE: &[(&str, Option<i64>)] = &[
        ("2026-01-05T09:00:07.000Z", Some(1_767_603_607_000)),
        ("2025-12-24T00:32:27.967Z", Some(1_766_536_347_967)),
        ("1969-12-31T23:59:59.999Z", Some(-1)),
        ("0000-01-01T00:00:00Z", Some(-62_167_219_200_000)),
        ("0001-03-01T00:00:00Z", Some(-62_130_499_200_000)),
        ("2024-02-29", Some(1_709_164_800_000)),
        ("2026-02-29T00:00:00Z", Some(1_772_323_200_000)),
        ("2026-02-31T00:00:00Z", Some(1_772_496_000_000)),
        ("2026-04-31", Some(1_777_593_600_000)),
        ("2026-01-32", None),
        ("2026-13-01", None),
        ("2026-00-01", None),
        ("2026-01-00", None),
        ("2026-01-05T09:00Z", Some(1_767_603_600_000)),
        ("2026-01-05T09Z", None),
        ("2026-01-05T24:00:00Z", Some(1_767_657_600_000)),
        ("2026-01-05T24:00:01Z", None),
        ("2026-01-05T09:60:00Z", None),
        ("2026-01-05T09:00:60Z", None),
        ("2026-01-05T09:00:07.1Z", Some(1_767_603_607_100)),
        ("2026-01-05T09:00:07.12Z", Some(1_767_603_607_120)),
        ("2026-01-05T09:00:07.1239Z", Some(1_767_603_607_123)),
        ("2026-01-05T09:00:07.Z", None),
        ("2026-01-05T09:00:07+02:00", Some(1_767_596_407_000)),
        ("2026-01-05T09:00:07.5-05:30", Some(1_767_623_407_500)),
        ("2026-01-05T09:00:07+24:00", None),
        ("2026-01-05T09:00:07+23:59", Some(1_767_517_267_000)),
        ("2026-01-05T09:00.5Z", None),
        (" 2026-01-05T09:00:07Z", None),
        ("2026-1-05T09:00:07Z", None),
        ("2026-01-05T9:00:07Z", None),
        ("9999-12-31T23:59:59.999Z", Some(253_402_300_799_999)),
        ("", None),
        ("2000-03-01T00:00:00Z", Some(951_868_800_000)),
        ("1900-03-01T00:00:00Z", Some(-2_203_891_200_000)),
    ];

    #[test]
    fn dates_are_javascripts() {
        for &(text, expected) in NODE {
            assert_eq!(parse_iso(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_text_is_taken_as_javascript_takes_it() {
        assert!(date_ms(None).is_nan());
        assert_eq!(date_ms(Some(&Value::Null)) as i64, 0);
        assert_eq!(date_ms(Some(&Value::from(-1.5))) as i64, -1);
        assert!(date_ms(Some(&Value::from(8.64e15 + 1.0))).is_nan());
        assert!(date_ms(Some(&Value::from(Vec::new()))).is_nan());
    }
}
