/**
 * The local stack for tests: the real `npm start` in a temporary folder, on free ports.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Caller, callerOf, freePort, sourceRoot, temporaryFolder } from '@carton/runtime/testing';
import { builtPackages } from '../../../tools/test/built-packages.ts';

export const root = dirname(sourceRoot);

/** The content of `stack.json`. */
export interface StackFile {
  boxUrl: string;
  controlPlaneUrl: string;
  registryUrl: string;
  adminSecret: string;
  registrySecret: string;
  hostingSecret: string;
  operatorSecret: string;
  licenseKey: string;
  tier: string;
  tenant: string;
  staff: { email: string; password: string };
}

export interface StackPlace {
  home: string;
  environment: Record<string, string>;
}

export interface RunningStack extends StackFile, StackPlace {
  process: ChildProcess;
  /** Its output so far. */
  output(): string;
  /** Sends a signal (by default SIGTERM); resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  shopper(): Caller;
  staffCaller(): Promise<Caller>;
  admin: Caller;
  controlPlane: Caller;
}

/** A temporary folder with the packages built, removed at the end of the test, and free ports. */
export async function stackPlace(t: { teardown(task: () => Promise<void>): void }): Promise<StackPlace> {
  const home = await temporaryFolder('stack-');
  t.teardown(() => rm(home, { recursive: true, force: true }));
  // Where the stack builds.
  await symlink(await builtPackages(), join(home, 'packages'));
  const [box, controlPlane, registry] = [await freePort(), await freePort(), await freePort()];
  return {
    home,
    environment: {
      CARTON_HOME: home,
      BOX_PORT: String(box),
      CONTROL_PLANE_PORT: String(controlPlane),
      REGISTRY_PORT: String(registry),
      DATABASE_URL: '',
    },
  };
}

/** Starts the stack and waits until the box is ready. @throws Error with its output if it exits before */
export async function startStack(
  t: { teardown(task: () => Promise<void>): void },
  place: StackPlace,
  ...parameters: string[]
): Promise<RunningStack> {
  const child = spawn('npm', ['start', '--', ...parameters], {
    cwd: root,
    env: { ...process.env, ...place.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const collect = (chunk: Buffer) => {
    output += chunk;
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return ended;
  };
  t.teardown(async () => {
    await stop();
  });
  const ready = new Promise<void>((resolve) => {
    const look = () => {
      if (output.includes('Ctrl-C stops everything')) resolve();
    };
    child.stdout.on('data', look);
  });
  await Promise.race([
    ready,
    ended.then((code) => {
      throw new Error(`the stack exited with ${code}: ${output}`);
    }),
  ]);
  const file: StackFile = JSON.parse(readFileSync(join(place.home, 'stack.json'), 'utf8'));
  return {
    ...file,
    ...place,
    process: child,
    output: () => output,
    stop,
    shopper: () => callerOf(file.boxUrl, {}, true),
    admin: callerOf(file.controlPlaneUrl, { authorization: `Bearer ${file.adminSecret}` }),
    controlPlane: callerOf(file.controlPlaneUrl),
    async staffCaller() {
      const login = await callerOf(file.boxUrl).post('/admin/auth/login', file.staff);
      return callerOf(file.boxUrl, { authorization: `Bearer ${login.body.token}` });
    },
  };
}
