import { unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { folderProfile } from '../folder-profile.ts';
import { facts, moment, show } from '../output.ts';
import { type GlobalOptions, openSession, profileNameOf, serverOf } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { isJson } from './options.ts';
import { sentenceOf } from './setup.ts';

const EXAMPLES = `
The exit code is 0 when commands can be run, 3 without a login that is valid, and 4 when the server cannot be reached.

Examples:
  $ commerce status
  $ commerce status --profile live --json`;

/** `status`: checks the server, the login and the shop. */
export function addStatus(program: Command, terminal: Terminal): void {
  program
    .command('status')
    .description('Show whether the server responds, and the shop and the login of the commands.')
    .addHelpText('after', EXAMPLES)
    .action((_options, command: Command) => status(command, terminal));
}

async function status(command: Command, terminal: Terminal): Promise<void> {
  const url = await serverOf(command, terminal);
  const server = { url, ...(await reached(url)) };
  const options = command.optsWithGlobals<GlobalOptions>();
  const uses = terminal.env.COMMERCE_API_KEY && !options.profile;
  const profile = uses ? null : profileNameOf(options, terminal);
  const login = await whoIs(command, terminal);
  const { staff = null, api_key = null, merchant = null } = login.me ?? {};
  const info = {
    server,
    profile,
    shop: merchant,
    staff,
    api_key,
    expires_at: login.expires_at,
    setup: login.setup ?? null,
  };
  show(terminal, isJson(command), info, (paint) => {
    const person = staff ? `${staff.name} <${staff.email}>` : undefined;
    const key = api_key ? `API key ${api_key.secret_prefix}…` : undefined;
    const until = staff && login.expires_at ? `, until ${moment(login.expires_at)}` : '';
    const took = server.reachable ? `, answers in ${server.took_ms} ms` : ', does not answer';
    return facts(
      {
        Server: url + took,
        Profile: profile === null ? 'none: COMMERCE_API_KEY' : profile + sourceOf(options, terminal),
        Login: `${person ?? key ?? 'none that is valid'}${until}`,
        Shop: merchant?.name ?? undefined,
        Setup:
          login.setup &&
          `${sentenceOf(login.setup)} ${login.setup.items.every(({ done }) => done) ? '' : 'See: commerce setup'}`.trim(),
      },
      paint,
    );
  });
  if (login.failure) throw login.failure;
}

/** The file that chose the profile, in brackets; empty if no file did. */
function sourceOf({ profile }: GlobalOptions, { env, cwd }: Terminal): string {
  const file = profile || env.COMMERCE_PROFILE ? undefined : folderProfile({ cwd });
  return file ? ` (${file.path})` : '';
}

const PATIENCE_MS = 5000;

async function reached(url: string): Promise<{ reachable: boolean; took_ms: number }> {
  const startedAt = performance.now();
  const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => undefined);
  await answer?.body?.cancel();
  return { reachable: answer !== undefined, took_ms: Math.round(performance.now() - startedAt) };
}

/** Returns the owner of the credentials and the shop's setup. If that fails, returns the error as `failure`. */
async function whoIs(command: Command, terminal: Terminal) {
  try {
    const { client, profile } = await openSession(command, terminal, { maxAttempts: 1, timeoutMs: PATIENCE_MS });
    const me = await unwrap(client.GET('/api/dashboard/me'));
    const setup = await unwrap(client.GET('/api/dashboard/setup'));
    return { me, setup, expires_at: profile.expires_at ?? null, failure: undefined };
  } catch (failure) {
    return { me: undefined, setup: undefined, expires_at: null, failure };
  }
}
