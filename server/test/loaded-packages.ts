import { registerHooks } from 'node:module';

/** Loaded into a server before its own code: tells the packages that it has loaded, and the parts of Node, to whoever asks. */
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
