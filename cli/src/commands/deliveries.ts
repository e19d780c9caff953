import { type Schemas, unwrap, type WebhookEventType } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { usageError } from '../errors.ts';
import { calls } from '../operations.ts';
import { type Column, facts, moment, plain, show, styleOf, table } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { eventType } from './event-types.ts';
import { choice, isJson, since, uuid, wholeNumber } from './options.ts';

type Delivery = Schemas['WebhookDelivery'];
type Attempt = Schemas['WebhookAttempt'];

const STATUSES = ['pending', 'succeeded', 'failed'] as const;

interface ListOptions {
  webhook?: string;
  status?: (typeof STATUSES)[number];
  type?: WebhookEventType;
  limit?: number;
  cursor?: string;
}

interface ReplayOptions {
  failedSince?: string;
  webhook?: string;
}

const EXAMPLES = `
Deliveries are kept for 30 days. ID is that of the list.

Examples:
  $ commerce deliveries list --status failed
  $ commerce deliveries show ID
  $ commerce deliveries replay ID
  $ commerce deliveries replay --failed-since 2026-03-02
  $ commerce deliveries replay --failed-since 2026-03-02T08:00:00Z --webhook WEBHOOK_ID`;

/** `deliveries list|show|replay`: events on their way to webhooks. */
export function addDeliveries(program: Command, terminal: Terminal): void {
  const deliveries = program
    .command('deliveries')
    .description('Deliveries to webhooks and their outcome.')
    .addHelpText('after', EXAMPLES);
  calls(deliveries.command('list'), 'dashboard.listWebhookDeliveries')
    .description('List deliveries, newest first.')
    .option('--webhook <id>', 'only those of this webhook', uuid)
    .addOption(choice('--status <status>', 'only those of this status', STATUSES))
    .option('--type <event>', 'only those of events of this type', eventType)
    .option('--limit <number>', 'how many, at most 100 (default: 20)', wholeNumber)
    .option('--cursor <cursor>', 'go on from where a list ended')
    .addHelpText('after', EXAMPLES)
    .action((options: ListOptions, command: Command) => list(options, command, terminal));
  calls(deliveries.command('show'), 'dashboard.getWebhookDelivery')
    .argument('<id>', 'the delivery, as the list shows it', uuid)
    .description('Show what was sent, and each attempt.')
    .addHelpText('after', EXAMPLES)
    .action((id: string, _options, command: Command) => showOne(id, command, terminal));
  calls(deliveries.command('replay'), 'dashboard.replayWebhookDelivery', 'dashboard.replayFailedWebhookDeliveries')
    .argument('[id]', 'the delivery, as the list shows it', uuid)
    .description('Send an event again, or all that failed since a time.')
    .option('--failed-since <when>', 'all that failed since then: a day, or a time', since)
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

async function list(options: ListOptions, command: Command, terminal: Terminal): Promise<void> {
  const { webhook: webhook_id, ...rest } = options;
  const { client } = await openSession(command, terminal);
  const params = { query: { ...rest, webhook_id } };
  const page = await unwrap(client.GET('/api/dashboard/webhook-deliveries', { params }));
  show(terminal, isJson(command), page, (paint) => {
    if (page.deliveries.length === 0) return 'No deliveries.';
    const more = page.next_cursor ? `\n\nNext: --cursor ${page.next_cursor}` : '';
    return `${table(COLUMNS, page.deliveries, styleOf(terminal, paint))}${more}`;
  });
}

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

async function showOne(delivery_id: string, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const call = client.GET('/api/dashboard/webhook-deliveries/{delivery_id}', { params: { path: { delivery_id } } });
  const delivery = await unwrap(call);
  show(terminal, isJson(command), delivery, (paint) => {
    const { id, webhook_id, event_id, type, status, next_attempt_at, completed_at, payload, attempts } = delivery;
    const told = facts(
      {
        ...{ Id: id, 'Webhook id': webhook_id, 'Event id': event_id, Event: type, Status: status },
        ...(next_attempt_at && { 'Next attempt': moment(next_attempt_at) }),
        ...(completed_at && { Completed: moment(completed_at) }),
      },
      paint,
    );
    const tried =
      attempts.length > 0 ? table(ATTEMPT_COLUMNS, attempts, styleOf(terminal, paint)) : 'Not attempted yet.';
    // Line by line, so that the body keeps its lines, and none of its characters move the cursor.
    const body = JSON.stringify(payload, null, 2).split('\n').map(plain).join('\n');
    const said = attempts.at(-1)?.response_body?.trim();
    const answer = said ? `\n\nThe last answer:\n${said.split('\n').map(plain).join('\n')}` : '';
    return `${told}\n\n${tried}${answer}\n\n${body}`;
  });
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

/** The server replays a limited number in each call; it is called until none remain. */
async function replayFailed(body: { since: string; webhook_id?: string }, command: Command, terminal: Terminal) {
  const { client } = await openSession(command, terminal);
  const total = { replayed: 0, remaining: 0 };
  for (let more = true; more; ) {
    const batch = await unwrap(client.POST('/api/dashboard/webhook-deliveries/replay-failed', { body }));
    total.replayed += batch.replayed;
    total.remaining = batch.remaining;
    // An empty batch: others are at work on what remains.
    more = batch.remaining > 0 && batch.replayed > 0;
    if (more) terminal.stderr.write(`${total.replayed} on their way again, ${batch.remaining} remain.\n`);
  }
  show(terminal, isJson(command), total, () => {
    if (total.replayed === 0) return 'Nothing failed since then at a webhook that is enabled.';
    return `On their way again: ${total.replayed}.`;
  });
}
