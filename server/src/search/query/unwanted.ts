import { isSizeLabel } from '../words/sizes.ts';
import { otherWordsFor } from '../words/thesaurus.ts';
import type { Token } from '../words/tokens.ts';
import { ARTICLES } from './frame.ts';
import { endOfHarmless, type Negation, negationAt, nextUnwanted } from './negations.ts';
import type { ParseState } from './parse-state.ts';
import { unwantedBefore } from './refusals.ts';

/** Takes what a sentence does not want out of its words. */

/** `without leather`, `not red`, `no zipper`, `non-leather`: the next word, or a value of several, is not wanted. */
export function addNegations(state: ParseState): void {
  const { tokens, start, consumed, addConstraint, vocabulary, ambiguous, reading } = state;
  for (let i = start; i < tokens.length; i += 1) {
    if (consumed[i]) continue;
    const harmless = endOfHarmless(tokens, i);
    if (harmless !== undefined) {
      if (reading.isSentence) consumed.fill(true, i, harmless);
      i = harmless - 1;
      continue;
    }
    const before = unwantedBefore(tokens, i);
    if (before) {
      let from = i;
      for (const { term, to } of before) {
        addConstraint(from, to, { kind: 'without', value: term });
        from = to;
      }
      continue;
    }
    const isFirst = i === start || (i === start + 1 && ARTICLES.has(tokens[i - 1]?.text ?? ''));
    const { isSentence } = reading;
    const negation = negationAt(tokens, i, { isFirst, isSentence, language: state.language });
    if (!negation || namesOneThing(state, negation)) continue;
    const token = tokens[negation.first];
    if (token?.kind !== 'word' || consumed[negation.first]) {
      if (isSentence) tellUnread(state, i, negation);
      continue;
    }
    const name = `${tokens[i]?.text} ${token.text}`;
    ambiguous.names.push(name);
    if (!vocabulary.names.has(name)) addUnwanted(state, negation as Negation);
  }
}

/** A negation of which nothing tells what it refuses. */
function tellUnread({ tokens, consumed, addConstraint }: ParseState, at: number, { first }: Negation): void {
  const to = Math.max(at + 1, Math.min(first, tokens.length));
  const isTaken =
    consumed.slice(at, to).includes(true) || ['nothing', 'nichts', 'rien', 'no'].includes(tokens[at]?.text ?? '');
  if (!isTaken) addConstraint(at, to, { kind: 'without', isUnread: true });
}

/** `ohne Kabel` and `sans fil` are other words for cordless, and looked for as one word. */
function namesOneThing({ tokens, consumed }: ParseState, { from, first }: Negation): boolean {
  const [opening, last] = [tokens[from], tokens[first]];
  const text = `${opening?.text} ${last?.text}`;
  if (!opening || !last || first !== from + 1 || otherWordsFor(text).length === 0) return false;
  consumed[from] = true;
  tokens[first] = { ...last, text, term: text, start: opening.start };
  return true;
}

function addUnwanted(
  { tokens, consumed, addConstraint, vocabulary, ambiguous, reading, language }: ParseState,
  negation: Negation,
): void {
  let [from, first]: [number, number | undefined] = [negation.from, negation.first];
  // `pas de veste noire` is about the colour, which follows the thing in French.
  const after = tokens[negation.first + 1];
  if (language === 'fr' && after?.kind === 'word' && !consumed[negation.first + 1] && isAttribute(after)) {
    consumed.fill(true, from, negation.first);
    [from, first] = [negation.first + 1, negation.first + 1];
  }
  // `a non-leather handbag` is a handbag.
  const isPrefixed = ['non', '-'].includes(tokens[negation.from]?.text ?? '');
  while (first !== undefined) {
    let to: number = first + 1;
    let value = tokens[first]?.term ?? '';
    for (
      let end = first + 2;
      end <= first + MAX_NEGATED_WORDS && tokens[end - 1]?.kind === 'word' && !consumed[end - 1];
      end += 1
    ) {
      const longer = tokens
        .slice(first, end)
        .map(({ term }) => term)
        .join(' ');
      ambiguous.values.push(longer);
      const texts = tokens.slice(first, end).map(({ text }) => text);
      // As names have it, in the singular: `not sports bras`.
      const name = [...texts.slice(0, -1), tokens[end - 1]?.term].join(' ');
      ambiguous.names.push(name);
      const isEntry = otherWordsFor(texts.join(' ')).length > 0 || (!isPrefixed && vocabulary.names.has(name));
      if (isEntry || vocabulary.values.has(longer)) [to, value] = [end, longer];
    }
    addConstraint(from, to, { kind: 'without', value });
    from = to;
    const next = reading.isSentence ? nextUnwanted(tokens, negation, to) : undefined;
    first = next !== undefined && !consumed[next] && !isSizeLabel(tokens, next) ? next : undefined;
  }
}

/** Whether the shop may call it otherwise, which it does not with what only follows. */
function isAttribute({ text }: Token): boolean {
  return otherWordsFor(text).length > 0;
}

const MAX_NEGATED_WORDS = 3;
