import { allImports, mistakesOf } from './borders.ts';

/** Fails with a line for each import that scripts/borders.ts does not allow. `npm run check` runs it. */
const mistakes = mistakesOf(allImports());
for (const mistake of mistakes) console.error(mistake);
if (mistakes.length > 0) process.exitCode = 1;
