/**
 * Renders responses as Markdown for people and language models: the same fields with the same names, one-line fields
 * first. In short list entries the first field has no name. There is no decoration, because language models are billed
 * by length.
 */

import { plainText } from './markdown-text.ts';

type Fields = Record<string, unknown>;

export function asMarkdown(body: unknown): string {
  const told = Object.entries(body as Fields).filter(([, value]) => !isEmpty(value));
  const short = told.filter(([, value]) => isInLine(value));
  const sections = told.filter(([, value]) => !isInLine(value));
  return `${[...linesOf(Object.fromEntries(short), 0), ...sections.flatMap(sectionsOf)].join('\n')}\n`;
}

function sectionsOf([name, value]: [string, unknown]): string[] {
  if (!Array.isArray(value)) return [`## ${name}`, ...linesOf(value as Fields, 0)];
  return value.flatMap((entry, i) => [`## ${name} ${i + 1}`, ...linesOf(entry as Fields, 0)]);
}

function linesOf(fields: Fields, depth: number): string[] {
  const indent = '  '.repeat(depth);
  return Object.entries(fields).flatMap(([name, value]) => {
    if (isEmpty(value)) return [];
    if (isPlainOrList(value)) return [`${indent}- ${name}: ${listed(value)}`];
    if (!Array.isArray(value)) return [`${indent}- ${name}`, ...linesOf(value as Fields, depth + 1)];
    if (value.every(isShort)) return [`${indent}- ${name}: ${value.map(inLine).join('; ')}`];
    return [`${indent}- ${name}`, ...value.flatMap((entry, i) => entryOf(entry as Fields, i, depth + 1))];
  });
}

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

function isInLine(value: unknown): boolean {
  return isPlainOrList(value) || (Array.isArray(value) && value.every(isShort));
}

function entryOf(entry: Fields, index: number, depth: number): string[] {
  return [`${'  '.repeat(depth)}- ${index + 1}`, ...linesOf(entry, depth + 1)];
}

const SHORT_FIELDS = 8;

/** Whether a list entry fits on one line, which takes fewer tokens than separate lines. */
function isShort(entry: unknown): boolean {
  const told = Object.values(entry as Fields).filter((value) => value !== null);
  return told.length > 0 && told.length <= SHORT_FIELDS && told.every(isPlainOrList);
}

/** A list entry on one line: its first field, then the others in brackets. */
function inLine(entry: Fields): string {
  const [first, ...others] = Object.entries(entry).filter(([, value]) => value !== null);
  const named = others.map(([name, value]) => `${name}: ${listed(value)}`).join('; ');
  return `${listed(first?.[1])}${named && ` (${named})`}`;
}

function isPlainOrList(value: unknown): boolean {
  return Array.isArray(value) ? value.every(isPlain) : isPlain(value);
}

function listed(value: unknown): string {
  return Array.isArray(value) ? value.map(plainText).join(', ') : plainText(value);
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}
