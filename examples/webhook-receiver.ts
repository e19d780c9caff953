import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

/**
 * A receiver of webhooks without code of this backend: it verifies with npm's standardwebhooks, as it would for any
 * shop. Each event is written to a file once, however often it is sent, and acknowledged only then:
 *
 *   WEBHOOK_SECRET=whsec_… node examples/webhook-receiver.ts
 *
 * PORT (4000) is the port to listen on, EVENTS_FILE (events.jsonl) the file to write.
 */
const { WEBHOOK_SECRET, PORT = '4000', EVENTS_FILE = 'events.jsonl' } = process.env;
if (!WEBHOOK_SECRET) {
  process.stderr.write('Set WEBHOOK_SECRET to what commerce listen or commerce webhooks create printed.\n');
  process.exit(2);
}

const judge = new Webhook(WEBHOOK_SECRET);
const seen = new Set(eventsIn(EVENTS_FILE).map(({ id }) => id));

const server = createServer((request, response) => {
  receive(request, response).catch((error: unknown) => {
    // The shop sends the event again, because it was not acknowledged.
    process.stderr.write(`${error}\n`);
    response.writeHead(500).end();
  });
});
server.listen(Number(PORT), () => process.stdout.write(`Listening on http://localhost:${PORT}\n`));
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    server.close();
    server.closeIdleConnections();
  });
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = (await buffer(request)).toString();
  const event = verified(body, request);
  if (!event) {
    response.writeHead(401).end();
    return;
  }
  const id = String(request.headers['webhook-id']);
  if (!seen.has(id)) {
    // Synchronous, so that concurrent deliveries cannot write the same event twice.
    appendFileSync(EVENTS_FILE, `${JSON.stringify({ id, ...event })}\n`);
    seen.add(id);
    process.stdout.write(`${event.type}  ${id}\n`);
  }
  response.writeHead(204).end();
}

/** Returns the event if its signature is valid and its timestamp recent; otherwise undefined. */
function verified(body: string, { headers }: IncomingMessage): { type: string } | undefined {
  try {
    return judge.verify(body, headers as Record<string, string>) as { type: string };
  } catch (error) {
    process.stderr.write(`Refused: ${error}\n`);
    return undefined;
  }
}

/**
 * Returns the events received before a restart. A line cut off by a crash was not acknowledged, so its event is sent
 * again.
 */
function eventsIn(file: string): { id: string }[] {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, 'utf8');
  // The next event must start on a new line.
  if (text !== '' && !text.endsWith('\n')) appendFileSync(file, '\n');
  return text.split('\n').slice(0, -1).filter(Boolean).flatMap(eventOn);
}

function eventOn(line: string): { id: string }[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
