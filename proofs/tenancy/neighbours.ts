import { type Operation, operationTable } from '../../server/src/http/contract/contract.ts';
import { type Call, comparable } from '../testing/raw-requests.ts';
import type { Tenant, World } from '../testing/tenant.ts';
import { validCall } from '../testing/valid-requests.ts';

/** Operations without credentials that concern a shop. */
const OPEN_OF_SHOP = [
  ...['agent.requestConsent', 'agent.pollConsent'],
  ...['dashboard.getInvitation', 'dashboard.registerStaff', 'dashboard.login'],
];

/**
 * Whether an operation belongs to the caller's shop. Accepting an invitation does not belong to it, because the person
 * and their login are not part of that shop.
 */
export function isOfShop({ id, security }: Operation): boolean {
  return (security.length > 0 || OPEN_OF_SHOP.includes(id)) && id !== 'dashboard.acceptInvitation';
}

/**
 * Records the responses of a neighbour to read operations. Responses that were the same twice must stay the same until
 * the end.
 */
export async function neighbourOf(world: World, living: Tenant) {
  const ask = async (call: Call) => comparable(await world.send(call, living), []);
  const first: { call: Call; answer: string }[] = [];
  for (const operation of operationTable.filter((one) => one.safe && isOfShop(one))) {
    const call = await validCall(world, living, operation);
    first.push({ call, answer: await ask(call) });
  }
  // Keeps only reads that return the same response twice. The audit and the last use of a key, for example, change with
  // each call.
  const reads: typeof first = [];
  for (const read of first) if ((await ask(read.call)) === read.answer) reads.push(read);
  return {
    async compare(when: string) {
      for (const { call, answer } of reads) {
        const now = await ask(call);
        if (now !== answer)
          world.violations.add(`${when}, ${call.operation.id} of a neighbour changed: ${answer} → ${now}`);
      }
    },
  };
}
