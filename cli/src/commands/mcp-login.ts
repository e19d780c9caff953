import { requestConsent } from '@commerce-backend/sdk';
import type { AgentScope, BudgetPeriod } from '@commerce-backend/spec';
import { type Command, InvalidArgumentError } from 'commander';
import { configFile, type KeptAgents, readAgents, saveAgents } from '../config.ts';
import { CommandError, EXIT } from '../errors.ts';
import { findConsent } from '../mcp/consent.ts';
import { show } from '../output.ts';
import { asCommandLine } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { choice, isJson, repeated, wholeNumber } from './options.ts';

interface LoginOptions {
  name: string;
  scope?: AgentScope[];
  budgetCents?: number;
  budgetPeriod?: BudgetPeriod;
  maxPerOrderCents?: number;
  category?: string[];
}

/** The default scopes, with which an assistant can buy but not request returns. */
const BUYING: readonly AgentScope[] = ['catalog:read', 'cart:write', 'checkout:create', 'customer:self', 'orders:read'];
const SCOPES: readonly AgentScope[] = [...BUYING, 'returns:request'];

const LOGIN_EXAMPLES = `
It prints a link and a code. Open the link, log in as a customer of the shop, compare the code and approve the request or a part of it.
The command ends after your decision. The token is stored in the profiles file for that address, until it expires.

Examples:
  $ commerce mcp login https://shop.example/mcp --budget-cents 5000
  $ commerce mcp login http://localhost:8080/sites/$SITE/mcp --budget-cents 2000 --budget-period week --category Kitchen`;

const LOGOUT_EXAMPLES = `
Examples:
  $ commerce mcp logout https://shop.example/mcp`;

/** `mcp login` and `mcp logout`: store and remove the token that `mcp` uses unless the environment contains one. */
export function addMcpLogin(mcp: Command, terminal: Terminal): void {
  mcp
    .command('login')
    .argument('<address>', 'the address of the shop for MCP')
    .description('Ask a customer for consent, and store the token.')
    .option('--name <text>', 'the name of the assistant that the customer sees', 'Assistant on this computer')
    .option('--scope <scope>', `${SCOPES.join(', ')}; may be repeated (default: all but returns:request)`, scopes)
    .option('--budget-cents <number>', 'the budget, in cents (without it, the customer enters one)', wholeNumber)
    .addOption(choice('--budget-period <period>', 'when the budget resets', ['once', 'week', 'month']))
    .option('--max-per-order-cents <number>', 'the maximum for one order, in cents', wholeNumber)
    .option('--category <name>', 'only products of this category; may be repeated', repeated)
    .addHelpText('after', LOGIN_EXAMPLES)
    .action((address: string, options: LoginOptions, command: Command) => login(address, options, command, terminal));
  mcp
    .command('logout')
    .argument('<address>', 'the address of the shop for MCP')
    .description('Revoke the stored token of an address, and delete it.')
    .addHelpText('after', LOGOUT_EXAMPLES)
    .action((address: string, _options: object, command: Command) => logout(address, command, terminal));
}

async function login(address: string, options: LoginOptions, command: Command, terminal: Terminal): Promise<void> {
  const { name, scope, budgetCents, budgetPeriod, maxPerOrderCents, category } = options;
  const { baseUrl, siteId } = await findConsent(address);
  const pending = await requestConsent(
    { baseUrl, siteId, fetch: asCommandLine },
    {
      agent_name: name,
      scopes: scope ?? [...BUYING],
      ...(budgetCents !== undefined && { budget_cents: budgetCents }),
      ...(budgetPeriod !== undefined && { budget_period: budgetPeriod }),
      ...(maxPerOrderCents !== undefined && { max_per_order_cents: maxPerOrderCents }),
      ...(category !== undefined && { categories: category }),
    },
  );
  const { verification_uri_complete, user_code } = pending;
  terminal.stderr.write(`Open ${verification_uri_complete} and compare the code: ${user_code}\n`);
  const { access_token, token_id, expires_at, scope: allowed, budget_cents, currency } = await pending.token();
  const agents = await readAgents(terminal.env);
  await saveAgents(terminal.env, { ...agents, [address]: { token: access_token, expires_at } });
  const stored = { address, token_id, scope: allowed, budget_cents, currency, expires_at };
  show(
    terminal,
    isJson(command),
    stored,
    () => `Allowed until ${expires_at}. The token is in ${configFile(terminal.env)}. Start: commerce mcp ${address}`,
  );
}

async function logout(address: string, command: Command, terminal: Terminal): Promise<void> {
  const { [address]: kept, ...others } = await readAgents(terminal.env);
  if (!kept) {
    throw new CommandError(EXIT.notLoggedIn, 'no_token', 'There is no token for this address.', loginRemedy(address));
  }
  const { revoke } = await findConsent(address);
  await revoke(kept.token);
  await saveAgents(terminal.env, others);
  show(terminal, isJson(command), { address, revoked: true }, () => 'The token is revoked and deleted.');
}

function scopes(value: string, earlier: AgentScope[] = []): AgentScope[] {
  const scope = SCOPES.find((one) => one === value);
  if (!scope) throw new InvalidArgumentError(`Allowed choices are ${SCOPES.join(', ')}.`);
  return [...earlier, scope];
}

/** Returns the stored token for a URL; undefined if there is none or it has expired. */
export function tokenFor(agents: KeptAgents, address: string): string | undefined {
  const kept = Object.hasOwn(agents, address) ? agents[address] : undefined;
  return kept && Date.parse(kept.expires_at) > Date.now() ? kept.token : undefined;
}

export function loginRemedy(address: string): string {
  return `commerce mcp login ${address}`;
}
