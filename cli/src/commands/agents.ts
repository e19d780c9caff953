import { paginate, type Schemas } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, pageText } from '../call-command.ts';
import { decimalsOf } from '../formats/amounts.ts';
import { calls } from '../operations.ts';
import { type Column, moment, plain, show, styleOf, table } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { isJson, uuid, wholeNumber } from './options.ts';

type AgentToken = Schemas['AgentToken'];
type AuditEvent = Schemas['AuditEvent'];

const EXAMPLES = `
Names of agents are self-reported and not verified. ID is the last column of the list.

Examples:
  $ commerce agents list --status active
  $ commerce agents list --customer june@example.com
  $ commerce agents audit ID           its calls, successful or not
  $ commerce agents revoke ID          asks first; the agent fails from its next call on`;

/** `agents list|revoke|audit`: manages the agents that act for customers. */
export function addAgents(program: Command, terminal: Terminal): void {
  const agents = program
    .command('agents')
    .description('AI agents that customers allowed to act for them.')
    .addHelpText('after', EXAMPLES);
  addCall(agents, terminal, {
    name: 'list',
    operation: 'dashboard.listAgentTokens',
    description: 'List the agents, newest first.',
    examples: EXAMPLES,
    text: (page, view) => pageText('agents', COLUMNS, page.agent_tokens, page, view),
  });
  addCall(agents, terminal, {
    name: 'revoke <id>',
    operation: 'dashboard.revokeAgentToken',
    description: 'Revoke an agent at once.',
    examples: EXAMPLES,
    asks: (id) => `Revoke the agent ${id}?`,
    text: ({ agent_name }) => `Revoked: ${plain(agent_name)}.`,
  });
  calls(agents.command('audit'), 'dashboard.listAgentTokenAudit')
    .argument('<id>', 'the agent, as the list shows it', uuid)
    .description('Show the actions of an agent, newest first.')
    .option('--max <number>', 'the maximum number of calls', wholeNumber, 50)
    .addHelpText('after', EXAMPLES)
    .action((id: string, { max }: { max: number }, command: Command) => audit(id, max, command, terminal));
}

const COLUMNS: Column<AgentToken>[] = [
  { title: 'CALLS ITSELF', value: ({ agent_name }) => agent_name, shrinks: true },
  { title: 'STATE', value: stateOf, colour: ({ status }) => (status === 'active' ? 'green' : 'dim') },
  { title: 'BUDGET', value: budgetOf, right: true },
  { title: 'USED', value: ({ budget_used_cents, currency }) => amount(budget_used_cents, currency), right: true },
  {
    title: 'PENDING',
    value: ({ budget_pending_cents, currency }) => amount(budget_pending_cents, currency),
    right: true,
  },
  {
    title: 'AT MOST PER ORDER',
    value: ({ max_per_order_cents: most, currency }) => (most === null ? '' : amount(most, currency)),
    below: true,
  },
  { title: 'BUDGET RESETS', value: ({ budget_resets_at }) => moment(budget_resets_at, ''), below: true },
  { title: 'ENDS', value: ({ expires_at }) => moment(expires_at), below: true },
  { title: 'LAST USED', value: ({ last_used_at }) => moment(last_used_at, 'never'), below: true },
  { title: 'ID', value: ({ id }) => id, below: true },
];

function budgetOf({ budget_cents, budget_period, currency }: AgentToken): string {
  return `${amount(budget_cents, currency)}${budget_period === 'once' ? '' : ` a ${budget_period}`}`;
}

function stateOf({ status, revoked_by }: AgentToken): string {
  return revoked_by ? `revoked by ${revoked_by}` : status;
}

/** Formats minor units as an amount of money. */
export function amount(cents: number, currency: string): string {
  const digits = decimalsOf(currency);
  return (cents / 10 ** digits).toFixed(digits);
}

const AUDIT_COLUMNS: Column<AuditEvent>[] = [
  { title: 'WHEN', value: ({ created_at }) => moment(created_at) },
  { title: 'STATUS', value: ({ status }) => status, colour: ({ status }) => (status < 400 ? 'green' : 'yellow') },
  { title: 'WHAT', value: ({ summary, action }) => summary ?? action, shrinks: true },
  { title: 'ACTION', value: ({ action }) => action, below: true },
  { title: 'FROM', value: ({ ip }) => ip, below: true },
  { title: 'REQUEST', value: ({ correlation_id }) => correlation_id, below: true },
];

async function audit(agent_token_id: string, max: number, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const params = { path: { agent_token_id }, query: { limit: Math.min(Math.max(max, 1), 100) } };
  const events: AuditEvent[] = [];
  for await (const event of paginate(client, '/api/dashboard/agent-tokens/{agent_token_id}/audit', { params })) {
    events.push(event);
    if (events.length >= max) break;
  }
  show(terminal, isJson(command), { audit_events: events }, (paint) =>
    events.length > 0
      ? table(AUDIT_COLUMNS, events, styleOf(terminal, paint))
      : 'This agent has not made any calls yet.',
  );
}
