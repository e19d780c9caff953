import { operationTable } from '../../server/src/http/contract/contract.ts';
import { underKey, unexpected } from '../testing/idempotent-requests.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import type { Call, Reply } from '../testing/raw-requests.ts';
import { ODD_TEXTS, valueAt } from '../testing/request-mutations.ts';
import { type Slot, slotsOf, withValue } from '../testing/request-values.ts';
import { operationOf, type Tenant, type World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';

/**
 * Sends unusual texts, of kinds that people and programs really send, in the free-text fields of the writing
 * operations.
 */
export const H8: Proof = {
  id: 'H8',
  promise: 'An unusual text is stored and shown exactly as sent, or rejected; it is never changed silently.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const [tenant] = world.tenants;
      const chance = chanceOf(trial.seed);
      let tried = 0;
      const writing = operationTable.filter(({ hasBody }) => hasBody);
      for (const operation of chance.some(writing, pick(trial.size, 12, writing.length))) {
        const call = await validCall(world, tenant, operation);
        const texts = slotsOf(operation, call.body).filter((slot) => slot.in === 'body' && isFreeText(slot));
        const attacks = texts.flatMap((slot) => Object.entries(TEXTS).map(([what, text]) => ({ slot, what, text })));
        const tops = texts.filter(({ at }) => at.length === 1 && valueAt(call.body, at) !== undefined);
        for (const [what, text] of tops.length > 0 ? Object.entries(TEXTS) : []) {
          tried += tops.length;
          await roundTrip(world, tenant, call, tops, what, text);
        }
        for (const { slot, what, text } of chance.some(attacks, pick(trial.size, 4, 10_000))) {
          tried += 1;
          await roundTrip(world, tenant, call, [slot], what, text);
        }
      }
      return { tried, unit: 'texts', violations: world.violations.list } satisfies Figures;
    }),
};

/** Quotes, percent signs and so on have a meaning in SQL, JSON, logs and templates, but must have none in the shop. */
const TEXTS = {
  ...ODD_TEXTS,
  CONTROL: 'a\u0001\u001b[31mb',
  LINES: 'a\r\nb\tc',
  QUOTES: `a'b"c\\d\`e`,
  TEMPLATE: '{{7*7}} <%= 7*7 %> %s $1',
  RIGHT_TO_LEFT: 'مرحبا שלום',
  TURKISH: 'İıŞş',
  COMBINED: 'Z̈a̧l̆g̃o',
  DOTLESS: 'straße STRASSE',
};

/**
 * Whether a text field has no required format. Passwords and filter values are excluded, because they are not shown.
 */
function isFreeText({ schema, name }: Slot): boolean {
  const plain = !schema.enum && !schema.pattern && !schema.format && schema.const === undefined;
  return [schema.type].flat().includes('string') && plain && name !== 'password' && name !== 'value';
}

/** Operations that succeed only once on the same object, so that each text needs a new object. */
const HAPPENS_ONCE = [
  'dashboard.cancelOrder',
  'dashboard.createFulfillment',
  'dashboard.createRefund',
  'dashboard.declineReturn',
  'dashboard.refundReturn',
  'dashboard.closeReturn',
  'dashboard.linkWithdrawal',
];

/**
 * Operations whose text is read back through another operation, because the field of the same name in their own
 * response has another meaning: `reason` of `cancelOrder`.
 */
const SHOWN_BY: Record<string, string> = { 'dashboard.cancelOrder': 'dashboard.getOrderTimeline' };

/**
 * The field of the response that shows the request's `reason`. The name `reason` is ambiguous, because each return line
 * has its own.
 */
const SHOWN_AS: Record<string, string> = {
  'dashboard.declineReturn': 'decline_reason',
  'dashboard.closeReturn': 'close_reason',
};

/** Sends the text in all slots of one request, and expects it back unchanged. */
async function roundTrip(world: World, tenant: Tenant, valid: Call, slots: Slot[], what: string, text: string) {
  const { id } = valid.operation;
  const base = HAPPENS_ONCE.includes(id) ? await validCall(world, tenant, valid.operation) : valid;
  const call = underKey(slots.reduce((filled, slot) => withValue(filled, slot, text), base));
  const reply = await world.send(withUniqueNames(call, slots), tenant);
  if (reply.status >= 500) return unexpected(world, call, what, reply);
  if (reply.status >= 300) return;
  const reader = SHOWN_BY[id];
  const answer = reader
    ? await world.send({ ...(await validCall(world, tenant, operationOf(reader))), path: call.path }, tenant)
    : reply;
  for (const slot of slots) {
    const shown = shownAs(answer, slot, SHOWN_AS[id] ?? slot.name);
    // A description may be HTML, of which `description` keeps only the text. Spaces around a text are trimmed.
    const reflowed =
      (slot.name === 'description' && /[\r\n\t]/.test(text)) ||
      (slot.name === 'description_html' && /[<>&\s]/.test(text));
    // An import names the texts that it changes in its warnings, so it does not change them silently.
    const isWarned = answer.text.includes(`{"loc":${JSON.stringify(['body', ...slot.at])},"msg":"Removed`);
    if (shown === undefined || reflowed || isWarned || shown.includes(text.trim())) continue;
    unexpected(world, call, `${what} at /${slot.at.join('/')} is ${JSON.stringify(shown.slice(0, 5))}`, reply);
  }
}

/**
 * Gives new values to unique fields other than the tested ones, to avoid conflicts with objects that earlier calls
 * created.
 */
function withUniqueNames(call: Call, slots: Slot[]): Call {
  const body = call.body as Record<string, unknown>;
  const fresh = { ...body };
  const attacked = slots.map(({ name }) => name);
  for (const [name, value] of Object.entries(body)) {
    if (['slug', 'handle', 'sku', 'code'].includes(name) && !attacked.includes(name))
      fresh[name] = `${value}-${crypto.randomUUID()}`.slice(-60);
    if (name === 'email') fresh[name] = `${crypto.randomUUID()}@example.com`;
  }
  if (Array.isArray(body.variants)) {
    fresh.variants = body.variants.map((variant: Record<string, unknown>, index) =>
      attacked.includes('sku') && index === 0 ? variant : { ...variant, sku: crypto.randomUUID() },
    );
  }
  return { ...call, body: fresh };
}

/**
 * Returns the values of all fields with this name in a response, and the value at the place of the sent text. Undefined
 * if the response has no such field.
 */
function shownAs({ text }: Reply, slot: Slot, field: string): unknown[] | undefined {
  if (text === '') return undefined;
  const found: unknown[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [name, child] of Object.entries(node)) {
      if (name === field) found.push(...[child].flat());
      visit(child);
    }
  };
  const body: unknown = JSON.parse(text);
  visit(body);
  const atSamePlace = valueAt(body, slot.at);
  return found.length > 0 ? [...found, atSamePlace] : undefined;
}
