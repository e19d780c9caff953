import { createHash } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { FILES_DIR, startServer, stopServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { databaseUrl } from '../../../test/worker-database.ts';
import { directoryStore } from '../../files/directory.ts';
import { createLogger } from '../pipeline/log.ts';

test('answers 503 to an upload that fails because the disk is full, and names the cause only in the log', async () => {
  const lines: string[] = [];
  const logger = createLogger('warn', { write: (line) => void lines.push(line) });
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const files = { ...directoryStore(FILES_DIR), put: () => Promise.reject(full) };
  const server = await startServer(databaseUrl(), { files, logger });
  onTestFinished(() => stopServer(server));
  const shop = await openShop({ on: server });
  const content = Buffer.from('not really a picture');
  const { data } = await shop.dashboard.POST('/api/dashboard/files', {
    body: {
      filename: 'mug.jpg',
      content_type: 'image/jpeg',
      bytes: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
    },
  });

  const address = data?.upload_url.replace('http://localhost', server.baseUrl) ?? '';
  const response = await fetch(address, { method: 'PUT', body: content });

  expect(response.status).toBe(503);
  expect(await response.text()).not.toContain('ENOSPC');
  await expect.poll(() => lines.join()).toContain('ENOSPC: no space left on device');
});
