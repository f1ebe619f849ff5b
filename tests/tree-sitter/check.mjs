// Evaluates a grammar of tree-sitter and parses programs by its rules, without tree-sitter: an Earley recognizer over
// tokens. Prints a JSON document: the names and literals of the grammar, and the files that it does not accept.
//
// usage: node check.mjs GRAMMAR FILE...

import { readFileSync } from 'node:fs';
import vm from 'node:vm';

const [, , grammarFile, ...files] = process.argv;

const rule = (type, fields) => ({ type, ...fields });
const wrap = (value) => {
  if (typeof value === 'string') return rule('text', { text: value });
  if (value instanceof RegExp || Object.prototype.toString.call(value) === '[object RegExp]') {
    return rule('pattern', { source: value.source });
  }
  return value;
};
const same = (...values) => wrap(values.at(-1));
const dsl = {
  seq: (...parts) => rule('seq', { parts: parts.map(wrap) }),
  choice: (...parts) => rule('choice', { parts: parts.map(wrap) }),
  repeat: (part) => rule('repeat', { part: wrap(part) }),
  optional: (part) => rule('choice', { parts: [wrap(part), rule('seq', { parts: [] })] }),
  field: (_, part) => wrap(part),
  prec: Object.assign(same, { left: same, right: same }),
  token: (part) => rule('token', { part: wrap(part) }),
  grammar: (own) => own,
  module: {},
};
vm.runInNewContext(readFileSync(grammarFile, 'utf8'), dsl);
const grammar = dsl.module.exports;
const names = Object.keys(grammar.rules);
const $ = new Proxy({}, {
  get: (_, name) => {
    if (!names.includes(name)) throw new Error(`no rule ${String(name)}`);
    return rule('name', { name });
  },
});
const rules = Object.fromEntries(names.map((name) => [name, wrap(grammar.rules[name]($))]));
for (const part of ['extras', 'supertypes', 'word']) grammar[part]?.($);

// Tokens: literals, and rules that are patterns.
const literals = new Set();
const visit = (own) => {
  if (own.type === 'text') literals.add(own.text);
  (own.parts || (own.part && own.type !== 'token' ? [own.part] : [])).forEach(visit);
};
Object.values(rules).forEach(visit);
const source = (own) => {
  if (own.type === 'pattern') return own.source;
  if (own.type === 'text') return own.text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  if (own.type === 'choice') return `(?:${own.parts.map(source).join('|')})`;
  if (own.type === 'seq') return own.parts.map(source).join('');
  return source(own.part);
};
const lexical = names.filter((name) => ['token', 'pattern'].includes(rules[name].type));
const patterns = lexical.map((name) => [name, new RegExp(source(rules[name]), 'y')]);

const tokens = (text) => {
  const found = [];
  let at = 0;
  const blank = /[\s\uFEFF]*/y;
  for (;;) {
    blank.lastIndex = at;
    at += blank.exec(text)[0].length;
    if (at >= text.length) return found;
    let best = null;
    for (const [name, pattern] of patterns) {
      pattern.lastIndex = at;
      const length = pattern.exec(text)?.[0].length || 0;
      if (length > (best?.length || 0)) best = { name, length };
    }
    for (const literal of literals) {
      // A literal that is as long as a word is the keyword.
      if (text.startsWith(literal, at) && literal.length >= (best?.length || 0)) best = { name: literal, length: literal.length };
    }
    if (!best) return null;
    if (best.name !== 'comment') found.push(best.name);
    at += best.length;
  }
};

// Productions: each symbol is a token's name or the number of a nonterminal.
const productions = [];
const ids = new Map();
const nonterminal = (alternatives) => productions.push(alternatives) - 1;
const named = (name) => {
  if (!ids.has(name)) {
    ids.set(name, nonterminal([]));
    productions[ids.get(name)].push([symbol(rules[name])]);
  }
  return ids.get(name);
};
const symbol = (own) => {
  if (own.type === 'text') return own.text;
  if (own.type === 'name') return lexical.includes(own.name) ? own.name : named(own.name);
  if (own.type === 'seq') return nonterminal([own.parts.map(symbol)]);
  if (own.type === 'choice') return nonterminal(own.parts.map((part) => [symbol(part)]));
  const id = nonterminal([[]]);
  productions[id].push([id, symbol(own.part)]);
  return id;
};
const start = named('source_file');

const accepts = (input) => {
  const sets = [];
  const put = (at, id, alternative, dot, origin) => {
    sets[at] ||= { items: [], seen: new Set() };
    const key = `${id},${alternative},${dot},${origin}`;
    if (!sets[at].seen.has(key)) {
      sets[at].seen.add(key);
      sets[at].items.push({ id, alternative, dot, origin });
    }
  };
  const predict = (at, id) => productions[id].forEach((_, number) => put(at, id, number, 0, at));
  predict(0, start);
  for (let at = 0; at <= input.length; at += 1) {
    if (!sets[at]) return at;
    const done = new Map();
    for (let i = 0; i < sets[at].items.length; i += 1) {
      const { id, alternative, dot, origin } = sets[at].items[i];
      const next = productions[id][alternative][dot];
      if (next === undefined) {
        if (origin === at) done.set(id, true);
        for (const other of sets[origin].items) {
          if (productions[other.id][other.alternative][other.dot] === id) {
            put(at, other.id, other.alternative, other.dot + 1, other.origin);
          }
        }
      } else if (typeof next === 'string') {
        if (input[at] === next) put(at + 1, id, alternative, dot + 1, origin);
      } else {
        predict(at, next);
        if (done.get(next)) put(at, id, alternative, dot + 1, origin);
      }
    }
  }
  const whole = (own) => own.id === start && own.origin === 0 && productions[own.id][own.alternative].length === own.dot;
  return sets[input.length].items.some(whole) ? null : input.length;
};

const refused = [];
for (const file of files) {
  const input = tokens(readFileSync(file, 'utf8'));
  const at = input === null ? -1 : accepts(input);
  if (at !== null) refused.push({ file, at, token: input?.[at] ?? null });
}
console.log(JSON.stringify({ literals: [...literals], rules: names, refused }));
