import { type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { usageError } from '../errors.ts';
import { calls } from '../operations.ts';
import { facts, moment, show } from '../output.ts';
import { askSecret, confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addYes, isJson, type YesOption } from './options.ts';

type Account = Schemas['PaymentAccount'];

const CAPTURES = ['automatic', 'manual'] as const;
const KEYS = { 'secret-key': 'Secret key', 'webhook-secret': 'Webhook secret' } as const;

const EXAMPLES = `
Keys are asked for, or read from the input; they are stored encrypted and never shown again. Removing the account asks first;
programs agree with --yes.

Examples:
  $ commerce payments set secret-key               the key of your Stripe account
  $ commerce payments set webhook-secret < secret  of the endpoint that commerce payments show names
  $ commerce payments capture manual               take the money when an order ships
  $ commerce payments show
  $ commerce payments remove`;

/** `payments show|set|capture|remove`: the account that the shop is paid through. */
export function addPayments(program: Command, terminal: Terminal): void {
  const payments = program
    .command('payments')
    .description('The account through which the shop takes cards.')
    .addHelpText('after', EXAMPLES);
  calls(payments.command('show'), 'dashboard.getPaymentAccount')
    .description('Show the account. Its keys are never shown.')
    .addHelpText('after', EXAMPLES)
    .action((_options, command: Command) => showAccount(command, terminal));
  calls(payments.command('set <key>'), 'dashboard.updatePaymentAccount')
    .description('Set secret-key or webhook-secret; it is asked for, or read from the input.')
    .addHelpText('after', EXAMPLES)
    .action((key: string, _options, command: Command) => set(key, command, terminal));
  calls(payments.command('capture <when>'), 'dashboard.updatePaymentAccount')
    .description('Take money with the order (automatic), or when it ships (manual).')
    .addHelpText('after', EXAMPLES)
    .action((when: string, _options, command: Command) => setCapture(when, command, terminal));
  addYes(calls(payments.command('remove'), 'dashboard.deletePaymentAccount'))
    .description('Remove the account and its keys.')
    .addHelpText('after', EXAMPLES)
    .action((options: YesOption, command: Command) => remove(options, command, terminal));
}

async function showAccount(command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  tell(await unwrap(client.GET('/api/dashboard/payment-account')), command, terminal);
}

async function set(key: string, command: Command, terminal: Terminal): Promise<void> {
  if (!isKey(key)) throw usageError(`There is no key ${key}.`, 'Name secret-key or webhook-secret.');
  const { client } = await openSession(command, terminal);
  const value = await askSecret(terminal, KEYS[key]);
  const body = key === 'secret-key' ? { secret_key: value } : { webhook_secret: value };
  tell(await unwrap(client.PATCH('/api/dashboard/payment-account', { body })), command, terminal);
}

function isKey(key: string): key is keyof typeof KEYS {
  return Object.hasOwn(KEYS, key);
}

async function setCapture(when: string, command: Command, terminal: Terminal): Promise<void> {
  const capture = CAPTURES.find((one) => one === when);
  if (!capture) throw usageError(`Money cannot be taken ${when}.`, 'Name automatic or manual.');
  const { client } = await openSession(command, terminal);
  tell(await unwrap(client.PATCH('/api/dashboard/payment-account', { body: { capture } })), command, terminal);
}

async function remove({ yes }: YesOption, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  if (!yes) await confirm(terminal, 'Remove the payment account and its keys?');
  tell(await unwrap(client.DELETE('/api/dashboard/payment-account')), command, terminal);
}

function tell(account: Account, command: Command, terminal: Terminal): void {
  show(terminal, isJson(command), account, (paint) => {
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
  });
}
