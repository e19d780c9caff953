import { Argument, type Command, InvalidArgumentError } from 'commander';
import type { Terminal } from '../terminal.ts';

const EXAMPLES = `
Put the line for your shell into its configuration.

Examples:
  $ source <(commerce completion bash)              ~/.bashrc
  $ source <(commerce completion zsh)               ~/.zshrc, after compinit
  $ commerce completion fish | source               ~/.config/fish/config.fish`;

const WORDS = new WeakMap<Argument, readonly string[]>();

/** Sets the words that shell completion suggests for an argument. */
export function withWords(argument: Argument, words: readonly string[]): Argument {
  WORDS.set(argument, words);
  return argument;
}

/** `completion`: prints a script that completes commands, options and option values in a shell. */
export function addCompletion(program: Command, terminal: Terminal): void {
  program
    .command('completion')
    .addArgument(withWords(new Argument('<shell>', 'bash, zsh or fish').argParser(shellOf), Object.keys(SCRIPTS)))
    .description('Print the script that lets a shell complete commands, options and their values.')
    .addHelpText('after', EXAMPLES)
    .action((shell: Shell) => {
      terminal.stdout.write(`${SCRIPTS[shell](placesIn(program))}\n`);
    });
}

type Shell = 'bash' | 'zsh' | 'fish';

function shellOf(text: string): Shell {
  if (text === 'bash' || text === 'zsh' || text === 'fish') return text;
  throw new InvalidArgumentError('Give bash, zsh or fish.');
}

interface Word {
  text: string;
  meaning: string;
}

/** A command, the words that may follow it, and its options with a fixed set of values. */
interface Place {
  path: string;
  words: Word[];
  values: { option: string; words: string[] }[];
}

function placesIn(program: Command): Place[] {
  const placesOf = (command: Command, path: string): Place[] => {
    const options = [...command.options, ...(command === program ? [] : program.options)].filter(
      ({ hidden }) => !hidden,
    );
    const words = [
      ...command.commands.map((child) => ({ text: child.name(), meaning: child.description() })),
      ...command.registeredArguments.flatMap((argument) =>
        (argument.argChoices ?? WORDS.get(argument) ?? []).map((text) => ({ text, meaning: argument.description })),
      ),
      ...options.flatMap(({ long, description }) => (long ? [{ text: long, meaning: description }] : [])),
      { text: '--help', meaning: 'explain a command' },
    ];
    const values = options.flatMap(({ long, argChoices }) =>
      long && argChoices ? [{ option: long, words: argChoices }] : [],
    );
    return [
      { path, words, values },
      ...command.commands.flatMap((child) => placesOf(child, `${path} ${child.name()}`)),
    ];
  };
  return placesOf(program, program.name());
}

const SCRIPTS: Record<Shell, (places: Place[]) => string> = { bash, zsh, fish };

/** Returns the pattern of a shell `case` that matches the paths of all subcommands. */
function steps(places: Place[]): string {
  const deeper = places.map(({ path }) => path).filter((path) => path.includes(' '));
  return deeper.map((path) => `"${path}"`).join('|');
}

function bash(places: Place[]): string {
  const cases = places.map(({ path, words, values }) => {
    const own = values.map(({ option, words: of }) => `      ${option}) words="${of.join(' ')}";;\n`);
    const all = words.map(({ text }) => text).join(' ');
    return `    "${path}") case "$previous" in\n${own.join('')}      *) words="${all}";;\n    esac;;`;
  });
  return `_commerce() {
  local place=commerce word words="" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$place $word" in ${steps(places)}) place="$place $word";; esac
  done
  case "$place" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _commerce commerce`;
}

function zsh(places: Place[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const described = ({ text, meaning }: Word) => quoted(`${text.replaceAll(':', '\\:')}:${meaning}`);
  const cases = places.map(({ path, words, values }) => {
    const own = values.map(({ option, words: of }) => `      ${option}) found=(${of.map(quoted).join(' ')});;\n`);
    const all = words.map(described).join(' ');
    return `    "${path}") case "$words[CURRENT-1]" in\n${own.join('')}      *) found=(${all});;\n    esac;;`;
  });
  return `#compdef commerce
_commerce() {
  local place=commerce word
  local -a found
  for word in $words[2,CURRENT-1]; do
    case "$place $word" in ${steps(places)}) place="$place $word";; esac
  done
  case "$place" in
${cases.join('\n')}
  esac
  _describe -t commands commerce found || _files
}
compdef _commerce commerce`;
}

function fish(places: Place[]): string {
  const quoted = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`;
  const lines = places.flatMap(({ path, words, values }) => {
    const here = `complete -c commerce -n ${quoted(`test (__commerce_place) = ${quoted(path)}`)}`;
    return words.map(({ text, meaning }) => {
      const [, long] = /^--(.+)$/.exec(text) ?? [];
      const of = values.find(({ option }) => option === text);
      const takes = of ? ` -x -a ${quoted(of.words.join(' '))}` : '';
      return `${here} ${long ? `-l ${long}${takes}` : `-f -a ${text}`} -d ${quoted(meaning)}`;
    });
  });
  return `function __commerce_place
  set -l place commerce
  for word in (commandline -opc)[2..-1]
    switch "$place $word"
      case ${places.map(({ path }) => quoted(path)).join(' ')}
        set place "$place $word"
    end
  end
  echo $place
end
${lines.join('\n')}`;
}
