import { type Schemas, unwrap, type WebhookEventPattern } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { nameFlags } from '../flags.ts';
import { calls, type OperationId } from '../operations.ts';
import { type Column, facts, moment, plain, show, styleOf, table } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { EVENT_TYPES, EVENT_TYPES_HELP, eventPatterns } from './event-types.ts';
import { addYes, isJson, uuid, type YesOption } from './options.ts';

type Webhook = Schemas['Webhook'];

interface CreateOptions {
  event?: WebhookEventPattern[];
  description?: string;
}

const EXAMPLES = `
A webhook's secret is printed when it is made, and never again. ID is that of the list.

Examples:
  $ commerce webhooks create https://search.example/hooks --event product.updated --event product.deleted
  $ commerce webhooks list
  $ commerce webhooks get ID
  $ commerce webhooks test ID          sends webhook.ping
  $ commerce webhooks rotate ID        a new secret; for 24 hours both sign
  $ commerce webhooks delete ID        asks first; programs agree with --yes
  $ commerce webhooks disable ID       until it is enabled
  $ commerce webhooks enable ID        after it was disabled; then: commerce deliveries replay --failed-since WHEN`;

/** The ping is sent to each webhook anyway. */
const ALL = EVENT_TYPES.filter((type) => type !== 'webhook.ping');

/** `webhooks list|get|create|enable|disable|test|rotate|delete`: where events are sent. */
export function addWebhooks(program: Command, terminal: Terminal): void {
  const webhooks = program
    .command('webhooks')
    .description('The URLs that receive events.')
    .addHelpText('after', EXAMPLES);
  calls(webhooks.command('list'), 'dashboard.listWebhooks')
    .description('List the webhooks, oldest first.')
    .addHelpText('after', EXAMPLES)
    .action((_options, command: Command) => list(command, terminal));
  nameFlags(calls(webhooks.command('create <url>'), 'dashboard.createWebhook'), { url: 'URL', events: '--event' })
    .description('Have events sent to an address, and print the secret that signs them, once.')
    .option('--event <type>', 'only this event; may be repeated (default: all)', eventPatterns)
    .option('--description <text>', 'what the webhook is for')
    .addHelpText('after', `${EXAMPLES}\n${EVENT_TYPES_HELP}`)
    .action((url: string, options: CreateOptions, command: Command) => create(url, options, command, terminal));
  addChanges(webhooks, terminal);
}

function addChanges(webhooks: Command, terminal: Terminal): void {
  const one = (name: string, operation: OperationId, description: string, action: Action) =>
    calls(webhooks.command(name), operation)
      .argument('<id>', 'the webhook, as the list shows it', uuid)
      .description(description)
      .addHelpText('after', EXAMPLES)
      .action((id: string, _options, command: Command) => action(id, command, terminal));
  const update = 'dashboard.updateWebhook';
  one('get', 'dashboard.getWebhook', 'Show one webhook.', getOne);
  one('enable', update, 'Send events again.', (id, ...rest) => setStatus(id, 'active', ...rest));
  one('disable', update, 'Stop sending events until it is enabled.', (id, ...rest) =>
    setStatus(id, 'disabled', ...rest),
  );
  one('test', 'dashboard.testWebhook', 'Send webhook.ping, whatever it is subscribed to.', test);
  const rotates = 'Make a new secret; for 24 hours deliveries are signed with both.';
  one('rotate', 'dashboard.rotateWebhook', rotates, rotate);
  addYes(one('delete', 'dashboard.deleteWebhook', 'Delete a webhook and its pending deliveries.', remove));
}

type Action = (id: string, command: Command, terminal: Terminal) => Promise<void>;

const COLUMNS: Column<Webhook>[] = [
  { title: 'ID', value: ({ id }) => id, below: true },
  { title: 'URL', value: ({ url }) => url, shrinks: true },
  { title: 'EVENTS', value: eventsOf, below: true },
  {
    title: 'STATE',
    value: stateOf,
    colour: ({ status, failing_since }) => (status === 'disabled' ? 'red' : failing_since ? 'yellow' : 'green'),
  },
  { title: 'LAST SUCCESS', value: ({ last_success_at }) => moment(last_success_at, 'never'), below: true },
];

function eventsOf({ events, withheld_events }: Webhook): string {
  const subscribed = events.includes('*') || ALL.every((type) => events.includes(type)) ? 'all' : events.join(' ');
  return withheld_events.length > 0 ? `${subscribed} (not sent: ${withheld_events.join(' ')})` : subscribed;
}

function stateOf({ status, disabled_reason, failing_since }: Webhook): string {
  if (status === 'disabled') return `disabled (${disabled_reason})`;
  return failing_since ? `failing since ${moment(failing_since)}` : status;
}

async function list(command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const webhooks = await unwrap(client.GET('/api/dashboard/webhooks'));
  show(terminal, isJson(command), webhooks, (paint) =>
    webhooks.length > 0
      ? table(COLUMNS, webhooks, styleOf(terminal, paint))
      : 'No webhooks yet. Make one: commerce webhooks create https://…',
  );
}

async function getOne(webhook_id: string, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const params = { path: { webhook_id } };
  const webhook = await unwrap(client.GET('/api/dashboard/webhooks/{webhook_id}', { params }));
  show(terminal, isJson(command), webhook, (paint) => {
    const { id, url, description, created_at, failing_since, last_success_at } = webhook;
    return facts(
      {
        ...{ Id: id, URL: url, Description: description, Events: eventsOf(webhook), State: stateOf(webhook) },
        ...(failing_since && { 'Failing since': moment(failing_since) }),
        ...{ 'Last success': moment(last_success_at, 'never'), Created: moment(created_at) },
      },
      paint,
    );
  });
}

async function create(url: string, options: CreateOptions, command: Command, terminal: Terminal): Promise<void> {
  const { event: events = ['*'], description } = options;
  const { client } = await openSession(command, terminal);
  const body = { url, events, ...(description !== undefined && { description }) };
  showSecret(await unwrap(client.POST('/api/dashboard/webhooks', { body })), command, terminal);
}

async function setStatus(
  webhook_id: string,
  status: 'active' | 'disabled',
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const { client } = await openSession(command, terminal);
  const params = { path: { webhook_id } };
  const webhook = await unwrap(client.PATCH('/api/dashboard/webhooks/{webhook_id}', { params, body: { status } }));
  show(terminal, isJson(command), webhook, (paint) => table(COLUMNS, [webhook], styleOf(terminal, paint)));
}

async function test(webhook_id: string, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const call = client.POST('/api/dashboard/webhooks/{webhook_id}/test', { params: { path: { webhook_id } } });
  const delivery = await unwrap(call);
  show(terminal, isJson(command), delivery, () => {
    const { id, attempts, next_attempt_at } = delivery;
    const last = attempts.at(-1);
    const again = next_attempt_at
      ? ` It is sent again at ${moment(next_attempt_at)}: commerce deliveries show ${id}`
      : '';
    return `webhook.ping: ${last ? answerOf(last) : 'not sent'}.${again}`;
  });
}

function answerOf({ outcome, response_status, response_body, duration_ms }: Schemas['WebhookAttempt']): string {
  const status = response_status === null ? outcome : `${outcome} with ${response_status}`;
  const said = plain(response_body ?? '').trim();
  return `${status}, after ${duration_ms} ms${said && `, and the answer “${said}”`}`;
}

async function rotate(webhook_id: string, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const call = client.POST('/api/dashboard/webhooks/{webhook_id}/rotate', { params: { path: { webhook_id } } });
  showSecret(await unwrap(call), command, terminal);
}

async function remove(webhook_id: string, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const params = { path: { webhook_id } };
  const { yes } = command.opts<YesOption>();
  if (!yes) await confirm(terminal, `Delete the webhook ${webhook_id} and its pending deliveries?`);
  const deletion = await unwrap(client.DELETE('/api/dashboard/webhooks/{webhook_id}', { params }));
  show(terminal, isJson(command), deletion, () => `Deleted: ${webhook_id}.`);
}

function showSecret(webhook: Schemas['WebhookWithSecret'], command: Command, terminal: Terminal): void {
  show(terminal, isJson(command), webhook, (paint) => {
    const { id, url, secret, previous_secret_expires_at } = webhook;
    const previous = previous_secret_expires_at
      ? { 'Also signed with the previous one': `until ${moment(previous_secret_expires_at)}` }
      : {};
    const told = facts({ Id: id, URL: url, Events: eventsOf(webhook), Secret: secret, ...previous }, paint);
    return `${told}\n\nKeep the secret now: it is not shown again.`;
  });
}
