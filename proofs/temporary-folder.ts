import { diskFolder } from '../server/test/memory-folder.ts';

// The folder for temporary files of this process and its children. Must be loaded before modules that create one.
process.env.TMPDIR ??= diskFolder();
