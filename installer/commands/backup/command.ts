/**
 * The commands of the group `backup`: their options, examples and exit codes.
 */

import { vendor } from '../../vendor.ts';
import type { CommandDefinition, OptionDefinition } from '../support/definition.ts';

const to: OptionDefinition = {
  flags: '--to <path>',
  description:
    'folder of the backups or s3://bucket/prefix, or a file there that ends with .tar.zst (default: backups in the folder of the box)',
  type: 'file',
};
export const passphrase: OptionDefinition = {
  flags: '--passphrase-file <path>',
  description: 'file with the passphrase that encrypts the backup, - for standard input',
  type: 'file',
};
const keep: OptionDefinition = {
  flags: '--keep <number>',
  description: 'how many verified backups stay in the folder; older ones are removed',
  type: 'wholeNumber',
};

const load = () => import('./run.ts');

export const backupCommands: readonly CommandDefinition[] = [
  {
    name: 'backup create',
    summary: 'store the data, settings and release of the box in one file, while it sells',
    options: [to, passphrase, keep],
    examples: [
      `${vendor} backup`,
      `${vendor} backup --to /mnt/backups --passphrase-file passphrase.txt --keep 7`,
      `${vendor} backup --to s3://store-backups/berlin --passphrase-file passphrase.txt   # see BACKUP_S3_… in config list`,
    ],
    codes: [
      'ok',
      'storage_unavailable',
      'integrity_failed',
      'disk_full',
      'busy',
      'not_installed',
      'not_running',
      'folder_unusable',
      'interrupted',
    ],
    isDefault: true,
    load: async () => (await load()).runBackup,
  },
  {
    name: 'backup list',
    summary: 'list the backups that this box has written and verified',
    options: [to],
    examples: [`${vendor} backup list`, `${vendor} backup list --to s3://store-backups/berlin`],
    codes: ['ok', 'not_installed', 'storage_unavailable'],
    load: async () => (await load()).runBackupList,
  },
  {
    name: 'backup schedule',
    summary: 'take a backup at intervals, and keep the last ones',
    options: [
      { flags: '--every <interval>', description: 'such as 6h or 1d (1d at first)' },
      keep,
      to,
      passphrase,
      { flags: '--off', description: 'schedule no more backups' },
    ],
    examples: [
      `sudo ${vendor} backup schedule --every 1d --keep 7 --to /mnt/backups --passphrase-file /etc/store-passphrase`,
      `sudo ${vendor} backup schedule --off`,
    ],
    codes: ['ok', 'not_installed', 'folder_unusable', 'storage_unavailable'],
    load: async () => (await load()).runBackupSchedule,
  },
];
