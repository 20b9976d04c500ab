/**
 * `npm run bench -- <name> --against <commits>`: the box of this tree and those of other commits in alternating rounds on one
 * PostgreSQL server, each with a database of its own. What else the machine does, and has become since, falls on all.
 *
 * All are started several times: what V8 decides about a process's code holds for all of its rounds.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDatabase } from '@carton/runtime/service';
import { sourceRoot } from '@carton/runtime/testing';
import { type Measurement, measureInTurns, median, ratioOf, rounded, type Side } from '../tools/load/measurement.ts';
import type { LoadTenant } from '../tools/load/tenant.ts';
import { type MeasuredBox, openTenant, startBox, withPostgres } from './box.ts';

const run = promisify(execFile);

const starts = 3;

/** A measurement of one box. */
export interface Contest {
  what: string;
  unit: string;
  digits?: number;
  /** Products of the tenant. */
  products: number;
  rounds: number;
  /** Prepares the box for the rounds. Returns the function that measures one. */
  prepare(side: Opened): Promise<(round: number) => Promise<number>>;
}

/** A box with a tenant and its database. */
export interface Opened {
  box: MeasuredBox;
  tenant: LoadTenant;
  database: ReturnType<typeof openDatabase>;
}

/** Checks a commit out into a folder of its own, with its dependencies. */
async function checkOut(commit: string): Promise<{ root: string; name: string; remove(): Promise<void> }> {
  const { stdout } = await run('git', ['rev-parse', '--short', '--verify', `${commit}^{commit}`]);
  const folder = await mkdtemp(join(tmpdir(), 'against-'));
  const root = join(folder, 'tree');
  const remove = async () => {
    await run('git', ['worktree', 'remove', '--force', root]).catch(() => {});
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await run('git', ['worktree', 'add', '--detach', root, commit]);
    console.log(`installing the dependencies of ${stdout.trim()}`);
    await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, maxBuffer: 2 ** 26 });
    return { root, name: stdout.trim(), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The packages of the basic tier in a source tree. */
function basicPackagesIn(root: string): string[] {
  const folder = join(root, 'vendor');
  return readdirSync(folder)
    .map((name) => JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')))
    .filter(({ carton }) => carton?.tier === 'basic')
    .map(({ name }) => name);
}

async function openSide(serverUrl: string, root: string, { products }: Contest, closing: (() => unknown)[]) {
  const name = `side_${randomBytes(4).toString('hex')}`;
  const server = openDatabase({ url: serverUrl, poolSize: 1 });
  await server.box.query(`create database ${name}`);
  await server.close();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const packages = { packages: basicPackagesIn(root), packagesFrom: join(root, 'package.json') };
  const box = await startBox(url.href, packages, root);
  closing.unshift(() => box.stop());
  const database = openDatabase({ url: url.href });
  closing.unshift(() => database.close());
  return { box, database, tenant: await openTenant(box.url, products) };
}

/**
 * Measures the box of this tree and, as its peers, those of other commits. The ratio is the geometric mean of the rounds of
 * all starts. @throws Error for an unknown commit
 */
export async function measureAgainst(name: string, commits: readonly string[], contest: Contest): Promise<Measurement> {
  const { what, unit, digits = 0, rounds } = contest;
  const others: Awaited<ReturnType<typeof checkOut>>[] = [];
  const figures: number[][] = [[], ...commits.map(() => [])];
  try {
    for (const commit of commits) others.push(await checkOut(commit));
    const names = [what, ...others.map((other) => `at ${other.name}`)];
    for (let start = 1; start <= starts; start++) {
      console.log(`start ${start} of ${starts}`);
      await withPostgres(async ({ url }) => {
        const closing: (() => unknown)[] = [];
        try {
          const sides: Side[] = [];
          for (const [at, root] of [join(sourceRoot, '..'), ...others.map((other) => other.root)].entries()) {
            const measure = await contest.prepare(await openSide(url, root, contest, closing));
            sides.push({ what: names[at] as string, unit, digits, measure });
          }
          for (const [at, each] of (await measureInTurns(rounds, sides)).entries()) figures[at]?.push(...each);
        } finally {
          for (const close of closing) await close();
        }
      });
    }
    const [own, ...theirs] = figures as [number[], ...number[][]];
    const figure = (at: number, of: readonly number[]) => ({
      what: names[at] as string,
      value: rounded(median(of), digits),
      unit,
    });
    const [first, ...further] = theirs.map((of, at) => ({ ...ratioOf(own, of), peer: figure(at + 1, of) }));
    if (!first) throw new Error('no commit is named');
    return { name, ...first, box: figure(0, own), ...(further.length > 0 && { others: further }) };
  } finally {
    for (const other of others) await other.remove();
  }
}
