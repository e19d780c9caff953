import { unwrap } from '@commerce-backend/sdk';
import { api, ifMatch, inWords } from '../../../api.ts';
import {
  changesIn,
  isByUrl,
  newImageFields,
  newProductBody,
  newVariantFields,
  productFields,
  variantFields,
  wholeOf,
} from './bodies.ts';
import { usedOptions } from './combinations.ts';
import { type Draft, draftOf, type ImageDraft, type Product, type VariantDraft } from './draft.ts';

/** A call of a save that was refused, and the variant that it was about. */
export class Refusal extends Error {
  readonly variant: string | undefined;

  constructor(cause: unknown, variant: string | undefined) {
    super(inWords(cause), { cause });
    this.variant = variant;
  }
}

interface Step {
  variant?: string | undefined;
  run: () => Promise<unknown>;
}

type Progress = (done: number, of: number) => void;

/**
 * Creates the product, then attaches the files that were uploaded for it. What became of a file is told beside the id: the
 * product is there, and saving it once more would make another.
 */
export async function createProduct(draft: Draft): Promise<{ id: string; failure?: unknown }> {
  const { id } = await unwrap(api.POST('/api/dashboard/products', { body: newProductBody(draft) })).catch((error) => {
    throw new Refusal(error, undefined);
  });
  const guard = new Guard(undefined);
  try {
    for (const [at, image] of draft.images.entries()) if (!isByUrl(image)) await guard.addImage(id, image, at + 1);
  } catch (failure) {
    return { id, failure };
  }
  return { id };
}

/**
 * Brings a product from what it was to what the draft says, in as few calls as there are changes. Each names the version that the
 * one before it left behind: when somebody else comes in between, it stops with 412 `stale`.
 */
export async function updateProduct(
  base: Product,
  etag: string | undefined,
  draft: Draft,
  onProgress: Progress,
): Promise<void> {
  const guard = new Guard(etag);
  const steps = [
    ...removedVariants(guard, base, draft),
    ...changedOptions(guard, base, draft),
    ...changedImages(guard, base, draft),
    ...changedVariants(guard, base, draft),
    ...changedFields(guard, base, draft),
    ...changedStock(base, draft),
  ];
  for (const [done, { run, variant }] of steps.entries()) {
    onProgress(done, steps.length);
    try {
      await run();
    } catch (error) {
      throw new Refusal(error, variant);
    }
  }
}

/** Calls upon one version after the other. */
class Guard {
  #etag: string | undefined;

  constructor(etag: string | undefined) {
    this.#etag = etag;
  }

  async send<Result extends { response: Response; error?: unknown }>(
    call: (headers: Record<string, string>) => Promise<Result>,
  ): Promise<void> {
    const result = await call(ifMatch(this.#etag));
    await unwrap(Promise.resolve(result));
    this.#etag = result.response.headers.get('ETag') ?? undefined;
  }

  addImage(product_id: string, image: ImageDraft, position: number, variant_ids: string[] = []): Promise<void> {
    const body = { ...newImageFields(image), position, ...(variant_ids.length > 0 && { variant_ids }) };
    return this.send((headers) =>
      api.POST('/api/dashboard/products/{product_id}/images', { params: { path: { product_id } }, body, headers }),
    );
  }
}

function changedFields(guard: Guard, base: Product, draft: Draft): Step[] {
  const body = changesIn(productFields(draftOf(base)), productFields(draft));
  if (!body) return [];
  const params = { path: { product_id: base.id } };
  return [
    {
      run: () => guard.send((headers) => api.PATCH('/api/dashboard/products/{product_id}', { params, body, headers })),
    },
  ];
}

function removedVariants(guard: Guard, base: Product, draft: Draft): Step[] {
  const kept = new Set(draft.variants.map(({ id }) => id));
  return base.variants
    .filter(({ id }) => !kept.has(id))
    .map(({ id }) => {
      const params = { path: { product_id: base.id, variant_id: id } };
      const path = '/api/dashboard/products/{product_id}/variants/{variant_id}';
      return { run: () => guard.send((headers) => api.DELETE(path, { params, headers })) };
    });
}

/** Values that are no longer used are gone by now; what variants need next must be there before them. */
function changedOptions(guard: Guard, base: Product, draft: Draft): Step[] {
  const wanted = usedOptions(draft);
  const one = '/api/dashboard/products/{product_id}/options/{option_id}';
  const removed = base.options
    .filter(({ id }) => !wanted.some((option) => option.id === id))
    .map(({ id }) => {
      const params = { path: { product_id: base.id, option_id: id } };
      return { run: () => guard.send((headers) => api.DELETE(one, { params, headers })) };
    });
  const written = wanted.flatMap(({ id, name, values }): Step[] => {
    const before = base.options.find((option) => option.id === id);
    if (!before || id === undefined) {
      const params = { path: { product_id: base.id } };
      const body = { name: name.trim(), values };
      const path = '/api/dashboard/products/{product_id}/options';
      return [{ run: () => guard.send((headers) => api.POST(path, { params, body, headers })) }];
    }
    const body = changesIn({ name: before.name, values: before.values }, { name: name.trim(), values });
    const params = { path: { product_id: base.id, option_id: id } };
    return body ? [{ run: () => guard.send((headers) => api.PATCH(one, { params, body, headers })) }] : [];
  });
  return [...removed, ...written];
}

function changedVariants(guard: Guard, base: Product, draft: Draft): Step[] {
  const before = new Map(draftOf(base).variants.map((variant) => [variant.id, pictured(variant, draft)]));
  return draft.variants.flatMap((variant): Step[] => {
    const was = variant.id === undefined ? undefined : before.get(variant.id);
    if (!was || variant.id === undefined) return [newVariant(guard, base.id, variant)];
    const body = changesIn(variantFields(was), variantFields(variant));
    if (!body) return [];
    const params = { path: { product_id: base.id, variant_id: variant.id } };
    const path = '/api/dashboard/products/{product_id}/variants/{variant_id}';
    return [{ variant: variant.key, run: () => guard.send((headers) => api.PATCH(path, { params, body, headers })) }];
  });
}

/** A variant as the pictures have left it, which were saved before and name the variants that they are of. */
function pictured(was: VariantDraft, { variants, images }: Draft): VariantDraft {
  const image_url = variants.find(({ id }) => id === was.id)?.image_url ?? '';
  const isSaid = images.some(({ url }) => url === (image_url || was.image_url));
  return isSaid ? { ...was, image_url } : was;
}

/** The variants that a picture is of. Those that are new say it themselves when they are made. */
function variantIdsOf(draft: Draft, url: string): string[] {
  return draft.variants.flatMap(({ id, image_url }) => (id !== undefined && image_url === url ? [id] : []));
}

function newVariant(guard: Guard, product_id: string, variant: VariantDraft): Step {
  const params = { path: { product_id } };
  const body = newVariantFields(variant);
  const path = '/api/dashboard/products/{product_id}/variants';
  return { variant: variant.key, run: () => guard.send((headers) => api.POST(path, { params, body, headers })) };
}

function changedImages(guard: Guard, base: Product, draft: Draft): Step[] {
  const path = '/api/dashboard/products/{product_id}/images/{image_id}';
  const paramsOf = (image_id: string) => ({ path: { product_id: base.id, image_id } });
  const kept = new Set(draft.images.map(({ id }) => id));
  const removed = base.images
    .filter(({ id }) => !kept.has(id))
    .map(({ id }) => ({ run: () => guard.send((headers) => api.DELETE(path, { params: paramsOf(id), headers })) }));
  // How the server numbers them, step by step.
  const order: (string | undefined)[] = base.images.filter(({ id }) => kept.has(id)).map(({ id }) => id);
  const written = draft.images.flatMap((image, at): Step[] => {
    const { id } = image;
    if (id === undefined) {
      order.splice(at, 0, undefined);
      return [{ run: () => guard.addImage(base.id, image, at + 1, variantIdsOf(draft, image.url)) }];
    }
    const was = base.images.find((other) => other.id === id);
    const left = (was?.variant_ids ?? []).filter((variant) => draft.variants.some((other) => other.id === variant));
    const fields = changesIn(
      { alt: was?.alt ?? null, variant_ids: left.toSorted() },
      { alt: image.alt.trim() || null, variant_ids: variantIdsOf(draft, image.url).toSorted() },
    );
    const from = order.indexOf(id);
    if (from !== at) order.splice(at, 0, ...order.splice(from, 1));
    if (!fields && from === at) return [];
    const body = { ...fields, ...(from !== at && { position: at + 1 }) };
    return [{ run: () => guard.send((headers) => api.PATCH(path, { params: paramsOf(id), body, headers })) }];
  });
  return [...removed, ...written];
}

/** Stock is counted, not overwritten: what was sold since the page was opened refuses the change. */
function changedStock(base: Product, draft: Draft): Step[] {
  const before = new Map(base.variants.map(({ id, inventory_quantity }) => [id, inventory_quantity]));
  return draft.variants.flatMap((variant): Step[] => {
    const expected_quantity = before.get(variant.id ?? '');
    if (expected_quantity === undefined || variant.id === undefined) return [];
    const set_to = wholeOf(variant.quantity);
    if (set_to === expected_quantity) return [];
    const params = { path: { variant_id: variant.id } };
    const body = { set_to, expected_quantity, reason: 'correction' as const };
    const run = () => unwrap(api.POST('/api/dashboard/inventory/{variant_id}/adjust', { params, body }));
    return [{ variant: variant.key, run }];
  });
}
