import { startEmbedded } from '../src/db/embedded.ts';

// Starts the embedded database in the given directory, prints its URL and whether it was already running, and runs
// until it is killed.
const { url, reused } = await startEmbedded({ dataDir: process.argv[2] ?? '', durable: true });
process.stdout.write(`${JSON.stringify({ url, reused })}\n`);
setInterval(() => {}, 60_000);
