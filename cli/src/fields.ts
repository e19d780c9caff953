import { type Command, InvalidArgumentError, Option } from 'commander';
import { isEmpty, orNone, orNull, repeated } from './commands/options.ts';
import { usageError } from './errors.ts';
import { nameFlags } from './flags.ts';
import { readJson } from './json-input.ts';
import type { Terminal } from './terminal.ts';

/** A field of a body, one of these names, and the option that sets it. */
export interface Field<Name extends string> {
  flags: string;
  field: Name;
  help: string;
  /** The value of the option, after what an earlier one of its name gave; the text itself when left out. */
  read?: (text: string, earlier: unknown) => unknown;
  words?: readonly string[];
}

/** Adds the options that set the fields of a body. Mistakes that the server finds in a field are told by its option. */
export function addFields(command: Command, fields: readonly Field<string>[]): Command {
  for (const { flags, help, read, words } of fields) {
    const option = new Option(flags, help);
    if (words) option.choices(words);
    if (read) option.argParser(read);
    command.addOption(option);
  }
  return nameFlags(command, Object.fromEntries(fields.map(({ field, flags }) => [field, longOf(flags)])));
}

/** Adds the option that takes a whole body from a file. */
export function addInput(command: Command): Command {
  return command.option('--input <file>', 'take the fields from this JSON file, too; - is the standard input');
}

function longOf(flags: string): string {
  return /--(?:no-)?([a-z0-9-]+)/.exec(flags)?.[0].replace('--no-', '--') ?? flags;
}

/** The fields that were given, as the server takes them: those of --input, and over them those of the options. */
export async function givenBody<Body>(
  fields: readonly Field<keyof Body & string>[],
  command: Command,
  terminal: Terminal,
): Promise<Partial<Body>> {
  const given = command.opts<Record<string, unknown> & { input?: string }>();
  const whole = given.input === undefined ? {} : await readJson(given.input, terminal);
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) throw usageError('Give a JSON object.');
  const named = fields.map(({ flags, field }) => [field, orNull(given[new Option(flags).attributeName()])]);
  return { ...whole, ...Object.fromEntries(named.filter(([, value]) => value !== undefined)) } as Partial<Body>;
}

/** As `givenBody`, for a change; a usage error when nothing would change. */
export async function givenChange<Body extends object>(
  fields: readonly Field<keyof Body & string>[],
  command: Command,
  terminal: Terminal,
): Promise<Partial<Body>> {
  const body = await givenBody<Body>(fields, command, terminal);
  if (isEmpty(body)) throw usageError('Give at least one change.', 'See what there is: add --help');
  return body;
}

/** A text that "none" takes away. */
export const optionalText = orNone(String);

/** The values of an option that may be repeated; a single "none" empties the list. */
export function listed(text: string, earlier: unknown): string[] {
  const values = repeated(text, earlier as string[] | undefined);
  return text === 'none' ? [] : values;
}

/** Metadata of key=value pairs; "none" empties it. */
export function metadata(text: string, earlier: unknown): Record<string, string> {
  if (text === 'none') return {};
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Write it as key=value.');
  return { ...(earlier as Record<string, string> | undefined), [text.slice(0, at)]: text.slice(at + 1) };
}
