import type { Schemas } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, cursorText } from '../call-command.ts';
import { type Column, moment } from '../output.ts';
import type { Terminal } from '../terminal.ts';

type AuditEvent = Schemas['AuditEvent'];

const EXAMPLES = `
Examples:
  $ commerce audit list --actor-type agent --from 2026-11-01
  $ commerce audit list --action agent.findAndBuy --status 402
  $ commerce audit list --request 3f0c2a7e-1111-4222-8333-444455556666`;

/** `audit list`: shows the actions of staff, API keys, agents and customers. */
export function addAudit(program: Command, terminal: Terminal): void {
  const audit = program.command('audit').description('The recorded actions, successful or not, with their actors.');
  addCall(audit, terminal, {
    name: 'list',
    operation: 'dashboard.listAuditEvents',
    description: 'List the events, newest first.',
    examples: EXAMPLES,
    text: (page, view) => cursorText('No events.', COLUMNS, page.audit_events, page, view),
  });
}

const COLUMNS: Column<AuditEvent>[] = [
  { title: 'WHEN', value: ({ created_at }) => moment(created_at) },
  { title: 'STATUS', value: ({ status }) => status, colour: ({ status }) => (status < 400 ? 'green' : 'yellow') },
  { title: 'BY', value: ({ actor_name, actor_type }) => actor_name ?? actor_type, shrinks: true },
  { title: 'ACTION', value: ({ action }) => action },
  {
    title: 'OF',
    value: ({ targets, target_name }) => [target_name, ...targets].filter(Boolean).join(' '),
    below: true,
  },
  {
    title: 'CHANGES',
    value: ({ changes, more_changes }) =>
      [
        ...changes.map(({ field, before, after }) => `${field}: ${before ?? '–'} → ${after ?? '–'}`),
        ...(more_changes ? [`${more_changes} more`] : []),
      ].join('; '),
    below: true,
  },
  { title: 'TOLD', value: ({ summary }) => summary, below: true },
  { title: 'FIELDS', value: ({ fields }) => fields.join(', '), below: true },
  { title: 'FROM', value: ({ ip, buyer_ip }) => buyer_ip ?? ip, below: true },
  { title: 'ACTOR', value: ({ actor_type, actor_id }) => `${actor_type} ${actor_id}`, below: true },
  { title: 'REQUEST', value: ({ correlation_id }) => correlation_id, below: true },
];
