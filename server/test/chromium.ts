import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, launch } from 'puppeteer-core';

export type { Browser, BrowserContext, HTTPRequest, HTTPResponse, Page } from 'puppeteer-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/**
 * The Chromium of this machine, found on PATH. In CI it is never missing: where there is none it is installed with apt-get,
 * and what fails there fails the tests. Elsewhere nothing is installed, and undefined is answered.
 */
export function findChromium(): string | undefined {
  const found = onPath();
  if (found || !process.env.CI) return found;
  execFileSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], { stdio: 'inherit' });
  const installed = onPath();
  if (!installed) throw new Error('Chromium was installed and is not on PATH.');
  return installed;
}

/** What to say where there is none. */
export const NO_CHROMIUM = 'Skipped: no Chromium on PATH. Install it (Debian: apt-get install chromium) to run this.';

function onPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A browser without a window. The caller closes it. */
export function openChromium(executablePath: string): Promise<Browser> {
  // Containers give neither user namespaces nor much shared memory.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--hide-scrollbars'];
  return launch({ executablePath, args });
}
