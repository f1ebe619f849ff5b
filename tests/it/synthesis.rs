//! Programs that the network writes.

mod evaluation;
