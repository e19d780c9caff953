/**
 * Changes that wait for the member's confirmation. The exact call is stored, together with the current values as far as
 * the assistant may read them.
 */

import { operationTable } from '../../http/contract/contract.ts';
import type { OperationAnswer, OperationCall } from '../../http/in-process.ts';
import type { WholeCall } from '../../http/pipeline/handler.ts';
import * as actions from '../../shop/agents/assistant-actions.ts';
import type { CalledByAssistant } from './called.ts';

type Fields = Record<string, unknown>;

/** Checks a call as usual, but stores it instead of running it. */
export async function propose(called: CalledByAssistant, call: OperationCall): Promise<OperationAnswer> {
  const { calls, served } = called;
  const read = await readPresent(called, call);
  if (read && read.status >= 400) return read;
  const { path = {}, body, operation } = call;
  const request = { path, ...(body !== undefined && { body }) };
  const present = presentIn(read, call);
  const hold = async ({ shop, caller, baseUrl }: WholeCall<'dashboard.updateProduct'>) => {
    const { id, expires_at, shop_name } = await actions.hold(shop, caller.credential_id, {
      operation: operation.id,
      request,
      present,
    });
    return {
      status: 'requires_confirmation',
      // One address serves all shops, and a member may run several.
      shop: shop_name,
      action_id: id,
      confirm_url: `${baseUrl}/panel/confirm/${id}`,
      expires_at,
      next: 'Nothing has changed yet. Show the member confirm_url and the shop. They confirm there, within 15 minutes.',
    };
  };
  return calls(served, { ...call, hold });
}

/** Reads the resource that a call changes, as the assistant; undefined if no operation returns it. */
async function readPresent({ calls, served }: CalledByAssistant, { operation, path, vouched }: OperationCall) {
  // `/api/dashboard/orders/{order_id}` of `/api/dashboard/orders/{order_id}/refunds`.
  const parent = operation.path.split('/').slice(0, 5).join('/');
  const reader = operationTable.find(({ method, path: at }) => method === 'get' && at === parent && at.endsWith('}'));
  const known =
    reader && Object.fromEntries(Object.entries(path ?? {}).filter(([name]) => parent.includes(`{${name}}`)));
  return reader && calls(served, { operation: reader, path: known, vouched });
}

function presentIn(read: OperationAnswer | undefined, { operation, path = {}, body }: OperationCall): actions.Present {
  const shown = (read?.body ?? {}) as Fields;
  const variants = Array.isArray(shown.variants) ? (shown.variants as Fields[]) : [];
  const changed = path.variant_id === undefined ? shown : variants.find(({ id }) => id === path.variant_id);
  const sent = operation.method === 'patch' ? Object.keys((body ?? {}) as Fields) : [];
  const names = [shown.order_number, shown.number, shown.name, shown.code].filter((one) => typeof one === 'string');
  return {
    etag: (operation.guarded && read?.headers.etag) || null,
    target: (names[0] as string | undefined) ?? null,
    before: Object.fromEntries(sent.flatMap((name) => (changed && name in changed ? [[name, changed[name]]] : []))),
  };
}
