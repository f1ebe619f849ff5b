//! Facts of the language, one table each. No IO, no wgpu, no terminal.
//!
//! Everything that both engines, the command line and the workbench must agree on is stated here once.
//! `crate::compiler::layout` translates the tables that shaders need into WGSL.

// A path begins with its room, in every member.
extern crate self as lang;

pub mod arithmetic;
pub mod diagnostic;
pub mod exposure;
pub mod fault;
pub mod hash;
pub mod index;
pub mod level;
pub mod limits;
pub mod mutation;
pub mod opcode;
pub mod random;
pub mod role;
pub mod samples;
pub mod set;
pub mod token;
pub mod trap;
pub mod ty;
pub mod verdict;

/// The index that is never valid: no token, no declaration, no parent.
pub const NONE: u32 = u32::MAX;

/// Declares a `repr(u32)` enum whose variants are numbered from 0 in order, with `ALL`, `from_u32`, and
/// `ident`, the variant's name in the WGSL prelude and in dumps.
#[macro_export]
macro_rules! numbered {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$vmeta:meta])* $variant:ident,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u32)]
        pub enum $name { $($(#[$vmeta])* $variant,)* }

        impl $name {
            /// Every variant, in numeric order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// Returns the variant with this number, if there is one.
            pub fn from_u32(n: u32) -> Option<Self> {
                Self::ALL.get(n as usize).copied()
            }

            /// Returns the variant's name as written here.
            pub fn ident(self) -> &'static str {
                match self { $($name::$variant => stringify!($variant),)* }
            }
        }
    };
}
