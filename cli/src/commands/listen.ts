import type { WebhookEventPattern } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { usageError } from '../errors.ts';
import { addFlags } from '../flags.ts';
import { follow } from '../listen/follow.ts';
import { type Forwarded, forward } from '../listen/forward.ts';
import { calls } from '../operations.ts';
import { type Paint, painter, plain } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { EVENT_TYPES_HELP } from './event-types.ts';
import { isJson } from './options.ts';

interface ListenOptions {
  forwardTo?: string;
  event?: WebhookEventPattern[];
}

const EXAMPLES = `
Events are signed like those of a webhook, with the secret that is printed first. An event that your receiver rejects is
not sent again. Ctrl-C ends the command.

Examples:
  $ commerce listen --forward-to http://localhost:4000/hooks
  $ commerce listen --forward-to http://localhost:4000/hooks --event order.created --event order.paid
  $ commerce trigger order.paid        in another terminal
${EVENT_TYPES_HELP}`;

/** `listen`: receives the shop's events on this machine, without a public URL. */
export function addListen(program: Command, terminal: Terminal): void {
  calls(
    addFlags(program.command('listen'), 'dashboard.createEventListener', {
      events: { help: 'only this event; may be repeated (default: all)' },
    }),
    'dashboard.createEventListener',
    'dashboard.listListenerEvents',
    'dashboard.deleteEventListener',
  )
    .description('Forward the events of the shop to a receiver on this machine as they happen.')
    .option('--forward-to <url>', 'the receiver; without one, events are only printed')
    .addHelpText('after', EXAMPLES)
    .action((options: ListenOptions, command: Command) => listen(options, command, terminal));
}

async function listen({ forwardTo, event }: ListenOptions, command: Command, terminal: Terminal): Promise<void> {
  const url = forwardTo === undefined ? undefined : receiverUrl(forwardTo);
  // `follow` itself reconnects and reports lost connections, so the client must not retry.
  const { client } = await openSession(command, terminal, { maxAttempts: 1 });
  const teller = isJson(command) ? jsonTeller(terminal) : wordTeller(terminal, url);
  const ended = new AbortController();
  const stop = () => ended.abort();
  terminal.once('SIGINT', stop);
  terminal.once('SIGTERM', stop);
  try {
    await follow(
      client,
      event,
      {
        opened: ({ id, secret }, again) => {
          if (again)
            teller.noted('Nothing was fetched for too long: events from that time are lost, and the secret is new.');
          teller.opened(id, secret);
        },
        happened: async (happened, { secret }) => {
          if (url === undefined) teller.printed(happened);
          else teller.forwarded(await forward(url, happened, secret, ended.signal));
        },
        interrupted: (reason) =>
          teller.noted(`${reason.replace(/\.?$/, '.')} Listening resumes as soon as the server answers.`),
        resumed: () => teller.noted('The server answers again.'),
      },
      ended.signal,
    );
  } catch (error) {
    if (!ended.signal.aborted) throw error;
    teller.noted('Stopped.');
  } finally {
    terminal.off('SIGINT', stop);
    terminal.off('SIGTERM', stop);
  }
}

function receiverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url.href;
  throw usageError(`"${text}" is not the address of a receiver.`, 'Write it as http://localhost:4000/hooks');
}

/** Prints results to stdout and messages to stderr. */
interface Teller {
  opened(listener_id: string, secret: string): void;
  forwarded(forwarded: Forwarded): void;
  printed(event: { event_id: string; payload: unknown }): void;
  noted(remark: string): void;
}

/** Prints one JSON object per line. The first is the listener with its secret. */
function jsonTeller({ stdout, stderr }: Terminal): Teller {
  const line = (value: object) => stdout.write(`${JSON.stringify(value)}\n`);
  return {
    opened: (listener_id, secret) => line({ listener_id, secret }),
    forwarded: line,
    printed: line,
    noted: (remark) => stderr.write(`${JSON.stringify({ note: remark })}\n`),
  };
}

function wordTeller(terminal: Terminal, url: string | undefined): Teller {
  const paint = painter(terminal, terminal.stdout);
  const line = (text: string) => terminal.stdout.write(`${text}\n`);
  const doing = url === undefined ? 'Listening' : `Listening, and forwarding to ${url}`;
  return {
    opened: (_listener_id, secret) => line(`${paint('bold', 'Secret')}  ${secret}\n${doing}. Ctrl-C ends it.\n`),
    forwarded: (forwarded) => line(forwardedLine(forwarded, paint)),
    printed: ({ event_id, payload }) => line(`${timeOf(paint)}  ${event_id}\n${plain(JSON.stringify(payload))}`),
    noted: (remark) => terminal.stderr.write(`${plain(remark)}\n`),
  };
}

function forwardedLine({ event_id, type, status, error, duration_ms }: Forwarded, paint: Paint): string {
  const taken = status !== null && status >= 200 && status < 300;
  const answer = paint(taken ? 'green' : 'red', status === null ? plain(error ?? 'no answer') : String(status));
  return `${timeOf(paint)}  ${plain(type).padEnd(21)}  ${answer}  ${paint('dim', `${duration_ms} ms  ${event_id}`)}`;
}

function timeOf(paint: Paint): string {
  return paint('dim', new Date().toTimeString().slice(0, 8));
}
