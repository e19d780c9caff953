import type { Language } from '../../language/language.ts';
import { isEmail } from '../../shop/emails.ts';
import type { ChosenLine } from '../../shop/withdrawals/statements.ts';
import type { FormBody } from '../parts/form-body.ts';
import type { Mistake } from '../parts/form-parts.ts';
import type { KnownOrder } from './visit.ts';

export type WithdrawField = 'name' | 'email' | 'contract' | 'note' | `quantity-${string}`;

export const LONGEST = { name: 200, email: 254, contract: 500, note: 2000 };

export function mistakesIn({ say }: Language, known: KnownOrder | undefined, body: FormBody): Mistake<WithdrawField>[] {
  const mistakes: Mistake<WithdrawField>[] = [];
  if (!body.has('name')) mistakes.push({ field: 'name', message: say('withdrawal.name_missing') });
  if (!isEmail(body.get('email') ?? '')) mistakes.push({ field: 'email', message: say('withdrawal.email_wrong') });
  if (!known && !body.has('contract')) {
    mistakes.push({ field: 'contract', message: say('withdrawal.contract_missing') });
  }
  if (known && !isPossible(known, body)) {
    mistakes.push({ message: say('withdrawal.choice_changed') });
  }
  for (const field of ['name', 'contract', 'note'] as const) {
    const count = LONGEST[field];
    if ((body.get(field) ?? '').length > count) {
      mistakes.push({ field, message: say('withdrawal.too_long', { count }) });
    }
  }
  return mistakes;
}

const CHOICE = 'quantity-';

/** Whether the order still has the chosen pieces. It may have changed since the form was opened. */
function isPossible({ lines }: KnownOrder, body: FormBody): boolean {
  return [...body].every(([name, value]) => {
    if (!name.startsWith(CHOICE)) return true;
    const most = lines.find(({ id }) => name === CHOICE + id)?.quantity ?? 0;
    return /^[1-9]\d{0,6}$/.test(value) && Number(value) <= most;
  });
}

/** The declaration of the consumer: the contract and the goods in words, and the chosen pieces of a known order. */
export interface Declared {
  contract: string;
  items: string | null;
  lines: ChosenLine[] | null;
}

export function declaredIn(known: KnownOrder | undefined, body: FormBody): Declared {
  const note = body.get('note') ?? null;
  if (!known) return { contract: body.get('contract') ?? '', items: note, lines: null };
  const chosen = known.lines.flatMap((line) => {
    const quantity = Number(body.get(CHOICE + line.id) ?? 0);
    return quantity > 0 ? [{ line, quantity }] : [];
  });
  const named = chosen.map(({ line, quantity }) => `${quantity} × ${nameOf(line)}`);
  const items = [...named, ...(note === null ? [] : [note])].join('\n');
  return {
    contract: known.number,
    items: items === '' ? null : items,
    lines: chosen.length > 0 ? chosen.map(({ line, quantity }) => ({ line_item_id: line.id, quantity })) : null,
  };
}

export function nameOf({ name, variant_name }: { name: string; variant_name: string | null }): string {
  return variant_name ? `${name}, ${variant_name}` : name;
}
