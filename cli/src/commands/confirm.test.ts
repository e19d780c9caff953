import { expect, test } from 'vitest';
import { createProgram } from '../main.ts';
import { fakeServer, loggedIn } from '../testing.ts';

const ID = '0192f3a0-4444-7000-8000-000000000001';

/** Commands that ask for confirmation, with their question and the call after `yes`. */
const ASKING = [
  [['discounts', 'delete', ID], `Delete the discount ${ID}?`, `DELETE /api/dashboard/discounts/${ID}`],
  [
    ['shipping-options', 'delete', ID],
    `Delete the shipping option ${ID}?`,
    `DELETE /api/dashboard/shipping-options/${ID}`,
  ],
  [
    ['webhooks', 'delete', ID],
    `Delete the webhook ${ID} and its pending deliveries?`,
    `DELETE /api/dashboard/webhooks/${ID}`,
  ],
  [['sync-keys', 'revoke', ID], `Revoke the sync key ${ID}?`, `DELETE /api/dashboard/sync-keys/${ID}`],
  [['agents', 'revoke', ID], `Revoke the agent ${ID}?`, `DELETE /api/dashboard/agent-tokens/${ID}`],
  [['payments', 'remove'], 'Remove the payment account and its keys?', 'DELETE /api/dashboard/payment-account'],
] as const;

test.each(ASKING)('%j asks for confirmation without --yes', async (args, question, call) => {
  const server = await fakeServer({ [call]: { body: { id: ID, deleted: true, description: '', agent_name: '' } } });
  const { commerce } = await loggedIn(server.url);
  const alone = await commerce([...args, '--json'], { input: 'y\n' });
  expect(alone.code).toBe(2);
  const message = `This needs a confirmation, and there is nobody to ask: ${question}`;
  expect(JSON.parse(alone.err)).toMatchObject({ error: 'usage', message, remedy: 'Add --yes.' });
  const declined = await commerce([...args], { typed: 'n' });
  expect(declined.code).toBe(2);
  expect(declined.err).toContain(`${question} [y/N]`);
  expect(declined.err).toContain('Cancelled. Nothing was changed.');
  expect(server.seen).toEqual([]);
  expect((await commerce([...args], { typed: 'y' })).code).toBe(0);
  expect((await commerce([...args, '--yes'])).code).toBe(0);
  expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([call, call]);
});

const FINAL = /^(?:anonymi[sz]e|cancel|delete|mark-paid|refund|remove|revoke)$/;

test('every command with the name of an irreversible action has the option --yes', async () => {
  const { env, cwd, stdin, stdout, stderr, once, off } = process;
  const program = createProgram({ env, cwd, stdin, stdout, stderr, once, off });
  const leaves = [program, ...program.commands].flatMap(({ commands }) => commands);
  const final = leaves.filter((command) => FINAL.test(command.name()));
  expect(final.length).toBeGreaterThan(8);
  for (const command of final) {
    const takes = command.options.map(({ long }) => long);
    expect({ name: `${command.parent?.name()} ${command.name()}`, takes }).toMatchObject({
      takes: expect.arrayContaining(['--yes']),
    });
  }
});
