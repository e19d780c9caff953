#!/usr/bin/env node
// Starts the server on Node 24 or newer, which runs TypeScript directly. If the current Node is older, uses the one
// that npm installed with the project. The package contains the built files, not the sources.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 24;
const PARENT = 'SERVER_PARENT_PID';
const source = new URL('../src/main.ts', import.meta.url);
const isPackage = !existsSync(source);

endWithParent();
if (Number.parseInt(process.versions.node, 10) >= OLDEST_NODE) {
  keepCompiled();
  await import(isPackage ? '../dist/main.js' : source.href);
} else {
  passOn(nodeOfProject());
}

function nodeOfProject() {
  try {
    const manifest = createRequire(import.meta.url).resolve('node/package.json');
    return join(dirname(manifest), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  } catch {
    console.error(
      `This is Node ${process.versions.node}. Install Node ${OLDEST_NODE} or newer, or run ${isPackage ? `npm install node@${OLDEST_NODE}` : 'npm ci'} in the project.`,
    );
    process.exit(1);
  }
}

/** Runs the server as a child process, forwards signals to it, and exits with its exit code. */
function passOn(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [PARENT]: String(process.pid) },
  });
  child.on('error', ({ message }) => {
    console.error(`Node ${OLDEST_NODE} of the project does not run: ${message}. Run npm ci.`);
    process.exit(1);
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

/**
 * Caches compiled code, because compiling takes half of the startup time and a tenth of the memory. The cache is in the
 * installation, where nobody else can write, or in the directory of NODE_COMPILE_CACHE. If that directory is not
 * writable, nothing is cached.
 */
function keepCompiled() {
  const modules = isPackage ? '../../../' : '../../node_modules/';
  module.enableCompileCache(fileURLToPath(new URL(`${modules}.cache/commerce-server`, import.meta.url)));
}

/** Ends this process when its parent is killed. Otherwise it would keep running in the background and keep the port. */
function endWithParent() {
  const parent = process.env[PARENT];
  delete process.env[PARENT];
  if (parent !== String(process.ppid) || !process.channel) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}
