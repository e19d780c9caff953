import { TOKEN_PREFIXES } from '../server/src/shop/tokens.ts';

const PREFIXES = [...Object.values(TOKEN_PREFIXES), 'whsec'];

/** Finds secrets of every kind, with so many characters after the prefix, such as `{38}`. The prefix is the first group. */
export function tokenPattern(characters: string, flags = ''): RegExp {
  return new RegExp(`\\b(${PREFIXES.join('|')})_[0-9A-Za-z]${characters}`, flags);
}
