import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * An unused port on the loopback interface. It is below the ports that Linux, macOS and Windows give to outgoing
 * connections, one of which could otherwise take it before the caller listens.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((result) => {
    probe.once('error', () => result(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => result(true)));
  });
}
