import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../src/db/free-port.ts';
import { seedDemo } from '../src/demo/seed.ts';
import type { DemoCredentials } from '../src/demo/stored.ts';
import { SECRET_KEY, startServer, stopServer } from './server.ts';
import { databaseUrl, superuserUrl } from './worker-database.ts';

/** The demo shop on a server whose URLs browsers and clients can reach. */
export interface DemoShop {
  baseUrl: string;
  demo: DemoCredentials;
  mcp: string;
  close(): Promise<void>;
}

export async function openDemoShop(): Promise<DemoShop> {
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  const server = await startServer(databaseUrl(), { baseUrl }, superuserUrl(), port);
  const dataDir = await mkdtemp(join(tmpdir(), 'commerce-demo-'));
  const { demo } = await seedDemo({ db: server.db, dataDir, baseUrl, secretKey: SECRET_KEY });
  return {
    baseUrl,
    demo,
    mcp: `${baseUrl}/sites/${demo.site_id}/mcp`,
    async close() {
      await stopServer(server);
      await rm(dataDir, { recursive: true });
    },
  };
}
