import { type DashboardClient, paginate, type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { CommandError, EXIT, usageError } from '../errors.ts';
import { nameFlags } from '../flags.ts';
import { calls } from '../operations.ts';
import { type Column, pageLine, plain, show, styleOf, table } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import * as options from './options.ts';
import { confirmPrice } from './price-change.ts';

type ShippingOption = Schemas['ShippingOption'];

const KINDS = ['delivery', 'pickup'] as const;

interface Fields {
  price?: string;
  country?: string[];
  state?: string[];
  postcode?: string[];
  minimumWeight?: options.OrNone<number>;
  maximumWeight?: options.OrNone<number>;
  days?: options.OrNone<string>;
  kind?: (typeof KINDS)[number];
  minimumSubtotal?: options.OrNone<string>;
  maximumSubtotal?: options.OrNone<string>;
  description?: options.OrNone<string>;
  position?: number;
}

interface CreateOptions extends Fields {
  price: string;
  inactive?: true;
}

interface UpdateOptions extends Fields {
  name?: string;
  enable?: true;
  disable?: true;
}

const LIST_EXAMPLES = '\nExamples:\n  $ commerce shipping-options list\n  $ commerce shipping-options get Parcel';

const CREATE_EXAMPLES = `
Examples:
  $ commerce shipping-options create Parcel --price 4.90 --country DE --country AT --maximum-subtotal 59.99
  $ commerce shipping-options create Courier --price 9 --country DE --postcode 10 --maximum-weight 5000 --days 1-2
  $ commerce shipping-options create "Free parcel" --price 0 --minimum-subtotal 60
  $ commerce shipping-options create "Fetch it yourself" --price 0 --kind pickup`;

const UPDATE_EXAMPLES = `
OPTION is a name or an id. What is not named stays; "none" takes a bound away, or offers it everywhere. A price change of more
than 80 % asks first; programs agree with --yes.

Examples:
  $ commerce shipping-options update Parcel --price 5.20
  $ commerce shipping-options update Parcel --country none --position 1
  $ commerce shipping-options update Parcel --disable`;

const DELETE_EXAMPLES = `
OPTION is a name or an id. Open checkouts that chose it must choose another; orders keep what they were made with.
The command asks first; programs agree with --yes.

Examples:
  $ commerce shipping-options delete Parcel`;

/** `shipping-options list|get|create|update|delete`. */
export function addShippingOptions(program: Command, terminal: Terminal): void {
  const group = program.command('shipping-options').description('The ways in which the shop sends goods.');
  const list = calls(group.command('list'), 'dashboard.listShippingOptions')
    .description('List shipping options in the order in which shoppers see them.')
    .addHelpText('after', LIST_EXAMPLES);
  options
    .addPageOptions(list)
    .action((query: options.PageOptions, command: Command) => listOptions(query, command, terminal));
  calls(group.command('get <option>'), 'dashboard.getShippingOption')
    .description('Show one shipping option, by its name or id.')
    .addHelpText('after', LIST_EXAMPLES)
    .action((wanted: string, _given, command: Command) => getOne(wanted, command, terminal));
  const create = calls(group.command('create <name>'), 'dashboard.createShippingOption')
    .description('Make a shipping option.')
    .requiredOption('--price <amount>', 'what it costs', options.amount)
    .option('--inactive', 'not offered yet');
  nameFlags(addFields(create), { name: 'NAME', active: '--inactive' })
    .addHelpText('after', CREATE_EXAMPLES)
    .action((name: string, given: CreateOptions, command: Command) => createOne(name, given, command, terminal));
  const update = calls(group.command('update <option>'), 'dashboard.updateShippingOption')
    .description('Change a shipping option.')
    .option('--name <name>', 'its new name')
    .option('--price <amount>', 'what it costs', options.amount)
    .option('--enable', 'offer it')
    .option('--disable', 'stop offering it');
  options
    .addYes(addFields(update))
    .addHelpText('after', UPDATE_EXAMPLES)
    .action((wanted: string, given: UpdateOptions, command: Command) => change(wanted, given, command, terminal));
  options
    .addYes(calls(group.command('delete <option>'), 'dashboard.deleteShippingOption'))
    .description('Delete a shipping option.')
    .addHelpText('after', DELETE_EXAMPLES)
    .action((wanted: string, given: options.YesOption, command: Command) => remove(wanted, given, command, terminal));
}

/** Where the server's names of the fields are not those of the options. */
const FLAGS = {
  countries: '--country',
  states: '--state',
  postcode_prefixes: '--postcode',
  minimum_weight_grams: '--minimum-weight',
  maximum_weight_grams: '--maximum-weight',
  estimated_days_min: '--days',
  estimated_days_max: '--days',
};

function addFields(command: Command): Command {
  return nameFlags(command, FLAGS)
    .option('--country <code>', 'offered only in this country, such as DE; may be repeated', options.repeated)
    .option('--state <state>', 'offered only in this state of the countries; may be repeated', options.repeated)
    .option('--postcode <prefix>', 'offered for postal codes that begin with this; may be repeated', options.repeated)
    .option('--minimum-weight <grams>', 'offered from this weight on', options.orNone(options.wholeNumber))
    .option('--maximum-weight <grams>', 'offered up to this weight', options.orNone(options.wholeNumber))
    .option('--days <days>', 'how many days it takes, such as 2 or 2-4', options.orNone(options.days))
    .addOption(options.choice('--kind <kind>', 'delivery or pickup', KINDS))
    .option('--minimum-subtotal <amount>', 'offered from this subtotal on', options.orNone(options.amount))
    .option('--maximum-subtotal <amount>', 'offered up to this subtotal', options.orNone(options.amount))
    .option('--description <text>', 'what shoppers read below the name', options.orNone(String))
    .option('--position <number>', 'its position among the options, from 1', options.wholeNumber);
}

/** The fields that were named, as the server takes them; the others are undefined, which JSON leaves out. */
function named({ price, country, state, postcode, days, kind, position, ...bounds }: Fields) {
  return {
    ...{ price, kind, position },
    countries: options.listOf(country)?.map((code) => code.toUpperCase()),
    states: options.listOf(state),
    postcode_prefixes: options.listOf(postcode),
    minimum_weight_grams: options.orNull(bounds.minimumWeight),
    maximum_weight_grams: options.orNull(bounds.maximumWeight),
    ...daysOf(options.orNull(days)),
    minimum_subtotal: options.orNull(bounds.minimumSubtotal),
    maximum_subtotal: options.orNull(bounds.maximumSubtotal),
    description: options.orNull(bounds.description),
  };
}

/** `2-4` are two days at least and four at most. */
function daysOf(days: string | null | undefined) {
  if (days === undefined) return {};
  const [from, to = from] = (days ?? '').split('-').map(Number);
  return days === null
    ? { estimated_days_min: null, estimated_days_max: null }
    : { estimated_days_min: from, estimated_days_max: to };
}

const COLUMNS: Column<ShippingOption>[] = [
  { title: '#', value: ({ position }) => position, right: true },
  { title: 'NAME', value: ({ name }) => name, shrinks: true },
  { title: 'KIND', value: ({ kind }) => kind },
  { title: 'PRICE', value: ({ price }) => price, right: true },
  { title: 'CURRENCY', value: ({ currency }) => currency, below: true },
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

async function listOptions(query: options.PageOptions, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const page = await unwrap(client.GET('/api/dashboard/shipping-options', { params: { query } }));
  show(terminal, options.isJson(command), page, (paint) => {
    const summary = pageLine('shipping options', page);
    if (page.shipping_options.length === 0) return summary;
    return `${table(COLUMNS, page.shipping_options, styleOf(terminal, paint))}\n\n${summary}`;
  });
}

async function getOne(wanted: string, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const params = { path: { shipping_option_id: await idOf(client, wanted) } };
  const call = client.GET('/api/dashboard/shipping-options/{shipping_option_id}', { params });
  showOne(await unwrap(call), command, terminal);
}

async function createOne(name: string, given: CreateOptions, command: Command, terminal: Terminal): Promise<void> {
  const body = { name, ...named(given), price: given.price, ...(given.inactive && { active: false }) };
  const { client } = await openSession(command, terminal);
  showOne(await unwrap(client.POST('/api/dashboard/shipping-options', { body })), command, terminal);
}

async function change(wanted: string, given: UpdateOptions, command: Command, terminal: Terminal): Promise<void> {
  const { name, enable, disable } = given;
  if (enable && disable) throw usageError('Give either --enable or --disable.');
  const active = enable ? true : disable ? false : undefined;
  const body = { ...named(given), name, active };
  if (options.isEmpty(body)) throw usageError('Give at least one change.', 'See what there is: add --help');
  const { client } = await openSession(command, terminal);
  const params = { path: { shipping_option_id: await idOf(client, wanted) } };
  if (body.price !== undefined) {
    const before = await unwrap(client.GET('/api/dashboard/shipping-options/{shipping_option_id}', { params }));
    await confirmPrice(before, body.price, command, terminal);
  }
  const call = client.PATCH('/api/dashboard/shipping-options/{shipping_option_id}', { params, body });
  showOne(await unwrap(call), command, terminal);
}

async function remove(wanted: string, { yes }: options.YesOption, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const params = { path: { shipping_option_id: await idOf(client, wanted) } };
  if (!yes) await confirm(terminal, plain(`Delete the shipping option ${wanted}?`));
  const deletion = await unwrap(client.DELETE('/api/dashboard/shipping-options/{shipping_option_id}', { params }));
  show(terminal, options.isJson(command), deletion, () => `Deleted: ${wanted}.`);
}

/** The id of an option named by id or name; names need not be unique, and one that several options have identifies none. */
async function idOf(client: DashboardClient, wanted: string): Promise<string> {
  if (options.isUuid(wanted)) return wanted;
  const found: string[] = [];
  for await (const { id, name } of paginate(client, '/api/dashboard/shipping-options')) {
    if (name === wanted) found.push(id);
  }
  const [id] = found;
  if (id && found.length === 1) return id;
  const message = id ? `${found.length} options are named "${wanted}".` : `No shipping option is named "${wanted}".`;
  const remedy = 'Name it by its id: commerce shipping-options list';
  throw new CommandError(EXIT.refused, id ? 'ambiguous' : 'not_found', message, remedy);
}

function showOne(option: ShippingOption, command: Command, terminal: Terminal): void {
  show(terminal, options.isJson(command), option, (paint) => table(COLUMNS, [option], styleOf(terminal, paint)));
}
