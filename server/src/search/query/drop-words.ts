import { parseNumberAt } from '../words/number-words.ts';
import { phraseAt } from '../words/phrases.ts';
import { isSizeLabel } from '../words/sizes.ts';
import type { Token } from '../words/tokens.ts';
import { FILLERS, ORDER_PHRASES, RESULT_COUNTS } from './fillers.ts';
import type { ParseState } from './parse-state.ts';

/** Takes the words out that only make it a sentence. */

/** Next to the words of a constraint, these only connect it to the sentence. */
const CONNECTING_WORDS = new Set(
  `that which who it its is are be was should must has have having been with and or but for at in of do does not to
  price priced prices pricing cost costs costing rated rating ratings reviewed reviews customer please by from`.split(
    /\s+/,
  ),
);

const RESULTS = new Set(
  'things items products dinge sachen artikel produkte choses articles produits options suggestions ideas choices results recommendations alternatives vorschlage ideen optionen ergebnisse suggestions idees propositions choix resultats'.split(
    ' ',
  ),
);

/** `the top 3`: how many results are wanted. */
export function dropResultCounts({ tokens, consumed }: ParseState): void {
  for (let i = 0; i < tokens.length; i += 1) {
    const count = phraseAt(RESULT_COUNTS, tokens, i);
    if (count && tokens[count.to]?.number !== undefined) consumed.fill(true, i, count.to + 1);
    // `3 options for a lamp`
    const number = count ? undefined : parseNumberAt(tokens, i);
    if (number && RESULTS.has(tokens[number.to]?.text ?? '')) consumed.fill(true, i, number.to + 1);
  }
}

/** Takes out what only makes it a sentence: pronouns, auxiliaries, greetings. */
export function dropFillers({ tokens, start, consumed, language }: ParseState): void {
  const fillers = FILLERS[language];
  const isPut = isPutIntoCart(tokens, start);
  for (let i = start; i < tokens.length; i += 1) {
    if (isPut && i === start) consumed[i] = true;
    const order = consumed[i] ? undefined : phraseAt(ORDER_PHRASES, tokens, i);
    if (order) consumed.fill(true, i, order.to);
    const isThing = i > start && !consumed[i - 1] && isThingCan(tokens, i);
    if (isSomebody(tokens, i)) consumed[i] = true;
    if (consumed[i] || isThing || isThingFan(tokens, i) || isLetterOfWord(tokens, i, fillers)) continue;
    if (isRecipient(tokens, i) || isToBeDone(tokens, i)) continue;
    // The `m` of the French `taille M`.
    if (isSizeLabel(tokens, i - 1)) continue;
    if (fillers.has(tokens[i]?.text ?? '') || isOwnCart(tokens, i)) consumed[i] = true;
  }
}

/** `to store flour`, where the store of `your store` and the carry of `do you carry` are the shop's. */
function isToBeDone(tokens: Token[], at: number): boolean {
  const isVerb = ['to', 'can', 'i', 'we'].includes(tokens[at - 1]?.text ?? '');
  return isVerb && ['store', 'storing', 'carry', 'carrying'].includes(tokens[at]?.text ?? '');
}

/** `the shopper is looking for`, where `a shopper` is a bag. */
function isSomebody(tokens: Token[], at: number): boolean {
  const [before, next] = [tokens[at - 1]?.text ?? '', tokens[at + 1]?.text ?? ''];
  return (
    tokens[at]?.text === 'shopper' &&
    ['the', 'this', 'our'].includes(before) &&
    /^(?:is|wants|needs|would|has|asks|prefers)$/.test(next)
  );
}

/** `a tee for her`: whom it is for, where the her of `for her birthday` is not. */
function isRecipient(tokens: Token[], at: number): boolean {
  if (!['her', 'him', 'sie', 'ihn', 'elle', 'lui'].includes(tokens[at]?.text ?? '')) return false;
  const next = tokens[at + 1];
  const isEnd =
    !next ||
    next.kind === 'sign' ||
    ['to', 'in', 'under', 'with', 'that', 'and', 'unter', 'a', 'en'].includes(next.text);
  return isEnd && ['for', 'fur', 'pour'].includes(tokens[at - 1]?.text ?? '');
}

/** The `t` of `t-shirt`, where that of `a-t-il` is none. */
function isLetterOfWord(tokens: Token[], at: number, fillers: ReadonlySet<string>): boolean {
  const next = tokens[at + 2];
  const isJoined = tokens[at]?.text.length === 1 && tokens[at + 1]?.text === '-' && tokens[at - 1]?.text !== '-';
  return isJoined && next?.kind === 'word' && !fillers.has(next.text);
}

/** `a watering can`, where the can of `what can I get` is no thing. */
function isThingCan(tokens: Token[], at: number): boolean {
  if (tokens[at]?.text !== 'can' || tokens[at - 1]?.kind !== 'word') return false;
  const next = tokens[at + 1];
  return next?.kind !== 'word' || ['and', 'or', 'in', 'for', 'with', 'of', 'from'].includes(next.text);
}

/** `a fan`, `a white fan or`: an article tells the thing, where the fan of `a coffee fan` is a person. */
function isThingFan(tokens: Token[], at: number): boolean {
  return ['fan', 'fans'].includes(tokens[at]?.text ?? '') && !isPersonFan(tokens, at);
}

function isPersonFan(tokens: Token[], at: number): boolean {
  const clause = tokens.slice(Math.max(0, at - 4), at).map(({ text }) => text);
  return clause.some((word) => ['for', 'of', 'am', 'im', 'hes', 'shes', 'is', 'who', 'big', 'huge'].includes(word));
}

/** `to my basket`: the shopper's own, where `a basket` is a thing. */
function isOwnCart(tokens: Token[], at: number): boolean {
  if (!['cart', 'basket', 'bag', 'trolley'].includes(tokens[at]?.text ?? '')) return false;
  // `cart.add: mug`
  if ([':', '.', '_'].includes(tokens[at + 1]?.text ?? '') || ['_', '.'].includes(tokens[at - 1]?.text ?? ''))
    return true;
  let before = at - 1;
  if (tokens[before]?.text === 'the' && tokens[before - 1]?.text === 'into') return true;
  // `put it in my bag`, where `a pocket in the bag` is one of it
  if (
    ['bag', 'trolley'].includes(tokens[at]?.text ?? '') &&
    !['my', 'our', 'shopping'].includes(tokens[before]?.text ?? '')
  )
    return false;
  while (['my', 'the', 'our', 'shopping'].includes(tokens[before]?.text ?? '')) before -= 1;
  const isCart = tokens[at]?.text === 'cart' && tokens[before]?.text === 'for';
  return isCart || ['to', 'in', 'into'].includes(tokens[before]?.text ?? '');
}

const BEFORE_THING = new Set('the a an my some one two three this that these those'.split(' '));

/** `throw the tote into my cart`: what is to be done, whatever else the word may name. */
function isPutIntoCart(tokens: Token[], start: number): boolean {
  const next = tokens[start + 1];
  const isBeforeThing = BEFORE_THING.has(next?.text ?? '') || parseNumberAt(tokens, start + 1) !== undefined;
  return (
    isBeforeThing && tokens[start]?.kind === 'word' && tokens.some((_token, i) => i > start + 1 && isOwnCart(tokens, i))
  );
}

/** Drops connecting words next to constraints, from the constraints outwards. */
export function dropConnectingWords({ tokens, start, consumed }: ParseState): void {
  const isConnecting = (i: number) => tokens[i]?.kind === 'sign' || CONNECTING_WORDS.has(tokens[i]?.text ?? '');
  for (let i = tokens.length - 1; i >= start; i -= 1)
    if (!consumed[i] && consumed[i + 1] && isConnecting(i)) consumed[i] = true;
  for (let i = start; i < tokens.length; i += 1) {
    if (!consumed[i] && i > start && consumed[i - 1] && isConnecting(i)) consumed[i] = true;
  }
}
