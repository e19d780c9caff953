import { isNumber, isStopWord, stripHtml, termsOf, withMeasurements } from '../words/normalize.ts';

/** The indexed fields of a product. */
export interface SearchDocument {
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

/** A term in a product. */
export interface Posting {
  term: string;
  /** The precomputed BM25F weight of the term in this product, from 0 to 1, without idf. */
  impact: number;
  /**
   * Bits of PLACE: for a word, whether it is in the name, is its head noun, or is in the vendor; for a whole value, the
   * fields that have the value.
   */
  place: number;
}

/** Bits of `place`. `titleHead` is the head noun of the name. */
export const PLACE = { title: 1, titleHead: 2, vendor: 4, product_type: 8, tag: 16, option: 32, metadata: 64 };

/**
 * The parameters of BM25F: each field's weight, typical length, and degree of length normalization (b). The lengths are
 * constants instead of the shop's averages, so that a product's postings depend only on the product.
 */
const FIELDS = {
  name: { weight: 1, typicalLength: 4.8, lengthNorm: 0.35 },
  vendor: { weight: 0.09, typicalLength: 1, lengthNorm: 0 },
  labels: { weight: 0.2, typicalLength: 1, lengthNorm: 0 },
  product_type: { weight: 0.01, typicalLength: 1, lengthNorm: 0 },
  metadata: { weight: 0.23, typicalLength: 29, lengthNorm: 0.92 },
  description: { weight: 0.86, typicalLength: 6.8, lengthNorm: 1 },
};
/** Determines how soon further occurrences of a term add little (k1 of BM25). */
const K1 = 1.1;

const MAX_DESCRIPTION = 4_000;
const MAX_METADATA = 6_000;
const MAX_TERM = 64;

/** Prefixes of terms that are not words: a whole facet value; a whole SKU or barcode; an attribute with its value. */
export const VALUE = '=';
export const CODE = '#';
export const ATTRIBUTE = '@';

/**
 * A term for products whose description or metadata is too long to be indexed completely. For these, only the texts
 * themselves show whether a word is absent.
 */
export const LONG_TEXT = '~long';

/**
 * All postings of a product. Their impacts already include the saturation of BM25F, so that a query only has to add up
 * impacts.
 */
export function postingsOf(source: SearchDocument): Posting[] {
  const fields = {
    name: termsOf(stripHtml(source.name)),
    vendor: termsOf(source.vendor ?? ''),
    product_type: termsOf(source.product_type ?? ''),
    labels: [...source.options, ...source.tags].flatMap(termsOf),
    metadata: termsOf(Object.values(source.metadata).join('\n').slice(0, MAX_METADATA)),
    description: termsOf(stripHtml(source.description).slice(0, MAX_DESCRIPTION)),
  };
  const frequencies = new Map<string, number>();
  for (const [field, terms] of Object.entries(fields)) {
    const { weight, typicalLength, lengthNorm } = FIELDS[field as keyof typeof FIELDS];
    const each = weight / (1 - lengthNorm + (lengthNorm * terms.length) / typicalLength);
    for (const term of withMeasurements(terms)) {
      if (!isStopWord(term)) frequencies.set(term, (frequencies.get(term) ?? 0) + each);
    }
  }
  const inTitle = new Set(withMeasurements(fields.name));
  const inVendor = new Set(fields.vendor);
  const headTerm = headTermOf(source.name, [...source.options.flatMap(termsOf), ...fields.metadata]);
  const words = Array.from(frequencies, ([term, weight]) => ({
    term: term.slice(0, MAX_TERM),
    impact: weight / (K1 + weight),
    place:
      (inTitle.has(term) ? PLACE.title : 0) |
      (term === headTerm ? PLACE.titleHead : 0) |
      (inVendor.has(term) ? PLACE.vendor : 0),
  }));
  return mergeByTerm([
    ...words,
    ...facetPostings(source),
    ...attributePostings(source),
    ...(hasLongText(source) ? [exactPosting(LONG_TEXT, 0)] : []),
    ...source.codes.map((code) => exactPosting(CODE + code.slice(0, 255), 0)),
  ]);
}

function hasLongText({ description, metadata }: SearchDocument): boolean {
  return description.length > MAX_DESCRIPTION || Object.values(metadata).join('\n').length > MAX_METADATA;
}

/** Words and signs that end the noun phrase of a name: `Case for phones, black` is a case. */
const END_OF_NOUN_PHRASE = /\s(?:for|with|w\/|by|from|in|and|compatible|fits|to|of|on)\s|\s[-–|]\s|[,(:;|]/i;

/**
 * The head noun of a product name: the last word of its noun phrase. Numbers, their units (`39 cm`) and the product's
 * own option and metadata values are skipped, because many names end with them (`Laser printer black`).
 */
export function headTermOf(name: string, values: string[]): string | undefined {
  const end = END_OF_NOUN_PHRASE.exec(name)?.index ?? name.length;
  const terms = termsOf(stripHtml(name.slice(0, end)));
  const ownValues = new Set(values);
  const isDetail = (at: number) => {
    const term = terms[at] ?? '';
    return /\d/.test(term) || ownValues.has(term) || (at > 1 && isNumber(terms[at - 1] ?? ''));
  };
  let last = terms.length - 1;
  while (last > 0 && isDetail(last)) last -= 1;
  return terms[last];
}

/** Longer values are not indexed as a whole, because nobody types them in full. */
const MAX_VALUE_WORDS = 4;

/** The term for a whole facet value. It is the same for `Off-White` and `off whites`. */
export function valueTerm(terms: string[]): string {
  return VALUE + terms.join(' ');
}

/**
 * The terms for a facet value: one, or none if all its words begin with a digit, such as a plain number, or if it has
 * too many words.
 */
export function valueTerms(value: string): string[] {
  const terms = termsOf(value.slice(0, 255));
  const isNamed = terms.length > 0 && terms.length <= MAX_VALUE_WORDS && terms.some((term) => !/^\d/.test(term));
  return isNamed ? [valueTerm(terms)] : [];
}

/** A posting for each whole facet value. */
function facetPostings({ vendor, product_type, tags, options, metadata }: SearchDocument): Posting[] {
  const of = (values: string[], place: number) =>
    values.flatMap((value) => valueTerms(value).map((term) => exactPosting(term, place)));
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

/**
 * The term for an attribute with its value: `@material:stoneware`. Unlike the term for a facet value, it contains the
 * whole text.
 */
export function attributeTerm(name: string, value: string): string {
  return `${ATTRIBUTE}${name.trim().toLowerCase()}:${value.trim().toLowerCase()}`;
}

/** A posting for each attribute with its value; `Cotton, Linen` also counts as cotton and as linen. */
function attributePostings({ metadata }: SearchDocument): Posting[] {
  return Object.entries(metadata).flatMap(([name, value]) =>
    [value, ...value.split(', ')].map((each) => exactPosting(attributeTerm(name, each), 0)),
  );
}

function exactPosting(term: string, place: number): Posting {
  return { term, impact: 1, place };
}

function mergeByTerm(postings: Posting[]): Posting[] {
  const byTerm = new Map<string, Posting>();
  for (const posting of postings) {
    const known = byTerm.get(posting.term);
    if (known) {
      known.impact = Math.max(posting.impact, known.impact);
      known.place |= posting.place;
    } else {
      byTerm.set(posting.term, posting);
    }
  }
  return [...byTerm.values()];
}
