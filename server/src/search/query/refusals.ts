import { phraseAt, phraseTable } from '../words/phrases.ts';
import type { Token } from '../words/tokens.ts';
import { AFTER_NEGATION } from './negations.ts';

/** What a sentence refuses after it has named it: `black is a no-go`, `Schwarz mag ich nicht`. */

/** These refuse what a clause begins with, and end it: `black is a no-go`, `Schwarz mag ich nicht`. */
const REFUSALS_OF_ONE = `irritates me, irritates my skin, irritate me, irritate my skin, itches, itches me, itch, scratches me, bothers me, gives me a rash, gives me hives,
    gives me headaches, makes me sneeze, makes me ill, makes me sick, kratzt, kratzt mich, juckt, juckt mich, reizt meine haut, macht mich krank,
    stort mich, me gratte, gratte, m irrite, me demange, me derange, me fait eternuer, doesnt work, does not work, makes me itch, makes her itch, makes him itch, is a dealbreaker, is taboo, is off limits, is off the table,
    ist tabu, scheidet aus, scheiden aus, nein danke, ist nichts fur mich, sind nichts fur mich, lieber nein, c est non, cest non, c est hors de question,
    tres peu pour moi, ne va pas, is a no go, is a no - go, is out, is excluded, are excluded, excluded, doesnt work for me, does not work for me, doesnt suit me,
    does not suit me, wont do, wont work, wont work for me, would be wrong, is not for me, isnt for me, is not an option, isnt an option,
    is not wanted, not wanted, unwanted, no thanks, mag ich nicht, mag sie nicht, mag er nicht, will ich nicht, mochte ich nicht,
    gefallt mir nicht, passt mir nicht, steht mir nicht, geht nicht, geht gar nicht, kommt nicht infrage, kommt nicht in frage,
    nicht erwunscht, unerwunscht, ausgeschlossen, lieber nicht, bitte nicht, gar nicht, nicht, exclu, exclue, exclus, est exclu,
    excepted, excepte, exceptes, exceptee, exceptees, is not my thing, isnt my thing, is not my colour, is not my color, isnt my colour, isnt my color,
    ist nicht mein ding, ist nicht meins, ist nicht meine farbe, n est pas mon truc, n est pas ma couleur, ne me plait pas, ne me va pas, ne convient pas, non merci`;
/** The same of several: `is out` and `are out`. */
const PLURALS: Record<string, string> = {
  is: 'are',
  isnt: 'arent',
  ist: 'sind',
  est: 'sont',
  geht: 'gehen',
  kommt: 'kommen',
  kratzt: 'kratzen',
};
const REFUSALS_OF_SEVERAL = REFUSALS_OF_ONE.split(',').flatMap((phrase) => {
  const [verb = '', ...rest] = phrase.trim().split(' ');
  const plural = PLURALS[verb];
  return plural ? [[plural, ...rest].join(' ')] : [];
});
const REFUSED_AFTER = phraseTable<'refused'>([['refused', [REFUSALS_OF_ONE, ...REFUSALS_OF_SEVERAL].join(',')]]);
const BEFORE_REFUSED = new Set('and but or und aber oder et mais ou the das die der le la les'.split(' '));

/** The refusal after a word with which a clause begins, if it ends the clause. */
function refusedAfter(tokens: Token[], at: number): number | undefined {
  const [before, refusal] = [tokens[at - 1], phraseAt(REFUSED_AFTER, tokens, at + 1) ?? refusedInReply(tokens, at + 1)];
  const isBeginning = before === undefined || before.kind === 'sign' || BEFORE_REFUSED.has(before.text);
  const to = refusal?.to ?? (isBeginning ? refusedByVerb(tokens, at + 1) : undefined);
  const isEnd = to !== undefined && (tokens[to]?.kind ?? 'sign') === 'sign';
  const isRefused = isBeginning || (tokens[at + 1]?.text === 'nicht' && isAfterSubject(tokens, at));
  return isRefused && isEnd ? to : undefined;
}

const REPLIES = phraseTable<'reply'>([
  ['reply', 'no thanks, no thank you, no way, no, nope, never, nein danke, nein, niemals, non merci, non, jamais'],
]);

/** `black? no thanks` */
function refusedInReply(tokens: Token[], at: number) {
  return tokens[at]?.text === '?' ? phraseAt(REPLIES, tokens, at + 1) : undefined;
}

const SUBJECTS = new Set('ich wir sie er man ihr'.split(' '));

/** `Wolle trage ich gar nicht`: after the verb and its subject. */
function refusedByVerb(tokens: Token[], at: number): number | undefined {
  if (tokens[at]?.kind !== 'word' || !SUBJECTS.has(tokens[at + 1]?.text ?? '')) return undefined;
  let i = at + 2;
  while (['gar', 'lieber', 'bitte', 'uberhaupt', 'eigentlich', 'so'].includes(tokens[i]?.text ?? '')) i += 1;
  return tokens[i]?.text === 'nicht' ? i + 1 : undefined;
}

/** `ich vertrage Wolle nicht`: the clause begins with its subject and verb. */
function isAfterSubject(tokens: Token[], at: number): boolean {
  const subject = [at - 2, at - 3].find((i) => SUBJECTS.has(tokens[i]?.text ?? ''));
  return subject !== undefined && (subject === 0 || tokens[subject - 1]?.kind === 'sign');
}

/** The most things that a clause refuses. */
const MAX_REFUSED = 4;
const LINKS_OF_REFUSED = new Set('and or und oder et ou &'.split(' '));

/** `blue and black are out`, `pocket knives excluded`: what comes before the last thing of a clause that is refused. */
function refusedList(tokens: Token[], at: number): Unwanted[] | undefined {
  const before = tokens[at - 1];
  if (before !== undefined && before.kind !== 'sign' && !BEFORE_REFUSED.has(before.text)) return undefined;
  const terms: { term: string; to: number }[] = [];
  for (let i = at; terms.length < MAX_REFUSED && tokens[i]?.kind === 'word'; ) {
    const [first, second] = [tokens[i], tokens[i + 1]];
    const one = phraseAt(REFUSED_AFTER, tokens, i + 1);
    const two = !one && isName(first, second) ? phraseAt(REFUSED_AFTER, tokens, i + 2) : undefined;
    const refusal = one ?? two;
    if (refusal && (tokens[refusal.to]?.kind ?? 'sign') === 'sign') {
      const term = two ? `${first?.text} ${second?.term}` : (first?.term ?? '');
      return [...terms, { term, to: refusal.to }];
    }
    if (!LINKS_OF_REFUSED.has(second?.text ?? '')) return undefined;
    terms.push({ term: first?.term ?? '', to: i + 2 });
    i += 2;
  }
  return undefined;
}

/** Two words that may name a thing together; not `la laine`, and no `ich weiß` of which something is said. */
function isName(first: Token | undefined, second: Token | undefined): boolean {
  const isFunctional = (word: string) => BEFORE_REFUSED.has(word) || AFTER_NEGATION.has(word) || SUBJECTS.has(word);
  return second?.kind === 'word' && !isFunctional(first?.text ?? '') && !isFunctional(second.text);
}

interface Unwanted {
  term: string;
  /** The token after it, and after what refuses it. */
  to: number;
}

/** What precedes it is not wanted: `polyester-free`, `polyesterfrei`, `black is a no-go`, `auf Leder verzichte ich`. */
export function unwantedBefore(tokens: Token[], at: number): Unwanted[] | undefined {
  const token = tokens[at];
  if (token?.kind !== 'word') return undefined;
  if (tokens[at + 1]?.text === '-' && ['free', 'frei'].includes(tokens[at + 2]?.text ?? '')) {
    return [{ to: at + 3, term: token.term }];
  }
  const thing = tokens[at + 1];
  if (token.text === 'auf' && thing?.kind === 'word' && /^verzicht(?:e|en|et)$/.test(tokens[at + 2]?.text ?? ''))
    return [{ to: SUBJECTS.has(tokens[at + 3]?.text ?? '') ? at + 4 : at + 3, term: thing.term }];
  const refused = refusedAfter(tokens, at);
  if (refused !== undefined) return [{ to: refused, term: token.term }];
  const list = refusedList(tokens, at);
  if (list) return list;
  const [, stem] = /^(\p{L}{4,})frei(?:e|er|es|en)?$/u.exec(token.text) ?? [];
  return stem === undefined ? undefined : [{ to: at + 1, term: stem }];
}
