/**
 * Commands about backups of a box.
 */
import { variable, vendor } from '../vendor.ts';
import { allowUnverified, type CommandDefinition, type OptionDefinition, pullCodes } from './definition.ts';

const load = () => import('../commands/run-backup.ts');

const to: OptionDefinition = {
  flags: '--to <path>',
  description:
    'folder of the backups or s3://bucket/prefix, or a file there that ends with .tar.zst (default: backups in the folder of the box)',
  type: 'file',
};
const passphrase: OptionDefinition = {
  flags: '--passphrase-file <path>',
  description: 'file with the passphrase that encrypts the backup, - for standard input',
  type: 'file',
};
const keep: OptionDefinition = {
  flags: '--keep <number>',
  description: 'how many verified backups stay in the folder; older ones are removed',
  type: 'wholeNumber',
};

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
  {
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
  },
];
