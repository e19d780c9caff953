import type { Schemas } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, listText } from '../call-command.ts';
import { type Column, moment, plain } from '../output.ts';
import type { Terminal } from '../terminal.ts';

type Assistant = Schemas['Assistant'];
type Action = Schemas['AssistantAction'];

const EXAMPLES = `
Assistants act for one member of the staff. A change that they may not make alone waits 15 minutes for that member.

Examples:
  $ commerce assistants list
  $ commerce assistants disconnect ID                asks first; its token stops working at once
  $ commerce assistants change ID                    all values of a change, from the link of the assistant
  $ commerce assistants confirm ID
  $ commerce assistants decline ID`;

const CONNECT_EXAMPLES = `
A program asks for access with a link to /panel/connect?request=REQUEST, which you usually open in a browser. Afterwards, open the
printed address in a browser to return to the program.

Examples:
  $ commerce assistants request REQUEST
  $ commerce assistants connect REQUEST --scope orders:read --lifetime-days 30`;

/**
 * `assistants`: lists, connects and disconnects the assistants of staff, and confirms or declines the changes that they
 * request.
 */
export function addAssistants(program: Command, terminal: Terminal): void {
  const assistants = program
    .command('assistants')
    .description('Assistants that act for a member of the staff over MCP.')
    .addHelpText('after', EXAMPLES);
  addCall(assistants, terminal, {
    name: 'list',
    operation: 'dashboard.listAssistants',
    description: 'List the connected assistants.',
    examples: EXAMPLES,
    text: ({ assistants: rows }, view) => listText('No assistant is connected.', COLUMNS, rows, view),
  });
  addCall(assistants, terminal, {
    name: 'disconnect <assistant>',
    operation: 'dashboard.revokeAssistant',
    description: 'Disconnect an assistant at once.',
    examples: EXAMPLES,
    asks: (named) => `Disconnect the assistant ${named}?`,
    text: () => 'The assistant is disconnected.',
  });
  addCall(assistants, terminal, {
    name: 'request <request>',
    operation: 'dashboard.getAssistantRequest',
    description: 'Show what a program asks for.',
    examples: CONNECT_EXAMPLES,
    text: ({ client_name, scopes, available_scopes }) =>
      `${plain(client_name)} asks for: ${scopes.join(', ')}\nYou can grant: ${available_scopes.join(', ')}`,
  });
  addCall(assistants, terminal, {
    name: 'connect <request>',
    operation: 'dashboard.connectAssistant',
    description: 'Connect a program that asked for access.',
    examples: CONNECT_EXAMPLES,
    text: ({ assistant, redirect_url }) =>
      `${plain(assistant.client_name)} is connected. Open this address to return to it:\n${redirect_url}`,
  });
  addChanges(assistants, terminal);
}

function addChanges(assistants: Command, terminal: Terminal): void {
  addCall(assistants, terminal, {
    name: 'change <change>',
    operation: 'dashboard.getAssistantAction',
    description: 'Show a change that an assistant wants.',
    examples: EXAMPLES,
    text: actionText,
  });
  addCall(assistants, terminal, {
    name: 'confirm <change>',
    operation: 'dashboard.confirmAssistantAction',
    description: 'Make a change that an assistant wants.',
    examples: EXAMPLES,
    asks: (named) => `Make the change ${named}?`,
    text: actionText,
  });
  addCall(assistants, terminal, {
    name: 'decline <change>',
    operation: 'dashboard.declineAssistantAction',
    description: 'Decline a change that an assistant wants.',
    examples: EXAMPLES,
    text: actionText,
  });
}

const COLUMNS: Column<Assistant>[] = [
  { title: 'ID', value: ({ id }) => id, below: true },
  { title: 'PROGRAM', value: ({ client_name }) => client_name, shrinks: true },
  { title: 'MEMBER', value: ({ staff }) => staff.name },
  { title: 'SCOPES', value: ({ scopes }) => scopes.join(', '), shrinks: true },
  { title: 'LAST USED', value: ({ last_used_at }) => (last_used_at ? moment(last_used_at) : 'never') },
  { title: 'UNTIL', value: ({ expires_at }) => moment(expires_at) },
];

function actionText({ title, target, assistant_name, changes, status, result }: Action): string {
  const values = changes.map(
    ({ field, before, after }) => `  ${field}: ${before === null ? '' : `${before} → `}${after}`,
  );
  const outcome = result?.message ? `${status}: ${result.message}` : status;
  return [`${title}${target ? ` (${target})` : ''}, for ${assistant_name}`, ...values, outcome].map(plain).join('\n');
}
