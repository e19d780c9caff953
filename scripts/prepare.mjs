// Runs after each `npm ci` and `npm install`. Builds the SDK and the CLI if the development tools are installed. After
// `npm ci --omit=dev` there is nothing to build, but the installed Node must be new enough, because the package with a
// newer one is a development dependency.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

const OLDEST_NODE = 24;

if (isInstalled('turbo')) {
  const { status } = spawnSync('turbo run build --output-logs=errors-only', { shell: true, stdio: 'inherit' });
  process.exitCode = status ?? 1;
} else if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  console.error(
    `This is Node ${process.versions.node}: install Node ${OLDEST_NODE} or newer, or run npm ci without --omit=dev, which brings it along.`,
  );
  process.exitCode = 1;
}

function isInstalled(name) {
  try {
    createRequire(import.meta.url).resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}
