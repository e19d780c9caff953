import type { Language } from '../words/languages.ts';
import type { Token } from '../words/tokens.ts';

/** A constraint in the interpretation of a sentence. */
export interface Constraint {
  kind: 'price' | 'rating' | 'reviews' | 'quantity' | 'in_stock' | 'without' | 'wish' | 'sort' | 'value' | 'word';
  /**
   * The words that state the constraint, as they were written, and their position in the sentence (UTF-16 units, end
   * exclusive).
   */
  text: string;
  start: number;
  end: number;
  min?: number;
  max?: number;
  currency?: string;
  /**
   * Depends on the kind. For `quantity` the number, for `without` and `word` the term, for `wish`, `sort` and `value`
   * the normalized meaning, for a limit on a measure the unit.
   */
  value?: string;
  /** The head noun, if it is among these words. Such a constraint is relaxed last. */
  headNoun?: string;
  /** Whether `value` has the label of a size. Then a range of sizes that contains it matches too. */
  isSize?: boolean;
  /** Whether the constraint is never relaxed: a more expensive product is not an alternative to `cheaper than`. */
  isStrict?: boolean;
  /**
   * Products are not checked for a constraint that was not understood (`isUnread`), or whose word the shop does not
   * have (`isUnknown`).
   */
  isUnread?: boolean;
  isUnknown?: boolean;
}

/** The ambiguous words of a sentence that occur in the catalogue. */
export interface CatalogVocabulary {
  /** Phrases that occur in product names, written as in the sentence: `no show`. */
  names: ReadonlySet<string>;
  /** Facet values, as terms joined by a space. */
  values: ReadonlySet<string>;
}

export interface ParsedQuery {
  constraints: Constraint[];
  /** The remaining words, for which to search. */
  words: Token[];
  /** Phrases that may be parsed differently if the catalogue contains them. */
  ambiguous: { names: string[]; values: string[] };
  language: Language;
}

/** The way to parse a text. */
export interface Reading {
  /**
   * Whether the text is a sentence, whose function words carry no meaning; otherwise it consists of keywords typed into
   * a field.
   */
  isSentence: boolean;
  /** The shop's language, for texts whose own language is unclear. */
  language: Language;
}

/** The state shared by the parser's passes. */
export interface ParseState {
  tokens: Token[];
  /** The index of the first token after an opening such as `I am looking for a`. */
  start: number;
  /** For each token, whether a pass has taken the token, so that the search does not look for it. */
  taken: boolean[];
  constraints: Constraint[];
  /** Adds a constraint stated by the tokens from `from` up to `to`, and takes these tokens. */
  add: (from: number, to: number, constraint: Omit<Constraint, 'text' | 'start' | 'end'>) => void;
  vocabulary: CatalogVocabulary;
  ambiguous: ParsedQuery['ambiguous'];
  isSentence: boolean;
  language: Language;
  /** Whether a token does not describe a product, such as a pronoun or a greeting. */
  isIdle: (token: Token | undefined) => boolean;
  /** Whether a price is for all units or for each, if the sentence says so. */
  priceOf?: 'all' | 'each';
}

/** The tokens; those that are taken become signs without a meaning. */
export function openTokens({ tokens, taken }: ParseState): Token[] {
  return tokens.map(({ number, ...token }, i) =>
    taken[i] ? { ...token, kind: 'sign', text: '', term: '' } : { ...token, ...(number !== undefined && { number }) },
  );
}

export function isFree({ taken }: ParseState, from: number, to: number): boolean {
  return !taken.slice(from, to).includes(true);
}
