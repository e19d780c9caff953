import type { Language } from '../words/languages.ts';
import type { Token } from '../words/tokens.ts';
import type { CatalogVocabulary, Constraint, ParsedQuery, Reading } from './parsed-query.ts';

/** What the steps of parsing a sentence share. */
export interface ParseState {
  tokens: Token[];
  /** The first token after the opening. */
  start: number;
  /** Which tokens are not searched for. */
  consumed: boolean[];
  addConstraint: (from: number, to: number, constraint: Omit<Constraint, 'text' | 'start' | 'end'>) => void;
  vocabulary: CatalogVocabulary;
  ambiguous: ParsedQuery['ambiguous'];
  reading: Reading;
  language: Language;
}
