import { rejection } from '../../../language/sentences.ts';
import { t } from '../../../language/texts.ts';
import type { BulkResult } from './bulk-queries.ts';

/** Maximum number of rejected products in a message. */
const MOST_LISTED = 5;

/** The result of a bulk action as a message, with the reasons of rejected products. */
export function reportOf(results: BulkResult[], number: (value: number) => string): { failed: boolean; text: string } {
  const count = (status: BulkResult['status']) => results.filter((result) => result.status === status).length;
  const failed = results.filter(({ status }) => status === 'failed');
  const unchanged = count('unchanged');
  const sentences = [
    t('{count} changed.', { count: number(count('changed')) }),
    ...(unchanged > 0 ? [t('{count} were already like this.', { count: number(unchanged) })] : []),
    ...failed.slice(0, MOST_LISTED).map((result) => `${result.name ?? result.product_id}: ${rejection(result)}`),
    ...(failed.length > MOST_LISTED
      ? [t('{count} more were not changed.', { count: number(failed.length - MOST_LISTED) })]
      : []),
  ];
  return { failed: failed.length > 0, text: sentences.join(' ') };
}
