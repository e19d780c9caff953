/** Finds texts of merchants and customers in responses for agents, and checks their places. */

import { leftIn } from './injection-texts.ts';

/**
 * Lists the faults of a JSON response: markers outside fields that are declared untrusted, and dangerous characters
 * left in texts.
 */
export function faultsInJson(body: unknown, canary: string, at: string): string[] {
  return textsIn(body, at, false).flatMap(({ text, at: place, marked }) => {
    if (/(?:_|\.)url$/.test(place)) return [];
    const left = leftIn(text).map((kind) => `${kind} is left in ${place}: ${JSON.stringify(text)}`);
    const strays = !marked && text.toLowerCase().includes(canary);
    return strays ? [...left, `${place} is not marked as untrusted: ${JSON.stringify(text)}`] : left;
  });
}

interface Text {
  text: string;
  at: string;
  marked: boolean;
}

/** Lists all strings of a body, including the names of its fields. */
function textsIn(value: unknown, at: string, marked: boolean): Text[] {
  if (typeof value === 'string') return [{ text: value, at, marked }];
  if (typeof value !== 'object' || value === null) return [];
  const { content_trust, metadata } = value as { content_trust?: unknown; metadata?: { content_trust?: unknown } };
  // In UCP the declaration is in `metadata`, its extension point for fields that its schemas do not define.
  const inside = marked || content_trust === 'merchant' || metadata?.content_trust === 'merchant';
  if (Array.isArray(value)) return value.flatMap((entry) => textsIn(entry, at, inside));
  return Object.entries(value).flatMap(([name, field]) => [
    { text: name, at: `${at} (a name)`, marked: inside },
    ...textsIn(field, `${at}.${name}`, inside),
  ]);
}

const LINE = /^( *)- (?:([a-z]\w*)(?:: (.*))?|\d+)$/;
const HEADING = /^## (\w+)(?: \d+)?$/;
const TRUST = '- content_trust: merchant';
const ESCAPED = /\\[\\`*_[\]<>#|]/g;
/** CommonMark does not treat these characters as markup inside a word. */
const INSIDE_A_WORD = /(?<=[\p{L}\p{N}])[_#|]+(?=[\p{L}\p{N}])/gu;

/** Lists the faults of a Markdown response, in which a merchant's text must neither end its line nor act as markup. */
export function faultsInMarkdown(body: string, canary: string, at: string): string[] {
  // `fields` is the part before the first heading, which may be empty.
  const [fields = '', ...sections] = `\n${body.trimEnd()}`.split(/^(?=## )/m);
  const whole = fields.split('\n').includes(TRUST);
  return [
    ...faultsInLines(fields.trim(), canary, at, whole),
    ...sections.flatMap((section) => {
      const [heading = '', ...lines] = section.trimEnd().split('\n');
      const [, name] = HEADING.exec(heading) ?? [];
      if (!name) return [`${at}: ${JSON.stringify(heading)} is no heading of the answer`];
      const marked = whole || name === 'content' || lines.includes(TRUST);
      return faultsInLines(lines.join('\n'), canary, `${at}.${name}`, marked);
    }),
  ];
}

function faultsInLines(lines: string, canary: string, at: string, whole: boolean): string[] {
  const path: string[] = [];
  if (lines === '') return [];
  return lines.split('\n').flatMap((line) => {
    const [matched, indent = '', name = '', value] = LINE.exec(line) ?? [];
    if (matched === undefined) return [`${at}: ${JSON.stringify(line)} is no line of the answer`];
    path.length = indent.length / 2;
    path.push(name);
    if (value === undefined || /(?:^|_)url$/.test(name)) return [];
    const place = `${at}.${path.filter(Boolean).join('.')}`;
    const plain = value.replaceAll(ESCAPED, '').replaceAll(INSIDE_A_WORD, '');
    const faults = leftIn(value.replaceAll(/\\(.)/g, '$1')).map((kind) => `${kind} is left in ${place}: ${value}`);
    if (/[\\`*_[\]<>#|]/.test(plain)) faults.push(`${place} is marked up: ${value}`);
    const marked = whole || path.includes('content');
    if (!marked && value.toLowerCase().includes(canary)) {
      faults.push(`${place} is not marked as untrusted: ${value}`);
    }
    return faults;
  });
}
