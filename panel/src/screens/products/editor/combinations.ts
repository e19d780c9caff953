import { type Draft, emptyVariant, newKey, type OptionDraft, type VariantDraft } from './draft.ts';

/** As many variants as a product may have. */
export const MOST_VARIANTS = 250;

/** Every combination of the options' values, the last option's changing fastest. */
export function combinationsOf(options: OptionDraft[]): string[][] {
  return options.reduce<string[][]>(
    (all, { values }) => all.flatMap((begun) => values.map((value) => [...begun, value])),
    [[]],
  );
}

/** The options that say something: those without a value yet make no variants. */
export function usedOptions(draft: Draft): OptionDraft[] {
  return draft.options.filter(({ values }) => values.length > 0);
}

/** The combinations for which there is no variant yet. */
export function missingCombinations(draft: Draft): string[][] {
  const options = usedOptions(draft);
  if (options.length === 0) return [];
  const present = new Set(draft.variants.map((variant) => keyOf(variant.options)));
  return combinationsOf(options).filter((combination) => !present.has(keyOf(combination)));
}

/**
 * Adds a variant for each missing combination. Prices, weights and policies are taken from the first variant; codes, stock and
 * pictures are each variant's own.
 */
export function withAllCombinations(draft: Draft): Draft {
  const missing = missingCombinations(draft);
  const [model = emptyVariant()] = draft.variants;
  const { id, ...like } = model;
  const made = missing.map(
    (options): VariantDraft => ({
      ...like,
      key: newKey(),
      options,
      sku: '',
      barcode: '',
      quantity: '0',
      image_url: '',
    }),
  );
  const kept = draft.variants.filter(({ options }) => options.length === usedOptions(draft).length);
  return { ...draft, variants: inOrder([...kept, ...made], draft.options) };
}

/** Options changed: each variant keeps a value for each option, and those whose value is gone leave. */
export function withOptions(draft: Draft, options: OptionDraft[]): Draft {
  const before = usedOptions(draft);
  const after = options.filter(({ values }) => values.length > 0);
  const seen = new Set<string>();
  const variants = draft.variants.flatMap((variant): VariantDraft[] => {
    const values = after.map((option) => {
      const at = before.findIndex(({ key }) => key === option.key);
      // A new option's first value is what every variant so far has of it.
      return at < 0 ? option.values[0] : variant.options[at];
    });
    if (values.some((value, i) => value === undefined || !after[i]?.values.includes(value))) return [];
    const key = keyOf(values as string[]);
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ ...variant, options: values as string[] }];
  });
  const [first] = draft.variants;
  return {
    ...draft,
    options,
    variants: variants.length > 0 || !first ? variants : [{ ...first, options: after.map(firstOf) }],
  };
}

function firstOf({ values }: OptionDraft): string {
  return values[0] ?? '';
}

function inOrder(variants: VariantDraft[], options: OptionDraft[]): VariantDraft[] {
  const used = options.filter(({ values }) => values.length > 0);
  const rank = ({ options: values }: VariantDraft) =>
    used.reduce((sum, option, i) => sum * 1000 + option.values.indexOf(values[i] ?? ''), 0);
  return variants.sort((a, b) => rank(a) - rank(b));
}

function keyOf(values: string[]): string {
  return JSON.stringify(values);
}
