import { type OptionDraft, optionsOf, type ProductDraft, type VariantDraft } from './draft.ts';

/** Maximum number of variants that the editor creates. The API and imports accept 2,048. */
export const MOST_VARIANTS = 250;

type Draft = Pick<ProductDraft, 'options' | 'variants'>;

/** All combinations of option values. The last option varies fastest. */
export function combinationsOf(options: OptionDraft[]): string[][] {
  return options.reduce<string[][]>(
    (all, { values = [] }) => all.flatMap((begun) => values.map((value) => [...begun, value])),
    [[]],
  );
}

/** Options without values are ignored, because they create no variants. */
export function usedOptions({ options }: Pick<Draft, 'options'>): OptionDraft[] {
  return options.filter(isUsed);
}

/** Combinations for which there is no variant. */
export function missingCombinations(draft: Draft): string[][] {
  const options = usedOptions(draft);
  if (options.length === 0) return [];
  const present = new Set(draft.variants.map((variant) => keyOf(optionsOf(variant))));
  return combinationsOf(options).filter((combination) => !present.has(keyOf(combination)));
}

/**
 * All variants, including a new one for each missing combination. New ones copy price, weight and policies of the first
 * variant, but not SKU, barcode, stock or image.
 */
export function allVariants(draft: Draft): VariantDraft[] {
  const { id, ...like } = draft.variants[0] ?? {};
  // Null instead of undefined: for undefined, the form would show and save the value of the variant that was stored at
  // this index.
  const own = { sku: null, barcode: null, image_url: null, inventory_quantity: 0 };
  const made = missingCombinations(draft).map((values) => ({ ...like, ...own, ...byOption(values) }));
  const used = usedOptions(draft);
  const kept = draft.variants.filter((variant) => optionsOf(variant).length === used.length);
  const rank = (variant: VariantDraft) =>
    used.reduce((sum, { values = [] }, i) => sum * 1000 + values.indexOf(optionsOf(variant)[i] ?? ''), 0);
  return [...kept, ...made].sort((a, b) => rank(a) - rank(b));
}

/**
 * The variants after options were edited. Variants whose value was removed are removed, but at least one variant
 * remains. If variants become equal, only the first of them remains. A new option's first value is given to all
 * variants. `before` contains each option's earlier state, or undefined for a new option.
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
