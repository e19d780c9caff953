import type { Command } from 'commander';

const FLAGS = new WeakMap<Command, Record<string, string>>();

/** Says which option or argument of a command sets which field of its body, where their names differ. */
export function nameFlags(command: Command, flags: Record<string, string>): Command {
  FLAGS.set(command, { ...FLAGS.get(command), ...flags });
  return command;
}

/** The option or argument that sets a field: as it was said, or the option of that name; undefined when there is none. */
export function flagOf(command: Command | undefined, field: string): string | undefined {
  const [name = '', ...rest] = field.split('.');
  const long = `--${name.replaceAll('_', '-')}`;
  const named = command && FLAGS.get(command)?.[name];
  const flag = named ?? (command?.options.some((option) => option.long === long) ? long : undefined);
  return (
    flag &&
    rest.reduce((text, part) => (/^\d+$/.test(part) ? `${text}, value ${Number(part) + 1}` : `${text}.${part}`), flag)
  );
}
