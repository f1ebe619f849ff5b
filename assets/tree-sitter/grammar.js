// The grammar of Myriad for tree-sitter. `tests/it/grammar.rs` compares its words and operators with the compiler's tables,
// and parses the samples by these rules.

const COMPARISON = 3;
// Binary operators, from those that bind loosest.
const BINARY = [
  [1, ['||']],
  [2, ['&&']],
  [COMPARISON, ['==', '!=', '<', '<=', '>', '>=']],
  [4, ['|']],
  [5, ['^']],
  [6, ['&']],
  [7, ['<<', '>>']],
  [8, ['+', '-']],
  [9, ['*', '/', '%']],
];
const PREFIX = 10;
const POSTFIX = 11;

const ASSIGNMENTS = ['=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>='];

const list = (rule) => optional(seq(rule, repeat(seq(',', rule)), optional(',')));

module.exports = grammar({
  name: 'myriad',

  extras: ($) => [/\s/, /\uFEFF/, $.comment],
  word: ($) => $.identifier,
  supertypes: ($) => [$._item, $._statement, $._expression, $._type],

  rules: {
    source_file: ($) => repeat($._item),

    _item: ($) => choice($.function, $.constant, $.test, $.property),
    function: ($) =>
      seq('fn', field('name', $.identifier), '(', list($.parameter), ')', '->', field('result', $._type), field('body', $.block)),
    parameter: ($) => seq(field('name', $.identifier), ':', field('type', $._type)),
    constant: ($) => seq('const', field('name', $.identifier), '=', field('value', $._expression), ';'),
    test: ($) => seq('test', optional(seq(field('label', $.string), ':')), field('claim', $._expression), ';'),
    property: ($) =>
      seq(
        'prop',
        optional(seq(field('label', $.string), ':')),
        $.binder,
        repeat(seq(',', $.binder)),
        optional(seq('if', field('condition', $._expression))),
        '=>',
        field('claim', $._expression),
        ';',
      ),
    binder: ($) => seq(field('name', $.identifier), 'in', choice($.range, $.list_domain)),
    list_domain: ($) => seq('[', $.range, ';', field('capacity', $._expression), ']'),
    range: ($) => seq(field('from', $._expression), choice('..', '..='), field('to', $._expression)),

    _type: ($) => choice('int', 'bool', $.list_type),
    list_type: ($) => seq('[', choice('int', 'bool'), optional(seq(';', field('capacity', $._expression))), ']'),

    block: ($) => seq('{', repeat($._statement), '}'),
    _statement: ($) =>
      choice(
        $.let_statement,
        $.assignment,
        $.if_statement,
        $.while_statement,
        $.for_statement,
        $.break_statement,
        $.continue_statement,
        $.return_statement,
        $.block,
      ),
    let_statement: ($) =>
      seq(
        'let',
        field('name', $.identifier),
        optional(seq(':', field('type', $._type))),
        '=',
        field('value', $._expression),
        ';',
      ),
    assignment: ($) =>
      seq(
        field('target', choice($.identifier, $.element)),
        field('operator', choice(...ASSIGNMENTS)),
        field('value', $._expression),
        ';',
      ),
    element: ($) => prec(POSTFIX, seq($.identifier, '[', field('index', $._expression), ']')),
    if_statement: ($) =>
      seq(
        'if',
        field('condition', $._expression),
        field('consequence', $.block),
        optional(seq('else', field('alternative', choice($.block, $.if_statement)))),
      ),
    while_statement: ($) => seq('while', field('condition', $._expression), field('body', $.block)),
    for_statement: ($) =>
      seq('for', field('name', $.identifier), 'in', field('values', choice($.range, $._expression)), field('body', $.block)),
    break_statement: () => seq('break', ';'),
    continue_statement: () => seq('continue', ';'),
    return_statement: ($) => seq('return', field('value', $._expression), ';'),

    _expression: ($) =>
      choice(
        $.identifier,
        $.integer,
        $.character,
        $.string,
        $.boolean,
        $.hole,
        $.list,
        $.repetition,
        $.parenthesized,
        $.unary,
        $.binary,
        $.call,
        $.index,
        $.slice,
      ),
    parenthesized: ($) => seq('(', $._expression, ')'),
    unary: ($) => prec(PREFIX, seq(field('operator', choice('-', '!', '~')), $._expression)),
    binary: ($) =>
      choice(
        ...BINARY.map(([strength, operators]) =>
          prec.left(
            strength,
            seq(field('left', $._expression), field('operator', choice(...operators)), field('right', $._expression)),
          ),
        ),
      ),
    call: ($) => prec(POSTFIX, seq(field('function', choice($.identifier, 'int')), '(', list($._expression), ')')),
    index: ($) => prec(POSTFIX, seq(field('list', $._expression), '[', field('index', $._expression), ']')),
    slice: ($) => prec(POSTFIX, seq(field('list', $._expression), '[', $._expression, '..', $._expression, ']')),
    list: ($) => seq('[', list($._expression), ']'),
    repetition: ($) => seq('[', $._expression, ';', $._expression, ']'),

    boolean: () => choice('true', 'false'),
    hole: () => '?',
    integer: () => token(choice(/0[xX][0-9a-fA-F_]+/, /0[bB][01_]+/, /[0-9][0-9_]*/)),
    character: () => token(/'(\\[nt\\'"0]|[^'\\\n\r])'/),
    string: () => token(/"(\\[nt\\'"0]|[^"\\\n\r])*"/),
    identifier: () => /[A-Za-z_][A-Za-z0-9_]*/,
    comment: () => token(seq('//', /[^\n]*/)),
  },
});
