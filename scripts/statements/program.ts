import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import type * as Typescript from 'typescript';

/** The server's folder. */
export const SERVER = join(import.meta.dirname, '../../server');

// TypeScript 7 has no compiler API, so this uses version 5.9 from spec/, which needs it for its generator.
export const ts = createRequire(join(SERVER, '../spec/package.json'))('typescript') as typeof Typescript;

export class Source {
  readonly checker: Typescript.TypeChecker;
  readonly files: Typescript.SourceFile[];
  readonly #calls = new Map<string, Typescript.CallExpression[]>();
  readonly #symbols = new Map<Typescript.Node, Typescript.Symbol | undefined>();

  /** Loads a file and everything that it imports. */
  constructor(root: string) {
    const config = ts.readConfigFile(join(SERVER, '../tsconfig.base.json'), ts.sys.readFile).config as object;
    const { options } = ts.parseJsonConfigFileContent({ ...config, files: [root] }, ts.sys, SERVER);
    const program = ts.createProgram([root], { ...options, noEmit: true, skipLibCheck: true });
    this.checker = program.getTypeChecker();
    this.files = program
      .getSourceFiles()
      .filter(({ fileName }) => fileName.startsWith(`${SERVER}/`) && !fileName.includes('/node_modules/'));
    for (const file of this.files) this.#index(file);
  }

  /** All calls of functions and methods with this name. */
  callsOf(name: string): Typescript.CallExpression[] {
    return this.#calls.get(name) ?? [];
  }

  /** Returns the symbol of a name. For an imported name, returns the symbol in its source file. */
  symbolOf(node: Typescript.Node): Typescript.Symbol | undefined {
    if (!this.#symbols.has(node)) this.#symbols.set(node, this.#resolve(node));
    return this.#symbols.get(node);
  }

  #resolve(node: Typescript.Node): Typescript.Symbol | undefined {
    const symbol = this.checker.getSymbolAtLocation(node);
    return symbol && symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  #index(node: Typescript.Node): void {
    if (ts.isCallExpression(node)) {
      const name = calleeName(node);
      if (name) this.#calls.set(name, [...(this.#calls.get(name) ?? []), node]);
    }
    ts.forEachChild(node, (child) => this.#index(child));
  }
}

export function calleeName({ expression }: Typescript.CallExpression): string | undefined {
  if (ts.isPropertyAccessExpression(expression)) return expression.name.text;
  return ts.isIdentifier(expression) ? expression.text : undefined;
}

/** File and line of a node, such as `server/src/shop/carts/carts.ts:57`. */
export function placeOf(node: Typescript.Node): string {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
  return `${relative(join(SERVER, '..'), file.fileName)}:${line + 1}`;
}
