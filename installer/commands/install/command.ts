/**
 * `install`: its options, examples and exit codes.
 */

import type { ExitCode } from '../../exit-codes.ts';
import { variable, vendor } from '../../vendor.ts';
import { allCodes, type CommandDefinition, healthTimeout } from '../support/definition.ts';

const neverOfInstall: readonly ExitCode[] = [
  'not_installed',
  'not_running',
  'problems_found',
  'domains_not_proved',
  'would_lose_data',
  'no_former_release',
];

const load = () => import('./run.ts');

export const installCommand: CommandDefinition = {
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
  load: async () => (await load()).runInstall,
};
