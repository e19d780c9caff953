import { isStopWord, stripHtml, termsOf, withMeasurements } from '../words/normalize.ts';
import { type TermWeights, termWeights } from './latent.ts';

/**
 * The fields of a product on which the model is trained. Attributes and tags are left out, because they list words
 * without explaining them.
 */
export interface ProductText {
  name: string;
  vendor: string | null;
  product_type: string | null;
  description: string;
}

const WEIGHTS = { name: 1, label: 0.5, description: 0.3 };
const MAX_DESCRIPTION = 4_000;

export function weightsOf({ name, vendor, product_type, description }: ProductText): TermWeights {
  const label = WEIGHTS.label;
  return termWeights([
    { terms: contentTerms(name), weight: WEIGHTS.name },
    { terms: contentTerms(vendor ?? ''), weight: label },
    { terms: contentTerms(product_type ?? ''), weight: label },
    { terms: contentTerms(description.slice(0, MAX_DESCRIPTION)), weight: WEIGHTS.description },
  ]);
}

function contentTerms(text: string): string[] {
  return withMeasurements(termsOf(stripHtml(text))).filter((term) => !isStopWord(term));
}
