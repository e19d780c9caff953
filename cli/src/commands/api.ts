import { createClient, unwrap } from '@commerce-backend/sdk';
import { Argument, type Command } from 'commander';
import { anyCall } from '../call-command.ts';
import { isAt, METHODS, type Method, type Operation, operationOf, readContract } from '../contract.ts';
import { CommandError, EXIT, usageError } from '../errors.ts';
import { readJson } from '../json-input.ts';
import { nearestPaths } from '../nearest-paths.ts';
import { asksFirst } from '../operations.ts';
import { show } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession, serverOf } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { bodyOf } from './api-body.ts';
import { addApiLookup } from './api-lookup.ts';
import { withWords } from './completion.ts';
import { repeated } from './options.ts';

interface ApiOptions {
  field?: string[];
  input?: string;
  header?: string[];
  query?: string[];
  idempotencyKey?: string;
  yes?: true;
}

const EXAMPLES = `
PATH is a path of the contract, filled in. Without /api/ at its beginning it is one of the dashboard, which gets the
credentials of the profile. Calls to another surface are sent with the headers that you give. The response is printed as JSON.

A field is name=value, address[city]=Berlin in an object and product_ids[]=ID in a list. Its value is sent as the type that
the contract gives the field. A mutation carries a new Idempotency-Key unless you give one: repeating a call with the same
key changes nothing more. DELETE and other irreversible calls ask first; programs agree with --yes.

Examples:
  $ commerce api GET /orders --query payment_status=awaiting_payment --query limit=5
  $ commerce api PATCH /orders/ID --field staff_note="Gift wrap"
  $ commerce api POST /api/dashboard/products --input product.json
  $ echo '{"low_stock_threshold": 3}' | commerce api PATCH /settings --input -
  $ commerce api DELETE /webhooks/ID --yes
  $ commerce api GET /api/storefront/products --header "X-Site-ID: ID" --header "X-Service-Token: stk_…"
  $ commerce api endpoints --surface dashboard
  $ commerce api schema dashboard.createProduct`;

/** `api METHOD PATH`, `api endpoints|schema`: calls any operation of the contract. */
export function addApi(program: Command, terminal: Terminal): void {
  const api = program
    .command('api')
    .description('Call any operation of the API, and look up operations.')
    .addArgument(withWords(new Argument('[method]', METHODS.join(', ')), METHODS))
    .argument('[path]', 'such as /orders or /api/dashboard/orders')
    .option('-F, --field <name=value>', 'a field of the body; may be repeated', repeated)
    .option('--input <file>', 'send this JSON file as the body; - is the standard input')
    .option('-H, --header <name: value>', 'a header; may be repeated', repeated)
    .option('-q, --query <name=value>', 'a parameter of the query; may be repeated', repeated)
    .option('--idempotency-key <key>', 'the key of a mutation (default: a new one)')
    .option('-y, --yes', 'do it without asking')
    .addHelpText('after', EXAMPLES)
    .action((method: string | undefined, path: string | undefined, options: ApiOptions, command: Command) => {
      if (method === undefined || path === undefined) return command.help({ error: true });
      return call(methodOf(method), pathOf(path), options, command, terminal);
    });
  addApiLookup(api, terminal);
}

function methodOf(text: string): Method {
  const method = METHODS.find((known) => known === text.toUpperCase());
  if (!method) throw usageError(`There is no method ${text}.`, `The methods are ${METHODS.join(', ')}.`);
  return method;
}

const OWN = '/api/dashboard';

/** Normalizes a path to the contract's form. */
function pathOf(text: string): string {
  if (/^[a-z]+:/i.test(text)) throw usageError('Give a path, not an address.', 'The server is named by --url.');
  if (/[?#]/.test(text)) throw usageError('The path has no query.', 'Write it as --query name=value.');
  const path = `/${text.replace(/^\/+/, '')}`;
  if (/\/(?:\.{1,2}|)(?:\/|$)/.test(path)) throw usageError(`${text} is no path of the API.`);
  return path.startsWith('/api/') ? path : `${OWN}${path}`;
}

async function call(method: Method, path: string, options: ApiOptions, command: Command, terminal: Terminal) {
  const contract = await readContract();
  const operation = operationOf(contract, method, path);
  const body = await bodyFor(method, options, terminal, (fields) => bodyOf(contract, operation?.body, fields));
  const headers = {
    ...Object.fromEntries((options.header ?? []).map((text) => pair(text, ':', '--header'))),
    ...(options.idempotencyKey !== undefined && { 'Idempotency-Key': options.idempotencyKey }),
  };
  const client = path.startsWith(`${OWN}/`)
    ? (await openSession(command, terminal)).client
    : createClient({ baseUrl: await serverOf(command, terminal) });
  const isFinal = method === 'DELETE' || asksFirst(command.parent ?? command, operation?.operationId);
  if (isFinal && !options.yes) await confirm(terminal, `${summaryOf(operation, method)} ${path}?`);
  const params = { query: queryOf(options.query ?? []) };
  const sent = await anyCall(client, method)(path, { params, headers, ...(body !== undefined && { body }) });
  // Shows the error only after the server answered 404, because a newer server may have paths that this contract lacks.
  if (sent.response.status === 404 && !contract.operations.some((one) => isAt(one, path))) {
    const near = nearestPaths(contract, path).map((one) => (one.startsWith(`${OWN}/`) ? one.slice(OWN.length) : one));
    throw new CommandError(
      EXIT.refused,
      'not_found',
      `The API has no path ${path}.`,
      `Did you mean ${near.join(', ')}? All of them: commerce api endpoints`,
    );
  }
  const answer = await unwrap(Promise.resolve(sent));
  show(terminal, true, answer ?? null, () => '');
}

function summaryOf(operation: Operation | undefined, method: Method): string {
  return operation ? `${operation.summary.replace(/\.$/, '')}:` : method;
}

async function bodyFor(
  method: Method,
  { field, input }: ApiOptions,
  terminal: Terminal,
  ofFields: (fields: string[]) => unknown,
): Promise<unknown> {
  if (field === undefined && input === undefined) return undefined;
  if (field && input) throw usageError('Give either --field or --input.');
  if (method === 'GET') throw usageError('GET takes no body.', 'Narrow the answer with --query name=value.');
  if (field) return ofFields(field);
  return readJson(input ?? '-', terminal);
}

/** Parses query parameters. A repeated one becomes a list. */
function queryOf(texts: string[]): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {};
  for (const [name, value] of texts.map((text) => pair(text, '=', '--query'))) {
    query[name] = Object.hasOwn(query, name) ? [query[name] ?? [], value].flat() : value;
  }
  return query;
}

function pair(text: string, separator: '=' | ':', flag: string): [string, string] {
  const at = text.indexOf(separator);
  if (at < 1) throw usageError(`${flag} ${text} has no name.`, `Write it as name${separator}value.`);
  return [text.slice(0, at).trim(), separator === ':' ? text.slice(at + 1).trim() : text.slice(at + 1)];
}
