/** Nullable columns that are never null in the statements of a file, with the reason. */
interface NeverNull {
  from: string;
  columns: string[];
  why: string;
}

const NEVER_NULL: NeverNull[] = [
  { from: 'backup/dump.ts', columns: ['name'], why: 'Knex writes a name for each migration.' },
  { from: 'commands/doctor-skus.ts', columns: ['sku'], why: 'Only a SKU has a twin.' },
  { from: 'db/baseline.ts', columns: ['name'], why: 'Knex writes a name for each migration.' },
  { from: 'shop/agents/consent-polls.ts', columns: ['budget_cents'], why: 'An approved consent has a budget.' },
  { from: 'shop/agents/ucp-requests.ts', columns: ['answer'], why: 'The statement sets it where it is null.' },
  { from: 'shop/customers/import-write.ts', columns: ['customer_id'], why: 'It is one of the given ids.' },
  { from: 'shop/mails/account-templates.ts', columns: ['customer_id'], why: 'Only codes for a registration lack it.' },
  { from: 'shop/mails/agent-templates.ts', columns: ['budget_cents'], why: 'An approved consent has a budget.' },
  { from: 'shop/mails/staff-templates.ts', columns: ['disabled_reason'], why: 'A disabled webhook has a reason.' },
  { from: 'shop/agent-limits/tokens.ts', columns: ['expires_at'], why: 'The tokens of agents always expire.' },
  { from: 'shop/orders/refunds.ts', columns: ['reason'], why: 'Only imported refunds, which are settled, lack it.' },
  { from: 'shop/orders/statement-runs.ts', columns: ['payment_due_at'], why: 'The statement sets it.' },
  { from: 'shop/stock/stock.ts', columns: ['variant_id'], why: 'Variants that orders name are kept.' },
];

/** Whether the column is not null in any row of the statement. */
export function neverNull(
  place: string,
  { from: column, name }: { from: string | undefined; name: string },
  text: string,
): boolean {
  const own = column?.split('.')[1] ?? name;
  if (new RegExp(`\\b${own} is not null\\b`).test(text)) return true;
  const file = place.replace(/:\d+$/, '');
  return NEVER_NULL.some(({ from, columns }) => file === `server/src/${from}` && columns.includes(name));
}
