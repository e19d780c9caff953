import { type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall } from '../call-command.ts';
import { usageError } from '../errors.ts';
import { calls } from '../operations.ts';
import { facts, moment, type Paint, show } from '../output.ts';
import { askSecret } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { isJson } from './options.ts';

type Account = Schemas['PaymentAccount'];

const KEYS = { 'secret-key': 'Secret key', 'webhook-secret': 'Webhook secret' } as const;

const EXAMPLES = `
Keys are asked for, or read from the input; they are stored encrypted and never shown again. Removing the account asks first;
programs agree with --yes.

Examples:
  $ commerce payments set secret-key               the key of your Stripe account
  $ commerce payments set webhook-secret < secret  of the endpoint that commerce payments show names
  $ commerce payments capture manual               capture the money when an order ships
  $ commerce payments show
  $ commerce payments remove`;

/** `payments show|set|capture|remove`: manages the shop's payment account. */
export function addPayments(program: Command, terminal: Terminal): void {
  const examples = EXAMPLES;
  const payments = program
    .command('payments')
    .description('The account through which the shop takes cards.')
    .addHelpText('after', examples);
  addCall(payments, terminal, {
    name: 'show',
    operation: 'dashboard.getPaymentAccount',
    description: 'Show the account. Its keys are never shown.',
    examples,
    text: accountText,
  });
  calls(payments.command('set <key>'), 'dashboard.updatePaymentAccount')
    .description('Set secret-key or webhook-secret; it is asked for, or read from the input.')
    .addHelpText('after', examples)
    .action((key: string, _options, command: Command) => set(key, command, terminal));
  addCall(payments, terminal, {
    name: 'capture <capture>',
    operation: 'dashboard.updatePaymentAccount',
    description: 'Take money with the order (automatic), or when it ships (manual).',
    examples,
    flags: false,
    text: accountText,
  });
  addCall(payments, terminal, {
    name: 'remove',
    operation: 'dashboard.deletePaymentAccount',
    description: 'Remove the account and its keys.',
    examples,
    asks: () => 'Remove the payment account and its keys?',
    text: accountText,
  });
}

async function set(key: string, command: Command, terminal: Terminal): Promise<void> {
  if (!isKey(key)) throw usageError(`There is no key ${key}.`, 'Name secret-key or webhook-secret.');
  const { client } = await openSession(command, terminal);
  const value = await askSecret(terminal, KEYS[key]);
  const body = key === 'secret-key' ? { secret_key: value } : { webhook_secret: value };
  const account = await unwrap(client.PATCH('/api/dashboard/payment-account', { body }));
  show(terminal, isJson(command), account, (paint) => accountText(account, { paint }));
}

function isKey(key: string): key is keyof typeof KEYS {
  return Object.hasOwn(KEYS, key);
}

function accountText(account: Account, { paint }: { paint: Paint }): string {
  const { provider, kind, mode, connected_account, capture, webhook_secret_set, webhook_url, updated_at } = account;
  if (!provider) return 'The shop has no payment account. Set one: commerce payments set secret-key';
  return facts(
    {
      provider: `${provider}, ${mode}`,
      account: kind === 'connected' ? connected_account : 'its own',
      capture,
      webhooks: webhook_secret_set ? 'accepted' : 'no secret yet: commerce payments set webhook-secret',
      'webhook url': webhook_url,
      changed: moment(updated_at),
    },
    paint,
  );
}
