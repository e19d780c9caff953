/** Parsers for the values of environment variables. */

/** Result for an invalid value. A class, so that it cannot be confused with a parsed value. */
export class Unreadable {
  readonly unreadable = true;
}

const UNREADABLE = new Unreadable();

export function integer(least: number, most: number) {
  return (text: string): number | Unreadable => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most ? value : UNREADABLE;
  };
}

export function share(text: string): number | Unreadable {
  const value = /^\d(?:\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  return value <= 1 ? value : UNREADABLE;
}

export function oneOf<Word extends string>(...words: Word[]) {
  return (text: string): Word | Unreadable => words.find((word) => word === text) ?? UNREADABLE;
}

export function matching(pattern: RegExp) {
  return (text: string): string | Unreadable => (pattern.test(text) ? text : UNREADABLE);
}

export function onOrOff(text: string): boolean | Unreadable {
  if (['on', '1', 'true'].includes(text)) return true;
  if (['off', '0', 'false'].includes(text)) return false;
  return UNREADABLE;
}

export function origin(text: string): string | Unreadable {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) return UNREADABLE;
  // The URL has a path, query or password if it differs from its origin.
  return url.href === `${url.origin}/` ? url.origin : UNREADABLE;
}

export function origins(text: string): string[] | Unreadable {
  const all: string[] = [];
  for (const part of text.split(',')) {
    const one = origin(part.trim());
    if (one instanceof Unreadable) return one;
    all.push(one);
  }
  return all;
}

export function address(...protocols: string[]) {
  return (text: string): string | Unreadable =>
    protocols.includes(URL.parse(text)?.protocol ?? '') ? text : UNREADABLE;
}

export function addresses(...protocols: string[]) {
  const one = address(...protocols);
  return (text: string): string[] | Unreadable => {
    const all = text.split(',').map((part) => one(part.trim()));
    return all.every((each) => typeof each === 'string') ? all : UNREADABLE;
  };
}

const PLACEHOLDER = /change.?me|example|placeholder|your.?(secret|key)|secret.?key|password|default/i;

/** Accepts a key that is long enough, has enough different characters and is no placeholder from the documentation. */
export function secretKey(text: string): string | Unreadable {
  const varied = new Set(text).size >= 8;
  return text.length >= 32 && varied && !PLACEHOLDER.test(text) ? text : UNREADABLE;
}
