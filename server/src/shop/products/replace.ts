import type { Product, ProductReplacement } from '@commerce-backend/spec';
import { indexProducts } from '../../search/index/index-products.ts';
import { ValidationError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { isAsPlanned } from './compare.ts';
import * as fileImages from './file-images.ts';
import { addressOf } from './images.ts';
import { Mistakes, type Place } from './mistakes.ts';
import { hasNewSku, type ImagePlan } from './plan.ts';
import { knownParts, planReplacement } from './plan-replacement.ts';
import * as products from './products.ts';
import { takenSkus } from './taken-skus.ts';
import { lockWithVariants, updateProduct } from './update.ts';

/**
 * Saves a product as a whole. If nothing differs, writes nothing and sends no event. Throws `not_found`, `slug_taken`,
 * `insufficient_stock`, `conflict` if a variant with reserved stock would be deleted, or a ValidationError.
 */
export async function replace(shop: Shop, id: string, input: ProductReplacement, baseUrl: string): Promise<Product> {
  const before = await lockWithVariants(shop, id);
  const mistakes = new Mistakes();
  const known = await fileImages.withWaiting(shop, before, baseUrl);
  const images = input.images && (await planImages(shop, input.images, known, mistakes));
  const plan = planReplacement(input, images?.shown, shop.currencyDigits, before, mistakes);
  if (images) await fileImages.replaceWaiting(shop, id, images.waiting);
  if (!isAsPlanned(before, plan, false)) {
    const renamed = plan.variants.map((variant) => (hasNewSku(variant) ? variant : {}));
    const taken = await takenSkus(shop, { slug: before.slug, variants: renamed }, ['body']);
    if (taken.length > 0) throw new ValidationError(taken.slice(0, 50));
    await updateProduct(shop, before, plan);
    await indexProducts(shop, [id]);
  }
  return fileImages.withWaiting(shop, await products.get(shop, id), baseUrl);
}

type ImageReplacement = NonNullable<ProductReplacement['images']>[number];

/** Plans the displayed images and those that wait for their file. `before` contains both. */
async function planImages(shop: Shop, sent: ImageReplacement[], before: Product, mistakes: Mistakes) {
  const loc: Place = ['body', 'images'];
  const known = knownParts('image', sent, before.images, mistakes, loc);
  const order = before.images.filter((image) => known.includes(image));
  const isMoved = known.filter((image) => image !== undefined).some((image, i) => image !== order[i]);
  const shown: ImagePlan[] = [];
  const waiting: fileImages.WaitingPlan[] = [];
  for (const [i, { id: _, file_id, ...image }] of sent.entries()) {
    const old = known[i];
    if (old?.status === 'processing') {
      waiting.push({
        id: old.id,
        alt: image.alt === undefined ? old.alt : image.alt,
        position: isMoved ? i + 1 : old.position,
      });
      for (const field of ['url', 'width', 'height'] as const) {
        if (image[field] === undefined || image[field] === old[field]) continue;
        mistakes.add(
          [...loc, i, field],
          'extra_forbidden',
          'While the image is processed, only its text can be changed.',
        );
      }
    } else if (old) {
      const { id, url, alt, width, height } = old;
      shown.push({ ...{ id, url, alt, width, height }, ...image });
    } else {
      const url = await addressOf(shop, { ...image, file_id }, [...loc, i]).catch((error) => mistakes.keep(error));
      if (url) shown.push({ ...image, url });
      else if (file_id !== undefined) waiting.push({ file_id, alt: image.alt ?? null, position: i + 1 });
    }
    if (old && file_id !== undefined) {
      mistakes.add(
        [...loc, i, 'file_id'],
        'extra_forbidden',
        'An uploaded file is a new image: send it without an id.',
      );
    }
  }
  return { shown, waiting };
}
