import { phraseAt, phraseTable } from '../words/phrases.ts';
import type { Token } from '../words/tokens.ts';

/** What a sentence says that it does not want. */

export interface Negation {
  /** The tokens of the whole phrase, `to` exclusive. */
  from: number;
  /** The first token of what is unwanted. */
  first: number;
}

const OPENINGS = phraseTable<'always' | 'afterPause' | 'never'>([
  ['never', 'nothing but, nichts als, rien que, not only, nicht nur, pas seulement'],
  [
    'always',
    `without, without any, with no, containing no, contains no, that has no, which has no, that have no, instead of, rather than, isnt, arent, wasnt,
    that isnt, that arent, doesnt have, dont have, doesnt contain, does not contain, does not have, isnt made of, never, except, except for, excluding, not, minus, anything but, everything but, all but, nothing, but nothing,
    other than, apart from, free of, free from, avoid, avoiding, neither, but not, but no, and no, and not, i dont want,
    dont want, i dont like, doesnt like, do not want, not made of, nothing with, nothing in, nothing made of, ohne, nicht, außer,
    ausser, statt, anstatt, anstelle von, alles außer, alles ausser, weder, bloß nicht, bloss nicht, bitte nicht, aber nicht, nichts, kein, keine, keinen, keiner,
    keines, nichts mit, nichts aus, nichts in, rien de, rien en, sans, sauf, hormis, excepte, tout sauf, pas de, pas d, pas en, pas, mais pas,
    mais pas de, mais pas en, ni, aucun, aucune, autre que, au lieu de, plutot que, ne contient pas, ne contient pas de`,
  ],
  ['afterPause', 'no'],
]);
const PAUSES = new Set(['with', 'but', 'and', 'please', 'just', ',', ';', '.', '-']);

/** Words between a negation and what is not wanted. */
const AFTER_NEGATION = new Set(
  `a an any the made of with in be is colour color it one from for ein eine einen einem aus mit in der die das den de du des en le
  la les un une au`.split(/\s+/),
);

/** What joins several unwanted things. */
const OR = new Set(['or', 'nor', 'oder', 'noch', 'ni', 'ou']);
const NEITHER = new Set(['neither', 'weder', 'ni']);
const AND = new Set(['and', 'und', 'et']);
/** After these, `and` goes on with what is not wanted, unless an article begins another thing: `without wool and leather`. */
const LISTING = new Set(
  'without avoid avoiding excluding except ohne außer ausser sans sauf hormis excepte'.split(' '),
);

/** The negation that begins at a token, if one does; `isFirst` tells whether nothing but an article precedes. */
export function negationAt(tokens: Token[], at: number, isFirst: boolean): Negation | undefined {
  if (tokens[at]?.text === 'non') return tokens[at + 1]?.text === '-' ? { from: at, first: at + 2 } : undefined;
  const found = phraseAt(OPENINGS, tokens, at);
  if (!found) return isException(tokens, at) ? { from: at, first: skip(tokens, at + 1) } : undefined;
  if (found.value === 'never') return undefined;
  // `No 7 cream`
  const isPlainNo = found.value === 'afterPause';
  if (isPlainNo && tokens[at + 1]?.number !== undefined) return undefined;
  if (isPlainNo && !isFirst && !PAUSES.has(tokens[at - 1]?.text ?? '')) return undefined;
  return { from: at, first: skip(tokens, found.to) };
}

/** `any colour but black`, `all but black`. */
function isException(tokens: Token[], at: number): boolean {
  const before = [tokens[at - 1]?.text ?? '', tokens[at - 2]?.text ?? ''];
  return tokens[at]?.text === 'but' && before.some((word) => ['any', 'every', 'all', 'each'].includes(word));
}

/** The first word of a further unwanted thing after `to`: the blue in `neither black nor blue`. */
export function nextUnwanted(tokens: Token[], { from }: Negation, to: number): number | undefined {
  const text = tokens[to]?.text ?? '';
  const opening = tokens[from]?.text ?? '';
  const isList = OR.has(text) || (NEITHER.has(opening) && text === 'and');
  const following = tokens[to + 1]?.text ?? '';
  const isListed =
    LISTING.has(opening) && AND.has(text) && !AFTER_NEGATION.has(following) && !phraseAt(OPENINGS, tokens, to + 1);
  if (!isList && !isListed) return undefined;
  const next = skip(tokens, to + 1);
  return tokens[next]?.kind === 'word' ? next : undefined;
}

function skip(tokens: Token[], at: number): number {
  let i = at;
  while (AFTER_NEGATION.has(tokens[i]?.text ?? '') && tokens[i + 1]?.kind === 'word') i += 1;
  return i;
}

/** What precedes it is not wanted: `polyester-free`, `polyesterfrei`. */
export function unwantedBefore(tokens: Token[], at: number): { to: number; term: string } | undefined {
  const token = tokens[at];
  if (token?.kind !== 'word') return undefined;
  if (tokens[at + 1]?.text === '-' && ['free', 'frei'].includes(tokens[at + 2]?.text ?? '')) {
    return { to: at + 3, term: token.term };
  }
  const [, stem] = /^(\p{L}{4,})frei(?:e|er|es|en)?$/u.exec(token.text) ?? [];
  return stem === undefined ? undefined : { to: at + 1, term: stem };
}
