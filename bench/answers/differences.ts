/**
 * Compares two texts line by line. Ids and other values that each server generates need not be equal, but must
 * correspond one to one.
 */

/** Values that differ between two runs of the same server, by kind. */
const KINDS = {
  http_date: /[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/,
  issued: /(?<=\bform=)[0-9a-z]{6}(?=\.)/,
  id: /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/,
  webhook_secret: /\bwhsec_[0-9A-Za-z+/]{40,}=*/,
  seconds: /(?<="expires_in":\s?)\d+/,
  measured: /(?<="(?:calls|duration_ms)":\s?)\d+/,
  last_use: /(?<="last_used_at":\s?)(?:null|"[^"]+")/,
  time: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)/,
  position: /\b\d+_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/,
  qr_code: /(?<="qr_svg":\s?")(?:[^"\\]|\\.)+/,
  password: /\$argon2id\$[^"]+/,
  prefix: /\b(?:stk|mch|key|syk|agt|opr)_[0-9A-Za-z]{4}(?![0-9A-Za-z])/,
  digest: /(?<![0-9A-Za-z])[0-9a-f]{32,}(?![0-9A-Za-z])/,
  sync_key: /\bsync_[0-9a-f]{12}\b/,
  secret: /(?=[\w-]*[A-Z])(?=[\w-]*[a-z])[\w-]{20,}/,
  totp_secret: /\b(?=[A-Z2-7]*[2-7])[A-Z2-7]{26,}\b/,
  user_code: /\b[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}\b/,
  recovery_code: /\b[0-9a-z]{5}(?:-[0-9a-z]{5}){3}\b/,
} as const;

type Kind = keyof typeof KINDS;

const GENERATED = new RegExp(
  Object.entries(KINDS)
    .map(([kind, pattern]) => `(?<${kind}>${pattern.source})`)
    .join('|'),
  'g',
);

/** Times in the two responses may differ by this much, because one of the servers may respond later. */
const SAME_MOMENT_MS = 30_000;

interface Line {
  /** The line with each generated value replaced by its kind. */
  form: string;
  text: string;
  values: { kind: Kind; value: string }[];
}

function lineOf(text: string): Line {
  const values: Line['values'] = [];
  const form = text.replace(GENERATED, (value, ...rest) => {
    const kinds = rest.at(-1) as Record<Kind, string | undefined>;
    const kind = (Object.keys(KINDS) as Kind[]).find((one) => kinds[one] !== undefined) ?? 'secret';
    values.push({ kind, value });
    return `<${kind}>`;
  });
  return { form, text, values };
}

/** Replaces each generated value in a text by its kind. */
export function formOf(text: string): string {
  return lineOf(text).form;
}

/** Records which generated value of one server corresponds to which value of the other server, over all responses. */
export class Comparison {
  readonly #newOf = new Map<string, string>();
  readonly #oldOf = new Map<string, string>();
  readonly #numbers = new Map<string, number>();

  /** Returns the differing lines as a unified diff without context; an empty list if the texts agree. */
  difference(old: string, now: string): string[] {
    const [before, after] = [old.split('\n').map(lineOf), now.split('\n').map(lineOf)];
    const differing: string[] = [];
    for (const [a, b] of alignedLines(before, after)) {
      if (a && b && this.#correspond(a, b)) continue;
      if (a) differing.push(`-${this.#shown(a, 'old')}`);
      if (b) differing.push(`+${this.#shown(b, 'new')}`);
    }
    return differing;
  }

  #correspond(a: Line, b: Line): boolean {
    if (a.form !== b.form) return false;
    return a.values.every(({ kind, value }, index) => this.#pair(kind, value, b.values[index]?.value ?? ''));
  }

  #pair(kind: Kind, old: string, now: string): boolean {
    if (kind === 'measured' || kind === 'last_use' || kind === 'issued') return true;
    if (kind === 'seconds') return Math.abs(Number(old) - Number(now)) * 1000 < SAME_MOMENT_MS;
    if (kind === 'time' || kind === 'http_date') return Math.abs(Date.parse(old) - Date.parse(now)) < SAME_MOMENT_MS;
    if (
      !this.#newOf.has(old) &&
      !this.#oldOf.has(now) &&
      (old === now || kind !== 'secret' || (isRandom(old) && isRandom(now)))
    ) {
      this.#newOf.set(old, now);
      this.#oldOf.set(now, old);
    }
    return this.#newOf.get(old) === now;
  }

  #shown({ text }: Line, side: 'old' | 'new'): string {
    return text.replace(GENERATED, (value) => {
      if (!Number.isNaN(Date.parse(value)) && value.includes('T')) return value;
      const known = side === 'old' ? value : (this.#oldOf.get(value) ?? value);
      // A value that is the same on both servers was in both databases from the start; it stays readable.
      if (this.#newOf.get(known) === known) return value;
      this.#numbers.set(known, this.#numbers.get(known) ?? this.#numbers.size + 1);
      return `<generated:${this.#numbers.get(known)}>`;
    });
  }
}

/** Whether a value looks random: it contains a digit, or more than a fifth of its characters are capitals. */
function isRandom(value: string): boolean {
  return /\d/.test(value) || value.replaceAll(/[^A-Z]/g, '').length > value.length / 5;
}

type Pair = [Line | undefined, Line | undefined];

const MOST_COMPARISONS = 2e7;

/** Aligns the lines of two texts by their longest common subsequence. */
function alignedLines(old: Line[], now: Line[]): Pair[] {
  let first = 0;
  while (first < old.length && first < now.length && old[first]?.form === now[first]?.form) first += 1;
  let last = 0;
  const room = Math.min(old.length, now.length) - first;
  while (last < room && old.at(-1 - last)?.form === now.at(-1 - last)?.form) last += 1;
  const [a, b] = [old.slice(first, old.length - last), now.slice(first, now.length - last)];
  if (a.length * b.length > MOST_COMPARISONS) throw new Error(`${a.length} lines differ from ${b.length} others.`);
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = lengths[i] as Uint32Array;
      row[j] = a[i]?.form === b[j]?.form ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: Pair[] = old.slice(0, first).map((line, index) => [line, now[index]]);
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i]?.form === b[j]?.form) pairs.push([a[i++], b[j++]]);
    else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) pairs.push([a[i++], undefined]);
    else pairs.push([undefined, b[j++]]);
  }
  for (let k = last; k > 0; k -= 1) pairs.push([old.at(-k), now.at(-k)]);
  return pairs;
}
