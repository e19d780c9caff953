import { RELATED_GOODS } from './related-goods.generated.ts';

/**
 * Other names, kinds and the next wider name of goods, from WordNet: for what the lists of words do not have. The text is searched
 * as it is, which takes a fraction of a millisecond; an index of it would take 9 MB.
 */

/** No more kinds of one word: a shop is asked for all of them. */
const MAX_KINDS = 60;
/** Kinds of kinds are looked for so far down. */
const MAX_DEPTH = 3;
/** What has more kinds is no word for goods: `device`, `container`. */
const TOO_WIDE = 150;

interface Entry {
  depth: number;
  names: string[];
  /** The names that first mean this: `board` is no name for a skateboard. */
  sureNames: string[];
  /** Where the next line starts. */
  end: number;
}

function entryAt(start: number): Entry | undefined {
  const end = RELATED_GOODS.indexOf('\n', start);
  if (start < 0 || end <= start) return undefined;
  const [depth = '', ...names] = RELATED_GOODS.slice(start, end - 1).split(',');
  return {
    depth: Number.parseInt(depth, 36),
    names: names.map((name) => name.replace('~', '')),
    sureNames: names.filter((name) => !name.startsWith('~')),
    end: end + 1,
  };
}

function startOf(name: string): number {
  const at = Math.max(RELATED_GOODS.indexOf(`,${name},`), RELATED_GOODS.indexOf(`,~${name},`));
  return at < 0 ? -1 : RELATED_GOODS.lastIndexOf('\n', at) + 1;
}

/** What may stand for goods that a shop has no word for: other names first, then kinds of them, nearer ones before others. */
export function narrowerGoods(name: string): string[] {
  const own = entryAt(startOf(name));
  if (!own) return [];
  const found = [own];
  for (let each = entryAt(own.end); each && each.depth > own.depth; each = entryAt(each.end)) {
    found.push(each);
    if (found.length > TOO_WIDE) return [];
  }
  const near = found.filter(({ depth }) => depth <= own.depth + MAX_DEPTH).sort((a, b) => a.depth - b.depth);
  return [...new Set(near.flatMap(({ sureNames }) => sureNames))].filter((each) => each !== name).slice(0, MAX_KINDS);
}

/** What goods are a kind of, by names that first mean that: the hat for a fedora. */
export function widerGoods(name: string): string[] {
  const start = startOf(name);
  const own = entryAt(start);
  for (let at = start; own && at > 1; ) {
    at = RELATED_GOODS.lastIndexOf('\n', at - 2) + 1;
    const before = entryAt(at);
    if (before && before.depth < own.depth) return before.sureNames.filter((each) => !each.includes(' '));
  }
  return [];
}
