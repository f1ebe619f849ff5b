//! The values after the lines of the function under the cursor: of one call in the run of a test, and of one round of the
//! loop around the cursor.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::lang::index::CallId;
use crate::testing::trace::{CallValues, Trace};
use crate::workbench::marks::Mark;

/// The values on screen, and what they depend on.
#[derive(Debug, Default)]
pub struct ValuesView {
    /// The words after each line of the text on screen, counted from 0.
    pub lines: BTreeMap<usize, String>,
    /// The test and the chosen call and round, in a few words, without the mark of their age.
    pub title: String,
    /// The label of the test that the user chose in the Tests panel, and the call and the round.
    pub test: Option<String>,
    pub call: Option<CallId>,
    pub round: Option<u32>,
    /// The round shown and the number of rounds; the call shown.
    pub rounds: Option<(u32, u32)>,
    pub shown_call: CallId,
    pub of: Option<ValuesKey>,
    /// The values that the words say.
    pub values: CallValues,
    /// Whether the function has an error, and the values are of its last run.
    pub is_kept: bool,
}

/// The inputs of the words.
#[derive(Debug)]
pub struct ValuesKey {
    pub trace: Arc<Trace>,
    pub text: Arc<str>,
    pub focus: (u32, Option<CallId>, Option<u32>),
    /// The mark of values of an earlier text.
    pub age: Option<&'static Mark>,
}
