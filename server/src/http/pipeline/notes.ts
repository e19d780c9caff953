import type { Caller } from '../callers/caller.ts';
import type { Operation } from '../contract/contract.ts';

/** What the pipeline notes of a request for the log line and the metrics. */
export interface Notes {
  request_id: string;
  /** Of the row that the call leaves in the audit, if it leaves one. */
  audit_id: string;
  operation?: Operation;
  caller?: Caller;
  cached?: boolean;
  /** Takes back what was counted as a failure until it was known to be none. */
  succeeded?: () => Promise<void>;
  error?: string;
  cause?: unknown;
}
