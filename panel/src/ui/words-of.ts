import { label } from '../format.ts';

/** The fields of an object as words, for comparing two states of it: objects inside are told field by field. */
export function wordsOf(values: object): Map<string, string> {
  return new Map(
    Object.entries(values).flatMap(([field, value]): [string, string][] => {
      if (typeof value !== 'object' || value === null) return [[label(field), inWords(value)]];
      if (Array.isArray(value)) return [[label(field), value.map(inWords).join(', ')]];
      return [...wordsOf(value)].map(([inner, words]) => [`${label(field)}: ${inner}`, words]);
    }),
  );
}

function inWords(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' ? Object.values(value).map(inWords).join(' ') : String(value);
}
