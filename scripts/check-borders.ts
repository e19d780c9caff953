/** `npm run check` runs this. Fails with a line for each import that scripts/borders.ts forbids. */

import { allImports, mistakesOf } from './borders.ts';

const mistakes = mistakesOf(allImports());
for (const mistake of mistakes) console.error(mistake);
if (mistakes.length > 0) process.exitCode = 1;
