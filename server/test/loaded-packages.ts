import { registerHooks } from 'node:module';

/** Loaded into a server before its own code: reports the packages, and the parts of Node, that it has loaded. */
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
