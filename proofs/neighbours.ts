import { type Operation, operationTable } from '../server/src/http/contract/contract.ts';
import { type Call, tell } from './client.ts';
import { validCall } from './requests.ts';
import type { Tenant, World } from './tenant.ts';

/** Operations without a shop: they concern a login, for any caller. */
const OF_NO_SHOP = (operation: Operation) => operation.security.length === 0 && !OPEN_OF_SHOP.includes(operation.id);
const OPEN_OF_SHOP = [
  ...['agent.requestConsent', 'agent.pollConsent'],
  ...['dashboard.getInvitation', 'dashboard.registerStaff', 'dashboard.login'],
];

/** A person who accepts an invitation works elsewhere or nowhere: their login is not the shop's. */
export function isOfShop(operation: Operation): boolean {
  return !OF_NO_SHOP(operation) && operation.id !== 'dashboard.acceptInvitation';
}

/** A neighbour's responses: reads that give the same in a second round must give it to the end. */
export async function neighbourOf(world: World, living: Tenant) {
  let answers = 0;
  const ask = async (call: Call) => {
    answers += 1;
    return tell(await world.send(call, living), []);
  };
  const first: { call: Call; answer: string }[] = [];
  for (const operation of operationTable.filter((one) => one.safe && isOfShop(one))) {
    const call = await validCall(world, living, operation);
    first.push({ call, answer: await ask(call) });
  }
  // Without reads that reflect the calls themselves: the audit, and the last use of a key.
  const reads: typeof first = [];
  for (const read of first) if ((await ask(read.call)) === read.answer) reads.push(read);
  return {
    answers: () => answers,
    async compare(when: string) {
      for (const { call, answer } of reads) {
        const now = await ask(call);
        if (now !== answer)
          world.violations.add(`${when}, ${call.operation.id} of a neighbour changed: ${answer} → ${now}`);
      }
    },
  };
}
