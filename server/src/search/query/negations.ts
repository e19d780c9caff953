import type { Language } from '../words/languages.ts';
import { phraseAt, phraseTable } from '../words/phrases.ts';
import { isAttribute } from '../words/thesaurus.ts';
import type { Token } from '../words/tokens.ts';

/** What a sentence says that it does not want. */

export interface Negation {
  /** The tokens of the whole phrase, `to` exclusive. */
  from: number;
  /** The first token of what is unwanted. */
  first: number;
}

const OPENINGS = phraseTable<'always' | 'plainNo'>([
  [
    'always',
    `without, without any, with no, with zero, has zero, contains zero, containing zero, containing no, contains no, that has no, which has no, that have no, instead of, rather than, isnt, arent, wasnt,
    that isnt, that arent, doesnt have, dont have, doesnt contain, does not contain, does not have, isnt made of, never, except, except for, excluding, not, minus, anything but, everything but, all but, nothing, but nothing,
    other than, other colour than, other color than, different colour than, different color than, different colour from, different color from,
    other material than, different material than, andere farbe als, anderen farbe als, anderer farbe als, anderes material als, anderem material als,
    autre couleur que, autres couleurs que, autre matiere que, apart from, aside from, free of, free from, avoid, avoiding, besides, ! =, ≠, cant wear, cannot wear, cant have, cannot have, dont show, dont show me, do not show,
    do not show me, dont offer, dont suggest, dont need, do not need, no need for, no use for, i have no use for, exclude, excludes, omit, omitting, i hate, hate, hates, i dislike, dislike, dislikes, cant stand,
    not a fan of, no fan of, not into, not fond of, leave out, neither, but not, but no, and no, and not, i dont want,
    dont want, i dont like, doesnt like, do not want, not made of, nothing with, nothing in, nothing made of, w / o, none of, no trace of,
    allergic to, allergy to, intolerant to, tired of, sick of, steer clear of, stay away from, keep away from, spare me, skip the, hold the,
    ditch the, lose the, drop the, ohne, nicht, außer,
    ausser, statt, anstatt, anstelle von, alles außer, alles ausser, weder, bloß nicht, bloss nicht, bitte nicht, aber nicht, nichts, hasse, hasst, kein, keine, keinen, keiner,
    keines, keinem, nichts mit, nichts aus, nichts in, nix, nix mit, nix aus, nie, niemals, keinesfalls, auf keinen fall, ausgenommen, frei von,
    allergisch gegen, allergisch auf, allergie gegen, verzichte auf, verzichten auf, weg mit, keine lust auf,
    rien de, rien en, sans, sauf, hormis, hors, excepte, tout sauf, pas de, pas d, pas en, pas, mais pas,
    mais pas de, mais pas en, ni, aucun, aucune, autre que, autres que, autre qu, autre qu en, au lieu de, plutot que, ne contient pas, ne contient pas de, n aime pas, deteste, deteste le, evite, eviter, evitez, exclure, exclus,
    jamais, jamais de, a l exception de, a l exception du, a l exception des, exempt de, exempte de, depourvu de, depourvue de, allergique a, allergique au, allergique aux`,
  ],
  ['plainNo', 'no'],
]);
/** These refuse nothing: what somebody lacks is wanted. */
const HARMLESS = phraseTable<'harmless'>([
  [
    'harmless',
    `no thanks, no thank you, no wait, not more, not only, nothing but, not sure, not quite sure, not certain, why not, not yet, or not, not picky, not fussy, not bothered, not in a hurry, not urgent, nothing fancy,
    nothing too fancy, nothing special, nothing in particular, no rush, no hurry, no idea, no clue, no matter, no problem, no worries,
    no doubt, no need to hurry, i have no, i still have no, i have none, i dont have, i dont own, ive no, ive never owned, ive never had, i havent got, we have no, we dont have,
    do you not have, dont you have, do you not sell, dont you sell, cant find, couldnt find, nicht nur, nichts als, nicht sicher, warum nicht, keine ahnung, keine eile,
    kein problem, kein stress, nichts besonderes, ich habe keine, ich habe keinen, ich habe kein, ich habe noch keine, ich habe noch keinen, ich habe noch kein,
    habt ihr keine, habt ihr keinen, habt ihr kein, haben sie keine, haben sie keinen, haben sie kein, gibt es keine, gibt es keinen,
    gibt es kein, rien que, pas seulement, weiß nicht, weiss nicht, ne sais pas, sais pas, pourquoi pas, pas de probleme, pas de souci, pas presse, pas pressee, rien de special,
    rien de particulier, n avez vous pas, avez vous pas, vous n avez pas, je n ai pas de, je n ai pas d`,
  ],
]);
const PAUSES = new Set(['with', 'but', 'and', 'please', 'just', ',', ';', '.', '-', '–', '—']);

/** Words between a negation and what is not wanted. */
export const AFTER_NEGATION = new Set(
  `a an any the made of with in be is colour color it one from for have having wear wearing use using contain containing include
  including that those them trace traces to on ein eine einen einem aus mit in der die das den de du des en le la les l un une au a`.split(
    /\s+/,
  ),
);

/** What joins several unwanted things. */
const OR = new Set(['or', 'nor', 'oder', 'noch', 'ni', 'ou']);
const NEITHER = new Set(['neither', 'weder', 'ni']);
const AND = new Set(['and', 'und', 'et']);
/** After these, `and` goes on with what is not wanted, unless an article begins another thing: `without wool and leather`. */
const LISTING = new Set(
  'without avoid avoiding exclude excludes excluding omit skip except ohne außer ausser sans sauf hormis excepte'.split(
    ' ',
  ),
);

/** The negation that begins at a token, if one does; `isFirst` tells whether nothing but an article precedes. */
export function negationAt(
  tokens: Token[],
  at: number,
  { isFirst, isSentence, language }: { isFirst: boolean; isSentence: boolean; language: Language },
): Negation | undefined {
  if (tokens[at]?.text === 'non') return withNon(tokens, at, { isSentence, language });
  if (isMinus(tokens, at)) return { from: at, first: at + 1 };
  // `skip white`, where a `skip bin` is a thing
  if (
    isSentence &&
    ['skip', 'drop', 'lose', 'ditch'].includes(tokens[at]?.text ?? '') &&
    isAttribute(tokens[at + 1]?.text ?? '')
  )
    return { from: at, first: at + 1 };
  // `leave wool out`
  if (tokens[at]?.text === 'leave' && tokens[at + 2]?.text === 'out') return { from: at, first: at + 1 };
  const ofVerb = isSentence ? withVerb(tokens, at) : undefined;
  if (ofVerb) return ofVerb;
  const found = phraseAt(OPENINGS, tokens, at);
  if (!found) return isException(tokens, at) ? { from: at, first: skip(tokens, at + 1) } : undefined;
  // `No 7 cream`
  const isPlainNo = found.value === 'plainNo';
  if (isPlainNo && tokens[at + 1]?.number !== undefined) return undefined;
  // Beside mere words, `no` may be a part of a name.
  const isClear = isSentence || isFirst || PAUSES.has(tokens[at - 1]?.text ?? '') || isAfterColon(tokens, at);
  return isPlainNo && !isClear ? undefined : { from: at, first: skip(tokens, found.to) };
}

/** The end of a phrase that refuses nothing although it has a negation: `no rush`, `not sure`. */
export function endOfHarmless(tokens: Token[], at: number): number | undefined {
  return phraseAt(HARMLESS, tokens, at)?.to;
}

const NEGATED_VERBS = phraseTable<'negated'>([
  [
    'negated',
    `dont, doesnt, didnt, cant, cannot, wont, wouldnt, shouldnt, mustnt, neednt, never, do not, does not, did not, can not, will not, would not,
    should not, must not, need not, rather not, refuse to, refuses to, prefer not to, try not to, unable to`,
  ],
]);
const BEFORE_VERB = new Set(
  'really ever particularly especially usually even actually want wants wanting like to'.split(' '),
);
/** What is not done so says nothing of the things: `I can't find a scarf`, `a jacket that doesn't let water in`. */
const HARMLESS_VERBS = new Set(
  `know have own find mind see care remember think understand get decide wait matter worry forget hesitate sell carry stock
  let lose fade break cost take weigh look feel make mean slip cause hurt work fit suit expect believe say tell ask come go read see hear reach sleep stop help imagine`.split(
    /\s+/,
  ),
);

/** `I don't wear wool`, `should not contain nuts`: not what follows the verb, if anything does. */
function withVerb(tokens: Token[], at: number): Negation | undefined {
  const negated = phraseAt(NEGATED_VERBS, tokens, at);
  if (!negated) return undefined;
  let verb = negated.to;
  while (BEFORE_VERB.has(tokens[verb]?.text ?? '') && tokens[verb + 1]?.kind === 'word') verb += 1;
  const isVerb = tokens[verb]?.kind === 'word' && tokens[verb + 1]?.kind === 'word';
  if (!isVerb || HARMLESS_VERBS.has(tokens[verb]?.text ?? '')) return undefined;
  const first = skip(tokens, skipPronoun(tokens, verb + 1));
  return tokens[first]?.kind === 'word' ? { from: at, first } : undefined;
}

/** `don't give me wool` */
function skipPronoun(tokens: Token[], at: number): number {
  return ['me', 'us', 'him', 'her', 'them'].includes(tokens[at]?.text ?? '') ? at + 1 : at;
}

/** `dinner: no meat`, of which the colon is no token (see `withoutLabels`). */
function isAfterColon(tokens: Token[], at: number): boolean {
  const before = tokens[at - 1];
  return before !== undefined && (tokens[at]?.start ?? 0) - before.end > 1;
}

/** `non-leather`; in French, which has no other use for it within a sentence, also `non noir`. */
function withNon(
  tokens: Token[],
  at: number,
  { isSentence, language }: { isSentence: boolean; language: Language },
): Negation | undefined {
  if (tokens[at + 1]?.text === '-') return { from: at, first: at + 2 };
  // A `non iron shirt` and a `non stick pan` are named so.
  const named = ['iron', 'stick', 'slip', 'woven', 'skid'].includes(tokens[at + 1]?.text ?? '');
  if (isSentence && language === 'en' && !named && tokens[at + 2]?.kind === 'word') return { from: at, first: at + 1 };
  return at > 0 && tokens[at + 1]?.kind === 'word' && language === 'fr' ? { from: at, first: at + 1 } : undefined;
}

/** `jacket -black`, as in a search engine: a space before the sign, and none after it. */
function isMinus(tokens: Token[], at: number): boolean {
  const [before, sign, after] = [tokens[at - 1], tokens[at], tokens[at + 1]];
  const isSpaced = before !== undefined && sign !== undefined && before.end < sign.start && before.kind === 'word';
  return (
    ['-', '!'].includes(sign?.text ?? '') &&
    sign !== undefined &&
    isSpaced &&
    after?.kind === 'word' &&
    after.start === sign.end &&
    after.number === undefined
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
  // `not black and white`, of which the second ends the clause as well
  const isAttributes = isAttribute(following) && (tokens[to + 2]?.kind ?? 'sign') === 'sign';
  const isListed =
    (LISTING.has(opening) || isAttributes) &&
    AND.has(text) &&
    !AFTER_NEGATION.has(following) &&
    !phraseAt(OPENINGS, tokens, to + 1);
  if (!isList && !isListed) return undefined;
  const next = skip(tokens, to + 1);
  return tokens[next]?.kind === 'word' ? next : undefined;
}

function skip(tokens: Token[], at: number): number {
  let i = at;
  while (AFTER_NEGATION.has(tokens[i]?.text ?? '') && tokens[i + 1]?.kind === 'word') i += 1;
  return i;
}
