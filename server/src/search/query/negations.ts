import type { Language } from '../words/languages.ts';
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
    other than, apart from, free of, free from, avoid, avoiding, besides, ! =, ≠, cant wear, cannot wear, cant have, cannot have, dont show, dont show me, do not show,
    do not show me, dont offer, dont suggest, dont need, do not need, no need for, exclude, excludes, omit, omitting, i hate, hate, hates, i dislike, dislike, dislikes, cant stand,
    not a fan of, no fan of, not into, not fond of, leave out, neither, but not, but no, and no, and not, i dont want,
    dont want, i dont like, doesnt like, do not want, not made of, nothing with, nothing in, nothing made of, ohne, nicht, außer,
    ausser, statt, anstatt, anstelle von, alles außer, alles ausser, weder, bloß nicht, bloss nicht, bitte nicht, aber nicht, nichts, hasse, hasst, kein, keine, keinen, keiner,
    keines, nichts mit, nichts aus, nichts in, rien de, rien en, sans, sauf, hormis, excepte, tout sauf, pas de, pas d, pas en, pas, mais pas,
    mais pas de, mais pas en, ni, aucun, aucune, autre que, au lieu de, plutot que, ne contient pas, ne contient pas de, n aime pas, deteste, deteste le, evite, eviter, evitez, exclure, exclus`,
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
export function negationAt(
  tokens: Token[],
  at: number,
  { isFirst, language }: { isFirst: boolean; language: Language },
): Negation | undefined {
  if (tokens[at]?.text === 'non') return withNon(tokens, at, language);
  if (isMinus(tokens, at)) return { from: at, first: at + 1 };
  const found = phraseAt(OPENINGS, tokens, at);
  if (!found) return isException(tokens, at) ? { from: at, first: skip(tokens, at + 1) } : undefined;
  if (found.value === 'never') return undefined;
  // `No 7 cream`
  const isPlainNo = found.value === 'afterPause';
  if (isPlainNo && tokens[at + 1]?.number !== undefined) return undefined;
  if (isPlainNo && !isFirst && !PAUSES.has(tokens[at - 1]?.text ?? '') && !isAfterColon(tokens, at)) return undefined;
  return { from: at, first: skip(tokens, found.to) };
}

/** `dinner: no meat`, of which the colon is no token (see `withoutLabels`). */
function isAfterColon(tokens: Token[], at: number): boolean {
  const before = tokens[at - 1];
  return before !== undefined && (tokens[at]?.start ?? 0) - before.end > 1;
}

/** `non-leather`; in French, which has no other use for it within a sentence, also `non noir`. */
function withNon(tokens: Token[], at: number, language: Language): Negation | undefined {
  if (tokens[at + 1]?.text === '-') return { from: at, first: at + 2 };
  return at > 0 && tokens[at + 1]?.kind === 'word' && language === 'fr' ? { from: at, first: at + 1 } : undefined;
}

/** `jacket -black`, as in a search engine: a space before the sign, and none after it. */
function isMinus(tokens: Token[], at: number): boolean {
  const [before, sign, after] = [tokens[at - 1], tokens[at], tokens[at + 1]];
  const isSpaced = before !== undefined && sign !== undefined && before.end < sign.start && before.kind === 'word';
  return (
    sign?.text === '-' && isSpaced && after?.kind === 'word' && after.start === sign.end && after.number === undefined
  );
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

/** These refuse what a clause begins with, and end it: `black is a no-go`, `Schwarz mag ich nicht`. */
const REFUSED_AFTER = phraseTable<'refused'>([
  [
    'refused',
    `is a no go, is a no - go, is out, is excluded, are excluded, excluded, doesnt work for me, does not work for me, doesnt suit me,
    does not suit me, wont do, wont work, wont work for me, would be wrong, is not for me, isnt for me, is not an option, isnt an option,
    is not wanted, not wanted, unwanted, no thanks, mag ich nicht, mag sie nicht, mag er nicht, will ich nicht, mochte ich nicht,
    gefallt mir nicht, passt mir nicht, steht mir nicht, geht nicht, geht gar nicht, kommt nicht infrage, kommt nicht in frage,
    nicht erwunscht, unerwunscht, ausgeschlossen, lieber nicht, bitte nicht, gar nicht, nicht, exclu, exclue, exclus, est exclu,
    ne me plait pas, ne me va pas, ne convient pas, non merci`,
  ],
]);
const BEFORE_REFUSED = new Set('and but or und aber oder et mais ou the das die der le la les'.split(' '));

/** The refusal after a word with which a clause begins, if it ends the clause. */
function refusedAfter(tokens: Token[], at: number): number | undefined {
  const [before, refusal] = [tokens[at - 1], phraseAt(REFUSED_AFTER, tokens, at + 1)];
  const isBeginning = before === undefined || before.kind === 'sign' || BEFORE_REFUSED.has(before.text);
  const isEnd = refusal !== undefined && (tokens[refusal.to]?.kind ?? 'sign') === 'sign';
  return isBeginning && isEnd ? refusal.to : undefined;
}

/** What precedes it is not wanted: `polyester-free`, `polyesterfrei`, `black is a no-go`. */
export function unwantedBefore(tokens: Token[], at: number): { to: number; term: string } | undefined {
  const token = tokens[at];
  if (token?.kind !== 'word') return undefined;
  if (tokens[at + 1]?.text === '-' && ['free', 'frei'].includes(tokens[at + 2]?.text ?? '')) {
    return { to: at + 3, term: token.term };
  }
  const refused = refusedAfter(tokens, at);
  if (refused !== undefined) return { to: refused, term: token.term };
  const [, stem] = /^(\p{L}{4,})frei(?:e|er|es|en)?$/u.exec(token.text) ?? [];
  return stem === undefined ? undefined : { to: at + 1, term: stem };
}
