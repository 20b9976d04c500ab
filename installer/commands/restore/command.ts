/**
 * `restore`: its options, examples and exit codes.
 */

import { variable, vendor } from '../../vendor.ts';
import { passphrase } from '../backup/command.ts';
import { allowUnverified, type CommandDefinition, pullCodes } from '../support/definition.ts';

const load = () => import('./run.ts');

export const restoreCommand: CommandDefinition = {
  name: 'restore',
  summary: 'restore a backup into an empty folder, also on another machine',
  arguments: [
    { name: '<backup>', description: 'file that backup has written, or its address s3://bucket/prefix/name' },
  ],
  options: [
    { ...passphrase, description: 'file with the passphrase of the backup, - for standard input' },
    {
      flags: '--backup-key-file <path>',
      description: `file with the backup key of the box, - for standard input (or set ${variable('BACKUP_KEY')}; default: that of the box in the folder)`,
      type: 'file',
    },
    allowUnverified,
    {
      flags: '--replace',
      description: 'replace the box in the folder; its data and settings stay beside the new ones',
    },
    {
      flags: '--to-time <time>',
      description: 'restore the state at this time (ISO 8601), from an archive of the WAL',
    },
    {
      flags: '--archive <folder>',
      description: 'folder of that archive (default: as in the backup)',
      type: 'folder',
    },
    {
      flags: '--database-url-file <path>',
      description: 'file with the URL of an empty database, for the backup of a box with a database of your own',
      type: 'file',
    },
    {
      flags: '--key-file <path>',
      description: 'file with a licence key (default: the one in the backup)',
      type: 'file',
    },
    {
      flags: '--control-plane <url>',
      description: 'URL of the control plane (default: the one in the backup)',
      env: variable('CONTROL_PLANE_URL'),
    },
  ],
  examples: [
    `${vendor} restore backup.tar.zst --backup-key-file backup-key.txt --dir /srv/store`,
    `${vendor} restore backup.tar.zst.enc --passphrase-file passphrase.txt --replace`,
    `${vendor} restore s3://store-backups/berlin/carton-20261125T030000Z.tar.zst.enc --passphrase-file passphrase.txt`,
    `${vendor} restore backup.tar.zst --replace --to-time 2026-11-25T14:30:00Z`,
  ],
  codes: [
    'ok',
    'storage_unavailable',
    ...pullCodes,
    'disk_full',
    'box_not_healthy',
    'busy',
    'not_installed',
    'not_running',
    'folder_unusable',
    'unverified',
    'interrupted',
  ],
  load: async () => (await load()).runRestore,
};
