/** The error examples in the contract must quote messages that the server really sends. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { document } from './contract.ts';

interface ErrorExample {
  error: string;
  message: string;
}

const SOURCES = join(import.meta.dirname, '../..');
/** Comments are matched first, because an apostrophe in a comment would look like the start of a literal. */
const COMMENT_OR_LITERAL = /\/\*.*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/gs;
const SENTENCE = /^['"`][A-Z].*\.['"`]$/s;
const INTERPOLATION = /\$\{(?:[^{}]|\{[^{}]*\})*\}/;

function isExample(value: object): value is ErrorExample {
  return 'error' in value && typeof value.error === 'string' && 'message' in value && typeof value.message === 'string';
}

function examplesIn(value: unknown): ErrorExample[] {
  if (typeof value !== 'object' || value === null) return [];
  return isExample(value) ? [value] : Object.values(value).flatMap(examplesIn);
}

/** A pattern for a message literal. Each `${…}` matches any text. */
function patternOf(literal: string): RegExp {
  const text = literal.slice(1, -1);
  const parts = literal.startsWith('`') ? text.split(INTERPOLATION) : [text];
  const escaped = parts.map((part) => part.replaceAll(/\\(.)/g, '$1').replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.+')}$`);
}

test('each error example has a message that the server sends with its code', () => {
  const examples = examplesIn(document);
  expect(examples.length).toBeGreaterThan(80);
  const files = globSync('**/*.ts', { cwd: SOURCES }).filter((file) => !/\.(?:test|short)\.ts$/.test(file));
  const sources = files.map((file) => {
    const text = readFileSync(join(SOURCES, file), 'utf8');
    const sentences = (text.match(COMMENT_OR_LITERAL) ?? []).filter((literal) => SENTENCE.test(literal));
    return { words: new Set(text.match(/\w+/g)), sentences: sentences.map(patternOf) };
  });

  const invented = examples.filter(
    ({ error, message }) =>
      !sources.some(({ words, sentences }) => words.has(error) && sentences.some((sentence) => sentence.test(message))),
  );

  expect([...new Set(invented.map(({ error, message }) => `${error}: ${message}`))]).toEqual([]);
});
