import type { Language } from '../words/languages.ts';
import type { Token } from '../words/tokens.ts';

/** The interpretation of a sentence. */

export interface Constraint {
  kind: 'price' | 'rating' | 'reviews' | 'quantity' | 'in_stock' | 'without' | 'wish' | 'sort' | 'value' | 'word';
  /** The words that state it, as they were written, and their position in the sentence (UTF-16 units, end exclusive). */
  text: string;
  start: number;
  end: number;
  min?: number;
  max?: number;
  currency?: string;
  /** For `quantity` the number, for `without` and `word` the term, for `wish`, `sort` and `value` its normalized meaning. */
  value?: string;
  /** The head noun, if it is one of these words: such a constraint is relaxed last. */
  headNoun?: string;
  /** Whether `value` was labelled as a size: then a range of sizes that contains it matches, too. */
  isSize?: boolean;
  /** Whether it is never relaxed: a more expensive product is no alternative to `cheaper than`. */
  isStrict?: boolean;
  /** Whether no product is checked for it, because it was not understood, or is no word of this shop. */
  isUnread?: boolean;
  isUnknown?: boolean;
}

/** Which of the ambiguous words of a sentence occur in the catalogue. */
export interface CatalogVocabulary {
  /** Phrases that occur in product names, as they were written in the sentence: `no show`. */
  names: ReadonlySet<string>;
  /** Facet values, as terms joined by a space. */
  values: ReadonlySet<string>;
}

export interface ParsedQuery {
  constraints: Constraint[];
  /** The remaining words, which are searched for. */
  words: Token[];
  /** Phrases that would have been parsed differently if the catalogue contained them. */
  ambiguous: { names: string[]; values: string[] };
  language: Language;
}

/** How a text is read. */
export interface Reading {
  /** Whether it is a sentence, whose function words carry no meaning; else it is keywords typed into a field. */
  isSentence: boolean;
  /** The language of the shop, for a text that does not show its own. */
  language: Language;
}

/** The state that the passes of the parser share. */
export interface ParseState {
  tokens: Token[];
  /** The first token after phrases such as `I am looking for a`. */
  start: number;
  /** Which tokens are not searched for. */
  taken: boolean[];
  constraints: Constraint[];
  /** Adds a constraint that the tokens from `from` up to `to` state, and takes them. */
  add: (from: number, to: number, constraint: Omit<Constraint, 'text' | 'start' | 'end'>) => void;
  vocabulary: CatalogVocabulary;
  ambiguous: ParsedQuery['ambiguous'];
  isSentence: boolean;
  language: Language;
  /** Whether a word does not describe a product: pronouns, greetings. */
  isIdle: (token: Token | undefined) => boolean;
  /** Whether a price is a total or per piece, if the sentence states it. */
  priceOf?: 'all' | 'each';
}

/** The tokens, with those that are taken as signs without a meaning. */
export function openTokens({ tokens, taken }: ParseState): Token[] {
  return tokens.map(({ number, ...token }, i) =>
    taken[i] ? { ...token, kind: 'sign', text: '', term: '' } : { ...token, ...(number !== undefined && { number }) },
  );
}

export function isFree({ taken }: ParseState, from: number, to: number): boolean {
  return !taken.slice(from, to).includes(true);
}
