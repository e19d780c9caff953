import { newId } from '../../db/new-id.ts';
import type { ShopError } from '../../shop/errors.ts';
import type { Caller, Claim } from '../callers/caller.ts';
import type { Operation } from '../contract/contract.ts';

export type Protocol = 'mcp' | 'ucp';

/** What the pipeline notes of a request for the log line and the metrics. */
export interface Notes {
  request_id: string;
  /** See `auditIdOf`. */
  audit_id?: string;
  operation?: Operation;
  /** The protocol through which an agent calls, if it is not the API itself. */
  protocol?: Protocol;
  /** For whom a call is made in this process, where the server vouches for it; otherwise the headers say so. */
  claim?: Claim;
  caller?: Caller;
  cached?: boolean;
  /** Takes back what was counted as a failure until it was known to be none. */
  succeeded?: () => Promise<void>;
  /** The answer in place of a refusal, where the shop has had too many failures; see `Counted`. */
  refusalIfFailed?: ShopError;
  error?: string;
  cause?: unknown;
}

/** The id of the row that the call leaves in the audit: the same whenever it is asked for. */
export function auditIdOf(notes: Notes): string {
  notes.audit_id ??= newId();
  return notes.audit_id;
}
