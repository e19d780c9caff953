import type { OptionInput, Product, ProductReplacement, Variant } from '@commerce-backend/spec';
import { normalTexts } from '../plain-text.ts';
import { writtenOf } from './fields.ts';
import type { Mistakes, Place } from './mistakes.ts';
import {
  checkCombinations,
  type ImagePlan,
  type OptionPlan,
  type ProductPlan,
  planOptions,
  planVariant,
} from './plan.ts';

type OptionReplacement = NonNullable<ProductReplacement['options']>[number];
type VariantReplacement = NonNullable<ProductReplacement['variants']>[number];

/**
 * Plans a product that is saved as a whole. Parts are matched by id, and missing fields stay unchanged. replace.ts
 * plans the images, because they need the database. Throws a ValidationError with all mistakes.
 */
export function planReplacement(
  input: ProductReplacement,
  images: ImagePlan[] | undefined,
  digits: number,
  before: Product,
  mistakes: Mistakes,
): ProductPlan {
  const texts = mistakes.collect(() => normalTexts(input, ['body']));
  const options = replacedOptions(input.options, before, mistakes);
  const variants = replacedVariants(input.variants, options, digits, before, mistakes);
  checkCombinations(options, variants, mistakes, ['body']);
  mistakes.throwIfAny();
  return {
    ...writtenOf({ ...input, ...texts }),
    name: texts?.name ?? before.name,
    options,
    variants,
    images,
  };
}

function replacedOptions(sent: OptionReplacement[] | undefined, before: Product, mistakes: Mistakes): OptionPlan[] {
  const loc: Place = ['body', 'options'];
  const known = sent && knownParts('option', sent, before.options, mistakes, loc);
  const given = sent?.map((option, i): OptionInput & { id: string | undefined } => {
    const old = known?.[i];
    const name = option.name ?? old?.name;
    const values = option.values ?? old?.values;
    if (name === undefined) mistakes.add([...loc, i, 'name'], 'missing', 'A new option requires a name.');
    if (values === undefined) mistakes.add([...loc, i, 'values'], 'missing', 'A new option requires values.');
    return { id: old?.id, name: name ?? '', values: values ?? [] };
  });
  mistakes.throwIfAny();
  return planOptions(given ?? before.options, mistakes, loc);
}

function replacedVariants(
  sent: VariantReplacement[] | undefined,
  options: OptionPlan[],
  digits: number,
  before: Product,
  mistakes: Mistakes,
) {
  const loc: Place = ['body', 'variants'];
  const given = sent ?? before.variants.map(({ id }): VariantReplacement => ({ id }));
  const known = knownParts('variant', given, before.variants, mistakes, loc);
  return given.map(({ id: _, ...variant }, i) => {
    const old = known[i];
    if (old && variant.inventory_quantity !== undefined) {
      const msg = 'Change the stock of an existing variant by inventory adjustments.';
      mistakes.add([...loc, i, 'inventory_quantity'], 'extra_forbidden', msg);
    }
    if (old) return planVariant(variant, {}, digits, mistakes, [...loc, i], withOptions(old, before, options));
    return planVariant(variant, { price: before.price }, digits, mistakes, [...loc, i]);
  });
}

/** Moves the variant's option values to the new positions of their options. */
function withOptions(variant: Variant, before: Product, options: OptionPlan[]): Variant {
  const values = [variant.option1, variant.option2, variant.option3];
  const [option1 = null, option2 = null, option3 = null] = options.map(({ id }) => {
    const old = before.options.find((option) => option.id === id);
    return old ? values[old.position - 1] : null;
  });
  return { ...variant, option1, option2, option3 };
}

/**
 * Returns the existing part for each sent part, undefined for a new one. Adds a mistake for an unknown or repeated id.
 */
export function knownParts<Part extends { id: string }>(
  noun: 'option' | 'variant' | 'image',
  sent: { id?: string }[],
  known: Part[],
  mistakes: Mistakes,
  loc: Place,
): (Part | undefined)[] {
  const byId = new Map(known.map((part) => [part.id, part]));
  const named = new Set<string>();
  const parts = sent.map(({ id: given }, i) => {
    const id = given?.toLowerCase();
    if (id === undefined) return undefined;
    const part = byId.get(id);
    if (!part) mistakes.add([...loc, i, 'id'], `${noun}_unknown`, `The product has no such ${noun}.`);
    if (named.has(id)) mistakes.add([...loc, i, 'id'], 'duplicate', `This ${noun} is listed twice.`);
    named.add(id);
    return part;
  });
  mistakes.throwIfAny();
  return parts;
}
