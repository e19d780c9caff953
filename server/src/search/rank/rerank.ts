import { affinities } from '../index/latent-index.ts';
import { plainText, termsOf } from '../words/normalize.ts';
import type { Group } from '../words/term-groups.ts';
import type { Candidate, Candidates } from './candidates.ts';
import type { Preferences } from './preferences.ts';
import type { Weight } from './term-weights.ts';
import { companyOf } from './top-similarity.ts';

/** What the best candidates tell beyond which words are in them and where. */

/** By what a candidate's score is multiplied, as powers of e. */
const WEIGHTS = {
  /** All words stand in the name, one behind the other. */
  phrase: 0.4,
  /** How much of the name is what was asked for. */
  covered: 0.65,
  /** The name begins with what was asked for: names begin with whose thing it is, and what it is comes later. */
  first: -0.2,
  /** One of several words is what the name says the thing is: of a `mouse pad` the pad. */
  head: 0.75,
  /** The only word is. */
  headAlone: 0.2,
  /** What is asked for is only what the thing is for: a case for the phone. */
  accessory: -1.2,
  /** None of the words is in the name, though one of them usually names the thing. */
  nameless: -0.5,
  /** One of the words names its vendor. */
  vendor: 1.15,
  /** It is what the words together are about, by what they mean in this shop, in the best case. */
  affinity: 1.8,
  /** It is what most of the best are, by their names, in the best case. */
  kind: 0.2,
  /** It is what the best are about, by what words mean in this shop, in the best case. */
  company: 0.5,
  /** The wish for a low or a high price, in the best case. */
  price: 0.15,
  /** The wish for what others bought, in the best case. */
  popular: 0.15,
};
/** In shops whose names end in the thing this often, its absence at the end speaks fully against a product. */
const USUAL_HEADS = 0.6;

const ACCESSORY = /\s(?:for|compatible|fits|replacement)\s/i;

/** The candidates, best first. */
export function rerank(
  { rows, meanings }: Candidates,
  groups: Group[],
  weights: Weight[],
  wishes: Preferences = {},
): Candidate[] {
  const wanted = wantedOf(groups);
  const headWeights = weights.map((weight) => Math.min(1, headShare(weight) / USUAL_HEADS));
  const affinity = affinities(
    groups,
    meanings,
    rows.map(({ vector }) => vector),
  );
  const share = wishes.price && placesIn(rows.map(({ price }) => Number(price)));
  const sold = Math.max(1, ...rows.map(({ sales_count }) => sales_count));
  const score = (candidate: Candidate, at: number) => {
    let power = boostOf(candidate.name, wanted, headWeights) + headBoost(candidate.heads, headWeights);
    power += WEIGHTS.affinity * (affinity[at] ?? 0);
    if (candidate.by_vendor) power += WEIGHTS.vendor;
    if (share) {
      const dearer = share(Number(candidate.price));
      power += WEIGHTS.price * (wishes.price === 'low' ? 1 - dearer : dearer);
    }
    if (wishes.popular) power += (WEIGHTS.popular * Math.log1p(candidate.sales_count)) / Math.log1p(sold);
    return candidate.score * Math.exp(power);
  };
  return amongTheirs(rows.map((candidate, at) => ({ ...candidate, score: score(candidate, at) })).sort(byScore));
}

function byScore(a: Candidate, b: Candidate): number {
  return b.score - a.score || b.sales_count - a.sales_count || (a.product_id < b.product_id ? -1 : 1);
}

/** So many of the best are compared with those before them. */
const COMPARED = 50;

/** Puts the best candidates in order anew, by what they have in common. */
function amongTheirs(candidates: Candidate[]): Candidate[] {
  const best = candidates.slice(0, COMPARED);
  const factors = companyOf(best).map(({ kind, meaning }) => Math.exp(WEIGHTS.kind * kind + WEIGHTS.company * meaning));
  // The others stay behind all of these.
  const least = Math.min(...factors);
  return candidates
    .map((candidate, at) => ({ ...candidate, score: candidate.score * (factors[at] ?? least) }))
    .sort(byScore);
}

/** In how many of the names that have a word it names the thing. */
function headShare({ heads, titles }: Weight): number {
  return heads / (titles + 3);
}

/** Counts by how usual it is that the word names the thing. */
function headBoost(heads: number, weights: number[]): number {
  const usual = Math.max(0, ...weights.map((weight, i) => ((heads & (1 << i)) !== 0 ? weight : 0)));
  return usual * (weights.length > 1 ? WEIGHTS.head : WEIGHTS.headAlone);
}

/** Which groups a word stands for, by the word, and how long such words are. */
interface Wanted {
  groups: Map<string, number[]>;
  lengths: Set<number>;
  count: number;
}

function wantedOf(all: Group[]): Wanted {
  const groups = new Map<string, number[]>();
  for (const [grp, { alternatives }] of all.entries()) {
    for (const { term } of alternatives) groups.set(term, [...(groups.get(term) ?? []), grp]);
  }
  return { groups, lengths: new Set(Array.from(groups.keys(), ({ length }) => length)), count: all.length };
}

function boostOf(name: string, wanted: Wanted, headWeights: number[]): number {
  const terms = termsOf(plainText(name));
  const places = placesOf(wanted, terms);
  const found = places.flat();
  const pairs = places.slice(1).map((next, i) => isNext(places[i] ?? [], next));
  if (found.length === 0) return WEIGHTS.nameless * Math.max(0, ...headWeights);
  const covered = new Set(found.flatMap(({ from, to }) => [from, to])).size;
  let power = (WEIGHTS.covered * covered) / Math.max(1, terms.length);
  power += WEIGHTS.first / (1 + Math.min(...found.map(({ from }) => from)));
  if (pairs.length > 0 && pairs.every(Boolean)) power += WEIGHTS.phrase;
  if (found.every(({ from }) => from >= startOfPurpose(name, terms))) power += WEIGHTS.accessory;
  return power;
}

interface Place {
  from: number;
  to: number;
}

/** Where each group stands among terms, also where two of them together make one of its own. */
function placesOf({ groups, lengths, count }: Wanted, terms: string[]): Place[][] {
  const places = Array.from({ length: count }, (): Place[] => []);
  const add = (term: string, place: Place) => {
    for (const grp of groups.get(term) ?? []) places[grp]?.push(place);
  };
  for (const [i, term] of terms.entries()) {
    add(term, { from: i, to: i });
    const next = terms[i + 1];
    if (next !== undefined && lengths.has(term.length + next.length)) add(term + next, { from: i, to: i + 1 });
  }
  return places;
}

/** Joining words do not stand between: they were not looked for. */
function isNext(first: Place[], second: Place[]): boolean {
  return first.some(({ from, to }) => second.some((next) => next.from === to + 1 || next.from === from));
}

function startOfPurpose(name: string, terms: string[]): number {
  const purpose = ACCESSORY.exec(name)?.index;
  return purpose === undefined ? terms.length : termsOf(plainText(name.slice(0, purpose))).length;
}

/** Tells for a value which share of the values lies below it. */
function placesIn(values: number[]): (value: number) => number {
  const sorted = [...values].sort((a, b) => a - b);
  return (value) => sorted.filter((other) => other < value).length / Math.max(1, sorted.length - 1);
}
