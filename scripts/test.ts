/**
 * Runs the tests: starts one PostgreSQL, migrates all packages once into a template database, then runs tap. `npm test`
 * runs everything with coverage; `npm test -- <files>` runs only those files, without coverage.
 */
import { spawn } from 'node:child_process';
import { readFileSync, statSync, utimesSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect, loadPackages, migrate, migrationOwners } from '@carton/runtime/service';
import { administer, packagesOfTier, sourceRoot, temporaryFolder, urlOfDatabase } from '@carton/runtime/testing';
import { Parser } from 'tap-parser';
import { startEmbeddedPostgres } from '../runtime/db/embedded.ts';

const root = dirname(sourceRoot);
const files = process.argv.slice(2);
const minLineCoverage = 90;
const templateName = 'carton_template';

if (process.env.npm_execpath === undefined) process.env.PATH = `${join(root, 'node_modules/.bin')}:${process.env.PATH}`;

/** Runs a command in this terminal; returns its exit code. */
function run(
  command: string,
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, parameters, { cwd: root, stdio: 'inherit', env: environment });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

/** Builds tap without its TypeScript plugin, once per installation: Node.js itself runs the tests. */
async function buildTap(): Promise<void> {
  // The build is part of the installed packages of tap, so an installation undoes it.
  const timeOf = (path: string) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (timeOf('.tap/plugins') > timeOf('node_modules/.package-lock.json')) return;
  const code = await run('tap', ['build']);
  if (code !== 0) throw new Error('`tap build` failed');
  utimesSync(join(root, '.tap/plugins'), new Date(), new Date());
}

async function createTemplate(): Promise<void> {
  await administer(`drop database if exists ${templateName}`, `create database ${templateName}`);
  const packages = await loadPackages(packagesOfTier('enterprise'), sourceRoot);
  const knex = connect({ url: urlOfDatabase(templateName) });
  await migrate(knex, migrationOwners(packages));
  await knex.destroy();
}

/** Runs tap; prints a line per test file, and the complete output of failures. Returns the exit code and the TAP. */
async function runTap(
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<{ code: number; tap: string }> {
  const child = spawn('tap', parameters, { cwd: root, stdio: ['inherit', 'pipe', 'inherit'], env: environment });
  const lines: string[] = [];
  let block: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    const ended = /^(not )?ok \d+ - /.exec(line);
    if (ended?.[1])
      console.log(
        block
          .slice(
            Math.max(
              0,
              block.findIndex((each) => /^\s+not ok/.test(each)),
            ),
          )
          .join('\n'),
      );
    if (ended || /^[#\s-]*(total|File|All files|\s*[\w./-]+\s*\|)/.test(line)) console.log(line);
    block = ended ? [] : [...block, line];
  }
  const code =
    child.exitCode ?? (await new Promise<number>((resolve) => child.once('exit', (status) => resolve(status ?? 1))));
  return { code, tap: lines.join('\n') };
}

/** Prints the number of assertions and, for a complete run, checks the coverage. Returns the exit code. */
function reportResults(code: number, tap: string): number {
  const results = Parser.parse(tap, { flat: true });
  const checks = results.flatMap(([kind, result]) =>
    kind === 'assert' ? [result as { ok: boolean; skip?: unknown }] : [],
  );
  const skipped = checks.filter((check) => check.skip).length;
  const failed = checks.filter((check) => !check.ok).length;
  console.log(`${checks.length - failed - skipped} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
  if (files.length > 0) return code;
  const summary = JSON.parse(readFileSync(join(root, '.tap/report/coverage-summary.json'), 'utf8'));
  const { pct } = summary.total.lines;
  console.log(`line coverage ${pct}% (at least ${minLineCoverage}%)`);
  if (pct < minLineCoverage) return 1;
  return code;
}

async function main(): Promise<number> {
  await buildTap();
  const folder = await temporaryFolder('test-run-');
  // Tests need no durability: their data is deleted.
  const postgres = process.env.TEST_DATABASE_URL
    ? null
    : await startEmbeddedPostgres({
        directory: join(folder, 'postgresql'),
        settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
      });
  try {
    process.env.TEST_DATABASE_URL ??= postgres?.url as string;
    await createTemplate();
    const coverage =
      files.length > 0 ? ['--disable-coverage'] : ['--coverage-report=json-summary', '--coverage-report=text'];
    const parameters = ['run', '--reporter=tap', ...coverage, ...files];
    const { code, tap } = await runTap(parameters, { ...process.env, TEST_TEMPLATE: templateName });
    return reportResults(code, tap);
  } finally {
    await postgres?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

process.exit(await main());
