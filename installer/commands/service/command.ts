/**
 * The commands of the group `service`: their options, examples and exit codes.
 */

import { vendor } from '../../vendor.ts';
import type { CommandDefinition } from '../support/definition.ts';

const name = { flags: '--name <name>', description: `name of the service (default: ${vendor})` };
const user = { flags: '--user <name>', description: 'user the box runs as (default: the owner of the folder)' };
const load = () => import('./run.ts');

export const serviceCommands: readonly CommandDefinition[] = [
  {
    name: 'service install',
    summary: 'write the unit, start the service now and at boot',
    options: [name, user],
    examples: [`sudo ${vendor} service install --dir /srv/store`],
    codes: ['ok', 'box_not_healthy', 'busy', 'not_installed', 'did_not_stop', 'folder_unusable'],
    load: async () => (await load()).runServiceInstall,
  },
  {
    name: 'service uninstall',
    summary: 'stop the service, and remove its unit and the timer of its backups; the box stays',
    options: [name],
    examples: [`sudo ${vendor} service uninstall --dir /srv/store`],
    codes: ['ok'],
    load: async () => (await load()).runServiceUninstall,
  },
  {
    name: 'service status',
    summary: 'show the state of the service',
    options: [name],
    examples: [`${vendor} service status --dir /srv/store`],
    codes: ['ok', 'not_installed', 'not_running'],
    load: async () => (await load()).runServiceStatus,
  },
  {
    name: 'service unit',
    summary: 'print the unit without installing it',
    options: [user],
    examples: [`${vendor} service unit --user store > store.service`],
    codes: ['ok', 'not_installed'],
    load: async () => (await load()).runServiceUnit,
  },
];
