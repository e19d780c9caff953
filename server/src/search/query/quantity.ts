import { isStopWord, measurementTerm, stem } from '../words/normalize.ts';
import { type ParsedNumber, parseNumberAt } from '../words/number-words.ts';
import { phraseAt, phraseTable } from '../words/phrases.ts';
import { otherWordsFor } from '../words/thesaurus.ts';
import type { Token } from '../words/tokens.ts';
import { inflections } from '../words/word-forms.ts';

/** How many pieces a sentence asks for. */

export interface ParsedQuantity {
  value: number;
  from: number;
  to: number;
  /** Where the number could be part of a product's name: the words that such a name would contain. */
  name?: string;
}

const MAX_QUANTITY = 999;
/** Outside of a sentence, a larger number is more likely a model: `501 jeans`. */
const MAX_QUANTITY_WITHOUT_OPENING = 24;
const ARTICLES = new Set(['a', 'an', 'the', 'one', 'ein', 'une']);
const COUNTERS = new Set('x × pieces pcs units pairs stuck packungen packchen paquets sachets'.split(' '));
/** These count only before `of`: `one piece of`, but `3 piece suite`. */
/** `3 of the mugs`, `drei von den Bechern`, `deux de ces tasses`. */
const SOME_OF = phraseTable<'of'>([
  ['of', 'of the, of these, of those, of your, von den, von diesen, von euren, von ihren, de ces, de vos'],
]);
const COUNTERS_BEFORE_OF = new Set(
  `piece pair unit pack packs packet packets box boxes bag bags bottle bottles jar jars tin tins can cans tube tubes sachet roll rolls
  bar bars case cases set sets`.split(/\s+/),
);
/** The same in the other languages, which may do without `of`. */
const CONTAINERS = new Set('tuten tute beutel dosen dose flaschen flasche glaser sachets bouteilles boites'.split(' '));
/** A pair of these is one product; of anything else, two. */
const SOLD_IN_PAIRS = new Set(
  `sock glove mitten shoe boot bootie sneaker trainer sandal slipper clog loafer heel flat wellington welly pump trouser pant short jean legging
  tight jogger slack chino stocking pyjama pajama earring cufflink glass sunglass goggle spectacle headphone earphone earbud
  scissor secateur plier tong shear ski skate chopstick drumstick curtain drape crutch binocular sweatpant underpant brief
  boxer knicker swimming swim trunk overall dungaree insole shoelace sweat`.split(/\s+/),
);
/** Nouns that form a name with the number before them: `4 person tents`, `2 pin plugs`. */
const COMPOUND_NOUNS = new Set(
  `person man people tier seater ply pack piece pair way pin speed door drawer burner player port slot string wheel year
  month week day hour minute gallon quart pint yard mile panel light bulb layer blade cup hole ring size star point`.split(
    /\s+/,
  ),
);

/** The quantity that a sentence asks for, if it does; `start` is the first token after its opening. */
export function parseQuantity(
  tokens: Token[],
  start: number,
  /** Whether something precedes the thing, and whether its language has plurals without an s. */
  { hasOpening = start > 0, isPlural = false } = {},
): ParsedQuantity | undefined {
  return (
    parsePair(tokens, start) ??
    parseLeading(tokens, start, { hasOpening, isPlural }) ??
    parseLabelled(tokens, start) ??
    parseTrailing(tokens, start) ??
    (isPlural || hasOpening ? parseLate(tokens, start) : undefined)
  );
}

/** `a pair of socks` is one product, a pair of mugs or a couple of candles are two. */
function parsePair(tokens: Token[], start: number): ParsedQuantity | undefined {
  const pair = ARTICLES.has(tokens[start]?.text ?? '') ? start + 1 : start;
  const word = tokens[pair]?.text ?? '';
  const thing = tokens[pair + 1];
  // `ein Paar Socken`, and no `ein paar Becher`, which are some
  if (word === 'paar' && ['ein', '1'].includes(tokens[pair - 1]?.text ?? '') && thing && isPairInGerman(thing))
    return { value: 1, from: start, to: pair + 1 };
  const many = GROUPS_OF[word];
  if (many && ['of', 'de', 'd', 'von'].includes(tokens[pair + 1]?.text ?? ''))
    return { value: many, from: start, to: pair + 2 };
  // `a couple mugs`, where a `couple portrait` is of two people
  if (word === 'couple' && pair > start && isFollowedByPlural(tokens, pair + 1))
    return { value: 2, from: start, to: pair + 1 };
  if (!['pair', 'couple', 'paire'].includes(word) || !['of', 'de'].includes(tokens[pair + 1]?.text ?? ''))
    return undefined;
  const named = tokens.slice(pair + 2, pair + 2 + MAX_WORDS_OF_PAIR);
  const isOne =
    word !== 'couple' &&
    (word === 'paire' || named.some(({ term, text }) => SOLD_IN_PAIRS.has(term) || SOLD_IN_PAIRS.has(text)));
  return { value: isOne ? 1 : 2, from: start, to: pair + 2 };
}

const MAX_WORDS_OF_PAIR = 4;
/** So many of what follows. */
const GROUPS_OF: Record<string, number> = { duo: 2, trio: 3 };

function isPairInGerman({ text }: Token): boolean {
  const others = [text, ...inflections(text, 'de')].flatMap(otherWordsFor);
  return others.some((other) => SOLD_IN_PAIRS.has(stem(other.split(' ').at(-1) ?? '')));
}

/** `2 x mug`, `5 pieces of`, `2 oat mugs`, `I need two blue mugs`. */
function parseLeading(
  tokens: Token[],
  start: number,
  { hasOpening, isPlural }: { hasOpening: boolean; isPlural: boolean },
): ParsedQuantity | undefined {
  const joined = joinedCount(tokens[start]);
  if (joined !== undefined) return { value: joined, from: start, to: start + 1 };
  const number = parseNumberAt(tokens, start);
  const next = number && tokens[number.to];
  if (!next || !isCount(number, MAX_QUANTITY)) return undefined;
  const of =
    tokens[number.to + 1]?.text === 'of' || (CONTAINERS.has(next.text) && tokens[number.to + 1]?.text === 'de');
  // `50 x 50` is a size.
  const isDimension = tokens[number.to + 1]?.number !== undefined && !isMeasured(tokens, number.to + 1);
  if (isDimension && ['x', '×'].includes(next.text)) return undefined;
  if (
    COUNTERS.has(next.text) ||
    (CONTAINERS.has(next.text) && tokens[number.to + 1]?.kind === 'word') ||
    (of && COUNTERS_BEFORE_OF.has(next.text))
  ) {
    const article = of && ['the', 'your', 'these', 'those'].includes(tokens[number.to + 2]?.text ?? '') ? 1 : 0;
    return { value: number.value, from: start, to: number.to + (of ? 2 : 1) + article };
  }
  if (!hasOpening && !isCount(number, MAX_QUANTITY_WITHOUT_OPENING)) return undefined;
  const some = phraseAt(SOME_OF, tokens, number.to);
  if (some) return { value: number.value, from: start, to: some.to };
  const digits = tokens[start]?.text ?? '';
  const isCompound = COMPOUND_NOUNS.has(next.term) || measurementTerm(digits, next.term);
  if (isCompound || !(isPlural || isForeignPlural(next) || isFollowedByPlural(tokens, number.to))) return undefined;
  if (next.kind !== 'word') return undefined;
  return { value: number.value, from: start, to: number.to, name: `${tokens[number.to - 1]?.text} ${next.text}` };
}

/** `quantity: 2`. */
function parseLabelled(tokens: Token[], start: number): ParsedQuantity | undefined {
  const at = tokens.findIndex(({ text }, i) => i >= start && (text === 'quantity' || text === 'qty'));
  if (at < 0) return undefined;
  const number = parseNumberAt(tokens, tokens[at + 1]?.kind === 'sign' ? at + 2 : at + 1);
  return number && isCount(number, MAX_QUANTITY) ? { value: number.value, from: at, to: number.to } : undefined;
}

const TIMES: Record<string, number> = {
  twice: 2,
  thrice: 3,
  zweimal: 2,
  dreimal: 3,
  viermal: 4,
  funfmal: 5,
  sechsmal: 6,
};

/** `2x mug`, `3pcs`, `zweimal`. */
function joinedCount(token: Token | undefined): number | undefined {
  const times = TIMES[token?.text ?? ''];
  if (times !== undefined) return times;
  const [, digits] = /^(\d{1,3})(?:x|pcs|stk)$/.exec(token?.text ?? '') ?? /^x(\d{1,3})$/.exec(token?.text ?? '') ?? [];
  return digits === undefined || Number(digits) < 1 ? undefined : Number(digits);
}

/** What comes before a number with which a clause ends, of what has been named: `make it three`, `I want 3`. */
const BEFORE_COUNT = new Set('davon that want need it take brauche nehme zwar times mal'.split(' '));
/** Somebody wants that many of what follows, wherever in the sentence. */
const WANTING = new Set(
  'need want buy order get take brauche brauchen mochte nehme kaufe bestelle veux voudrais prends achete'.split(' '),
);
const WHOM = new Set('me us mir uns moi nous'.split(' '));
const OF_THEM = phraseTable<'of'>([['of', 'of them, of those, of these, of each, davon, von denen, d entre eux']]);
/** A larger number at the end is a size. */
const MAX_LATE = 12;

/** `mugs, three of them`, `mug, two please`, `mug x2`. */
function parseLate(tokens: Token[], start: number): ParsedQuantity | undefined {
  for (let at = start; at < tokens.length; at += 1) {
    const before = tokens[at - 1]?.text ?? '';
    const joined = at > start && endsClause(tokens[at + 1]) ? joinedCount(tokens[at]) : undefined;
    if (joined !== undefined) return { value: joined, from: at, to: at + 1 };
    const number = parseNumberAt(tokens, at);
    if (!number || !isCount(number, MAX_LATE)) continue;
    const ofThem = phraseAt(OF_THEM, tokens, number.to);
    if (ofThem) return { value: number.value, from: at, to: ofThem.to };
    // `2 x wool blanket`, `need 4 of your mugs`
    const next = tokens[number.to];
    const isTimes =
      ['x', '×'].includes(next?.text ?? '') &&
      tokens[number.to + 1]?.kind === 'word' &&
      tokens[number.to + 1]?.number === undefined;
    if (isTimes && tokens[at - 1]?.text !== 'x') return { value: number.value, from: at, to: number.to + 1 };
    const some = phraseAt(SOME_OF, tokens, number.to);
    if (some) return { value: number.value, from: at, to: some.to };
    // `grab me 3 mugs`: after a first word that the caller knows not, too
    const isFirst = at - start <= 1 || WHOM.has(before);
    const isWanted =
      (WANTING.has(before) || isFirst) &&
      next?.kind === 'word' &&
      !COMPOUND_NOUNS.has(next.term) &&
      isFollowedByPlural(tokens, number.to);
    if (isWanted && measurementTerm('1', next?.term) === undefined)
      return { value: number.value, from: at, to: number.to };
    const isAsked = [',', 'and'].includes(before) && tokens[number.to]?.text === 'please';
    const isCounted = (BEFORE_COUNT.has(before) || at === start) && endsClause(tokens[number.to]);
    if (isAsked || isCounted)
      return { value: number.value, from: before === 'times' || before === 'mal' ? at - 1 : at, to: number.to };
  }
  return undefined;
}

/** `mug in oat, 2 pieces`, `mug x 2`. */
function parseTrailing(tokens: Token[], start: number): ParsedQuantity | undefined {
  for (let at = start + 1; at < tokens.length; at += 1) {
    const isTimes = ['x', '×'].includes(tokens[at]?.text ?? '') && tokens[at - 1]?.number === undefined;
    const number = parseNumberAt(tokens, isTimes ? at + 1 : at);
    if (!number || !isCount(number, MAX_QUANTITY_WITHOUT_OPENING)) continue;
    const unit = tokens[number.to];
    const isUnit =
      !isTimes && unit !== undefined && unit.kind === 'word' && COUNTERS.has(unit.text) && unit.text !== 'x';
    const to = isUnit ? number.to + 1 : number.to;
    if ((!isTimes && !isUnit) || !endsClause(tokens[to])) continue;
    return { value: number.value, from: at, to, ...(isUnit && { name: `${tokens[at]?.text} ${unit.text}` }) };
  }
  return undefined;
}

function isCount({ value }: ParsedNumber, max: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= max;
}

function endsClause(token: Token | undefined): boolean {
  return !token || [',', '.', ';', '!', '?', 'please'].includes(token.text);
}

/** `5 Notizbücher`, in a sentence too short to tell its language. */
function isForeignPlural({ text, kind, number }: Token): boolean {
  if (kind !== 'word' || number !== undefined) return false;
  return (['de', 'fr'] as const).some((language) =>
    inflections(text, language).some((form) => otherWordsFor(form).length > 0),
  );
}

function isMeasured(tokens: Token[], at: number): boolean {
  return tokens[at]?.number !== undefined && measurementTerm('1', tokens[at + 1]?.term) !== undefined;
}

/** Whether one of the next three words is a plural, with no stop word or number before it. */
function isFollowedByPlural(tokens: Token[], from: number): boolean {
  // `ten 1 litre jars`, `two 2-person tents`
  const unit = tokens[from + 1]?.text === '-' ? from + 2 : from + 1;
  const isCompound = tokens[from]?.number !== undefined && COMPOUND_NOUNS.has(tokens[unit]?.term ?? '');
  const start = isMeasured(tokens, from) || isCompound ? unit + 1 : from;
  for (const { kind, text, term, number } of tokens.slice(start, start + 4)) {
    if (kind !== 'word' || number !== undefined || isStopWord(term)) return false;
    if (text !== term) return true;
  }
  return false;
}
