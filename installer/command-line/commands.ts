/**
 * The table of all commands, from their folders: names, options, examples and exit codes. `npm run documentation` writes
 * docs/commands.md from it. A command's implementation is loaded only when it runs.
 */
import { backupCommands } from '../commands/backup/command.ts';
import { completionCommand } from '../commands/completion/command.ts';
import { configCommands } from '../commands/config/command.ts';
import { deployCommand } from '../commands/deploy/command.ts';
import { doctorCommand } from '../commands/doctor/command.ts';
import { domainsCommands } from '../commands/domains/command.ts';
import { installCommand } from '../commands/install/command.ts';
import { licenseCommands } from '../commands/license/command.ts';
import { logsCommand } from '../commands/logs/command.ts';
import { openCommand } from '../commands/open/command.ts';
import { planCommand } from '../commands/plan/command.ts';
import { restartCommand } from '../commands/restart/command.ts';
import { restoreCommand } from '../commands/restore/command.ts';
import { rollbackCommand } from '../commands/rollback/command.ts';
import { serviceCommands } from '../commands/service/command.ts';
import { startCommand } from '../commands/start/command.ts';
import { statusCommand } from '../commands/status/command.ts';
import { stopCommand } from '../commands/stop/command.ts';
import type { CommandDefinition } from '../commands/support/definition.ts';
import { supportBundleCommand } from '../commands/support-bundle/command.ts';
import { uninstallCommand } from '../commands/uninstall/command.ts';
import { upgradeCommand } from '../commands/upgrade/command.ts';
import { versionCommand } from '../commands/version/command.ts';

/** Commands of several words, by the first. */
export const groups: Readonly<Record<string, string>> = {
  backup: 'back up the box, while it sells',
  config: 'show, change and check the settings of the box',
  domains: 'follow and change the domains of the box',
  license: 'show and replace the licence of the box',
  service: 'run the box as a service of systemd, which starts it at boot and watches it',
};

/** In the order in which help lists them. */
export const commands: readonly CommandDefinition[] = [
  installCommand,
  planCommand,
  upgradeCommand,
  rollbackCommand,
  startCommand,
  stopCommand,
  restartCommand,
  statusCommand,
  doctorCommand,
  logsCommand,
  supportBundleCommand,
  ...backupCommands,
  restoreCommand,
  ...configCommands,
  deployCommand,
  ...domainsCommands,
  ...licenseCommands,
  openCommand,
  versionCommand,
  completionCommand,
  ...serviceCommands,
  uninstallCommand,
];
