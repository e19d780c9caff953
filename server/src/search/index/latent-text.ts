import { isJoining, plainText, termsOf, withMeasures } from '../words/normalize.ts';
import { type Weights, weigh } from './latent.ts';

/** What of a product tells what its words mean; attributes and tags name much and say little. */
export interface Text {
  name: string;
  vendor: string | null;
  product_type: string | null;
  description: string;
}

const WEIGHTS = { name: 1, label: 0.5, description: 0.3 };
const MAX_DESCRIPTION = 4_000;

export function weightsOf({ name, vendor, product_type, description }: Text): Weights {
  const label = WEIGHTS.label;
  return weigh([
    { terms: namingTerms(name), weight: WEIGHTS.name },
    { terms: namingTerms(vendor ?? ''), weight: label },
    { terms: namingTerms(product_type ?? ''), weight: label },
    { terms: namingTerms(description.slice(0, MAX_DESCRIPTION)), weight: WEIGHTS.description },
  ]);
}

function namingTerms(text: string): string[] {
  return withMeasures(termsOf(plainText(text))).filter((term) => !isJoining(term));
}
