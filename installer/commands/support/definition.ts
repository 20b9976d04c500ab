/**
 * What the definition of a command consists of. The parser, `--help`, docs/commands.md and completion are derived from it.
 */
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { variable, vendor } from '../../vendor.ts';

/** Reads an option's text; any other option is taken as text. */
export type OptionType = 'seconds' | 'wholeNumber' | 'file' | 'folder';

export interface OptionDefinition {
  /** In commander's notation: `-n, --lines <number>`. */
  flags: string;
  description: string;
  type?: OptionType;
  default?: string | number;
  /** Environment variable that is read without the option. */
  env?: string;
  /** Values that are allowed. */
  choices?: readonly string[];
  /** Whether help and completion leave it out. */
  hidden?: boolean;
}

export interface ArgumentDefinition {
  /** In commander's notation: `<name>` is required, `[name]` optional, `<names...>` one or more. */
  name: string;
  description: string;
  choices?: readonly string[];
}

export interface CommandDefinition {
  /** One word, or the name of a group and a word: `service install`. */
  name: string;
  /** One line that begins in lower case and has no full stop. */
  summary: string;
  arguments?: readonly ArgumentDefinition[];
  /** Besides `--dir`, `--json` and `--help`. */
  options?: readonly OptionDefinition[];
  /** Complete command lines, with a comment where the purpose is not obvious. */
  examples: readonly string[];
  /** The exit codes besides `usage` and `unexpected`, which every command has. */
  codes: readonly ExitCode[];
  /** Whether the command concerns no folder of a box, and so has no `--dir`. */
  withoutBox?: boolean;
  /** Whether the group's name alone runs this command. */
  isDefault?: boolean;
  /** Loads the implementation: it gets the options by name in camel case, the arguments by name, and the table. */
  load: () => Promise<(options: never, table: CommandTable) => Promise<void>>;
}

/** All commands, and the summaries of groups by their names. */
export interface CommandTable {
  commands: readonly CommandDefinition[];
  groups: Readonly<Record<string, string>>;
}

/** How a command ends that needs the licence and the control plane, besides its own codes. */
export const controlPlaneCodes = ['wrong_key', 'key_not_active', 'control_plane_unavailable'] as const;
/** How a command ends that pulls packages. */
export const pullCodes = [...controlPlaneCodes, 'registry_refused', 'integrity_failed'] as const;

/** How a command ends that replaces the running box by another process. */
export const replacementCodes = [
  ...['port_taken', 'box_not_healthy', 'busy', 'not_installed', 'did_not_stop', 'folder_unusable', 'disk_full'],
  ...['taken_back', 'interrupted'],
] as readonly ExitCode[];

/** The exit codes a command can end with, by status. */
export function codesOf({ codes }: Pick<CommandDefinition, 'codes'>): ExitCode[] {
  const all = new Set<ExitCode>(['unexpected', 'usage', ...codes]);
  return allCodes.filter((code) => all.has(code));
}

/** All exit codes, by status. */
export const allCodes = Object.keys(exitCodes) as ExitCode[];

/** The options of a command, common ones first. */
export function optionsOf({ withoutBox, options = [] }: CommandDefinition): OptionDefinition[] {
  return [...(withoutBox ? [] : [dir]), json, ...options];
}

const dir: OptionDefinition = {
  flags: '--dir <folder>',
  description: 'folder of the box',
  type: 'folder',
  env: variable('BOX_DIR'),
  default: `./${vendor}-box`,
};
const json: OptionDefinition = { flags: '--json', description: 'print JSON events, one per line' };

/** An option of the commands that restore a backup. */
export const allowUnverified: OptionDefinition = {
  flags: '--allow-unverified',
  description: 'restore a backup of which nothing shows that it is as the box has written it',
};

/** An option of the commands that start a box. */
export const healthTimeout: OptionDefinition = {
  flags: '--health-timeout <seconds>',
  description: 'how long to wait until the box is healthy',
  type: 'seconds',
  default: 120,
};
