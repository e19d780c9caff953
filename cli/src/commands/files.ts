import type { Schemas } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall } from '../call-command.ts';
import { calls } from '../operations.ts';
import { plain, show } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { uploadPicture } from '../upload.ts';
import { isJson } from './options.ts';

const EXAMPLES = `
A file that nothing uses is deleted after a day. To add a picture to a product: commerce images create PRODUCT FILE

Examples:
  $ commerce files upload logo.png                          and then: commerce settings set brand.logo_url URL
  $ commerce files get 0192f3a0-8888-7000-8000-000000000001`;

/** `files upload|get`: manages uploaded images. */
export function addFiles(program: Command, terminal: Terminal): void {
  const files = program.command('files').description('Uploaded pictures.').addHelpText('after', EXAMPLES);
  calls(files.command('upload <file>'), 'dashboard.createFile')
    .description('Upload a JPEG, PNG or WebP picture, and print its address.')
    .addHelpText('after', EXAMPLES)
    .action(async (path: string, _options, command: Command) => {
      const { client } = await openSession(command, terminal);
      const file = await uploadPicture(client, path);
      show(terminal, isJson(command), file, () => textOf(file));
    });
  addCall(files, terminal, {
    name: 'get <file>',
    operation: 'dashboard.getFile',
    description: 'Show the state of an uploaded file.',
    examples: EXAMPLES,
    text: textOf,
  });
}

function textOf({ id, filename, status, failure, url, width, height }: Schemas['StoredFile']): string {
  const size = width && height ? ` (${width} × ${height})` : '';
  const about = failure ? `failed: ${failure.message}` : (url ?? status.replaceAll('_', ' '));
  return plain(`${filename}${size}  ${id}\n${about}`);
}
