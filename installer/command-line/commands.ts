/**
 * The table of all commands: names, options, examples and exit codes. `npm run documentation` writes docs/commands.md
 * from it. A command's implementation is loaded only when it runs.
 */
import type { ExitCode } from '../exit-codes.ts';
import { variable, vendor } from '../vendor.ts';
import { backupCommands } from './backup.ts';
import { configCommands } from './config.ts';
import { allCodes, allowUnverified, type CommandDefinition, healthTimeout } from './definition.ts';
import { domainCommands } from './domains.ts';
import { informationCommands } from './information.ts';
import { serviceCommands } from './service.ts';
import { upgradeCommands } from './upgrades.ts';

/** Commands of several words, by the first. */
export const groups: Readonly<Record<string, string>> = {
  backup: 'back up the box, while it sells',
  config: 'show, change and check the settings of the box',
  domains: 'follow and change the domains of the box',
  license: 'show and replace the licence of the box',
  service: 'run the box as a service of systemd, which starts it at boot and watches it',
};

const neverOfInstall: readonly ExitCode[] = [
  'not_installed',
  'not_running',
  'problems_found',
  'domains_not_proved',
  'would_lose_data',
  'no_former_release',
];

/** In the order in which help lists them. */
export const commands: readonly CommandDefinition[] = [
  {
    name: 'install',
    summary: 'install a box, or update the installed one',
    options: [
      {
        flags: '--key-file <path>',
        description: `file with the licence key, - for standard input (or set ${variable('LICENSE_KEY')})`,
        type: 'file',
      },
      { flags: '--control-plane <url>', description: 'URL of the control plane', env: variable('CONTROL_PLANE_URL') },
      { flags: '--host <address>', description: 'address to listen on (127.0.0.1 for a new box)' },
      { flags: '--port <number>', description: 'port to listen on (3001 for a new box)', type: 'wholeNumber' },
      {
        flags: '--database-url-file <path>',
        description: 'file with the URL of your own PostgreSQL database (for a new box, or set DATABASE_URL)',
        type: 'file',
      },
      { flags: '--no-start', description: 'install the packages without starting the box' },
      { flags: '--allow-yanked', description: 'install versions that the vendor has yanked' },
      healthTimeout,
      // Accepted only to explain why it is unsafe.
      { flags: '--key [key]', description: 'the licence key', hidden: true },
    ],
    examples: [
      `${vendor} install --key-file licence.txt`,
      `${vendor} install --key-file - < licence.txt`,
      `${vendor} install --port 8080 --database-url-file database.txt`,
      `${vendor} install                      # update, or change the tier`,
    ],
    codes: allCodes.filter((code) => !neverOfInstall.includes(code)),
    load: async () => (await import('../commands/run-install.ts')).runInstall,
  },
  ...upgradeCommands,
  {
    name: 'start',
    summary: 'start the box and wait until it is healthy',
    options: [
      {
        flags: '--foreground',
        description:
          'run the box in the foreground: print its output, restart it after a crash, exit when it is stopped',
      },
      healthTimeout,
      allowUnverified,
      {
        flags: '--watchdog <seconds>',
        description: 'restart a box in the foreground that has not responded for so long; 0 for never',
        type: 'seconds',
        default: 30,
      },
    ],
    examples: [`${vendor} start`, `${vendor} start --foreground   # for systemd and containers`],
    codes: [
      'ok',
      'disk_full',
      'port_taken',
      'box_not_healthy',
      'busy',
      'not_installed',
      'folder_unusable',
      'unverified',
      'interrupted',
    ],
    load: async () => (await import('../commands/run-start.ts')).runStart,
  },
  {
    name: 'stop',
    summary: 'stop the box after requests in flight have finished',
    options: [
      {
        flags: '--timeout <seconds>',
        description: 'how long to wait (default: 30 plus DRAIN_SECONDS of box.env)',
        type: 'seconds',
      },
      { flags: '--force', description: 'kill the box if it has not stopped by then' },
    ],
    examples: [`${vendor} stop`, `${vendor} stop --timeout 5 --force`],
    codes: ['ok', 'busy', 'not_installed', 'did_not_stop'],
    load: async () => (await import('../commands/run-stop.ts')).runStop,
  },
  {
    name: 'restart',
    summary: 'replace the box by one with the settings on disk, without a gap',
    options: [healthTimeout],
    examples: [`${vendor} restart                      # after a change of box.env`],
    codes: [
      'ok',
      'disk_full',
      'port_taken',
      'box_not_healthy',
      'busy',
      'not_installed',
      'did_not_stop',
      'folder_unusable',
      'taken_back',
      'unverified',
      'interrupted',
    ],
    load: async () => (await import('../commands/run-start.ts')).runRestart,
  },
  {
    name: 'status',
    summary: 'show what is installed and whether the box is running and healthy',
    examples: [`${vendor} status`, `${vendor} status --json`],
    codes: ['ok', 'box_not_healthy', 'not_installed', 'not_running'],
    load: async () => (await import('../commands/run-status.ts')).runStatus,
  },
  {
    name: 'doctor',
    summary: 'say what is wrong with the box, and the command that mends it',
    options: [
      { flags: '--offline', description: 'leave out the checks that need the network' },
      {
        flags: '--backup',
        description: 'prove the last backup: restore its database aside, compare it, and remove it',
      },
      {
        flags: '--passphrase-file <path>',
        description: 'file with the passphrase of the backup (default: that of the schedule)',
        type: 'file',
      },
    ],
    examples: [`${vendor} doctor`, `${vendor} doctor --offline`, `${vendor} doctor --backup`],
    codes: ['ok', 'not_installed', 'problems_found', 'interrupted'],
    load: async () => (await import('../commands/run-doctor.ts')).runDoctor,
  },
  {
    name: 'logs',
    summary: 'print the last lines of the box’s log',
    options: [
      {
        flags: '-n, --lines <number>',
        description: 'how many of the last lines to print',
        type: 'wholeNumber',
        default: 100,
      },
      { flags: '-f, --follow', description: 'go on with new lines until Ctrl-C' },
    ],
    examples: [`${vendor} logs --lines 20`, `${vendor} logs --follow`],
    codes: ['ok', 'not_installed'],
    load: async () => (await import('../commands/run-logs.ts')).runLogs,
  },
  {
    name: 'support-bundle',
    summary: 'write a file with what the vendor needs to find a fault, without secrets',
    options: [
      { flags: '--output <path>', description: 'file to write (default: in the working folder)', type: 'file' },
      { flags: '--offline', description: 'leave out the checks that need the network' },
    ],
    examples: [`${vendor} support-bundle`, `${vendor} support-bundle --output /tmp/store.tar.gz`],
    codes: ['ok', 'not_installed', 'folder_unusable', 'disk_full', 'interrupted'],
    load: async () => (await import('../commands/run-support-bundle.ts')).runSupportBundle,
  },
  ...backupCommands,
  ...configCommands,
  ...domainCommands,
  ...informationCommands,
  ...serviceCommands,
  {
    name: 'uninstall',
    summary: 'stop the box and remove its program; its data and secrets stay',
    options: [
      { flags: '--data', description: 'remove the embedded database, files, secrets and logs too' },
      { flags: '--yes', description: 'do not ask before the removal of data' },
    ],
    examples: [`${vendor} uninstall`, `${vendor} uninstall --data          # asks first`],
    codes: ['ok', 'busy', 'not_installed', 'did_not_stop', 'folder_unusable', 'interrupted'],
    load: async () => (await import('../commands/run-uninstall.ts')).runUninstall,
  },
];
