import type { Request } from 'express';

/**
 * Answers as Markdown, for people and language models: the same fields, in the same order, under the same names. Of short
 * entries of a list the first field goes without its name.
 */

/** Whether a caller would rather have Markdown than JSON, by the order and the weights of Accept (RFC 9110 §12.5.1). */
export function prefersMarkdown(req: Request): boolean {
  return req.accepts(['application/json', 'text/markdown']) === 'text/markdown';
}

type Fields = Record<string, unknown>;

export function asMarkdown(body: unknown): string {
  return `${linesOf(body as Fields, 0).join('\n')}\n`;
}

function linesOf(fields: Fields, depth: number): string[] {
  const indent = '  '.repeat(depth);
  return Object.entries(fields).flatMap(([name, value]) => {
    if (value === null || (Array.isArray(value) && value.length === 0)) return [];
    if (isPlainOrList(value)) return [`${indent}- **${name}**: ${listed(value)}`];
    if (!Array.isArray(value)) return [`${indent}- **${name}**`, ...linesOf(value as Fields, depth + 1)];
    if (value.every(isShort)) return [`${indent}- **${name}**: ${value.map(inLine).join('; ')}`];
    return [`${indent}- **${name}**`, ...value.flatMap((entry, i) => entryOf(entry as Fields, i, depth + 1))];
  });
}

function entryOf(entry: Fields, index: number, depth: number): string[] {
  return [`${'  '.repeat(depth)}- ${index + 1}`, ...linesOf(entry, depth + 1)];
}

const SHORT_FIELDS = 8;

/**
 * Whether an entry of a list can stand in one line with the others, such as a value with whether it is available: lines of
 * their own would cost a language model more than they tell it.
 */
function isShort(entry: unknown): boolean {
  const told = Object.values(entry as Fields).filter((value) => value !== null);
  return told.length > 0 && told.length <= SHORT_FIELDS && told.every(isPlainOrList);
}

/** The first field of an entry, and the others in brackets. */
function inLine(entry: Fields): string {
  const [first, ...others] = Object.entries(entry).filter(([, value]) => value !== null);
  const named = others.map(([name, value]) => `${text(name)}: ${listed(value)}`).join('; ');
  return `${listed(first?.[1])}${named && ` (${named})`}`;
}

function isPlainOrList(value: unknown): boolean {
  return Array.isArray(value) ? value.every(isPlain) : isPlain(value);
}

function listed(value: unknown): string {
  return Array.isArray(value) ? value.map(text).join(', ') : text(value);
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

/** One line, in which nothing is markup: what a merchant wrote stays text. */
function text(value: unknown): string {
  return String(value)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\`*_[\]<>#|]/g, '\\$&');
}
