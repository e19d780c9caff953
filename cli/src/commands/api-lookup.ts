import type { Command } from 'commander';
import {
  type Contract,
  type Operation,
  type Parameter,
  propertiesOf,
  readContract,
  type Schema,
  typesOf,
} from '../contract.ts';
import { usageError } from '../errors.ts';
import { type Column, type Paint, plain, show, styleOf, type TableStyle, table, wrapped } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { choice, isJson } from './options.ts';

const SURFACES = ['dashboard', 'storefront', 'sync', 'agent'] as const;

const EXAMPLES = `
Both read the contract that this command was built with, and need no server.

Examples:
  $ commerce api endpoints --surface dashboard
  $ commerce api endpoints --q refund
  $ commerce api schema dashboard.createRefund
  $ commerce api schema dashboard.createRefund --json`;

interface EndpointOptions {
  surface?: (typeof SURFACES)[number];
  q?: string;
}

/** `api endpoints|schema`: shows the API's operations with their parameters and bodies. */
export function addApiLookup(api: Command, terminal: Terminal): void {
  api
    .command('endpoints')
    .description('List the operations of the API.')
    .addOption(choice('--surface <surface>', 'only those of this surface', SURFACES))
    .option('--q <text>', 'only those with this text in the id, path or summary')
    .addHelpText('after', EXAMPLES)
    .action((options: EndpointOptions, command: Command) => endpoints(options, command, terminal));
  api
    .command('schema <operation>')
    .description('Show the parameters, body and response of an operation, by its id.')
    .addHelpText('after', EXAMPLES)
    .action((id: string, _options, command: Command) => schema(id, command, terminal));
}

const COLUMNS: Column<Operation>[] = [
  { title: 'METHOD', value: ({ method }) => method },
  { title: 'PATH', value: ({ path }) => path },
  { title: 'OPERATION', value: ({ operationId }) => operationId, below: true },
];

async function endpoints({ surface, q = '' }: EndpointOptions, command: Command, terminal: Terminal): Promise<void> {
  const { operations } = await readContract();
  const has = (text: string) => text.toLowerCase().includes(q.toLowerCase());
  const found = operations
    .filter(({ operationId }) => !surface || operationId.startsWith(`${surface}.`))
    .filter(({ operationId, path, summary }) => has(operationId) || has(path) || has(summary))
    .map(({ operationId, method, path, summary }) => ({ operation: operationId, method, path, summary }));
  show(terminal, isJson(command), found, (paint) => {
    const shown = operations.filter(({ operationId }) => found.some(({ operation }) => operation === operationId));
    return shown.length > 0 ? table(COLUMNS, shown, styleOf(terminal, paint)) : 'No operations.';
  });
}

async function schema(id: string, command: Command, terminal: Terminal): Promise<void> {
  const contract = await readContract();
  const operation = contract.operations.find(({ operationId }) => operationId === id);
  if (!operation) throw usageError(`There is no operation ${id}.`, 'List them: commerce api endpoints');
  const { summary, description, method, path, parameters, body, responses } = operation;
  const described = { operation: id, summary, description, method, path, parameters, body: body ?? null, responses };
  const schemas = schemasOf(contract, described);
  show(terminal, isJson(command), { ...described, schemas }, (paint) => inWords(contract, operation, paint, terminal));
}

/** Returns all referenced schemas by their `$ref`, so that the output is complete. */
function schemasOf(contract: Contract, value: unknown, found: Record<string, Schema> = {}): Record<string, Schema> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, inner] of Object.entries(value)) {
    if (key !== '$ref' || typeof inner !== 'string') schemasOf(contract, inner, found);
    else if (!Object.hasOwn(found, inner)) {
      found[inner] = contract.resolve({ $ref: inner });
      schemasOf(contract, found[inner], found);
    }
  }
  return found;
}

interface Field {
  name: string;
  type: string;
  description: string;
}

const FIELD_COLUMNS: Column<Field>[] = [
  { title: 'FIELD', value: ({ name }) => name },
  { title: 'TYPE', value: ({ type }) => type },
  { title: 'MEANING', value: ({ description }) => description, shrinks: true, wraps: true },
];

function inWords(contract: Contract, operation: Operation, paint: Paint, terminal: Terminal): string {
  const { method, path, summary, description, parameters, body, responses } = operation;
  const part = (title: string, fields: Field[]) =>
    fields.length > 0 ? [`${paint('bold', title)}\n${table(FIELD_COLUMNS, fields, styleOf(terminal, paint))}`] : [];
  const of = (place: Parameter['in']) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, required, schema: own, description: meaning }) =>
        field(contract, name, { ...own, ...(meaning && { description: meaning }) }, required === true),
      );
  const answers = Object.entries(responses)
    .filter(([status, answer]) => status.startsWith('2') && answer)
    .flatMap(([status, answer]) => part(`Answer ${status}`, fieldsOf(contract, answer ?? {}, false)));
  return [
    `${paint('bold', `${method} ${path}`)}\n${plain(summary)}`,
    ...(description ? [prose(description, styleOf(terminal, paint))] : []),
    ...part('Path', of('path')),
    ...part('Query', of('query')),
    ...part('Headers', of('header')),
    ...(body ? part('Body', fieldsOf(contract, body, true)) : []),
    ...answers,
  ].join('\n\n');
}

function prose(text: string, { width }: TableStyle): string {
  return width === undefined ? plain(text) : wrapped(plain(text), width).join('\n');
}

function fieldsOf(contract: Contract, schema: Schema, marks: boolean): Field[] {
  const own = contract.resolve(schema);
  const { properties, required } = propertiesOf(contract, own.items && !own.properties ? own.items : own);
  return Object.entries(properties).map(([name, of]) => field(contract, name, of, marks && required.includes(name)));
}

function field(contract: Contract, name: string, schema: Schema, required: boolean): Field {
  const { enum: values, description, items } = { ...contract.resolve(schema), ...schema };
  const of = contract.resolve(schema);
  const words = (values ?? of.enum ?? (items && contract.resolve(items).enum))?.map(String).join(', ');
  const type = typesOf(contract, schema).join(' or ') || 'any';
  return {
    name: required ? `${name} *` : name,
    type,
    description: [description ?? of.description, words && `(${words})`].filter(Boolean).join(' '),
  };
}
