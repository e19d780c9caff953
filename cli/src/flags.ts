/** Generates the flags of a command from the request of its operation in the contract. */

import type { operations } from '@commerce-backend/spec';
import { type Command, Option } from 'commander';
import { isEmpty } from './commands/options.ts';
import { usageError } from './errors.ts';
import { elementValue, flagName, flagValue, helpOf, NONE, placeholder } from './flag-values.ts';
import { readJson } from './json-input.ts';
import { calls, type OperationId } from './operations.ts';
import { needsOneField, type RequestField, requestFields } from './request-fields.ts';
import type { Terminal } from './terminal.ts';

type BodyIn<Message> = Message extends { content: { 'application/json': infer Body } } ? Body : object;
export type BodyOf<Id extends OperationId> = BodyIn<NonNullable<operations[Id]['requestBody']>>;
export type QueryOf<Id extends OperationId> = NonNullable<operations[Id]['parameters']['query']>;
type NamesIn<Shape> = Shape extends unknown ? keyof Shape & string : never;

/** Overrides for a field's generated flag. `false` means that the field has no flag. */
export type Presentation = false | Partial<Flag>;
export type Presentations<Id extends OperationId> = Partial<
  Record<NamesIn<BodyOf<Id>> | NamesIn<QueryOf<Id>>, Presentation>
>;

interface Flag {
  flag: string;
  help: string;
  /** Parses the value, and adds it to earlier values of a repeated flag. */
  read: (text: string, earlier: unknown) => unknown;
  /** Flags without a value that replace the generated flag. Each sets its own value. */
  sets: { flag: string; help: string; value: unknown }[];
}

interface Given {
  option: Option;
  field: RequestField;
  /** Value that an option without a value sets. */
  value?: unknown;
}

interface Request {
  id: OperationId;
  given: Given[];
}

const REQUESTS = new WeakMap<Command, Request>();
const ARGUMENTS = new WeakMap<Command, Record<string, string>>();

/**
 * Adds a flag for each field of an operation's request. `presented` contains overrides; with `false`, no field gets a
 * flag. Fields set by an argument of the same name get no flag.
 */
export function addFlags<Id extends OperationId>(
  command: Command,
  id: Id,
  presented: false | Presentations<Id> = {},
): Command {
  const own: Partial<Record<string, Presentation>> = presented || {};
  const given = (presented ? requestFields(id) : [])
    .filter(({ name }) => own[name] !== false && !command.registeredArguments.some((one) => one.name() === name))
    .flatMap((field) => optionsOf(field, own[field.name] || {}));
  for (const { option } of given) command.addOption(option);
  for (const argument of command.registeredArguments) {
    const field = requestFields(id).find(({ name }) => name === argument.name());
    if (field) argument.argParser((text) => elementValue(field, text));
    if (field?.words) argument.argChoices = field.words;
  }
  REQUESTS.set(command, { id, given });
  return calls(command, id);
}

/** Whether the command has a flag for a body field. */
export function setsBody(command: Command): boolean {
  return REQUESTS.get(command)?.given.some(({ field }) => field.place === 'body') ?? false;
}

/** Adds `--input`, which reads the body from a file. */
export function addInput(command: Command): Command {
  return command.option('--input <file>', 'take the fields from this JSON file, too; - is the standard input');
}

function optionsOf(field: RequestField, { flag, help = helpOf(field), read, sets }: Partial<Flag>): Given[] {
  const name = flagName(field);
  if (sets) {
    const fixed = sets.map((one) => ({ option: new Option(one.flag, one.help), field, value: one.value }));
    for (const { option } of fixed) {
      option.conflicts(fixed.filter((one) => one.option !== option).map((one) => one.option.attributeName()));
    }
    return fixed;
  }
  if (field.kind === 'boolean') {
    const on = flag ?? `--${name}`;
    const off = on.replace('--', '--no-');
    return [new Option(on, help), new Option(off, `the opposite of ${on}`)].map((option) => ({ option, field }));
  }
  if (field.kind === 'json' && !read) return [];
  const option = new Option(flag ?? `--${name} <${placeholder(field)}>`, help);
  option.argParser(read ?? ((text, earlier) => flagValue(field, text, earlier)));
  if (field.words) option.argChoices = field.words;
  return [{ option, field }];
}

export interface GivenRequest<Id extends OperationId> {
  query: QueryOf<Id>;
  body: BodyOf<Id>;
}

/**
 * Builds the request of a command from --input, flags and arguments; later ones override earlier ones. Throws a usage
 * error that lists missing fields.
 */
export async function givenRequest<Id extends OperationId>(
  command: Command,
  terminal: Terminal,
  named: object = {},
): Promise<GivenRequest<Id>> {
  const { id, given } = REQUESTS.get(command) ?? missingFlags(command);
  const values = command.opts<Record<string, unknown> & { input?: string }>();
  const whole = values.input === undefined ? {} : await readJson(values.input, terminal);
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) throw usageError('Give a JSON object.');
  const request = { query: {} as Record<string, unknown>, body: { ...whole } as Record<string, unknown> };
  for (const { option, field, value: constant } of given) {
    const value = values[option.attributeName()];
    if (value === undefined) continue;
    request[field.place][field.name] =
      constant ?? (value === NONE && field.clears !== undefined ? field.clears : value);
  }
  Object.assign(request.body, named);
  const lacking = given.filter(({ field }) => field.required && request[field.place][field.name] === undefined);
  if (lacking.length > 0)
    throw usageError(`Give ${lacking.map(({ option }) => option.flags).join(' and ')}.`, seeHelp(command));
  if (needsOneField(id) && isEmpty(request.body)) throw usageError('Give at least one change.', seeHelp(command));
  return request as GivenRequest<Id>;
}

function seeHelp(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at; at = at.parent) names.unshift(at.name());
  return `See the usage: ${names.join(' ')} --help`;
}

function missingFlags(command: Command): never {
  throw new Error(`${command.name()} has no flags of an operation.`);
}

/** Records which option or argument of a command sets a body field, if that does not follow from the contract. */
export function nameFlags(command: Command, flags: Record<string, string>): Command {
  ARGUMENTS.set(command, { ...ARGUMENTS.get(command), ...flags });
  return command;
}

/** The option or argument that sets a field; undefined if there is none. */
export function flagOf(command: Command | undefined, field: string): string | undefined {
  const [name = '', ...rest] = field.split('.');
  const flag = command && (ARGUMENTS.get(command)?.[name] ?? argumentOf(command, name) ?? optionOf(command, name));
  return (
    flag &&
    rest.reduce((text, part) => (/^\d+$/.test(part) ? `${text}, value ${Number(part) + 1}` : `${text}.${part}`), flag)
  );
}

function argumentOf(command: Command, field: string): string | undefined {
  return command.registeredArguments.some((one) => one.name() === field) ? field.toUpperCase() : undefined;
}

function optionOf(command: Command, field: string): string | undefined {
  const given = REQUESTS.get(command)?.given.filter((one) => one.field.name === field) ?? [];
  const long = `--${field.replaceAll('_', '-')}`;
  const [option] =
    given.length > 0 ? given.map((one) => one.option) : command.options.filter((one) => one.long === long);
  return option?.long ?? undefined;
}
