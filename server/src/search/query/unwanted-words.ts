import type { Language } from '../words/languages.ts';
import { normalizeText, stem } from '../words/normalize.ts';
import type { Token } from '../words/tokens.ts';
import { meaningOfCompound } from './compounds.ts';
import { has, type Lookup } from './known-words.ts';
import type { Constraint } from './parsed-query.ts';
import { termsForKind } from './purposes.ts';
import { mayBeCompound, standIn, type Window } from './stand-ins.ts';

/** What is not wanted, in the words of the shop. */

/** What is wanted, as words of the shop, and what tells those. */
interface Wanted {
  wanted: Token[];
  language: Language;
  lookup: Lookup;
}

export function inUnwantedWords(written: Constraint, context: Wanted): Constraint {
  const { wanted, language, lookup } = context;
  return withUnwantedKinds(untoldIfWanted(withShopValue(written, language, lookup), written, wanted), written, context);
}

/** `candles, but no scented candles`, of which the shop has no word for the scented ones: that refuses not all of them. */
function untoldIfWanted(constraint: Constraint, written: Constraint, wanted: Token[]): Constraint {
  const isWanted = wanted.some(({ term }) => term === constraint.value) && constraint.value !== written.value;
  return constraint.kind === 'without' && isWanted ? { ...written, isUnread: true } : constraint;
}

/** Without wool is without merino as well, but for what is wanted itself. */
function withUnwantedKinds(
  constraint: Constraint,
  { value = '' }: Constraint,
  { wanted, language, lookup }: Wanted,
): Constraint {
  if (constraint.kind !== 'without') return constraint;
  const isWanted = (kind: string) => wanted.some(({ term }) => term === kind);
  const kinds = termsForKind({ text: value, term: value }, language).filter(
    (kind) => has(lookup(kind)) && !isWanted(kind),
  );
  if (kinds.length === 0) return constraint;
  // Where the shop has no such word, its kinds are what tells.
  const { isUnread: _isUnread, ...rest } = constraint;
  return { ...rest, alternatives: kinds };
}

/** What is not wanted, by its stem and as it was written: that of a `bougie` is no French word. */
export function unwantedWindows({ text, value = '' }: Constraint): Window[] {
  const written = normalizeText(text).match(/[\p{L}\d]+$/u)?.[0] ?? value;
  const texts = written !== value && stem(written) === value ? [value, written] : [value];
  return texts.map((each) => ({ texts: [each], term: value }));
}

/** In the words of the shop; unread where it has no such word, for then nothing tells whether a product has it. */
function withShopValue(constraint: Constraint, language: Language, lookup: Lookup): Constraint {
  const { kind, value } = constraint;
  if (kind !== 'without' || !value || has(lookup(value))) return constraint;
  const meaning =
    unwantedWindows(constraint).flatMap((window) => standIn(window, language, lookup) ?? [])[0] ??
    (mayBeCompound(value, language, lookup) ? meaningOfCompound(value, language, lookup)?.terms.join(' ') : undefined);
  if (meaning !== undefined) return { ...constraint, value: meaning };
  return value.includes(' ') || lookup(value)?.isKnown ? constraint : { ...constraint, isUnread: true };
}
