/**
 * The command line of `restore`.
 */
import { chooseOutput } from '../../output/choose.ts';
import { counted } from '../../output/output.ts';
import { readServiceUrl } from '../../service-urls.ts';
import { vendor } from '../../vendor.ts';
import { askForBackupKey } from '../backup/key.ts';
import { abortOnSignals, runCommand } from '../support/run-command.ts';
import { readSecretFile } from '../support/secret-file.ts';
import { type RestoreResult, restore } from './restore.ts';

interface Options {
  dir: string;
  json?: boolean;
  backup: string;
  passphraseFile?: string;
  replace?: boolean;
  toTime?: string;
  archive?: string;
  databaseUrlFile?: string;
  keyFile?: string;
  backupKeyFile?: string;
  allowUnverified?: boolean;
  controlPlane?: string;
}

/** Runs `restore` and sets the exit status. */
export async function runRestore({
  json,
  backup: path,
  databaseUrlFile,
  keyFile,
  controlPlane,
  ...options
}: Options): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const databaseUrl = databaseUrlFile && (await readSecretFile(databaseUrlFile));
    const licenseKey = keyFile && (await readSecretFile(keyFile));
    const isInteractive = process.stdin.isTTY && process.stdout.isTTY && !json;
    const result = await restore(
      {
        ...options,
        path,
        ...(controlPlane && { controlPlaneUrl: readServiceUrl(controlPlane, 'the control plane') }),
        ...(isInteractive && { askForBackupKey }),
        ...(databaseUrl && { databaseUrl }),
        ...(licenseKey && { licenseKey }),
        signal: abortOnSignals(),
      },
      output,
    );
    output.result(result, describe(result));
    return 0;
  });
}

function describe({ dir, head, record, counts, files, former, verifiedBy, leftOut }: RestoreResult): string[] {
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return [
    `The box is restored in ${dir}.`,
    `database  ${rows} rows in ${Object.keys(counts).length} tables, as of ${record.time}`,
    `media     ${head.media.storage === 's3' ? `in the bucket ${head.media.bucket}` : counted(files, 'file')}`,
    `release   ${head.release}`,
    `verified  ${verifiedBy === 'nothing' ? 'no' : `by the ${verifiedBy}: it is as the box has written it at ${head.time}`}`,
    ...(leftOut.length > 0
      ? [`left out  ${leftOut.join(', ')}: of box.env, only settings are restored; add what this machine needs`]
      : []),
    ...(former.length > 0
      ? ['What was there before stays until you remove it:', ...former.map((path) => `  ${path}`)]
      : []),
    `Start it with ${vendor} start --dir ${dir}.`,
  ];
}
