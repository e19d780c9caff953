import { isSlipOf } from './misspellings.ts';
import { isStopWord, measurementTerm } from './normalize.ts';
import { isSizeLabel } from './sizes.ts';
import type { Token } from './tokens.ts';

/** One concept of a query with its alternative terms. A product's score uses the best alternative that it has. */
export interface TermGroup {
  alternatives: { term: string; weight: number }[];
  /** The word as typed. */
  text: string;
  /** The indexed term that an unknown word most probably means. */
  correction?: string;
}

/** The weight of two neighbours written as one word; typed words have weight 1. */
const COMPOUND_WEIGHT = 0.6;
/** Further words are ignored, because they make a query slower but not more precise. */
const MAX_GROUPS = 16;

/**
 * The groups of a query: one for each word, except stop words and labels such as `size`. A number and its unit form one
 * group. The alternatives of a word include the words joined with its neighbours (`notebook` for `note book`).
 */
export function termGroups(words: Token[]): TermGroup[] {
  const terms = words.map(({ term }) => term);
  const groups: TermGroup[] = [];
  for (let i = 0; i < words.length && groups.length < MAX_GROUPS; i += 1) {
    const { term = '', text = '' } = words[i] ?? {};
    const measurement = measurementTerm(term, terms[i + 1]);
    if (measurement) {
      groups.push({ text: `${text} ${words[i + 1]?.text}`, alternatives: [{ term: measurement, weight: 1 }] });
      i += 1;
    } else if (!isStopWord(term) && !isSizeLabel(words, i) && !isMaterialLabel(terms, i)) {
      groups.push({ text, alternatives: [{ term, weight: 1 }, ...compounds(terms, i)] });
    }
  }
  return groups;
}

/** In a shorter word, one different letter probably means another word: `cast` is not a misspelt `case`. */
const MIN_LENGTH_OF_CORRECTION = 7;

/**
 * Whether a term is the typed word, a compound with its neighbour or a likely correction, and not a guess that may mean
 * something else, such as a completion.
 */
export function isExactTerm(groups: TermGroup[], grp: number, term: string): boolean {
  const typed = groups[grp]?.alternatives[0]?.term ?? '';
  const isLast = grp === groups.length - 1;
  if (term === typed) return true;
  // A longer term is a compound with a neighbour, unless it may be a completion, which only the last word gets.
  if (term.includes(typed)) return !(isLast && term.startsWith(typed));
  return typed.length >= MIN_LENGTH_OF_CORRECTION || isSlipOf(typed, term) || isSlipOf(groups[grp]?.text ?? '', term);
}

/** Whether this is the `made` of `made of wood`, in which the material matters. `Made In` is a brand. */
function isMaterialLabel(terms: string[], i: number): boolean {
  const next = terms[i + 1] ?? '';
  return terms[i] === 'made' && isStopWord(next) && next !== 'in' && terms[i + 2] !== undefined;
}

function compounds(terms: string[], i: number): TermGroup['alternatives'] {
  const [before, term = '', after] = [terms[i - 1], terms[i], terms[i + 1]];
  const joined = [before === undefined ? [] : before + term, after === undefined ? [] : term + after].flat();
  return joined.map((term) => ({ term, weight: COMPOUND_WEIGHT }));
}
