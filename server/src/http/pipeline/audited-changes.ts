import type { Shop } from '../../shop/shop.ts';
import type { Caller } from '../callers/caller.ts';
import type { Operation } from '../contract/contract.ts';
import type { Received } from '../received.ts';
import { changesOfRows } from './audited-rows.ts';
import type { Answer } from './errors.ts';

/** Whether the audit records field values before and after the call. It does for changes through the dashboard API. */
export function hasAuditedChanges({ surface, safe }: Operation, { kind }: Caller): boolean {
  return surface === 'dashboard' && !safe && (kind === 'staff' || kind === 'api_key');
}

/** Runs the call and adds the changed fields to its response. `run` gets the locked resource if it was read. */
export async function withAuditedChanges(
  operation: Operation,
  { params, body }: Pick<Received, 'params' | 'body'>,
  shop: Shop,
  run: (locked?: object) => Promise<Answer>,
): Promise<Answer> {
  const ofRows = changesOfRows(operation.name, body);
  if (ofRows) {
    const answer = await run();
    return { ...answer, changes: ofRows(answer.told) };
  }
  // Imported here, because the folders of shop/ are loaded with the handlers and not with the pipeline.
  const { withChanges } = await import('../../shop/versions/audited-changes.ts');
  const { noun, answers } = operation;
  const { result, changes } = await withChanges(shop, { noun, answers, params, work: run });
  return { ...result, changes };
}
