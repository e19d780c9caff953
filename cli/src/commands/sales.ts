import type { Schemas } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, type View } from '../call-command.ts';
import { counted, facts, plain } from '../output.ts';
import type { Terminal } from '../terminal.ts';

type Report = Schemas['SalesReport'];

const EXAMPLES = `
Examples:
  $ commerce sales
  $ commerce sales --from 2026-11-01 --to 2026-11-30
  $ commerce sales --from 2026-11-29 --to 2026-11-29 --json`;

/** `sales`: shows the sales of a period and of the period before it. */
export function addSales(program: Command, terminal: Terminal): void {
  addCall(program, terminal, {
    name: 'sales',
    operation: 'dashboard.getSalesReport',
    description: 'Show net sales, payments, refunds, top products and conversion of a period, by default 30 days.',
    examples: EXAMPLES,
    text: inWords,
  });
}

function inWords(
  { currency, current, previous, top_products, conversion, time_zone }: Report,
  { paint }: View,
): string {
  const both = (of: (figures: Report['current']) => string) => `${of(current)}   before: ${of(previous)}`;
  const money = (sum: string | null) => (sum === null ? '–' : `${sum} ${currency}`);
  return facts(
    {
      Period: `${current.from} – ${current.to}   before: ${previous.from} – ${previous.to}`,
      'Net sales': both(({ sales }) => money(sales)),
      Paid: both(({ paid }) => money(paid)),
      Refunded: both(({ refunded }) => money(refunded)),
      Orders: both(({ orders_count }) => String(orders_count)),
      'Average order': both(({ average_order_value }) => money(average_order_value)),
      'By agents': both(({ agent_sales }) => money(agent_sales)),
      'Top products': top_products
        .slice(0, 3)
        .map(({ name, revenue }) => `${plain(name)} ${money(revenue)}`)
        .join(', '),
      Conversion: conversion
        ? `${counted(conversion.carts_count, 'cart')}, ${counted(conversion.checkouts_count, 'checkout')}, ${counted(conversion.orders_count, 'order')}`
        : undefined,
      'Time zone': plain(time_zone),
    },
    paint,
  );
}
