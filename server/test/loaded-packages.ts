/** Loaded into a server before its own code. Reports the packages and the modules of Node that the server loads. */

import { registerHooks } from 'node:module';

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
