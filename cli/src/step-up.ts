import { type DashboardClient, unwrap } from '@commerce-backend/sdk';
import { askSecret } from './prompt.ts';
import { canAsk, type Terminal } from './terminal.ts';

type Call = (...args: unknown[]) => Promise<{ error?: { error?: string; second_factor?: boolean } }>;

/**
 * Wraps a client so that it asks for the password or a code when the server requires it, and then repeats the rejected
 * call. Without a terminal, returns the rejection.
 */
export function withStepUp(client: DashboardClient, terminal: Terminal): DashboardClient {
  const repeating =
    (call: Call): Call =>
    async (...args) => {
      const answer = await call(...args);
      if (answer.error?.error !== 'step_up_required' || !canAsk(terminal)) return answer;
      const body = await ask(terminal, answer.error.second_factor === true);
      await unwrap(client.POST('/api/dashboard/auth/confirm', { body }));
      return call(...args);
    };
  const { GET, POST, PUT, PATCH, DELETE } = client as unknown as Record<string, Call>;
  const calls = Object.entries({ GET, POST, PUT, PATCH, DELETE }).map(([verb, call]) => [
    verb,
    call && repeating(call),
  ]);
  return Object.fromEntries(calls) as DashboardClient;
}

async function ask(terminal: Terminal, onlyCode: boolean) {
  if (onlyCode) {
    terminal.stderr.write('This change needs a code of your authenticator app, or a recovery code.\n');
    return { totp_code: await askSecret(terminal, 'Code') };
  }
  terminal.stderr.write('This change needs your password again.\n');
  return { password: await askSecret(terminal, 'Password') };
}
