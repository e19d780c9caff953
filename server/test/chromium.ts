import { type Browser, launch, TimeoutError } from 'puppeteer-core';
import { findTool, skippedWithout } from './tools.ts';

export type { Browser, BrowserContext, HTTPRequest, HTTPResponse, Page } from 'puppeteer-core';
export { TimeoutError };

const CHROMIUM = {
  names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'],
  debianPackage: 'chromium',
};

/** Finds the Chromium of this machine; findTool explains what happens without one. */
export function findChromium(): string | undefined {
  return findTool(CHROMIUM);
}

/** The message that is printed if there is no Chromium. */
export const NO_CHROMIUM = skippedWithout(CHROMIUM);

/** Opens a browser without a window. The caller closes it. */
export function openChromium(executablePath: string): Promise<Browser> {
  // Containers have neither user namespaces nor much shared memory.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--hide-scrollbars'];
  return launch({ executablePath, args });
}
