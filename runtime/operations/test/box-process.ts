/**
 * A box in a process of its own, controlled by settings and signals as by an operator.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { homeOfBox } from '../../testing/box-home.ts';
import { createTestDatabase } from '../../testing/database.ts';
import { sourceRoot } from '../../testing/packages.ts';
import { packageName } from '../../vendor.ts';

const main = fileURLToPath(new URL('../../main.ts', import.meta.url));

export interface BoxProcess {
  child: ChildProcess;
  url: string;
  databaseUrl: string;
  secret: string;
  /** The log lines so far. */
  log(): Record<string, unknown>[];
  /** Waits for a log line with this message. */
  line(message: string): Promise<Record<string, unknown>>;
  /** Exit code, or the signal's name. */
  ended: Promise<number | string>;
}

/** The environment variables for programs and coverage, without the machine's settings. */
function ownVariables(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(PATH|NODE_|_TAPJS_)/.test(name)));
}

const smallestSet = { packages: ['core', 'auth', 'tenant'].map(packageName), packagesFrom: sourceRoot };

/**
 * Starts a box and waits until it listens.
 * @param written packages without a template database, and the box's program instead of the source tree's
 */
export async function startBoxProcess(
  t: Test,
  environment: Record<string, string> = {},
  written?: { packages: readonly string[]; packagesFrom: string; program?: string },
): Promise<BoxProcess> {
  const database = await createTestDatabase(written && 'empty');
  const home = await homeOfBox(t, 'box-process-');
  const { packages, packagesFrom } = written ?? smallestSet;
  // Beside node_modules or below: packages are searched from here upwards.
  const lockFile = join(written ? dirname(packagesFrom) : home, 'lock.json');
  const lock = { tier: 'basic', packages: Object.fromEntries(packages.map((name) => [name, {}])) };
  writeFileSync(lockFile, JSON.stringify(lock));
  const secret = randomBytes(18).toString('base64url');
  const program = written?.program ? [written.program] : ['--conditions=workspace-source', main];
  const child = spawn(process.execPath, program, {
    env: {
      ...ownVariables(),
      DATABASE_URL: database.url,
      BOX_HOME: home,
      BOX_PACKAGES: lockFile,
      PORT: '0',
      OPERATOR_SECRET: secret,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
      child.emit('output');
    });
  }
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  t.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
    await database.drop();
  });
  const log = () =>
    output
      .split('\n')
      .slice(0, -1)
      .flatMap((text) => (text.startsWith('{') ? [JSON.parse(text)] : []));
  const line = async (message: string) => {
    for (;;) {
      const found = log().find(({ msg }) => msg === message);
      if (found) return found;
      await Promise.race([
        once(child, 'output'),
        ended.then(() => {
          throw new Error(`the box exited before it logged "${message}": ${output}`);
        }),
      ]);
    }
  };
  const { url } = await line('listening');
  return { child, url: String(url), databaseUrl: database.url, secret, log, line, ended };
}
