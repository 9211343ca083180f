import type { Command } from 'commander';

/**
 * Scripts with which a shell completes the words of the command. They contain the words, so that the shell starts no process. No library
 * served: those for commander start Node at each key, or complete no file names.
 */

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** An option of a command. */
interface OptionWords {
  readonly flag: string;
  readonly description: string;
  /** `file`: the shell completes names of files. `none`: a value that nobody knows. */
  readonly value: 'file' | 'none' | undefined | readonly string[];
}

/** A command with the words before it, and the words that may follow. */
interface CommandWords {
  readonly path: readonly string[];
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly OptionWords[];
  /** The values of its argument, if they are known. */
  readonly values: readonly string[];
}

/** Returns the script for a shell. */
export function completionFor(shell: Shell, program: Command, networks: readonly string[]): string {
  const all = wordsOf(program, [], networks);
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](program.name(), all);
}

function wordsOf(command: Command, path: readonly string[], networks: readonly string[]): CommandWords[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command).filter((each) => each.name() !== 'help');
  const root = command.parent === null ? [] : globalOptionsOf(command);
  const options = [...help.visibleOptions(command), ...root].map((option) => ({
    flag: option.long ?? option.flags,
    description: option.description,
    value: valueWordsOf(option, networks),
  }));
  const own = {
    path,
    commands: commands.map((each) => ({ name: each.name(), description: each.summary() || each.description() })),
    options,
    values: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
  };
  return [own, ...commands.flatMap((each) => wordsOf(each, [...path, each.name()], networks))];
}

/** The options of the program may follow a command, except the one that prints the version. */
function globalOptionsOf(command: Command): Command['options'] {
  let root = command;
  while (root.parent !== null) root = root.parent;
  return root.options.filter(({ long }) => long !== '--version');
}

function valueWordsOf(option: Command['options'][number], networks: readonly string[]): OptionWords['value'] {
  if (!option.required && !option.optional) return undefined;
  if (option.argChoices) return option.argChoices;
  if (option.long === '--network') return networks;
  return /<file>/.test(option.flags) ? 'file' : 'none';
}

/** Quotes a text for a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const pathName = (path: readonly string[]) => path.join(' ');

function bashScript(name: string, all: readonly CommandWords[]): string {
  const next = all
    .filter(({ commands }) => commands.length > 0)
    .flatMap(({ path, commands }) => commands.map((each) => pathName([...path, each.name])));
  const words = all.map(({ path, commands, options, values }) => {
    const list = [...commands.map((each) => each.name), ...values, ...options.map(({ flag }) => flag)];
    return `    ${quoted(pathName(path))}) words=${quoted(list.join(' '))} ;;`;
  });
  return `# bash completion for ${name}
_${name}_completion() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" path='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path\${path:+ }\${COMP_WORDS[i]}" in
      ${next.map(quoted).join(' | ')}) path="$path\${path:+ }\${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$prev" in
${bashValues(all)}
  esac
  case "$path" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _${name}_completion ${name}
`;
}

/**
 * Returns the branches that complete the value of an option. An option means the same in each command. Without a reply, bash completes
 * the name of a file.
 */
function bashValues(all: readonly CommandWords[]): string {
  const byFlag = new Map(all.flatMap(({ options }) => options.map(({ flag, value }) => [flag, value] as const)));
  const branches = [...byFlag].flatMap(([flag, value]) => {
    if (value === undefined) return [];
    const reply = typeof value === 'string' ? '' : `COMPREPLY=($(compgen -W ${quoted(value.join(' '))} -- "$cur")); `;
    return [`    ${flag}) ${reply}return ;;`];
  });
  return branches.join('\n');
}

/** zsh runs the script of bash, with its own emulation of `complete`. */
const zshScript = (name: string, all: readonly CommandWords[]): string =>
  `#compdef ${name}
autoload -U +X compinit && (( \${+functions[compdef]} )) || compinit
autoload -U +X bashcompinit && bashcompinit
${bashScript(name, all)}`;

function fishScript(name: string, all: readonly CommandWords[]): string {
  const lines = all.flatMap(({ path, commands, options, values }) => {
    const here = `-n ${quoted(
      fishCondition(
        path,
        commands.map((each) => each.name),
      ),
    )}`;
    return [
      ...commands.map(
        (each) => `complete -c ${name} -f ${here} -a ${quoted(each.name)} -d ${quoted(each.description)}`,
      ),
      ...values.map((value) => `complete -c ${name} -f ${here} -a ${quoted(value)}`),
      ...options.map((option) => fishOption(name, here, option)),
    ];
  });
  return `# fish completion for ${name}\n${lines.join('\n')}\n`;
}

function fishCondition(path: readonly string[], commands: readonly string[]): string {
  if (path.length === 0) return '__fish_use_subcommand';
  const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
  return commands.length === 0 ? seen : `${seen}; and not __fish_seen_subcommand_from ${commands.join(' ')}`;
}

function fishOption(name: string, here: string, { flag, description, value }: OptionWords): string {
  const kind =
    value === undefined
      ? ''
      : value === 'file'
        ? ' -r -F'
        : value === 'none'
          ? ' -x'
          : ` -x -a ${quoted(value.join(' '))}`;
  return `complete -c ${name} ${here} -l ${flag.replace(/^--/, '')}${kind} -d ${quoted(description)}`;
}
