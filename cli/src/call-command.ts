/**
 * Commands that make one dashboard call. Arguments and flags are generated from the contract, and the command formats
 * the response.
 */

import { type DashboardClient, type Open, unwrap } from '@commerce-backend/sdk';
import type { operations } from '@commerce-backend/spec';
import type { Command } from 'commander';
import { addYes, isJson, uuid, type YesOption } from './commands/options.ts';
import type { Method } from './contract.ts';
import { idOf, isFound } from './finders.ts';
import { addFlags, addInput, givenRequest, type Presentations, setsBody } from './flags.ts';
import type { OperationId } from './operations.ts';
import { type Column, type Paint, pageLine, plain, show, styleOf, table } from './output.ts';
import { confirm } from './prompt.ts';
import { bodyFields, operationWith, requestFields } from './request-fields.ts';
import { openSession } from './session.ts';
import type { Terminal } from './terminal.ts';

type JsonOf<Message> = Message extends { content: { 'application/json': infer Answer } } ? Answer : never;
type Responses<Id extends OperationId> = operations[Id]['responses'];
export type AnswerOf<Id extends OperationId> = Open<JsonOf<Responses<Id>[keyof Responses<Id> & (200 | 201 | 202)]>>;

export interface CallCommand<Id extends OperationId> {
  /**
   * The command with its arguments. An argument with the name of a body field sets that field. The other arguments set
   * the path parameters, in order.
   */
  name: string;
  /** Whether the command runs if its group is called without a command. */
  isDefault?: true;
  operation: Id;
  description: string;
  examples: string;
  /** `false` means that the command sets the fields itself and has no flags for them. */
  flags?: false | Presentations<Id>;
  /** Returns the body fields that the command sets from its own options. */
  body?: (own: Record<string, unknown>) => object;
  /** The confirmation question before the call. `--yes` skips it. */
  asks?: (named: string) => string;
  text: (answer: AnswerOf<Id>, view: View) => string;
}

export interface View {
  /** The first argument of the command line. */
  named: string;
  query: { page?: number; limit?: number };
  paint: Paint;
  terminal: Terminal;
}

/** Adds a command that makes a single call. */
export function addCall<Id extends OperationId>(group: Command, terminal: Terminal, call: CallCommand<Id>): Command {
  const command = addFlags(group.command(call.name, { isDefault: call.isDefault ?? false }), call.operation, call.flags)
    .description(call.description)
    .addHelpText('after', call.examples);
  if (setsBody(command) && bodyFields(call.operation).length > 1) addInput(command);
  if (call.asks) addYes(command);
  const parameters = parametersOf(command, call.operation);
  for (const argument of command.registeredArguments) {
    const parameter = parameters[argument.name()];
    if (parameter && !isFound(parameter)) argument.argParser(uuid).description = 'the id, as the list shows it';
  }
  return command.action((...given: unknown[]) => {
    const texts = command.registeredArguments.map((one, at): [string, string] => [one.name(), given[at] as string]);
    return perform(call, command, terminal, texts, parameters);
  });
}

/** The path parameter for each argument that is not a body field. */
function parametersOf(command: Command, id: OperationId): Partial<Record<string, string>> {
  const parameters = [...operationWith(id).path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const isField = (text: string) => requestFields(id).some(({ name }) => name === text);
  const others = command.registeredArguments.map((one) => one.name()).filter((name) => !isField(name));
  return Object.fromEntries(others.map((name, at) => [name, parameters[at]]));
}

async function perform<Id extends OperationId>(
  { operation: id, body: ownBody, asks, text }: CallCommand<Id>,
  command: Command,
  terminal: Terminal,
  texts: [string, string][],
  parameters: Partial<Record<string, string>>,
): Promise<void> {
  const fields = texts.filter(([name]) => parameters[name] === undefined);
  const named = { ...ownBody?.(command.opts()), ...Object.fromEntries(fields) };
  const { query, body } = await givenRequest<Id>(command, terminal, named);
  const { client } = await openSession(command, terminal);
  const inPath = texts.flatMap(([name, wanted]) => (parameters[name] ? [[parameters[name], wanted] as const] : []));
  const params = { path: await found(client, inPath), query: await found(client, Object.entries(query)) };
  const [[, first] = ['', '']] = texts;
  if (asks && !command.opts<YesOption>().yes) await confirm(terminal, plain(asks(first)));
  const { method, path, bodyRequired } = operationWith(id);
  const hasBody = bodyRequired || Object.keys(body).length > 0;
  const answer = await unwrap(anyCall(client, method)(path, { params, ...(hasBody && { body }) }));
  show(terminal, isJson(command), answer, (paint) =>
    text(answer as AnswerOf<Id>, { named: first, query: query as View['query'], paint, terminal }),
  );
}

/** Returns the path parameters, with names (SKU, slug, order number, e-mail) replaced by ids. */
async function found(client: DashboardClient, given: (readonly [string, unknown])[]): Promise<object> {
  const entries = given.map(async ([name, value]) => [
    name,
    isFound(name) ? await idOf(name, client, value as string) : value,
  ]);
  return Object.fromEntries(await Promise.all(entries)) as object;
}

type AnyCall = (path: string, options: object) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

/** Returns a function for calls to any path. The client's types accept only literal paths. */
export function anyCall(client: object, method: Method): AnyCall {
  return (client as Record<Method, AnyCall>)[method];
}

type Paged = { total: number; page: number; pages: number };

/** Formats a page of a list, with the option for the next page. */
export function pageText<Row>(noun: string, columns: Column<Row>[], rows: Row[], page: Paged, view: View): string {
  const summary = pageLine(noun, page);
  return rows.length === 0 ? summary : `${rowsText(columns, rows, view)}\n\n${summary}`;
}

/** Formats a page of a list by cursor, with the option for the next page. */
export function cursorText<Row>(
  none: string,
  columns: Column<Row>[],
  rows: Row[],
  { next_cursor }: { next_cursor: string | null },
  view: View,
): string {
  const more = next_cursor ? `\n\nNext: --cursor ${next_cursor}` : '';
  return rows.length === 0 ? none : `${rowsText(columns, rows, view)}${more}`;
}

/** Formats a complete list. Returns the text `none` for an empty list. */
export function listText<Row>(none: string, columns: Column<Row>[], rows: Row[], view: View): string {
  return rows.length === 0 ? none : rowsText(columns, rows, view);
}

export function rowsText<Row>(columns: Column<Row>[], rows: Row[], { terminal, paint }: View): string {
  return table(columns, rows, styleOf(terminal, paint));
}
