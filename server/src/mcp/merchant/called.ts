import type { Caller, Claim } from '../../http/callers/caller.ts';
import type { Called } from '../call-tool.ts';

/** An authenticated request whose claim contains the assistant. */
export interface CalledByAssistant extends Called {
  caller: Caller & Required<Pick<Caller, 'assistant'>>;
  claim: Claim & Required<Pick<Claim, 'assistant'>>;
}
