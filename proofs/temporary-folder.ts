import { diskFolder } from '../server/test/memory-folder.ts';

// Where this process, and those that it starts, have their temporary files. Loaded before all that makes one when it is loaded.
process.env.TMPDIR ??= diskFolder();
