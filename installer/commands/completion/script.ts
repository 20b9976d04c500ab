/**
 * `completion`: scripts that complete command lines in bash, zsh and fish, generated from the table of commands.
 */

import { vendor } from '../../vendor.ts';
import { type CommandDefinition, type OptionDefinition, optionsOf } from '../support/definition.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Returns the script for a shell. */
export function completionScript(
  shell: Shell,
  commands: readonly CommandDefinition[],
  groups: Readonly<Record<string, string>>,
): string {
  if (shell === 'fish') return fishScript(commands, groups);
  const bash = bashScript(commands);
  if (shell === 'bash') return bash;
  return `#compdef ${vendor}\nautoload -U +X bashcompinit && bashcompinit\n${bash}`;
}

const firstWords = (commands: readonly CommandDefinition[]) => [
  ...new Set(commands.map(({ name }) => name.split(' ')[0] as string)),
];
const visible = (command: CommandDefinition) => optionsOf(command).filter(({ hidden }) => !hidden);
const flagsOf = ({ flags }: OptionDefinition) => flags.match(/(?<![\w-])--?[a-z][\w-]*/g) ?? [];
const takesValue = ({ flags }: OptionDefinition) => /[<[]/.test(flags);

function bashScript(commands: readonly CommandDefinition[]): string {
  const name = `_${vendor}`;
  const values = [...new Set(commands.flatMap(visible).filter(takesValue).flatMap(flagsOf))];
  const ofType = (...types: (string | undefined)[]) =>
    [
      ...new Set(
        commands
          .flatMap(visible)
          .filter(({ type }) => type && types.includes(type))
          .flatMap(flagsOf),
      ),
    ].join('|');
  const byGroup = firstWords(commands).flatMap((word) => {
    const below = commands.filter((command) => command.name.startsWith(`${word} `));
    return below.length > 0
      ? [`    '${word} ') list='${below.map((each) => each.name.split(' ')[1]).join(' ')}' ;;`]
      : [];
  });
  const ofCommands = commands.map((command) => {
    const flags = [...visible(command).flatMap(flagsOf), '--help'].join(' ');
    const choices = (command.arguments ?? []).flatMap((each) => each.choices ?? []).join(' ');
    const pattern = command.name.includes(' ') ? `'${command.name}'` : `'${command.name} '*`;
    return `    ${pattern}) options='${flags}'${choices ? ` list='${choices}'` : ''} ;;`;
  });
  return `${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local words=() options='--help' list='' skip='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ -n $skip ]]; then skip=''; continue; fi
    case $word in
      ${values.join('|')}) skip=1 ;;
      -*) ;;
      *) words+=("$word") ;;
    esac
  done
  case $previous in
    ${ofType('folder')}) COMPREPLY=($(compgen -d -- "$current")); return ;;
    ${ofType('file')}) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  case "\${words[0]} \${words[1]}" in
    ' ') options='--help --version' list='${[...firstWords(commands), 'help'].join(' ')}' ;;
    'help ') list='${firstWords(commands).join(' ')}' ;;
${[...byGroup, ...ofCommands].join('\n')}
  esac
  if [[ $current == -* ]]; then list=$options; fi
  COMPREPLY=($(compgen -W "$list" -- "$current"))
}
complete -F ${name} ${vendor}
`;
}

function fishScript(commands: readonly CommandDefinition[], groups: Readonly<Record<string, string>>): string {
  const quote = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;
  const first = firstWords(commands);
  const lines = first.map((word) => {
    const summary = groups[word] ?? commands.find(({ name }) => name === word)?.summary ?? '';
    return `complete -c ${vendor} -n __fish_use_subcommand -a ${word} -d ${quote(summary)}`;
  });
  for (const command of commands) {
    const [word = '', sub] = command.name.split(' ');
    const isHere = sub
      ? `__fish_seen_subcommand_from ${word}; and __fish_seen_subcommand_from ${sub}`
      : `__fish_seen_subcommand_from ${word}`;
    if (sub) {
      const others = commands.filter(({ name }) => name.startsWith(`${word} `)).map(({ name }) => name.split(' ')[1]);
      const condition = `__fish_seen_subcommand_from ${word}; and not __fish_seen_subcommand_from ${others.join(' ')}`;
      lines.push(`complete -c ${vendor} -n ${quote(condition)} -a ${sub} -d ${quote(command.summary)}`);
    }
    for (const { choices = [] } of command.arguments ?? []) {
      if (choices.length > 0) lines.push(`complete -c ${vendor} -n ${quote(isHere)} -a ${quote(choices.join(' '))}`);
    }
    for (const option of visible(command)) {
      const names = flagsOf(option).map((flag) =>
        flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
      );
      const value = takesValue(option) ? (option.type === 'file' || option.type === 'folder' ? ' -rF' : ' -x') : '';
      lines.push(
        `complete -c ${vendor} -n ${quote(isHere)} ${names.join(' ')}${value} -d ${quote(option.description)}`,
      );
    }
  }
  return `complete -c ${vendor} -f\n${lines.join('\n')}\n`;
}
