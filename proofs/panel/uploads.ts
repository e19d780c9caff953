import { createHash, randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDashboardClient, type DashboardClient, type Schemas } from '@commerce-backend/sdk';
import { freePort } from '../../server/src/db/free-port.ts';
import { fileNumber, isWholeWebp, KINDS, MARKER, picture, type Sent } from '../../server/test/picture-corpus.ts';
import { withOwnDatabase } from '../testing/own-database.ts';
import { type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { runCommand, ServerProcess, withDirectory } from '../testing/server-process.ts';
import { FamilyMemory } from './family-memory.ts';

/** Uploads valid and invalid files, makes the file store unavailable, and kills the server. */
export const L2: Proof = {
  id: 'L2',
  promise:
    'Whatever is uploaded, the server stores and shows only pictures that it encoded itself, and an invalid file changes nothing.',
  run: (trial) =>
    withDirectory((directory) => withOwnDatabase(trial.databaseUrl, (url) => attack(trial, directory, url))),
};

const AT_ONCE = 4;
const MOST_BYTES = 20 * 1024 * 1024;
const MOST_ADDED_MB = 150;
const DONE_WITHIN_MS = 120_000;
const BASE_URL = 'https://pictures.example';

type Product = Schemas['Product'];

interface Scene {
  directory: string;
  violations: Violations;
  api_key: string;
  /** A client for the server that is running now. */
  client: DashboardClient;
  server: ServerProcess;
  site_id: string;
  /** The product to which invalid files are attached. */
  victim: Product;
  /** The product to which valid files are attached. */
  album: Product;
  /** The number of images that the album should have. */
  images: number;
  counts: Record<string, number>;
}

async function attack({ size, seed, progress }: Trial, directory: string, databaseUrl: string) {
  const env = {
    ...{ DATABASE_URL: databaseUrl, DATA_DIR: directory, BASE_URL, SECRET_KEY: `${randomUUID()}${randomUUID()}` },
    ...{ RATE_LIMITS: 'off', LOG_LEVEL: 'warn', DEMO_SHOP: 'off' },
  };
  const start = async () => new ServerProcess(await freePort(), env).readyAtLast();
  const chance = chanceOf(seed);
  const scene = await open(directory, env, await start());
  try {
    // The first upload loads modules, whose memory does not count.
    await sendOne(scene, await fileNumber(0, chance));
    const memory = new FamilyMemory(() => scene.server.pid);
    const files = pick(size, KINDS.length, 500);
    for (let from = 0; from < files; from += AT_ONCE) {
      const numbers = Array.from({ length: Math.min(AT_ONCE, files - from) }, (_, i) => from + i);
      await Promise.all(numbers.map(async (index) => sendOne(scene, await fileNumber(index, chance))));
      progress(`${from + numbers.length} of ${files} files`);
    }
    await rejectUploads(scene);
    const added = memory.end();
    if (added > MOST_ADDED_MB) scene.violations.add(`The memory of the server's processes grew by ${added} MB.`);
    await storeAway(scene);
    const kills = pick(size, 1, 20);
    for (let kill = 0; kill < kills; kill += 1) {
      await killMidway(scene, chance, start);
      progress(`${kill + 1} of ${kills} killed`);
    }
    await judgeAll(scene);
    const counted = Object.entries(scene.counts).map(([outcome, count]) => `${count} ${outcome}`);
    const note = `${counted.join(', ')}; ${KINDS.length} kinds; memory of all processes +${added} MB; ${kills} kill -9; store away once`;
    return { tried: files, unit: 'files', violations: scene.violations.list, note };
  } finally {
    await scene.server.end('SIGKILL');
  }
}

async function open(directory: string, env: Record<string, string>, server: ServerProcess): Promise<Scene> {
  const { output } = await runCommand(['site', 'create', '--name', 'Alder', '--currency', 'EUR'], env, 60_000);
  const { site_id, api_key } = JSON.parse(output.slice(output.indexOf('{'))) as { site_id: string; api_key: string };
  const client = clientOf(server, api_key);
  const make = async (name: string) => {
    const images = [{ url: 'https://a.example/1.jpg' }];
    const { data } = await client.POST('/api/dashboard/products', { body: { name, price: '10.00', images } });
    if (!data) throw new Error('The product was refused.');
    return data;
  };
  const [victim, album] = [await make('Victim'), await make('Album')];
  const scene = { directory, server, api_key, client, site_id, victim, album, images: 1, counts: {} };
  return { ...scene, violations: new Violations() };
}

function clientOf({ baseUrl }: ServerProcess, apiKey: string): DashboardClient {
  return createDashboardClient({ baseUrl, apiKey });
}

/** Returns the URL on the current server, because each start uses another port. */
function here({ server }: Scene, address: string): string {
  return address.replace(BASE_URL, server.baseUrl);
}

async function announce(scene: Scene, { content, content_type }: Omit<Sent, 'kind' | 'meant'>) {
  const sha256 = createHash('sha256').update(content).digest('hex');
  const body = { filename: 'picture', content_type, bytes: content.length, sha256 };
  const { data } = await scene.client.POST('/api/dashboard/files', { body });
  if (!data) throw new Error('The file was not announced.');
  return { id: data.id, upload_url: here(scene, data.upload_url) };
}

/** Returns the status, or the reason why there was no response. */
async function put(address: string, content: Buffer): Promise<number | string> {
  try {
    const response = await fetch(address, { method: 'PUT', body: new Uint8Array(content) });
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    return String((error as Error).cause ?? error);
  }
}

function addImage({ client }: Scene, { id }: Product, file_id: string) {
  const params = { path: { product_id: id } };
  return client.POST('/api/dashboard/products/{product_id}/images', { params, body: { file_id } });
}

async function outcomeOf({ client }: Scene, file_id: string): Promise<string> {
  for (const until = Date.now() + DONE_WITHIN_MS; Date.now() < until; await sleep(100)) {
    const params = { path: { file_id } };
    const { data } = await client.GET('/api/dashboard/files/{file_id}', { params });
    if (data?.status === 'ready') return 'ready';
    if (data?.status === 'failed') return data.failure?.code ?? 'failed';
  }
  return 'nothing yet';
}

/**
 * Uploads a file and immediately attaches it to a product. A valid file must be shown; an invalid one must leave the
 * product unchanged.
 */
async function sendOne(scene: Scene, sent: Sent): Promise<void> {
  const { violations, counts, victim, album } = scene;
  const { id, upload_url } = await announce(scene, sent);
  const status = await put(upload_url, sent.content);
  if (status !== 200) return violations.add(`${sent.kind}: the upload: expected 200, got ${status}`);
  const isGood = sent.meant.join() === 'ready';
  // A file that may turn out valid or invalid is added to the album, where it is counted if valid.
  const given = await addImage(scene, sent.meant.includes('ready') ? album : victim, id);
  const outcome = await outcomeOf(scene, id);
  counts[outcome] = (counts[outcome] ?? 0) + 1;
  if (!sent.meant.includes(outcome))
    violations.add(`${sent.kind} (${sent.content_type}): expected ${sent.meant.join(' or ')}, got ${outcome}`);
  if (outcome === 'ready' && given.data) scene.images += 1;
  if (isGood && !given.data) violations.add(`${sent.kind}: a valid file was not accepted as an image`);
}

/** Uploads must be rejected if they are too large, differ from the announced bytes, or are repeated. */
async function rejectUploads(scene: Scene): Promise<void> {
  const { client, violations } = scene;
  const body = { filename: 'a', content_type: 'image/jpeg' as const, bytes: MOST_BYTES + 1, sha256: '0'.repeat(64) };
  const { response } = await client.POST('/api/dashboard/files', { body });
  if (response.status !== 422) violations.add(`A file of 20 MiB + 1: expected 422, got ${response.status}`);
  const content = await picture('jpeg', 60, 60);
  const { id, upload_url } = await announce(scene, { content, content_type: 'image/jpeg' });
  const tries: [string, Buffer, number][] = [
    ['20 MiB + 1', Buffer.alloc(MOST_BYTES + 1), 413],
    ['one byte more', Buffer.concat([content, Buffer.alloc(1)]), 422],
    ['one byte less', content.subarray(1), 422],
    ['other bytes', Buffer.alloc(content.length), 422],
    ['what was announced', content, 200],
    ['the same again', content, 409],
  ];
  for (const [what, bytes, meant] of tries) {
    const status = await put(upload_url, bytes);
    if (status !== meant) violations.add(`${what}: expected ${meant}, got ${status}`);
  }
  await outcomeOf(scene, id);
}

/** While the store is unavailable an upload must get a 503; afterwards the same URL must accept the file. */
async function storeAway(scene: Scene): Promise<void> {
  const { directory, violations } = scene;
  const content = await picture('png', 500, 400);
  const { id, upload_url } = await announce(scene, { content, content_type: 'image/png' });
  const place = join(directory, 'files');
  await rename(place, `${place}.away`);
  await writeFile(place, '');
  const status = await put(upload_url, content);
  if (status !== 503) violations.add(`An upload without a file store: expected 503, got ${status}`);
  await rm(place);
  await rename(`${place}.away`, place);
  await sendAgain(scene, id, upload_url, content);
}

async function sendAgain(scene: Scene, id: string, upload_url: string, content: Buffer): Promise<void> {
  const status = await put(upload_url, content);
  // A status of 409 means that the upload succeeded before, but its response was lost.
  if (status !== 200 && status !== 409)
    return scene.violations.add(`A repeated upload: expected 200 or 409, got ${status}`);
  const { data } = await addImage(scene, scene.album, id);
  const outcome = await outcomeOf(scene, id);
  if (outcome !== 'ready') return scene.violations.add(`A valid file after a fault: expected ready, got ${outcome}`);
  if (data) scene.images += 1;
}

/**
 * Kills the server while files arrive and are processed. Every file shown after that must be complete, and in the end
 * none may be missing.
 */
async function killMidway(scene: Scene, chance: Chance, start: () => Promise<ServerProcess>): Promise<void> {
  const content = await picture('jpeg', 3_000, 2_000);
  const announced = await Promise.all(
    Array.from({ length: AT_ONCE }, () => announce(scene, { content, content_type: 'image/jpeg' })),
  );
  const sending = announced.map(({ upload_url }) => put(upload_url, content));
  await sleep(chance.next() * 2_500);
  await scene.server.end('SIGKILL');
  await Promise.all(sending);
  const before = scene.server.baseUrl;
  scene.server = await start();
  const { baseUrl } = scene.server;
  scene.client = clientOf(scene.server, scene.api_key);
  await judgeShown(scene);
  await Promise.all(announced.map((one) => sendAgain(scene, one.id, one.upload_url.replace(before, baseUrl), content)));
}

/** Expects that every processed image of the album is a complete picture made by the server. Returns the album. */
async function judgeShown(scene: Scene): Promise<Product | undefined> {
  const params = { path: { product_id: scene.album.id } };
  const { data } = await scene.client.GET('/api/dashboard/products/{product_id}', { params });
  for (const { url } of data?.images.filter(({ status }) => status === 'ready') ?? []) await judgePicture(scene, url);
  return data;
}

async function judgePicture(scene: Scene, url: string): Promise<void> {
  const response = await fetch(here(scene, url));
  const content = Buffer.from(await response.arrayBuffer());
  const policy = response.headers.get('content-security-policy');
  const isOurs = (await isWholeWebp(content)) && response.headers.get('content-type') === 'image/webp';
  if (!isOurs || policy !== "sandbox; default-src 'none'" || content.includes(MARKER)) {
    scene.violations.add(`${url} does not serve the processed image: ${response.status}, policy ${policy}`);
  }
}

/**
 * The album must have the expected images, the victim must be unchanged, and the store must contain no other originals.
 */
async function judgeAll(scene: Scene): Promise<void> {
  const { client, violations, victim, directory, site_id } = scene;
  let album = await judgeShown(scene);
  for (let i = 0; i < 100 && album?.images.some(({ status }) => status === 'processing'); i += 1) {
    await sleep(100);
    album = await judgeShown(scene);
  }
  if (album?.images.length !== scene.images)
    violations.add(`The album has ${album?.images.length} images instead of ${scene.images}`);
  const params = { path: { product_id: victim.id } };
  const { data } = await client.GET('/api/dashboard/products/{product_id}', { params });
  if (JSON.stringify(data) !== JSON.stringify(victim))
    violations.add(`The product that got only invalid files changed: ${JSON.stringify(data)}`);
  const meant = new Set(
    album?.images.flatMap(({ sources = [] }) => sources.map(({ url }) => url.slice(url.indexOf('/files/') + 7))),
  );
  const kept = readdirSync(join(directory, 'files', site_id), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(directory, 'files').length + 1));
  // WebP files are ignored, because generated images stay in the store even if no product uses them.
  const extra = kept.filter((key) => !meant.has(key) && !key.endsWith('.webp'));
  if (extra.length > 0) violations.add(`The store has files other than the images: ${extra.slice(0, 5).join(', ')}`);
  const missing = [...meant].filter((key) => !kept.includes(key));
  if (missing.length > 0) violations.add(`The store lacks files of the images: ${missing.slice(0, 5).join(', ')}`);
}
