import type { Read } from '../formats/reading.ts';
import { batchesOf } from './batches.ts';
import { type Import, sendAll } from './send.ts';
import { type SharedSkuRule, withoutSharedSkus } from './shared-skus.ts';

/** Sends all products that are read; what the reader or the server refuses stops no other. Throws what ended the import. */
export async function importProducts(
  reads: AsyncIterable<Read>,
  rule: SharedSkuRule,
  target: Omit<Import, 'claimed'>,
): Promise<void> {
  const batches = batchesOf(withoutSharedSkus(reads, rule, target.warned), (refused) => {
    target.counts.refused += 1;
    target.refused(refused);
  });
  await sendAll(batches, { ...target, claimed: new Map() });
}
