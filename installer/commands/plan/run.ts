/**
 * The command line of `plan`.
 */
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { chooseOutput } from '../../output/choose.ts';
import { counted, megabytes } from '../../output/output.ts';
import { describeKept, type KeptMigrations } from '../../upgrade/kept-migrations.ts';
import { embeddedDatabasePrefix, scope, vendor } from '../../vendor.ts';
import { abortOnSignals, runCommand } from '../support/run-command.ts';
import { readSecretFile } from '../support/secret-file.ts';
import { isLower, type PlannedPackage, type PlanResult, plan } from './plan.ts';

interface Options {
  dir: string;
  json?: boolean;
  keyFile?: string;
  version?: string;
  channel?: string;
  unpin?: boolean;
  allowYanked?: boolean;
}

/** Runs `plan` and sets the exit status: that of the upgrade, if it would be refused. */
export async function runPlan({ json, keyFile, ...options }: Options): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const licenseKey = keyFile ? await readSecretFile(keyFile) : undefined;
    const result = await plan({ ...options, licenseKey, signal: abortOnSignals() }, output);
    const exitCode = exitCodes[(result.refused?.code ?? 'ok') as ExitCode].status;
    output.result(result, describe(result), exitCode);
    return exitCode;
  });
}

/** So many lines of one kind are printed; `--json` has all. */
const maxLines = 12;

function describe(result: PlanResult): string[] {
  const { from, to, packages, pull, disk, migrations, refused } = result;
  const lines = [
    ...(refused
      ? [`An upgrade would be refused: ${refused.message}.`, ...(refused.advice ? [`${refused.advice}.`] : []), '']
      : []),
    headingOf(result),
    '',
    `release     ${from.version ?? from.release ?? 'none'} -> ${to.version} (channel ${to.channel})`,
    ...(result.pinnedVersion ? [`pinned      stays at ${result.pinnedVersion} until ${vendor} upgrade --unpin`] : []),
    ...(from.tier === to.tier ? [] : [`tier        ${from.tier} -> ${to.tier}`]),
  ];
  if (!result.upToDate) {
    lines.push(
      `packages    ${packages.changed.length} changed, ${packages.added.length} added, ${packages.removed.length} removed, ${packages.unchanged} unchanged`,
      `pull        ${counted(pull.packages, 'package')}, ${megabytes(pull.bytes)}`,
      `disk        ${megabytes(disk.neededBytes)} needed${disk.backupBytes > 0 ? ` (${megabytes(disk.backupBytes)} for the backup)` : ''}, ${megabytes(disk.freeBytes)} free`,
      `migrations  ${describeMigrations(result)}`,
      `backup      ${describeBackup(result)}`,
      ...describeWayBack(result),
      ...(result.keptMigrations ?? []).map((each) => `database    ${describeKept(each)}${dumpOf(each)}`),
      ...describeDatabase(result),
      ...list('Changed', packages.changed, (each) => [nameOf(each), versions(each), megabytes(each.bytes)]),
      ...list('Added', packages.added, (each) => [nameOf(each), each.version, megabytes(each.bytes)]),
      ...list('Removed (their data stays)', packages.removed, (each) => [nameOf(each), each.version]),
      ...list('Migrations', migrations, ({ file, additive }) => [additive ? 'additive' : 'changes', file]),
    );
  }
  return lines;
}

function headingOf({ upToDate, refused }: PlanResult): string {
  if (upToDate) return 'The box is up to date. Nothing would be changed.';
  return `Nothing was changed. ${refused ? 'Otherwise it' : 'An upgrade'} would do this:`;
}

function describeMigrations({ migrations, migrationsFrom }: PlanResult): string {
  if (migrations.length === 0) return 'none';
  const changing = migrations.filter(({ additive }) => !additive).length;
  const kinds = changing === 0 ? 'all additive' : `${changing} not additive`;
  return `${migrations.length}, ${kinds}${migrationsFrom === 'database' ? '' : ' (the database does not run: by the releases)'}`;
}

function describeBackup({ backup, migrations }: PlanResult): string {
  if (!backup) return 'none, since no migration is pending';
  return `of the database, before ${migrations.length > 0 ? 'the first migration' : 'the switch'}`;
}

const dumpOf = ({ dump }: KeptMigrations) => (dump ? `; the data of before is in ${dump}` : '');

function describeWayBack({ wayBack }: PlanResult): string[] {
  if (wayBack === 'code_only') return ['way back    the former release alone; every order stays'];
  return [
    'way back    needs the backup: what is written after the upgrade would be lost',
    'port        closed during backup, migrations and check of the new release',
  ];
}

function describeDatabase({ packages }: PlanResult): string[] {
  const changed = packages.changed.find(({ name }) => name.startsWith(embeddedDatabasePrefix));
  if (!changed) return [];
  return [`database    PostgreSQL ${versions(changed)} is restarted at the switch: requests get 503 for some seconds`];
}

const nameOf = ({ name }: { name: string }) => (name.startsWith(`${scope}/`) ? name.slice(scope.length + 1) : name);

function versions({ from = '', version }: PlannedPackage): string {
  return `${from} -> ${version}${isLower(version, from) ? ' (lower)' : ''}`;
}

/** A heading and aligned rows. */
function list<T>(heading: string, items: readonly T[], toRow: (item: T) => string[]): string[] {
  if (items.length === 0) return [];
  const rows = items.slice(0, maxLines).map(toRow);
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const text = rows.map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd());
  const more = items.length > maxLines ? [`  and ${items.length - maxLines} more (--json lists all)`] : [];
  return ['', heading, ...text, ...more];
}
