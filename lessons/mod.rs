//! The catalogue of lessons, in reading order: adding one is a folder here and its name in `catalogue!`.

use std::sync::LazyLock;

use crate::lesson::Lesson;

/// Declares each lesson's module and puts what its `lesson()` returns into [`all`].
macro_rules! catalogue {
    ($($lesson:ident,)*) => {
        $(mod $lesson;)*

        /// Every lesson, in reading order.
        pub fn all() -> &'static [Lesson] {
            static ALL: LazyLock<Vec<Lesson>> = LazyLock::new(|| vec![$($lesson::lesson(),)*]);
            &ALL
        }
    };
}

catalogue! {
    race,
}
