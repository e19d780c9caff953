import { type CommerceError, unwrap } from '@commerce-backend/sdk';
import { slugOf } from '../../../../../cli/src/formats/slug.ts';
import { api, type Inputs, ifMatch, inWords, readAgain, type Versioned, versioned } from '../../../api.ts';
import { t } from '../../../language/texts.ts';
import { changedItems, changesOf, without } from '../../../ui/form/changes.ts';
import { PartlySaved } from '../../../ui/form/use-editing.ts';
import { usedOptions } from './combinations.ts';
import { draftOf, type ProductDraft } from './draft.ts';

type Saved = Versioned<ProductDraft>;

/** Query keys of lists that show product data. */
export const SHOWN_BY = ['products', 'inventory', 'collections'] as const;

export function forgetProducts(): Promise<void> {
  return readAgain(...SHOWN_BY);
}

export async function loadProduct(product_id: string, signal?: AbortSignal): Promise<Saved> {
  const params = { path: { product_id } };
  const call = api.GET('/api/dashboard/products/{product_id}', { params, ...(signal && { signal }) });
  const { data, etag } = await versioned(call, unwrap);
  return { data: draftOf(data), etag };
}

/**
 * Creates the product, then attaches the uploaded files. If attaching fails, returns the failure with the id, because
 * the product exists and saving again would create a duplicate.
 */
export async function createProduct(draft: ProductDraft): Promise<{ id: string; failure?: unknown }> {
  const { images = [], ...fields } = changesOf({}, inBody(draft));
  const byAddress = images.filter(({ file_id }) => file_id === undefined);
  const body = { ...fields, images: byAddress } as Inputs['ProductInput'];
  const { data, etag } = await versioned(api.POST('/api/dashboard/products', { body }), unwrap);
  const { id } = data;
  if (byAddress.length === images.length) return { id };
  const stored = draftOf(data);
  const added = stored.images.values();
  const all = draft.images.map((image) => (image.file_id === undefined ? (added.next().value ?? image) : image));
  try {
    await put(id, { data: stored, etag }, { ...stored, images: all });
  } catch (failure) {
    return { id, failure };
  }
  return { id };
}

/** Saves a product in one call, then adjusts the stock of variants that already existed. */
export async function saveProduct(product_id: string, draft: ProductDraft, over: Saved): Promise<Saved> {
  const saved = await put(product_id, over, draft);
  const failure = await adjustStock(over.data, draft);
  if (failure === undefined) return saved;
  const now = await loadProduct(product_id).catch(() => saved);
  if (failure === null) return now;
  await forgetProducts();
  // Another user may have added or deleted variants since the draft was loaded.
  const typed = now.data.variants.map((variant) => {
    const own = draft.variants.find(({ id }) => id === variant.id);
    return { ...variant, inventory_quantity: own?.inventory_quantity ?? variant.inventory_quantity };
  });
  throw new PartlySaved(STOCK_LEFT, now, { ...now.data, variants: typed }, failure);
}

const STOCK_LEFT = t('The product is saved, but not the stock that is marked. Check it and save again.');

async function put(product_id: string, over: Saved, draft: ProductDraft): Promise<Saved> {
  const before = inBody(over.data);
  const { options, variants, images, ...fields } = changesOf(before, inBody(draft));
  const body: Inputs['ProductReplacement'] = {
    ...fields,
    ...(options && { options: changedItems(before.options, options) }),
    ...(variants && { variants: changedItems(before.variants, variants) }),
    ...(images && { images: changedItems(before.images, images) }),
  };
  if (JSON.stringify(body) === '{}') return over;
  const call = { params: { path: { product_id } }, body, headers: ifMatch(over.etag) };
  const { data, etag } = await versioned(api.PUT('/api/dashboard/products/{product_id}', call), unwrap);
  return { data: draftOf(data), etag };
}

/**
 * Converts a draft to the request body. An empty slug is omitted, so that it stays unchanged. Options without values
 * are omitted, uploads are referenced by file id, and the stock of existing variants is not part of the body.
 */
function inBody(draft: ProductDraft): ProductDraft {
  return {
    ...draft,
    // The server derives the plain description from the formatted one.
    description: draft.description_html ? undefined : draft.description,
    slug: draft.slug ? slugOf(draft.slug) || draft.slug : undefined,
    options: usedOptions(draft),
    variants: draft.variants.map((variant) =>
      variant.id === undefined ? variant : without(variant, ['inventory_quantity']),
    ),
    images: draft.images.map((image) => (image.file_id === undefined ? image : without(image, ['url']))),
  };
}

/** Maximum number of adjustments per call. */
const MOST_ADJUSTED = 500;

/**
 * Adjusts stock instead of overwriting it: an adjustment is rejected if the stock is no longer that of `base`.
 * Returns undefined if there was nothing to adjust, null if all adjustments succeeded, otherwise the mistakes.
 */
async function adjustStock(
  base: ProductDraft,
  draft: ProductDraft,
): Promise<Partial<CommerceError> | null | undefined> {
  const changes = draft.variants.flatMap(({ id: variant_id, inventory_quantity: set_to }, at) => {
    const expected_quantity = base.variants.find(({ id }) => id === variant_id)?.inventory_quantity;
    const isCounted = variant_id !== undefined && set_to !== undefined && set_to !== expected_quantity;
    return isCounted && expected_quantity !== undefined ? [{ at, variant_id, set_to, expected_quantity }] : [];
  });
  const detail: CommerceError['detail'] & unknown[] = [];
  const fail = (at: number, msg: string) =>
    detail.push({ loc: ['body', 'variants', at, 'inventory_quantity'], msg, type: 'value_error' });
  for (let from = 0; from < changes.length; from += MOST_ADJUSTED) {
    const some = changes.slice(from, from + MOST_ADJUSTED);
    const body = { reason: 'correction' as const, adjustments: some.map(({ at, ...adjustment }) => adjustment) };
    try {
      const { results } = await unwrap(api.POST('/api/dashboard/inventory/adjust', { body }));
      for (const { index, status, message } of results) {
        if (status === 'failed') fail(some[index]?.at ?? 0, message ?? t('Rejected.'));
      }
    } catch (error) {
      for (const { at } of some) fail(at, inWords(error));
    }
  }
  if (changes.length === 0) return undefined;
  return detail.length === 0 ? null : { detail };
}
