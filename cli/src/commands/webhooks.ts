import type { Schemas } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, listText, rowsText, type View } from '../call-command.ts';
import { type Column, facts, moment, plain } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { EVENT_TYPES, EVENT_TYPES_HELP } from './event-types.ts';

type Webhook = Schemas['Webhook'];

const EXAMPLES = `
A webhook's secret is printed once, when it is created. ID is the id in the list.

Examples:
  $ commerce webhooks create https://search.example/hooks --event product.updated --event product.deleted
  $ commerce webhooks list
  $ commerce webhooks get ID
  $ commerce webhooks test ID          sends webhook.ping
  $ commerce webhooks rotate ID        a new secret; for 24 hours both sign
  $ commerce webhooks delete ID        asks first; programs agree with --yes
  $ commerce webhooks disable ID       until it is enabled
  $ commerce webhooks enable ID        after it was disabled; then: commerce deliveries replay --failed-since WHEN`;

/** All event types except the ping, which a test sends to any webhook. */
const ALL = EVENT_TYPES.filter((type) => type !== 'webhook.ping');

/** `webhooks list|get|create|enable|disable|test|rotate|delete`: manages webhooks. */
export function addWebhooks(program: Command, terminal: Terminal): void {
  const examples = EXAMPLES;
  const webhooks = program
    .command('webhooks')
    .description('The URLs that receive events.')
    .addHelpText('after', examples);
  addCall(webhooks, terminal, {
    name: 'list',
    operation: 'dashboard.listWebhooks',
    description: 'List the webhooks, oldest first.',
    examples,
    text: (list, view) =>
      listText('No webhooks yet. Create one: commerce webhooks create https://…', COLUMNS, list, view),
  });
  addCall(webhooks, terminal, {
    name: 'create <url>',
    operation: 'dashboard.createWebhook',
    description: 'Subscribe a URL to events, and print the signing secret, once.',
    examples: `${examples}\n${EVENT_TYPES_HELP}`,
    flags: { events: { help: 'only this event; may be repeated (default: all)' } },
    body: ({ event, input }) => (event || input ? {} : { events: ['*'] }),
    text: withSecret,
  });
  addCall(webhooks, terminal, {
    name: 'get <id>',
    operation: 'dashboard.getWebhook',
    description: 'Show one webhook.',
    examples,
    text: details,
  });
  for (const [name, status, description] of [
    ['enable <id>', 'active', 'Send events again.'],
    ['disable <id>', 'disabled', 'Stop sending events until it is enabled.'],
  ] as const) {
    addCall(webhooks, terminal, {
      name,
      operation: 'dashboard.updateWebhook',
      description,
      examples,
      flags: false,
      body: () => ({ status }),
      text: (webhook, view) => rowsText(COLUMNS, [webhook], view),
    });
  }
  addCall(webhooks, terminal, {
    name: 'test <id>',
    operation: 'dashboard.testWebhook',
    description: 'Send webhook.ping, regardless of its events.',
    examples,
    text: ({ id, attempts, next_attempt_at }) => {
      const last = attempts.at(-1);
      const next = next_attempt_at && ` It is sent again at ${moment(next_attempt_at)}: commerce deliveries show ${id}`;
      return `webhook.ping: ${last ? answerOf(last) : 'not sent'}.${next ?? ''}`;
    },
  });
  addCall(webhooks, terminal, {
    name: 'rotate <id>',
    operation: 'dashboard.rotateWebhook',
    description: 'Create a new secret; for 24 hours deliveries are signed with both.',
    examples,
    text: withSecret,
  });
  addCall(webhooks, terminal, {
    name: 'delete <id>',
    operation: 'dashboard.deleteWebhook',
    description: 'Delete a webhook and its pending deliveries.',
    examples,
    asks: (id) => `Delete the webhook ${id} and its pending deliveries?`,
    text: (_deletion, { named }) => `Deleted: ${named}.`,
  });
}

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

function details(webhook: Webhook, { paint }: View): string {
  const { id, url, description, created_at, failing_since, last_success_at } = webhook;
  return facts(
    {
      ...{ Id: id, URL: url, Description: description, Events: eventsOf(webhook), State: stateOf(webhook) },
      ...(failing_since && { 'Failing since': moment(failing_since) }),
      ...{ 'Last success': moment(last_success_at, 'never'), Created: moment(created_at) },
    },
    paint,
  );
}

function answerOf({ outcome, response_status, response_body, duration_ms }: Schemas['WebhookAttempt']): string {
  const status = response_status === null ? outcome : `${outcome} with ${response_status}`;
  const said = plain(response_body ?? '').trim();
  return `${status}, after ${duration_ms} ms${said && `, and the answer “${said}”`}`;
}

function withSecret(webhook: Schemas['WebhookWithSecret'], { paint }: View): string {
  const { id, url, secret, previous_secret_expires_at } = webhook;
  const previous = previous_secret_expires_at
    ? { 'Also signed with the previous one': `until ${moment(previous_secret_expires_at)}` }
    : {};
  const lines = facts({ Id: id, URL: url, Events: eventsOf(webhook), Secret: secret, ...previous }, paint);
  return `${lines}\n\nKeep the secret now: it is not shown again.`;
}
