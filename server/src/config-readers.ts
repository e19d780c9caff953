/** How the texts of environment variables are read. */

/** The result of reading a text that is not valid; an instance of a class, so that it cannot be mistaken for a value. */
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
  // They differ if there is more than an origin (path, query, password).
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

const PLACEHOLDER = /change.?me|example|placeholder|your.?(secret|key)|secret.?key|password|default/i;

/** Long enough, and neither a placeholder from the documentation nor one character repeated. */
export function secretKey(text: string): string | Unreadable {
  const varied = new Set(text).size >= 8;
  return text.length >= 32 && varied && !PLACEHOLDER.test(text) ? text : UNREADABLE;
}
