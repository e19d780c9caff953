import { isJoining, isNumber, plainText, termsOf, withMeasures } from '../words/normalize.ts';

/** What the search reads of a product. */
export interface Source {
  name: string;
  description: string;
  vendor: string | null;
  product_type: string | null;
  tags: string[];
  metadata: Record<string, string>;
  options: string[];
  /** SKUs and barcodes, in lower case. */
  codes: string[];
}

/** One term of a product: how strongly it speaks of it (0 to 1), and where it stands. */
export interface Posting {
  term: string;
  impact: number;
  place: number;
}

/** Bits of `place`. */
export const PLACE = { title: 1, headOfTitle: 2, vendor: 4, product_type: 8, tag: 16, option: 32, metadata: 64 };

/**
 * The fields with what a word in them counts, the length at which it counts just that, and how much a longer field takes
 * off. These lengths stand for the average of the shop, so that a product's postings depend on the product alone.
 */
const FIELDS = {
  name: { weight: 1, usual: 4.8, slope: 0.35 },
  vendor: { weight: 0.09, usual: 1, slope: 0 },
  labels: { weight: 0.2, usual: 1, slope: 0 },
  product_type: { weight: 0.01, usual: 1, slope: 0 },
  metadata: { weight: 0.23, usual: 29, slope: 0.92 },
  description: { weight: 0.86, usual: 6.8, slope: 1 },
};
/** Where the second mention of a word begins to add little (the k1 of BM25). */
const SATURATION = 1.1;

const MAX_DESCRIPTION = 4_000;
const MAX_METADATA = 6_000;
const MAX_TERM = 64;

/** Marks of terms that are no words: a whole value of a facet, a whole SKU or barcode. */
export const VALUE = '=';
export const CODE = '#';

/** All terms of a product: BM25F, saturated here, so that a query only adds up. */
export function postingsOf(source: Source): Posting[] {
  const fields = {
    name: termsOf(plainText(source.name)),
    vendor: termsOf(source.vendor ?? ''),
    product_type: termsOf(source.product_type ?? ''),
    labels: [...source.options, ...source.tags].flatMap(termsOf),
    metadata: termsOf(Object.values(source.metadata).join('\n').slice(0, MAX_METADATA)),
    description: termsOf(plainText(source.description).slice(0, MAX_DESCRIPTION)),
  };
  const counted = new Map<string, number>();
  for (const [field, terms] of Object.entries(fields)) {
    const { weight, usual, slope } = FIELDS[field as keyof typeof FIELDS];
    const each = weight / (1 - slope + (slope * terms.length) / usual);
    for (const term of withMeasures(terms)) {
      if (!isJoining(term)) counted.set(term, (counted.get(term) ?? 0) + each);
    }
  }
  const inTitle = new Set(withMeasures(fields.name));
  const inVendor = new Set(fields.vendor);
  const head = headOf(source.name, [...source.options.flatMap(termsOf), ...fields.metadata]);
  const words = Array.from(counted, ([term, weight]) => ({
    term: term.slice(0, MAX_TERM),
    impact: weight / (SATURATION + weight),
    place:
      (inTitle.has(term) ? PLACE.title : 0) |
      (term === head ? PLACE.headOfTitle : 0) |
      (inVendor.has(term) ? PLACE.vendor : 0),
  }));
  return merged([...words, ...valuesOf(source), ...source.codes.map((code) => exact(CODE + code.slice(0, 255), 0))]);
}

/** What ends the part of a name that says what the thing is: `Case for phones, black` is a case. */
const END_OF_HEAD = /\s(?:for|with|w\/|by|from|in|and|compatible|fits|to|of|on)\s|\s[-–|]\s|[,(:;|]/i;

/**
 * The word that names the thing: the last one of that part, but for numbers, what they count (`39 cm`), and values of the
 * product's own, with which many names end (`Laser printer black`).
 */
export function headOf(name: string, values: string[]): string | undefined {
  const end = END_OF_HEAD.exec(name)?.index ?? name.length;
  const terms = termsOf(plainText(name.slice(0, end)));
  const known = new Set(values);
  const isDetail = (at: number) => {
    const term = terms[at] ?? '';
    return /\d/.test(term) || known.has(term) || (at > 1 && isNumber(terms[at - 1] ?? ''));
  };
  let last = terms.length - 1;
  while (last > 0 && isDetail(last)) last -= 1;
  return terms[last];
}

/** At most so many words make a value that somebody asks for by name. */
const MAX_VALUE_WORDS = 4;

/** The form in which values of facets are compared: the same for `Off-White` and `off whites`. */
export function valueTerm(terms: string[]): string {
  return VALUE + terms.join(' ');
}

/** The values of facets, whole. Of metadata, those that are words: a number alone is nobody's wish. */
function valuesOf({ vendor, product_type, tags, options, metadata }: Source): Posting[] {
  const of = (values: string[], place: number) =>
    values.flatMap((value) => {
      const terms = termsOf(value.slice(0, 255));
      const named = terms.length > 0 && terms.length <= MAX_VALUE_WORDS && terms.some((term) => !/^\d/.test(term));
      return named ? [exact(valueTerm(terms), place)] : [];
    });
  return [
    ...of(vendor ? [vendor] : [], PLACE.vendor),
    ...of(product_type ? [product_type] : [], PLACE.product_type),
    ...of(tags, PLACE.tag),
    ...of(options, PLACE.option),
    ...of(
      Object.values(metadata).flatMap((value) => value.split(/[,;/|]/)),
      PLACE.metadata,
    ),
  ];
}

function exact(term: string, place: number): Posting {
  return { term, impact: 1, place };
}

/** One posting per term. */
function merged(postings: Posting[]): Posting[] {
  const byTerm = new Map<string, Posting>();
  for (const { term, impact, place } of postings) {
    const known = byTerm.get(term);
    byTerm.set(term, { term, impact: Math.max(impact, known?.impact ?? 0), place: place | (known?.place ?? 0) });
  }
  return [...byTerm.values()];
}
