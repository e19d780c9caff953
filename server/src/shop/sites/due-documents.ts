/**
 * Orders that wait for an invoice or credit note. The export lists them, because the rows do not show which orders
 * still need an invoice: orders from before invoices were set up need none.
 */

import type pg from 'pg';
import type { DueDocument } from '../../backup/format.ts';

/** Reads the orders of a site whose documents are in the queue. Needs the owner of the tables. */
export async function readDueDocuments(owner: pg.ClientBase, site_id: string): Promise<DueDocument[]> {
  const { rows } = await owner.query<DueDocument>(
    `select j.payload->>'order_id' as order_id, bool_or(coalesce((j.payload->>'by_hand')::boolean, false)) as by_hand
      from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
      where t.identifier = 'issue_documents' and j.payload->>'site_id' = $1 and j.attempts < j.max_attempts
      group by 1 order by 1`,
    [site_id.toLowerCase()],
  );
  return rows;
}

/**
 * Queues the documents of the imported site, and deletes the jobs that a trigger queued for each inserted order that is
 * paid. The file is not trusted, so only the site's own orders are accepted.
 */
export async function queueDueDocuments(client: pg.ClientBase, site_id: string, due: DueDocument[]): Promise<void> {
  await client.query(
    `delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
      where t.id = j.task_id and t.identifier = 'issue_documents' and j.payload->>'site_id' = $1::uuid::text`,
    [site_id],
  );
  await client.query(
    `select commerce.enqueue('issue_documents',
        json_build_object('site_id', o.site_id, 'order_id', o.id, 'by_hand', d.by_hand), now())
      from jsonb_to_recordset($2::jsonb) as d (order_id text, by_hand boolean)
      join commerce.orders o on o.site_id = $1 and o.id::text = d.order_id`,
    [site_id, JSON.stringify(due)],
  );
}
