import { diskFolder } from '../server/test/memory-folder.ts';

// Sets the folder for temporary files of this process and its children. Import it before modules that create such
// files.
process.env.TMPDIR ??= diskFolder();
