import type { Schemas } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall } from '../call-command.ts';
import { type Paint, plain } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { addTestOrder } from './test-order.ts';

type Setup = Schemas['Setup'];
type Item = Setup['items'][number];

interface State {
  can_sell: boolean;
  items: { done: boolean }[];
}

const EXAMPLES = `
Steps marked ✗ have to be done before the shop can sell, those marked – should be done. The commands below them are examples.

Examples:
  $ commerce setup
  $ commerce setup show --json`;

/** `setup show|test-order`: lists the steps before the shop can sell, with commands, and simulates an order. */
export function addSetup(program: Command, terminal: Terminal): void {
  const group = program.command('setup').description('Show the steps before the shop can sell, and simulate an order.');
  addCall(group, terminal, {
    name: 'show',
    isDefault: true,
    operation: 'dashboard.getSetup',
    description: 'Show the steps before the shop can sell.',
    examples: EXAMPLES,
    text: (setup, { paint }) => [...setup.items.map((item) => inWords(item, paint)), '', sentenceOf(setup)].join('\n'),
  });
  addTestOrder(group, terminal);
}

function inWords(item: Item, paint: Paint): string {
  const mark = item.done ? paint('green', '✓') : item.blocking ? paint('red', '✗') : paint('yellow', '–');
  const lines = item.next ? commandsFor(item).map((line) => `\n    commerce ${line}`) : [];
  return `${mark} ${plain(item.message)}${lines.join('')}`;
}

const BANK_DETAILS = 'settings set bank_details account_holder="Alder & Finch" iban=DE89370400440532013000';

/** Example commands, by the code of the step. */
const COMMANDS: Record<string, string[]> = {
  products: ['products create "Stoneware Mug" --price 14.00 --stock 24 --status active'],
  delivery: ['shipping-options create Parcel --price 4.90 --country DE'],
  payment: [BANK_DETAILS],
  live_payments: [BANK_DETAILS],
  tax: ['settings set default_tax_rate 0.19'],
  contact: ['settings set brand.support_email help@shop.example'],
  legal: ['terms', 'privacy', 'imprint'].map((text) => `settings set legal.${text}_url https://shop.example/${text}`),
  storefront_url: ['settings set storefront_url https://shop.example'],
  returns: ['settings set return_policy return_address="Alder & Finch, Erlenweg 3, 04107 Leipzig"'],
};

function commandsFor({ code, next }: Item): string[] {
  // If all published products only lack stock, suggest adding stock.
  if (next?.operation === 'dashboard.adjustInventory') return ['inventory adjust SKU --delta 24 --reason received'];
  return COMMANDS[code] ?? (next ? [`api ${next.method} ${next.path}`] : []);
}

/** States in one sentence whether the shop can sell. */
export function sentenceOf({ can_sell, items }: State): string {
  const open = items.filter(({ done }) => !done).length;
  if (!can_sell) return 'The shop cannot sell yet.';
  return open === 0 ? 'The shop can sell.' : `The shop can sell; ${open} ${open === 1 ? 'step is' : 'steps are'} open.`;
}
