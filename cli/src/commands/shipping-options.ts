import { type Schemas, unwrap } from '@commerce-backend/sdk';
import { type Command, Option } from 'commander';
import { addCall, pageText, rowsText } from '../call-command.ts';
import { addFlags, givenRequest, nameFlags } from '../flags.ts';
import { type Column, show, styleOf, table } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import * as options from './options.ts';
import { confirmPrice } from './price-change.ts';
import { shippingOptionIdOf } from './shipping-option-id.ts';

type ShippingOption = Schemas['ShippingOption'];

const LIST_EXAMPLES = '\nExamples:\n  $ commerce shipping-options list\n  $ commerce shipping-options get Parcel';

const CREATE_EXAMPLES = `
Examples:
  $ commerce shipping-options create Parcel --price 4.90 --country DE --country AT --maximum-subtotal 59.99
  $ commerce shipping-options create Courier --price 9 --country DE --postcode 10 --maximum-weight 5000 --days 1-2
  $ commerce shipping-options create "Parcel, cash on delivery" --price 4.90 --cash-on-delivery-fee 3.50
  $ commerce shipping-options create "Free parcel" --price 0 --minimum-subtotal 60
  $ commerce shipping-options create "Fetch it yourself" --price 0 --kind pickup`;

const UPDATE_EXAMPLES = `
OPTION is a name or an id. Fields without an option stay as they are; "none" removes a bound, or offers it everywhere. A price change of more
than 80 % asks first; programs agree with --yes.

Examples:
  $ commerce shipping-options update Parcel --price 5.20
  $ commerce shipping-options update Parcel --country none --position 1
  $ commerce shipping-options update Parcel --disable`;

const DELETE_EXAMPLES = `
OPTION is a name or an id. Open checkouts that use it must choose another; orders keep its name and price.
The command asks first; programs agree with --yes.

Examples:
  $ commerce shipping-options delete Parcel`;

/** Adds `shipping-options` with its subcommands. */
export function addShippingOptions(program: Command, terminal: Terminal): void {
  const group = program.command('shipping-options').description('The delivery and pickup options of the shop.');
  addCall(group, terminal, {
    name: 'list',
    operation: 'dashboard.listShippingOptions',
    description: 'List shipping options in the order in which shoppers see them.',
    examples: LIST_EXAMPLES,
    text: (page, view) => pageText('shipping options', COLUMNS, page.shipping_options, page, view),
  });
  addCall(group, terminal, {
    name: 'get <option>',
    operation: 'dashboard.getShippingOption',
    description: 'Show one shipping option, by its name or id.',
    examples: LIST_EXAMPLES,
    text: (option, view) => rowsText(COLUMNS, [option], view),
  });
  const create = addCall(group, terminal, {
    name: 'create <name>',
    operation: 'dashboard.createShippingOption',
    description: 'Create a shipping option.',
    examples: CREATE_EXAMPLES,
    flags: { ...DAYS, active: { sets: [{ flag: '--inactive', help: 'not offered yet', value: false }] } },
    body: daysOf,
    text: (option, view) => rowsText(COLUMNS, [option], view),
  });
  addDays(create);
  const update = addFlags(group.command('update <option>'), 'dashboard.updateShippingOption', {
    ...DAYS,
    active: {
      sets: [
        { flag: '--enable', help: 'offer it', value: true },
        { flag: '--disable', help: 'stop offering it', value: false },
      ],
    },
  });
  options
    .addYes(addDays(update))
    .description('Change a shipping option.')
    .addHelpText('after', UPDATE_EXAMPLES)
    .action((wanted: string, own: OwnOptions, command: Command) => change(wanted, own, command, terminal));
  addCall(group, terminal, {
    name: 'delete <option>',
    operation: 'dashboard.deleteShippingOption',
    description: 'Delete a shipping option.',
    examples: DELETE_EXAMPLES,
    asks: (wanted) => `Delete the shipping option ${wanted}?`,
    text: (_deletion, { named }) => `Deleted: ${named}.`,
  });
}

/** One flag sets both fields. */
const DAYS = { estimated_days_min: false, estimated_days_max: false } as const;

interface OwnOptions {
  days?: options.OrNone<string>;
}

function addDays(command: Command): Command {
  const days = new Option('--days <days>', 'the delivery time in days, such as 2 or 2-4');
  return nameFlags(command, { estimated_days_min: '--days', estimated_days_max: '--days' }).addOption(
    days.argParser(options.orNone(options.days)),
  );
}

/** Parses a number of days: `2-4` means two to four. */
function daysOf({ days }: OwnOptions) {
  if (days === undefined) return {};
  const [from, to = from] = options.orNull(days)?.split('-').map(Number) ?? [null];
  return { estimated_days_min: from, estimated_days_max: to };
}

const COLUMNS: Column<ShippingOption>[] = [
  { title: '#', value: ({ position }) => position, right: true },
  { title: 'NAME', value: ({ name }) => name, shrinks: true },
  { title: 'KIND', value: ({ kind }) => kind },
  { title: 'PRICE', value: ({ price }) => price, right: true },
  { title: 'CURRENCY', value: ({ currency }) => currency, below: true },
  { title: 'ON DELIVERY', value: ({ cash_on_delivery_fee: fee }) => fee && `fee ${fee}`, below: true },
  { title: 'WHERE', value: whereOf, shrinks: true },
  { title: 'DAYS', value: ({ estimated_days_min: from, estimated_days_max: to }) => rangeOf(from, to), below: true },
  { title: 'SUBTOTAL', value: boundsOf, below: true },
  {
    title: 'STATE',
    value: ({ active }) => (active ? 'offered' : 'off'),
    colour: ({ active }) => (active ? 'green' : 'dim'),
  },
  { title: 'ID', value: ({ id }) => id, below: true },
];

function whereOf({ countries, states, postcode_prefixes }: ShippingOption): string {
  const prefixes = postcode_prefixes.map((prefix) => `${prefix}…`);
  return [...countries, ...states, ...prefixes].join(' ') || 'everywhere';
}

function rangeOf(from: number | null, to: number | null): string {
  const days = [from, to].filter((day) => day !== null);
  return [...new Set(days)].join('-') || '–';
}

function boundsOf({ minimum_subtotal: from, maximum_subtotal: to }: ShippingOption): string {
  if (from && to) return `${from} to ${to}`;
  if (from) return `from ${from}`;
  return to ? `up to ${to}` : 'any';
}

async function change(wanted: string, own: OwnOptions, command: Command, terminal: Terminal): Promise<void> {
  const { body } = await givenRequest<'dashboard.updateShippingOption'>(command, terminal, daysOf(own));
  const { client } = await openSession(command, terminal);
  const params = { path: { shipping_option_id: await shippingOptionIdOf(client, wanted) } };
  if (body.price !== undefined) {
    const before = await unwrap(client.GET('/api/dashboard/shipping-options/{shipping_option_id}', { params }));
    await confirmPrice(before, body.price, command, terminal);
  }
  const call = client.PATCH('/api/dashboard/shipping-options/{shipping_option_id}', { params, body });
  const option = await unwrap(call);
  show(terminal, options.isJson(command), option, (paint) => table(COLUMNS, [option], styleOf(terminal, paint)));
}
