import type { Request } from 'express';

/** Answers as Markdown, for people and language models: the same fields, in the same order, under the same names. */

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
    if (isPlain(value)) return [`${indent}- **${name}**: ${text(value)}`];
    if (!Array.isArray(value)) return [`${indent}- **${name}**`, ...linesOf(value as Fields, depth + 1)];
    if (value.every(isPlain)) return [`${indent}- **${name}**: ${value.map(text).join(', ')}`];
    return [`${indent}- **${name}**`, ...value.flatMap((entry, i) => entryOf(entry as Fields, i, depth + 1))];
  });
}

function entryOf(entry: Fields, index: number, depth: number): string[] {
  return [`${'  '.repeat(depth)}- ${index + 1}`, ...linesOf(entry, depth + 1)];
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
