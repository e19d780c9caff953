import { type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, cursorText, type View } from '../call-command.ts';
import { usageError } from '../errors.ts';
import { calls } from '../operations.ts';
import { type Column, facts, moment, plain, show, styleOf, table } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { isJson, since, uuid } from './options.ts';

type Delivery = Schemas['WebhookDelivery'];
type Attempt = Schemas['WebhookAttempt'];

interface ReplayOptions {
  failedSince?: string;
  webhook?: string;
}

const EXAMPLES = `
Deliveries are kept for 30 days. ID is the id in the list.

Examples:
  $ commerce deliveries list --status failed
  $ commerce deliveries show ID
  $ commerce deliveries replay ID
  $ commerce deliveries replay --failed-since 2026-03-02
  $ commerce deliveries replay --failed-since 2026-03-02T08:00:00Z --webhook WEBHOOK_ID`;

/** `deliveries list|show|replay`: manages deliveries of events to webhooks. */
export function addDeliveries(program: Command, terminal: Terminal): void {
  const deliveries = program
    .command('deliveries')
    .description('Deliveries to webhooks and their results.')
    .addHelpText('after', EXAMPLES);
  addCall(deliveries, terminal, {
    name: 'list',
    operation: 'dashboard.listWebhookDeliveries',
    description: 'List deliveries, newest first.',
    examples: EXAMPLES,
    text: (page, view) => cursorText('No deliveries.', COLUMNS, page.deliveries, page, view),
  });
  addCall(deliveries, terminal, {
    name: 'show <id>',
    operation: 'dashboard.getWebhookDelivery',
    description: 'Show the body and each attempt.',
    examples: EXAMPLES,
    text: details,
  });
  calls(deliveries.command('replay'), 'dashboard.replayWebhookDelivery', 'dashboard.replayFailedWebhookDeliveries')
    .argument('[id]', 'the delivery, as the list shows it', uuid)
    .description('Send an event again, or all that have failed since a time.')
    .option('--failed-since <when>', 'all that have failed since then: a day, or a time', since)
    .option('--webhook <id>', 'with --failed-since: only those of this webhook', uuid)
    .addHelpText('after', EXAMPLES)
    .action((id: string | undefined, options: ReplayOptions, command: Command) =>
      replay(id, options, command, terminal),
    );
}

const COLUMNS: Column<Delivery>[] = [
  { title: 'ID', value: ({ id }) => id, below: true },
  { title: 'WHEN', value: ({ created_at }) => moment(created_at) },
  { title: 'EVENT', value: ({ type }) => type },
  { title: 'STATUS', value: ({ status }) => status, colour: ({ status }) => COLOURS[status] },
  { title: 'ATTEMPTS', value: ({ attempts_count }) => attempts_count, right: true },
  { title: 'ANSWER', value: ({ response_status }) => response_status, right: true },
  { title: 'NEXT ATTEMPT', value: ({ next_attempt_at }) => moment(next_attempt_at), below: true },
  { title: 'WEBHOOK ID', value: ({ webhook_id }) => webhook_id, below: true },
];

const COLOURS: Record<string, 'green' | 'yellow' | 'red'> = { succeeded: 'green', pending: 'yellow', failed: 'red' };

const ATTEMPT_COLUMNS: Column<Attempt>[] = [
  { title: 'ATTEMPT', value: ({ attempted_at }) => moment(attempted_at) },
  {
    title: 'OUTCOME',
    value: ({ outcome }) => outcome,
    colour: ({ outcome }) => (outcome === 'succeeded' ? 'green' : 'red'),
  },
  { title: 'ANSWER', value: ({ response_status }) => response_status, right: true },
  { title: 'TOOK', value: ({ duration_ms }) => `${duration_ms} ms`, right: true },
];

function details(delivery: Delivery & { attempts: Attempt[]; payload: unknown }, { paint, terminal }: View): string {
  const { id, webhook_id, event_id, type, status, next_attempt_at, completed_at, payload, attempts } = delivery;
  const lines = facts(
    {
      ...{ Id: id, 'Webhook id': webhook_id, 'Event id': event_id, Event: type, Status: status },
      ...(next_attempt_at && { 'Next attempt': moment(next_attempt_at) }),
      ...(completed_at && { Completed: moment(completed_at) }),
    },
    paint,
  );
  const tried = attempts.length > 0 ? table(ATTEMPT_COLUMNS, attempts, styleOf(terminal, paint)) : 'Not attempted yet.';
  // Escapes each line separately, so that line breaks stay but control characters cannot move the cursor.
  const body = JSON.stringify(payload, null, 2).split('\n').map(plain).join('\n');
  const last = attempts.at(-1)?.response_body?.trim();
  const answer = last ? `\n\nThe last answer:\n${last.split('\n').map(plain).join('\n')}` : '';
  return `${lines}\n\n${tried}${answer}\n\n${body}`;
}

async function replay(id: string | undefined, options: ReplayOptions, command: Command, terminal: Terminal) {
  const { failedSince, webhook } = options;
  if ((id === undefined) === (failedSince === undefined)) throw usageError('Give either an ID or --failed-since.');
  if (webhook && !failedSince) throw usageError('--webhook goes with --failed-since.');
  if (id !== undefined) return replayOne(id, command, terminal);
  return replayFailed({ since: failedSince ?? '', ...(webhook && { webhook_id: webhook }) }, command, terminal);
}

async function replayOne(delivery_id: string, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const params = { path: { delivery_id } };
  const delivery = await unwrap(client.POST('/api/dashboard/webhook-deliveries/{delivery_id}/replay', { params }));
  show(terminal, isJson(command), delivery, () => `On its way again: ${delivery.type}, event ${delivery.event_id}.`);
}

/** Repeats the call until no failed delivery remains, because one call replays a limited number. */
async function replayFailed(body: { since: string; webhook_id?: string }, command: Command, terminal: Terminal) {
  const { client } = await openSession(command, terminal);
  const total = { replayed: 0, remaining: 0 };
  for (let more = true; more; ) {
    const batch = await unwrap(client.POST('/api/dashboard/webhook-deliveries/replay-failed', { body }));
    total.replayed += batch.replayed;
    total.remaining = batch.remaining;
    // Stops after a call that replays nothing, so that the loop cannot run forever.
    more = batch.remaining > 0 && batch.replayed > 0;
    if (more) terminal.stderr.write(`${total.replayed} on their way again, ${batch.remaining} remain.\n`);
  }
  show(terminal, isJson(command), total, () => {
    if (total.replayed === 0) return 'No delivery to an enabled webhook has failed since then.';
    return `On their way again: ${total.replayed}.`;
  });
}
