import { isJoining, measure } from './normalize.ts';
import { announcesSize } from './sizes.ts';
import type { Token } from './tokens.ts';

/** One thing that a query asks for, with the terms that would do; the best of them counts. */
export interface Group {
  alternatives: { term: string; weight: number }[];
  /** The word as it was typed. */
  text: string;
  /** The word of the shop that an unknown one is taken for, where one is the likeliest. */
  meant?: string;
}

/** Words that somebody wrote as one, or in two, count a little less than what was typed. */
const JOINED = 0.6;
/** What stands behind so many words adds nothing but work. */
const MAX_GROUPS = 16;

/** What to look for: each word, a number with its unit as one, and neighbours joined (`note book`, `notebook`). */
export function groupsOf(words: Token[]): Group[] {
  const terms = words.map(({ term }) => term);
  const groups: Group[] = [];
  for (let i = 0; i < words.length && groups.length < MAX_GROUPS; i += 1) {
    const { term = '', text = '' } = words[i] ?? {};
    const measured = measure(term, terms[i + 1]);
    if (measured) {
      groups.push({ text: `${text} ${words[i + 1]?.text}`, alternatives: [{ term: measured, weight: 1 }] });
      i += 1;
    } else if (!isJoining(term) && !announcesSize(words, i) && !announcesMaterial(terms, i)) {
      groups.push({ text, alternatives: [{ term, weight: 1 }, ...joinedWith(terms, i)] });
    }
  }
  return groups;
}

/** A shorter word that differs in a letter is rather another word: a `case` is nothing `cast`. */
const SURELY_MISSPELT = 7;

/** Whether a term is the word asked for, and no guess: what only begins with it can be another thing. */
export function isWhole(groups: Group[], grp: number, term: string): boolean {
  const typed = groups[grp]?.alternatives[0]?.term ?? '';
  const isLast = grp === groups.length - 1;
  if (term === typed) return true;
  // Joined with a neighbour; only the last word is looked for unfinished.
  if (term.includes(typed)) return !(isLast && term.startsWith(typed));
  return typed.length >= SURELY_MISSPELT;
}

/** Of `made of wood` only the wood says something; `Made In` is a name. */
function announcesMaterial(terms: string[], i: number): boolean {
  const next = terms[i + 1] ?? '';
  return terms[i] === 'made' && isJoining(next) && next !== 'in' && terms[i + 2] !== undefined;
}

function joinedWith(terms: string[], i: number): Group['alternatives'] {
  const [before, term = '', after] = [terms[i - 1], terms[i], terms[i + 1]];
  const joined = [before === undefined ? [] : before + term, after === undefined ? [] : term + after].flat();
  return joined.map((term) => ({ term, weight: JOINED }));
}
