//! The diagnostics, in one table.
//!
//! Stages use a diagnostic's number (one word; 0 means no diagnostic). Users see its code, which is never
//! reused. The explanations that `myriad explain` prints are in `crate::report::explain`.

macro_rules! diagnostics {
    ($($variant:ident $code:literal $title:literal;)*) => {
        super::numbered! {
            /// Every diagnostic. `None` (0) means that there is no diagnostic.
            pub enum Code { None, $($variant,)* }
        }
        impl Code {
            /// The code shown to users, such as `E0401`.
            pub const fn code(self) -> &'static str {
                match self { Code::None => "", $(Code::$variant => $code,)* }
            }
            /// A short description of the kind of error.
            pub const fn title(self) -> &'static str {
                match self { Code::None => "", $(Code::$variant => $title,)* }
            }
        }
    };
}

diagnostics! {
    UnexpectedCharacter "E0101" "unexpected character";
    Unterminated "E0102" "unterminated string or character";
    MalformedNumber "E0103" "malformed number";
    LiteralOutOfRange "E0104" "integer literal out of range";
    BadLiteral "E0105" "bad escape or character literal";
    UnexpectedToken "E0201" "unexpected token";
    NeverClosed "E0202" "bracket never closed";
    NeverOpened "E0203" "closing bracket without an opening one";
    ChainedComparison "E0204" "chained comparison";
    MissingSemicolon "E0205" "missing `;`";
    ExpressionStatement "E0206" "expression as a statement";
    UnknownVariable "E0301" "unknown variable or constant";
    UnknownFunction "E0302" "unknown function";
    AlreadyDeclared "E0303" "name already declared here";
    AssignToConstant "E0304" "assignment to a constant";
    TypeMismatch "E0401" "type mismatch";
    OperatorUndefined "E0402" "operator not defined for this type";
    ArgumentCount "E0403" "wrong number of arguments";
    EmptyListType "E0404" "type of `[]` or `?` cannot be inferred";
    NotAList "E0405" "indexing or slicing what is not a list";
    NotConstant "E0406" "not a constant expression";
    MissingReturn "E0501" "control can reach the end of the function";
    Unreachable "E0502" "code that can never run";
    OutsideLoop "E0503" "`break` or `continue` outside a loop";
    SourceTooLong "E0601" "source too long";
    TooManyTokens "E0602" "too many tokens";
    NestingTooDeep "E0603" "nesting too deep";
    TooManyLocals "E0604" "too many locals or parameters";
    TooManyFunctions "E0605" "too many functions";
    TooManyTests "E0606" "too many tests and properties";
    CapacityOutOfRange "E0607" "list capacity out of range";
    UnusedName "W0001" "unused name";
    OneOutcome "W0002" "comparison with one possible outcome";
    TestCallsNothing "W0003" "test that no function call takes part in";
    EmptyDomain "W0004" "property over an empty domain";
    IgnoresNothing "W0005" "comment that ignores nothing";
    AlwaysOutside "W0006" "index that is always out of bounds";
    IgnoresNoChange "W0007" "comment that ignores no change";
}

impl Code {
    /// Returns whether this is an error, which stops the program from running, and not a warning.
    pub fn is_error(self) -> bool {
        self.code().starts_with('E')
    }
    /// Returns the diagnostic with this code, ignoring case.
    pub fn from_code(code: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|c| *c != Code::None && c.code().eq_ignore_ascii_case(code))
    }
}
