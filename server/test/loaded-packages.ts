import { registerHooks } from 'node:module';

/**
 * This file is loaded into a server before the server's own code. It reports the packages and the modules of Node that the server
 * has loaded.
 */
const packages = new Set<string>();

registerHooks({
  load(url, context, nextLoad) {
    const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
    if (name) packages.add(name);
    return nextLoad(url, context);
  },
});

const { moduleLoadList } = process as unknown as { moduleLoadList: string[] };

process.on('message', () => process.send?.([...packages, ...moduleLoadList]));
