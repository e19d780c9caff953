import { stat } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { usageError } from '../errors.ts';
import { logFileIn } from '../local/folder.ts';
import { linesOfFile } from '../local/follow-file.ts';
import { filterOf, LEVELS, type LogFilter, lineInWords, parseLine } from '../local/log-lines.ts';
import { painter } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { isJson, wholeNumber } from './options.ts';

interface TailOptions extends LogFilter {
  lines: number;
  follow: boolean;
  file?: string;
}

const SURFACES = ['dashboard', 'storefront', 'sync', 'agent'];

const EXAMPLES = `
The server logs which operation was called, never the address or the body; --path is the path of the operation in the contract,
with * for any part of it. Filters add up. With --json the lines are shown as they were logged. Ctrl-C ends it.

Examples:
  $ commerce logs tail
  $ commerce logs tail --status 4xx --surface storefront
  $ commerce logs tail --path '/api/storefront/cart/*' --lines 100 --no-follow
  $ commerce logs tail --level warn --file /var/log/commerce/server.jsonl`;

/** `logs tail`: prints the log of the folder's server and follows it. */
export function addLogs(program: Command, terminal: Terminal): void {
  const group = program.command('logs').description("Show the log of this folder's server.");
  group
    .command('tail')
    .description('Show the last lines of the log, and new ones.')
    .option('--status <status>', 'only responses with this status, such as 404 or 4xx', statusOf)
    .option('--path <path>', 'only calls of operations with this path')
    .addOption(new Option('--surface <name>', 'only calls of this surface').choices(SURFACES))
    .addOption(new Option('--level <name>', 'only lines that are at least this severe').choices(LEVELS))
    .option('--lines <number>', 'the number of last lines', wholeNumber, 20)
    .option('--no-follow', 'end after the last line')
    .option('--file <file>', 'the log of a server that was not started by commerce dev')
    .addHelpText('after', EXAMPLES)
    .action((options: TailOptions, command: Command) => tail(options, command, terminal));
}

function statusOf(text: string): string {
  if (!/^[1-5](?:\d\d|xx)$/.test(text)) throw new InvalidArgumentError('Give a status such as 404, or 4xx.');
  return text;
}

async function tail(options: TailOptions, command: Command, terminal: Terminal): Promise<void> {
  const file = options.file ?? logFileIn('.', terminal.env);
  if (!(await stat(file).catch(() => undefined))) {
    throw usageError(
      `There is no ${file}.`,
      'Start the shop in this folder: commerce dev. Or name its log with --file.',
    );
  }
  const isWanted = await filterOf(options);
  const paint = painter(terminal, terminal.stdout);
  const show = (text: string) => terminal.stdout.write(`${text}\n`);
  const ended = new AbortController();
  const stop = () => ended.abort();
  terminal.once('SIGINT', stop);
  terminal.once('SIGTERM', stop);
  try {
    let last: string[] | undefined = [];
    const onCaughtUp = () => {
      for (const text of last ?? []) show(text);
      last = undefined;
    };
    const signal = options.follow ? ended.signal : undefined;
    for await (const line of linesOfFile(file, { signal, onCaughtUp })) {
      const parsed = parseLine(line);
      if (!parsed || !isWanted(parsed)) continue;
      const text = isJson(command) ? line : lineInWords(parsed, paint);
      if (last === undefined) show(text);
      else if (last.push(text) > options.lines) last.shift();
    }
  } finally {
    terminal.off('SIGINT', stop);
    terminal.off('SIGTERM', stop);
  }
}
