import { type Browser, LocatorEvent, launch, TimeoutError } from 'puppeteer-core';
import { findTool, skippedWithout } from './tools.ts';

export type { Browser, BrowserContext, HTTPRequest, HTTPResponse, Page } from 'puppeteer-core';
export { LocatorEvent, TimeoutError };

const CHROMIUM = {
  names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'],
  debianPackage: 'chromium',
};

export function findChromium(): string | undefined {
  return findTool(CHROMIUM);
}

export const NO_CHROMIUM = skippedWithout(CHROMIUM);

/** Opens a browser without a window. The caller closes it. */
export function openChromium(executablePath: string): Promise<Browser> {
  // The options for containers, in which user namespaces are missing and shared memory is small.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--hide-scrollbars', '--accept-lang=en'];
  return launch({ executablePath, args });
}
