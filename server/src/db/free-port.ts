import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Returns an unused port on the loopback interface. The port is below the range that Linux, macOS and Windows use for
 * outgoing connections. Otherwise an outgoing connection could take the port before the caller listens.
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
