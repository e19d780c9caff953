import type { operations } from '@commerce-backend/spec';
import { type Command, Option } from 'commander';
import { isEmpty } from './commands/options.ts';
import { usageError } from './errors.ts';
import { elementValue, flagName, flagValue, helpOf, NONE, placeholder } from './flag-values.ts';
import { readJson } from './json-input.ts';
import { calls, type OperationId } from './operations.ts';
import { needsOneField, type RequestField, requestFields } from './request-fields.ts';
import type { Terminal } from './terminal.ts';

/** The flags of a command, built from the request of an operation in the contract. */

type BodyIn<Message> = Message extends { content: { 'application/json': infer Body } } ? Body : object;
export type BodyOf<Id extends OperationId> = BodyIn<NonNullable<operations[Id]['requestBody']>>;
export type QueryOf<Id extends OperationId> = NonNullable<operations[Id]['parameters']['query']>;
type NamesIn<Shape> = Shape extends unknown ? keyof Shape & string : never;

/** The presentation of one field whose flag is not simply built from the contract; false: it has no flag. */
export type Presentation = false | Partial<Flag>;
export type Presentations<Id extends OperationId> = Partial<
  Record<NamesIn<BodyOf<Id>> | NamesIn<QueryOf<Id>>, Presentation>
>;

interface Flag {
  flag: string;
  help: string;
  /** The value of the flag, added to those of earlier flags with its name. */
  read: (text: string, earlier: unknown) => unknown;
  /** Flags without a value that replace the one with a value, and the value that each sets. */
  sets: { flag: string; help: string; value: unknown }[];
}

interface Given {
  option: Option;
  field: RequestField;
  /** The value of the option, if it is one of several without a value. */
  value?: unknown;
}

interface Request {
  id: OperationId;
  given: Given[];
}

const REQUESTS = new WeakMap<Command, Request>();
const ARGUMENTS = new WeakMap<Command, Record<string, string>>();

/**
 * Adds a flag for each field of an operation's request. `presented` has the fields with a special presentation; false adds no
 * flag. A field with the name of an argument needs no flag.
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

/** Whether a flag of the command sets a field of the body. */
export function setsBody(command: Command): boolean {
  return REQUESTS.get(command)?.given.some(({ field }) => field.place === 'body') ?? false;
}

/** Adds the flag that reads a body from a file. */
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
 * The request of a command: the fields of --input, overridden by those of the flags, overridden by those of the arguments. A
 * usage error names the missing ones.
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

/** Records which option or argument of a command sets which field of its body, if the contract does not define it. */
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
