import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createSyncClient, isError, unwrap, WebhookVerificationError, webhooks } from '@commerce-backend/sdk';
import { SearchIndex } from './search-index-file.ts';

/**
 * A search index that follows the catalogue: a full crawl at first, then webhooks trigger reads from the
 * cursor. A webhook is only a signal: the changes are read from the feed, which misses none, so late, repeated and
 * reordered webhooks do no harm.
 *
 *   node examples/search-index-sync.ts        next to a running demo shop
 *   curl 'http://localhost:4001/search?q=mug'
 *
 * COMMERCE_URL, COMMERCE_SITE_ID and COMMERCE_SYNC_SECRET select another shop. PORT (4001) is the port to listen on, WEBHOOK_URL its
 * address for the shop, INDEX_DIR (.) the folder of the index, POLL_SECONDS (60) the interval of reads without a webhook.
 */
const { env } = process;
const { PORT = '4001', INDEX_DIR = '.', POLL_SECONDS = '60' } = env;
const { WEBHOOK_URL = `http://localhost:${PORT}/hooks` } = env;
const WEBHOOK_FILE = join(INDEX_DIR, 'search-index-webhook.json');
const EVENTS = ['product.created', 'product.updated', 'product.deleted', 'inventory.changed'] as const;

// Enough retries to continue after a restart of the shop.
const sync = createSyncClient({ ...shop(), maxAttempts: 10 });
const index = new SearchIndex(join(INDEX_DIR, 'search-index.jsonl'));
const stopped = new AbortController();
let wanted = false;
let running: Promise<void> | undefined;

const secret = await registered();
const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    const forged = error instanceof WebhookVerificationError;
    process.stderr.write(`${forged ? `Refused: ${error.reason}` : error}\n`);
    response.writeHead(forged ? 401 : 500).end();
  });
});
await new Promise<void>((listening) => server.listen(Number(PORT), listening));
await catchUp();
// The feed returns a change only after all earlier transactions have ended, which may be after its webhook. So it is
// polled as well.
const timer = setInterval(catchUp, Number(POLL_SECONDS) * 1000);
process.stdout.write(`${index.size} products. Search them: http://localhost:${PORT}/search?q=\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    clearInterval(timer);
    stopped.abort();
    server.close();
    server.closeAllConnections();
    await running;
  });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/search') {
    const found = index.search(searchParams.get('q') ?? '');
    const body = found.map(({ id, name, price, currency, in_stock }) => ({ id, name, price, currency, in_stock }));
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  } else if (pathname === new URL(WEBHOOK_URL).pathname && request.method === 'POST') {
    const { type } = await webhooks.verify(await buffer(request), request.headers, secret);
    process.stdout.write(`${type}\n`);
    response.writeHead(204).end();
    await catchUp();
  } else {
    response.writeHead(404).end();
  }
}

/** Reads the feed from the cursor to its end. A call during a run starts another run afterwards. */
function catchUp(): Promise<void> {
  wanted = true;
  running ??= follow().finally(() => {
    running = undefined;
  });
  return running;
}

async function follow(): Promise<void> {
  while (wanted && !stopped.signal.aborted) {
    wanted = false;
    try {
      const changes = sync.products({ cursor: index.cursor, signal: stopped.signal });
      for await (const page of changes.pages()) index.apply(page);
    } catch (error) {
      if (isError(error, 'cursor_expired')) {
        // The shop's database was replaced by a standby or a backup, which may lack changes that the index has.
        index.clear();
        wanted = true;
        continue;
      }
      // The next webhook or poll continues from the same cursor.
      if (!stopped.signal.aborted) process.stderr.write(`${error}\n`);
    }
  }
}

/** Registers the webhook if necessary. Returns its secret, which is stored for the next start. */
async function registered(): Promise<string> {
  const kept = existsSync(WEBHOOK_FILE) ? JSON.parse(readFileSync(WEBHOOK_FILE, 'utf8')) : undefined;
  const ours = (await unwrap(sync.GET('/api/sync/webhook'))).filter(({ url }) => url === WEBHOOK_URL);
  if (kept && ours.some(({ id }) => id === kept.id)) return kept.secret;
  // Webhooks of an earlier start that ended before it stored the secret.
  for (const { id: webhook_id } of ours) {
    await unwrap(sync.DELETE('/api/sync/webhook/{webhook_id}', { params: { path: { webhook_id } } }));
  }
  const body = { url: WEBHOOK_URL, events: [...EVENTS] };
  const webhook = await unwrap(sync.POST('/api/sync/webhook/register', { body }));
  writeFileSync(WEBHOOK_FILE, JSON.stringify(webhook), { mode: 0o600 });
  return webhook.secret;
}

/** Returns the shop in the environment variables, otherwise the demo shop of a server started in this folder. */
function shop(): { baseUrl: string; siteId: string; syncSecret: string } {
  const { COMMERCE_URL, COMMERCE_SITE_ID, COMMERCE_SYNC_SECRET } = env;
  if (COMMERCE_URL && COMMERCE_SITE_ID && COMMERCE_SYNC_SECRET) {
    return { baseUrl: COMMERCE_URL, siteId: COMMERCE_SITE_ID, syncSecret: COMMERCE_SYNC_SECRET };
  }
  const file = join(env.DATA_DIR || '.data', 'demo.json');
  if (!existsSync(file)) {
    process.stderr.write(
      'Start the demo shop here (npm start), or set COMMERCE_URL, COMMERCE_SITE_ID and COMMERCE_SYNC_SECRET.\n',
    );
    process.exit(2);
  }
  const { base_url, site_id, sync_secret } = JSON.parse(readFileSync(file, 'utf8'));
  return { baseUrl: base_url, siteId: site_id, syncSecret: sync_secret };
}
