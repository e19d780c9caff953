import type { Command } from 'commander';
import { readProfiles } from '../config.ts';
import { usageError } from '../errors.ts';
import { saveFolderProfile } from '../folder-profile.ts';
import { show } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { isJson } from './options.ts';

const EXAMPLES = `
Writes .commerce.json into the current folder. It holds the name of the profile, no secret, so it can be committed. The file of
the nearest folder upwards counts; --profile and COMMERCE_PROFILE override it. To undo it, delete the file.

Examples:
  $ commerce login --profile live --url https://shop.example
  $ commerce use live`;

/** `use`: makes commands in this folder, and in those below, use a profile. */
export function addUse(program: Command, terminal: Terminal): void {
  program
    .command('use <profile>')
    .description('Use a profile for all commands in this folder and those below it.')
    .addHelpText('after', EXAMPLES)
    .action((profile: string, _options, command: Command) => use(profile, command, terminal));
}

async function use(profile: string, command: Command, terminal: Terminal): Promise<void> {
  const profiles = await readProfiles(terminal.env);
  if (!Object.hasOwn(profiles, profile)) {
    const known = Object.keys(profiles).join(', ') || 'none';
    throw usageError(
      `There is no profile "${profile}". Known profiles: ${known}`,
      `Create it: commerce login --profile ${profile}`,
    );
  }
  const path = saveFolderProfile(terminal, profile);
  show(
    terminal,
    isJson(command),
    { profile, path },
    () => `Commands in this folder use the profile "${profile}" (${path}).`,
  );
}
