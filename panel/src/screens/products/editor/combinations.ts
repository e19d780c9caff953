import { type OptionDraft, optionsOf, type ProductDraft, type VariantDraft } from './draft.ts';

/** The most variants that the editor creates. Imports and the API accept up to 2,048. */
export const MOST_VARIANTS = 250;

type Draft = Pick<ProductDraft, 'options' | 'variants'>;

/** Every combination of the options' values, the last option's changing fastest. */
export function combinationsOf(options: OptionDraft[]): string[][] {
  return options.reduce<string[][]>(
    (all, { values = [] }) => all.flatMap((begun) => values.map((value) => [...begun, value])),
    [[]],
  );
}

/** The options with values: others create no variants. */
export function usedOptions({ options }: Pick<Draft, 'options'>): OptionDraft[] {
  return options.filter(isUsed);
}

/** The combinations without a variant. */
export function missingCombinations(draft: Draft): string[][] {
  const options = usedOptions(draft);
  if (options.length === 0) return [];
  const present = new Set(draft.variants.map((variant) => keyOf(optionsOf(variant))));
  return combinationsOf(options).filter((combination) => !present.has(keyOf(combination)));
}

/**
 * The variants together with one for each missing combination. Prices, weights and policies are copied from the first variant;
 * each variant has its own SKU, barcode, stock and picture.
 */
export function allVariants(draft: Draft): VariantDraft[] {
  const { id, ...like } = draft.variants[0] ?? {};
  // These are null, not absent: for an absent value the form shows, and saves, that of the variant which was stored in this
  // place.
  const own = { sku: null, barcode: null, image_url: null, inventory_quantity: 0 };
  const made = missingCombinations(draft).map((values) => ({ ...like, ...own, ...byOption(values) }));
  const used = usedOptions(draft);
  const kept = draft.variants.filter((variant) => optionsOf(variant).length === used.length);
  const rank = (variant: VariantDraft) =>
    used.reduce((sum, { values = [] }, i) => sum * 1000 + values.indexOf(optionsOf(variant)[i] ?? ''), 0);
  return [...kept, ...made].sort((a, b) => rank(a) - rank(b));
}

/**
 * The variants after the options have changed: each keeps a value for each option, and those whose value is gone are removed.
 * `before` contains the earlier state of each option at its position, or undefined if it is new.
 */
export function variantsOf(draft: Draft, options: OptionDraft[], before: (OptionDraft | undefined)[]): VariantDraft[] {
  const were = usedOptions(draft);
  const after = options.flatMap((option, at) => (isUsed(option) ? [{ ...option, was: before[at] }] : []));
  const seen = new Set<string>();
  const variants = draft.variants.flatMap((variant): VariantDraft[] => {
    const values = after.map(({ was, values = [] }) => {
      const at = was ? were.indexOf(was) : -1;
      // Existing variants get the first value of a new option.
      return at < 0 ? values[0] : optionsOf(variant)[at];
    });
    const isKept = values.every((value, i) => value !== undefined && after[i]?.values?.includes(value));
    const key = keyOf(values as string[]);
    if (!isKept || seen.has(key)) return [];
    seen.add(key);
    return [{ ...variant, ...byOption(values as string[]) }];
  });
  const [first] = draft.variants;
  if (variants.length > 0 || !first) return variants;
  return [{ ...first, ...byOption(after.map(({ values = [] }) => values[0] ?? '')) }];
}

function byOption([option1 = null, option2 = null, option3 = null]: (string | null)[]) {
  return { option1, option2, option3 };
}

function isUsed({ values = [] }: OptionDraft): boolean {
  return values.length > 0;
}

function keyOf(values: string[]): string {
  return JSON.stringify(values);
}
