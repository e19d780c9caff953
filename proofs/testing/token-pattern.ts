import { TOKEN_PREFIXES } from '../../server/src/shop/tokens.ts';

const PREFIXES = [...Object.values(TOKEN_PREFIXES), 'whsec'];

/**
 * Returns a pattern that finds secrets of every kind with this number of characters after the prefix, such as `{38}`.
 * The first group is the prefix.
 */
export function tokenPattern(characters: string, flags = ''): RegExp {
  return new RegExp(`\\b(${PREFIXES.join('|')})_[0-9A-Za-z]${characters}`, flags);
}
