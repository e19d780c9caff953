import type { Read } from '../formats/reading.ts';
import { batchesOf } from './batches.ts';
import { type Import, sendAll } from './send.ts';
import { type SharedSkuRule, withoutSharedSkus } from './shared-skus.ts';
import { SkuPlaces } from './sku-places.ts';

/** Sends all products. A rejected one does not stop the others. Throws the error that ended the import. */
export async function importProducts(
  reads: AsyncIterable<Read>,
  rule: SharedSkuRule,
  target: Omit<Import, 'places' | 'claims'>,
): Promise<void> {
  const places = new SkuPlaces();
  const warned: typeof target.warned = ({ message, ...warning }) =>
    target.warned({ ...warning, message: `${message} --duplicate-skus changes that.` });
  const batches = batchesOf(withoutSharedSkus(reads, rule, warned, places), (refused) => {
    target.counts.refused += 1;
    target.refused(refused);
  });
  await sendAll(batches, { ...target, places, claims: rule === 'refuse' });
}
