//! One sort for nearly all of the core.
//!
//! Every `sort_by_key` of another type brings its own copy of the algorithm, 6 to 9 kB of wasm each: eight of them were
//! 63 kB. Here only numbers are sorted, and what they stand for is moved once.

/// Sorts by a number; what has the same number keeps its order.
pub fn by_number<T>(items: &mut Vec<T>, number: impl Fn(&T) -> u64) {
    if items.is_sorted_by_key(&number) {
        return;
    }
    let order = ranked(items.iter().map(number).collect());
    let mut taken: Vec<Option<T>> = items.drain(..).map(Some).collect();
    items.extend(order.into_iter().filter_map(|(_, at)| taken[at].take()));
}

/// Numbers in order, each with its place before.
fn ranked(numbers: Vec<u64>) -> Vec<(u64, usize)> {
    let mut order: Vec<(u64, usize)> = numbers.into_iter().zip(0..).collect();
    order.sort_unstable();
    order
}

#[cfg(test)]
mod tests {
    use super::by_number;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_as_the_standard_library_does(numbers in prop::collection::vec(0_u64..50, 0..200)) {
            let mut items: Vec<(u64, usize)> = numbers.into_iter().zip(0..).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|&(number, _)| number);
            by_number(&mut items, |&(number, _)| number);
            prop_assert_eq!(items, expected);
        }
    }
}
