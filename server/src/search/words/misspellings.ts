/** Decides whether a word is probably another word with a typing error. */

/**
 * The number of edits between two words. Swapping two neighbouring letters is one edit. Returns infinity if the lengths
 * differ by more than two.
 */
export function edits(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Infinity;
  let [before, row] = [[] as number[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost, swapped));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? Infinity;
}

/** Shorter words are treated as different words, not typing errors: `pan` for `pant`. */
const MIN_SLIP = 5;
/** From this length on, one wrong letter is a typing error too; `boats` are not `boots`. */
const MIN_REPLACED = 7;
const MIN_ADDED = 6;

/**
 * Whether `typed` is probably a misspelt `word`: letters are swapped, one is missing, or one is doubled instead of
 * another (`hoddie`); in a longer word, one is added or wrong. The first letter must be right.
 */
export function isSlipOf(typed: string, word: string): boolean {
  const longer = typed.length - word.length;
  // Fast checks first, because a word is compared with hundreds of words, and most differ in length or from the second
  // letter on.
  if (typed.length < MIN_SLIP || word.length < MIN_SLIP - 1 || longer > 2 || longer < -2) return false;
  if (typed[0] !== word[0] || typed === word) return false;
  if (isSameButForDoubles(typed, word)) return true;
  const at = firstDifference(typed, word);
  const rest = (of: string, from: number) => of.slice(at + from);
  if (longer === -1) return rest(typed, 0) === rest(word, 1);
  if (longer === 1) return typed.length >= MIN_ADDED && rest(typed, 1) === rest(word, 0);
  if (longer !== 0) return false;
  const isSwapped = typed[at] === word[at + 1] && typed[at + 1] === word[at] && rest(typed, 2) === rest(word, 2);
  const isVowel = VOWELS.has(typed[at] ?? '') && VOWELS.has(word[at] ?? '') && typed.length >= MIN_REPLACED_VOWEL;
  return isSwapped || ((isVowel || typed.length >= MIN_REPLACED) && rest(typed, 1) === rest(word, 1));
}

/** Vowels are confused more often: `teepot`. */
const VOWELS = new Set('aeiouy');
const MIN_REPLACED_VOWEL = 6;

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

function isSameButForDoubles(a: string, b: string): boolean {
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] !== b[j]) return false;
    const letter = a[i];
    while (a[i] === letter) i += 1;
    while (b[j] === letter) j += 1;
  }
  return i === a.length && j === b.length;
}
