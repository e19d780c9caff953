import { CommerceError, ConnectionError, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { type Profile, readProfiles, saveProfiles } from '../config.ts';
import { usageError } from '../errors.ts';
import { calls } from '../operations.ts';
import { show } from '../output.ts';
import { type GlobalOptions, openSession, profileNameOf } from '../session.ts';
import type { Terminal } from '../terminal.ts';

/** `logout`: ends the session and removes the profile's secrets. */
export function addLogout(program: Command, terminal: Terminal): void {
  calls(program.command('logout'), 'dashboard.logout')
    .description('End the session and remove the secrets of the profile. Its URL is kept.')
    .addHelpText('after', '\nExamples:\n  $ commerce logout\n  $ commerce logout --profile live')
    .action((_options, command: Command) => logout(command, terminal));
}

async function logout(command: Command, terminal: Terminal): Promise<void> {
  const options = command.optsWithGlobals<GlobalOptions>();
  const name = profileNameOf(options, terminal);
  const profiles = await readProfiles(terminal.env);
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (!profile) throw usageError(`There is no profile "${name}".`);
  const ended = profile.session_token ? await endSession(command, terminal, profile) : false;
  await saveProfiles(terminal.env, { ...profiles, [name]: { url: profile.url } });
  const kept = profile.api_key
    ? ' Its API key stays valid: revoke it in the panel if it should not be used any more.'
    : '';
  show(
    terminal,
    options.json === true,
    { profile: name, session_ended: ended },
    () => `Logged out of "${name}".${kept}`,
  );
}

/** Ends the session. Returns whether it has ended, now or earlier. If the server does not end it, prints a warning. */
async function endSession(command: Command, terminal: Terminal, profile: Profile): Promise<boolean> {
  try {
    const { client } = await openSession(command, terminal, { maxAttempts: 1 });
    await unwrap(client.POST('/api/dashboard/auth/logout'));
    return true;
  } catch (error) {
    if (error instanceof CommerceError && error.status === 401) return true;
    if (!(error instanceof CommerceError || error instanceof ConnectionError)) throw error;
    const until = profile.expires_at ? ` It expires at ${profile.expires_at}.` : '';
    terminal.stderr.write(`Warning: the server did not end the session: ${error.message}${until}\n`);
    return false;
  }
}
