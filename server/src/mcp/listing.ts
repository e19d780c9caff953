import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Counted } from '../http/pipeline/counted.ts';

/** The refusal of a list of tools that was asked for too often, as JSON-RPC has errors: its data is what the API would answer. */
export function refuseListing({ refusal }: Counted): void {
  if (!refusal) return;
  const { code: error, message, context } = refusal;
  throw new ProtocolError(ProtocolErrorCode.InvalidRequest, message, { error, message, ...context });
}
