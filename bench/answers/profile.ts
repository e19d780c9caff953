import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CAPABILITIES, UCP_VERSION } from '../../server/src/ucp/protocol.ts';

/** Publishes an agent's profile, which servers fetch when the agent calls them over the Universal Commerce Protocol. */
export async function publishProfile(): Promise<{ url: string; close(): void }> {
  const entry = [{ version: UCP_VERSION, spec: 'https://ucp.dev/', schema: 'https://ucp.dev/' }];
  const capabilities = Object.fromEntries(Object.keys(CAPABILITIES).map((name) => [name, entry]));
  const document = { ucp: { version: UCP_VERSION, services: {}, payment_handlers: {}, capabilities } };
  const server = createServer((_req, res) =>
    res.setHeader('Cache-Control', 'max-age=600').end(JSON.stringify(document)),
  );
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/.well-known/ucp`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
