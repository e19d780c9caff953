import type { Language } from '../words/languages.ts';
import type { Token } from '../words/tokens.ts';
import type { Purpose } from './purposes.ts';

/** What a sentence asks for, as far as it was read. */

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
  /** Of what any does in place of `value`: the beanies and caps for a hat. */
  alternatives?: string[];
  /** Whether it is never relaxed: what is cheaper than a product is no alternative at a higher price. */
  isStrict?: boolean;
  /** Whether it is relaxed before others: a purpose, which values tell better, and before that where or when something is done. */
  isYielding?: boolean;
  isWhere?: boolean;
  /** Whether the shop has nothing that tells whether it is kept. */
  isUnread?: boolean;
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
  /** Words of the shop with the same root, by the term of a word. */
  related?: ReadonlyMap<string, string[]>;
  /** What the sentence wants a thing for, where it names none. */
  purposes?: Purpose[];
}

/** How a text is read. */
export interface Reading {
  /** Whether it is a sentence, of which function words say nothing; else it is words that somebody typed into a field. */
  isSentence: boolean;
  /** The language of the shop, for a text that does not tell its own. */
  language: Language;
}
