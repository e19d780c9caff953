import { isSlipOf } from './misspellings.ts';
import { isStopWord, measurementTerm } from './normalize.ts';
import { isSizeLabel } from './sizes.ts';
import type { Token } from './tokens.ts';

/** One concept of a query, with its alternative terms; a product scores by the best alternative that it has. */
export interface TermGroup {
  alternatives: { term: string; weight: number }[];
  /** The word as it was typed. */
  text: string;
  /** The indexed term that an unknown word was most likely meant to be. */
  correction?: string;
}

/** The weight of two neighbours written as one word; the typed words weigh 1. */
const COMPOUND_WEIGHT = 0.6;
/** Further words make a query slower and no more precise. */
const MAX_GROUPS = 16;

/** The groups of a query: each word, a number with its unit as one, and neighbours joined (`note book`, `notebook`). */
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

/** A shorter word that differs in one letter is probably another word: `cast` is not a misspelt `case`. */
const MIN_LENGTH_OF_CORRECTION = 7;

/** Whether a term is the typed word rather than a guess, such as a completion that may mean something else. */
export function isExactTerm(groups: TermGroup[], grp: number, term: string): boolean {
  const typed = groups[grp]?.alternatives[0]?.term ?? '';
  const isLast = grp === groups.length - 1;
  if (term === typed) return true;
  // A compound with a neighbour; completions are looked up for the last word only.
  if (term.includes(typed)) return !(isLast && term.startsWith(typed));
  return typed.length >= MIN_LENGTH_OF_CORRECTION || isSlipOf(typed, term) || isSlipOf(groups[grp]?.text ?? '', term);
}

/** `made of wood` asks for wood; `Made In` is a brand. */
function isMaterialLabel(terms: string[], i: number): boolean {
  const next = terms[i + 1] ?? '';
  return terms[i] === 'made' && isStopWord(next) && next !== 'in' && terms[i + 2] !== undefined;
}

function compounds(terms: string[], i: number): TermGroup['alternatives'] {
  const [before, term = '', after] = [terms[i - 1], terms[i], terms[i + 1]];
  const joined = [before === undefined ? [] : before + term, after === undefined ? [] : term + after].flat();
  return joined.map((term) => ({ term, weight: COMPOUND_WEIGHT }));
}
