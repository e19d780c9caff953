/** Whether a word is another one, misspelt. */

/** How few letters two words differ in; two that changed places are one edit. More than two are not counted. */
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

/** A shorter word is another one, not a slip: `pan` for `pant`. */
const MIN_SLIP = 5;
/** From here on, one letter in place of another is a slip, too: `boats` are no `boots`. */
const MIN_REPLACED = 7;
const MIN_ADDED = 6;

/**
 * Whether somebody meant `word` who typed `typed`: letters changed places, one is missing, or doubled where another is (`hoddie`);
 * in a longer word, one too many or a wrong one. The first letter is right.
 */
export function isSlipOf(typed: string, word: string): boolean {
  if (typed.length < MIN_SLIP || word.length < MIN_SLIP - 1 || typed[0] !== word[0] || typed === word) return false;
  if (withoutDoubles(typed) === withoutDoubles(word)) return true;
  if (edits(typed, word) !== 1) return false;
  const longer = typed.length - word.length;
  if (longer === 0) return isSwap(typed, word) || typed.length >= MIN_REPLACED;
  return longer < 0 || typed.length >= MIN_ADDED;
}

function withoutDoubles(word: string): string {
  return word.replaceAll(/(.)\1+/g, '$1');
}

function isSwap(a: string, b: string): boolean {
  const at = [...a].findIndex((letter, i) => letter !== b[i]);
  return a[at] === b[at + 1] && a[at + 1] === b[at];
}
