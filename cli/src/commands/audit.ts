import { type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { calls } from '../operations.ts';
import { type Column, moment, show, styleOf, table } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { choice, isJson, since, until, uuid, wholeNumber } from './options.ts';

type AuditEvent = Schemas['AuditEvent'];

const ACTORS = ['agent', 'guest_agent', 'customer', 'storefront', 'staff', 'api_key'] as const;

const EXAMPLES = `
Examples:
  $ commerce audit list --actor-type agent --from 2026-11-01
  $ commerce audit list --action agent.findAndBuy --status 402
  $ commerce audit list --request 3f0c2a7e-1111-4222-8333-444455556666`;

interface ListOptions {
  actorType?: (typeof ACTORS)[number];
  actor?: string;
  action?: string;
  status?: number;
  request?: string;
  from?: string;
  to?: string;
  limit?: number;
  cursor?: string;
}

/** `audit list`: what staff, keys and agents did, and customers. */
export function addAudit(program: Command, terminal: Terminal): void {
  const audit = program.command('audit').description('What was done, by whom, whatever came of it.');
  calls(audit.command('list'), 'dashboard.listAuditEvents')
    .description('List the events, newest first.')
    .addOption(choice('--actor-type <type>', 'only events of this kind of actor', ACTORS))
    .option('--actor <id>', 'only events of this actor; of an agent, the id of its token', uuid)
    .option('--action <operation>', 'only this operation, such as agent.findAndBuy')
    .option('--status <number>', 'only calls that were answered with this status', wholeNumber)
    .option('--request <id>', 'only the call with this request id')
    .option('--from <when>', 'only events of then or later: a day, or a date and time', since)
    .option('--to <when>', 'only events until then: a day, inclusive, or a date and time', until)
    .option('--limit <number>', 'how many, at most 100 (default: 20)', wholeNumber)
    .option('--cursor <cursor>', 'go on from where a list ended')
    .addHelpText('after', EXAMPLES)
    .action((options: ListOptions, command: Command) => list(options, command, terminal));
}

const COLUMNS: Column<AuditEvent>[] = [
  { title: 'WHEN', value: ({ created_at }) => moment(created_at) },
  { title: 'STATUS', value: ({ status }) => status, colour: ({ status }) => (status < 400 ? 'green' : 'yellow') },
  { title: 'BY', value: ({ actor_name, actor_type }) => actor_name ?? actor_type, shrinks: true },
  { title: 'ACTION', value: ({ action }) => action },
  { title: 'OF', value: ({ targets }) => targets.join(' '), below: true },
  { title: 'TOLD', value: ({ summary }) => summary, below: true },
  { title: 'FIELDS', value: ({ fields }) => fields.join(', '), below: true },
  { title: 'FROM', value: ({ ip, buyer_ip }) => buyer_ip ?? ip, below: true },
  { title: 'ACTOR', value: ({ actor_type, actor_id }) => `${actor_type} ${actor_id}`, below: true },
  { title: 'REQUEST', value: ({ correlation_id }) => correlation_id, below: true },
];

async function list(options: ListOptions, command: Command, terminal: Terminal): Promise<void> {
  const { actorType: actor_type, actor: actor_id, request: correlation_id, from, to, ...rest } = options;
  const query = { ...rest, actor_type, actor_id, correlation_id, created_from: from, created_to: to };
  const { client } = await openSession(command, terminal);
  const page = await unwrap(client.GET('/api/dashboard/audit-events', { params: { query } }));
  show(terminal, isJson(command), page, (paint) => {
    if (page.audit_events.length === 0) return 'No events.';
    const more = page.next_cursor ? `\n\nNext: --cursor ${page.next_cursor}` : '';
    return `${table(COLUMNS, page.audit_events, styleOf(terminal, paint))}${more}`;
  });
}
