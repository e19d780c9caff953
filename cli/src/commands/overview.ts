import type { Schemas } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, type View } from '../call-command.ts';
import { counted, facts, plain } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { amount as amountOf } from './agents.ts';
import { sentenceOf } from './setup.ts';

type Overview = Schemas['Overview'];

const EXAMPLES = `
Examples:
  $ commerce overview
  $ commerce overview --json`;

/** `overview`: shows the shop's key figures. */
export function addOverview(program: Command, terminal: Terminal): void {
  addCall(program, terminal, {
    name: 'overview',
    operation: 'dashboard.getOverview',
    description: 'Show sales, unpaid and unshipped orders, open returns, low stock, and purchases of agents.',
    examples: EXAMPLES,
    text: inWords,
  });
}

function inWords(found: Overview, { paint }: View): string {
  const { currency, agents, setup, days } = found;
  const today = days.at(-1);
  const money = (sum: string) => `${sum} ${currency}`;
  const cents = (sum: number) => money(amountOf(sum, currency));
  const orders = (count: number) => counted(count, 'order');
  return facts(
    {
      Today: today && `${money(today.sales)}, ${orders(today.orders_count)}`,
      '30 days, paid minus refunds': `${money(found.sales)}, ${orders(found.orders_count)}   ${bars(days)}`,
      'To pay': orders(found.orders_to_pay_count),
      'To ship': orders(found.orders_to_ship_count),
      Returns: `${found.open_returns_count} open`,
      Withdrawals: `${found.open_withdrawals_count} open`,
      Stock: `${found.low_stock_count} low, ${found.out_of_stock_count} out`,
      Agents: `${agents.active_count} active, ${orders(agents.orders_count)} in 30 days, ${agents.open_confirmations_count} to be confirmed`,
      Budgets:
        agents.active_count > 0
          ? `${cents(agents.budget_used_cents)} of ${cents(agents.budget_cents)} used, ${cents(agents.budget_pending_cents)} pending`
          : undefined,
      Setup: setupInWords(setup),
      'Time zone': plain(found.time_zone),
    },
    paint,
  );
}

function setupInWords({ can_sell, open_count }: Overview['setup']): string {
  const items = Array.from({ length: open_count }, () => ({ done: false }));
  return `${sentenceOf({ can_sell, items })}${open_count > 0 ? ' See: commerce setup' : ''}`;
}

const LEVELS = '▁▂▃▄▅▆▇█';

/** Draws a bar for each day, relative to the best day. */
function bars(days: Overview['days']): string {
  const best = Math.max(...days.map(({ sales }) => Number(sales)));
  const level = (sales: string) => (best === 0 ? 0 : Math.round((Number(sales) / best) * (LEVELS.length - 1)));
  return days.map(({ sales }) => LEVELS[level(sales)]).join('');
}
